"""Entailment by a model on a server: ``tei:NAME?base_url=http://HOST``, Text Embeddings Inference with a classifier of pairs.

``POST /predict`` takes pairs of texts and answers with a list of labels and scores for each (its API reference); Hugging Face's Inference
Endpoints run the same server. A server takes 32 pairs at a time unless it was started otherwise; a batch that it refuses is halved.
Evidence longer than the model's window is read in windows of whole sentences, the best one counts, as with models on this machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from ascertain.core.asking.runs import Run, Task
from ascertain.core.errors import ConfigurationError, ModelError
from ascertain.core.settings import ModelSettings
from ascertain.language.sentences import split_sentences
from ascertain.models.embed.cards import read_card, read_key
from ascertain.models.entail.labels import CONTRADICTS, ENTAILS, OTHERS, spell_label, weigh_chances
from ascertain.models.ports import ClaimPair, Embedder, Spent, Support
from ascertain.models.servers.breaker import ENTAILMENT
from ascertain.models.servers.failures import CallFailed
from ascertain.models.servers.server import QUESTION_PATIENCE, REFUSED, ModelServer, ask_by_batches, count_tokens

_SETTING = "models.entailment"
BATCH = 32
WINDOW = 512
"""Tokens of a window where the options name none: that of BERT and its kin."""
FEWEST_TOKENS = 64
"""Of a window reserved for the evidence, however long the claim is; the server cuts what is too long."""

Pair = tuple[str, str]
Chances = tuple[float, float]
"""Of entailment and of contradiction."""


class HostedEntailment:
    """See the port. ``labels`` says what labels without names mean, by their numbers."""

    def __init__(self, server: ModelServer, labels: Sequence[str] = ()) -> None:
        self._server = server
        self._labels = tuple(labels)
        if self._labels and not any(label in ENTAILS for label in self._labels):
            raise ConfigurationError(f"{_SETTING}: labels={','.join(labels)}: one must be entailment")

    @property
    def name(self) -> str:
        return self._server.card.stored_name

    @property
    def spent(self) -> Spent:
        """What its requests have cost so far."""
        return self._server.spent

    def check(self, pairs: Sequence[ClaimPair], run: Run) -> list[Support]:
        """See the port; its cost is recorded on ``run``."""
        if not pairs:
            return []
        run.allow(Task.VERIFY)
        before = self._server.spent
        options = self._server.card.options
        asked: list[Pair] = []
        owners: list[int] = []
        for owner, pair in enumerate(pairs):
            claim = _clean(pair.claim)
            windows = list(_split_evidence(_clean(pair.evidence), claim, options.window or WINDOW))
            asked += [(window, claim) for window in windows]
            owners += [owner] * len(windows)
        size = options.texts or BATCH
        batches = [asked[start : start + size] for start in range(0, len(asked), size)]
        try:
            with self._server.admit_call():
                answered = ask_by_batches(self._ask_batch, batches, options.requests)
        finally:
            spent = self._server.spent
            if tokens := spent.tokens - before.tokens:
                run.spend(Task.VERIFY, input_tokens=tokens, output_tokens=0, cost_usd=spent.usd - before.usd)
        found = [chances for each in answered for chances in each]
        best = [
            [chances for chances, owner in zip(found, owners, strict=True) if owner == i] for i in range(len(pairs))
        ]
        return [weigh_chances(max(yes for yes, _ in each), max(no for _, no in each)) for each in best]

    def _ask_batch(self, pairs: list[Pair]) -> list[Chances]:
        body = {"inputs": [list(pair) for pair in pairs], "raw_scores": False, "truncate": True}
        try:
            content = self._server.post_for_list("/predict", body, QUESTION_PATIENCE)
        except CallFailed as failure:
            if failure.status not in REFUSED or len(pairs) == 1:
                raise
            middle = len(pairs) // 2
            return self._ask_batch(pairs[:middle]) + self._ask_batch(pairs[middle:])
        self._server.book(sum(count_tokens(text) for pair in pairs for text in pair))
        if len(content) != len(pairs):
            raise ModelError(f"{_SETTING}: {self._server} gave {len(content)} predictions for {len(pairs)} pairs")
        return [self._read_prediction(each) for each in content]

    def _read_prediction(self, prediction: object) -> Chances:
        """The chances in one list of labels and scores, in whatever order; raises ModelError for anything else."""
        scores: dict[str, float] = {}
        for entry in cast("list[object]", prediction) if isinstance(prediction, list) else []:
            loose: Mapping[str, Any] = cast("Mapping[str, Any]", entry) if isinstance(entry, dict) else {}
            label, score = loose.get("label"), loose.get("score")
            if isinstance(label, str) and isinstance(score, int | float) and math.isfinite(score) and 0 <= score <= 1:
                scores[self._name_label(label)] = float(score)
        entailed = next((score for label, score in scores.items() if label in ENTAILS), None)
        if not scores or entailed is None:
            raise ModelError(
                f"{_SETTING}: {self._server} gave no chance of entailment; it may have a model of another kind"
            )
        return entailed, next((score for label, score in scores.items() if label in CONTRADICTS), 0.0)

    def _name_label(self, label: str) -> str:
        """What a label means. Raises ModelError for one that has only a number, or a name that says nothing."""
        spelt = spell_label(label)
        number = spelt.removeprefix("label ")
        if self._labels and number.isdigit() and int(number) < len(self._labels):
            return self._labels[int(number)]
        if spelt in {*ENTAILS, *CONTRADICTS, *OTHERS}:
            return spelt
        raise ModelError(
            f"{_SETTING}: {self._server} has a label {label!r}, which does not say what it means; name its labels in order, as in "
            f"{self._server.card.kind}:{self._server.card.model}?labels=contradiction,neutral,entailment"
        )


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ").strip() or "."


def _split_evidence(evidence: str, claim: str, window: int) -> Iterator[str]:
    """``evidence`` in windows of whole sentences that fit beside ``claim``; neighbours share a sentence."""
    room = max(FEWEST_TOKENS, window - count_tokens(claim))
    if count_tokens(evidence) <= room:
        yield evidence
        return
    taken: list[str] = []
    fresh = False
    for span in split_sentences(evidence):
        sentence = span.of(evidence)
        if fresh and count_tokens(" ".join([*taken, sentence])) > room:
            yield " ".join(taken)
            taken = taken[-1:] if count_tokens(f"{taken[-1]} {sentence}") <= room else []
        taken.append(sentence)
        fresh = True
    if taken:
        yield " ".join(taken)


def open_tei(name: str, settings: ModelSettings, embedder: Embedder) -> HostedEntailment:
    """``tei:NAME?base_url=http://HOST``; see the registry."""
    card = read_card("tei", name, _SETTING)
    if not card.options.base_url:
        raise ConfigurationError(f"{_SETTING} = 'tei:{name}': name its server: tei:{card.model}?base_url=http://HOST")
    labels = [spell_label(label) for label in card.options.labels.split(",")] if card.options.labels else []
    key = read_key(card, "", _SETTING)
    return HostedEntailment(ModelServer(card, card.options.base_url, key, _SETTING, ENTAILMENT), labels)
