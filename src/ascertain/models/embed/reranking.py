"""Rerankers on servers that answer ``POST /rerank`` as Cohere does: Jina, Voyage, vLLM, llama.cpp, LiteLLM and others do too.

Named ``cohere:NAME``, ``jina:NAME`` and ``voyage:NAME``, or ``rerank:NAME?base_url=http://HOST/v1`` for your own server.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

from ascertain.core.errors import ConfigurationError, ModelError
from ascertain.core.settings import ModelSettings
from ascertain.models.embed.cards import read_card, read_key
from ascertain.models.logistic_model import convert_log_odds
from ascertain.models.ports import Spent
from ascertain.models.servers.breaker import RERANKING
from ascertain.models.servers.server import QUESTION_PATIENCE, ModelServer, count_tokens

_SETTING = "models.reranker"
_MOST_TEXTS = 100
"""Texts of one request; Cohere takes 1,000 and bills by the hundred."""


class HostedReranker:
    """A reranker on a server; see the port."""

    def __init__(self, server: ModelServer) -> None:
        self._server = server

    @property
    def name(self) -> str:
        return self._server.card.stored_name

    @property
    def spent(self) -> Spent:
        """What its requests have cost so far."""
        return self._server.spent

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """See the port; scores outside 0 to 1, as from a model that gives logits, are mapped to it."""
        found: list[float] = []
        with self._server.admit_call():
            for start in range(0, len(texts), _MOST_TEXTS):
                found += self._score_batch(question, [_clean_text(text) for text in texts[start : start + _MOST_TEXTS]])
        if any(not 0 <= score <= 1 for score in found):
            return [convert_log_odds(score) for score in found]
        return found

    def _score_batch(self, question: str, texts: list[str]) -> list[float]:
        body = {"model": self._server.card.model, "query": _clean_text(question), "documents": texts}
        content = self._server.post("/rerank", body, QUESTION_PATIENCE)
        self._server.book(sum(map(count_tokens, texts)))
        entries = content.get("results", content.get("data"))
        scores: dict[int, float] = {}
        for entry in cast("list[Any]", entries) if isinstance(entries, list) else []:
            loose = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
            score = loose.get("relevance_score", loose.get("score"))
            if isinstance(score, int | float) and math.isfinite(score) and isinstance(loose.get("index"), int):
                scores[loose["index"]] = float(score)
        if missing := [row for row in range(len(texts)) if row not in scores]:
            raise ModelError(f"{_SETTING}: {self._server} gave no score for {len(missing)} of {len(texts)} passages")
        return [scores[row] for row in range(len(texts))]


def _clean_text(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8").strip() or "."


def _make_opener(kind: str, base_url: str, variable: str) -> Callable[[str, ModelSettings], HostedReranker]:
    def open_hosted(name: str, settings: ModelSettings) -> HostedReranker:
        card = read_card(kind, name, _SETTING)
        address = card.options.base_url or base_url
        if not address:
            raise ConfigurationError(
                f"{_SETTING} = '{kind}:{name}': name its server: {kind}:{card.model}?base_url=http://HOST/v1"
            )
        return HostedReranker(ModelServer(card, address, read_key(card, variable, _SETTING), _SETTING, RERANKING))

    return open_hosted


open_cohere = _make_opener("cohere", "https://api.cohere.com/v2", "COHERE_API_KEY")
open_jina = _make_opener("jina", "https://api.jina.ai/v1", "JINA_API_KEY")
open_voyage = _make_opener("voyage", "https://api.voyageai.com/v1", "VOYAGE_API_KEY")
open_rerank_server = _make_opener("rerank", "", "")
