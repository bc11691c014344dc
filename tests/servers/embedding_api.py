"""What servers of embedding models and rerankers say, for ``ScriptedChatServer.reply_by``: the protocols of OpenAI and of Cohere.

Vectors are of words, so that texts that share words are near each other.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Sequence

import numpy as np
from scripted_chat_server import Behaviour, ChatRequest, sends

WORD = re.compile(r"\w+")


def vector_of(text: str, dimension: int = 64, seed: str = "") -> list[float]:
    """Every word has a direction of its own; ``seed`` is another model."""
    vector = np.full(dimension, 0.01)
    for word in WORD.findall(text.lower()):
        digest = hashlib.blake2b(f"{seed}{word}".encode("utf-8", "replace"), digest_size=8).digest()
        vector += np.random.default_rng(int.from_bytes(digest)).standard_normal(dimension)
    return (vector / np.linalg.norm(vector)).tolist()


def embeddings(
    texts: Sequence[str],
    *,
    dimension: int = 64,
    model: str = "scripted",
    seed: str = "",
    leave_out: Sequence[int] = (),
    backwards: bool = False,
    as_base64: bool = False,
    usage: bool = True,
) -> dict:
    """A reply as OpenAI sends it."""
    data = []
    for index, text in enumerate(texts):
        vector = vector_of(text, dimension, seed)
        packed = base64.b64encode(np.asarray(vector, "<f4").tobytes()).decode()
        data.append({"object": "embedding", "index": index, "embedding": packed if as_base64 else vector})
    kept = [entry for entry in data if entry["index"] not in leave_out]
    body = {"object": "list", "model": model, "data": kept[::-1] if backwards else kept}
    counted = sum(len(text.split()) for text in texts)
    return body | ({"usage": {"prompt_tokens": counted, "total_tokens": counted}} if usage else {})


def embeds(**how: object) -> Callable[[ChatRequest], Behaviour]:
    """Answers every request for embeddings; honours ``dimensions``."""

    def answer(request: ChatRequest) -> Behaviour:
        asked = {"dimension": request.body["dimensions"]} if "dimensions" in request.body else {}
        return sends(json.dumps(embeddings(request.body["input"], **{**how, **asked})).encode())

    return answer


def one_by_one(*answers: Callable[[ChatRequest], Behaviour] | Behaviour | None) -> Callable[[ChatRequest], Behaviour]:
    """The first request gets the first answer, and so on; None, and all that come after the last, get embeddings."""
    left = list(answers)

    def answer(request: ChatRequest) -> Behaviour:
        chosen = left.pop(0) if left else None
        if chosen is None:
            return embeds()(request)
        return chosen

    return answer


def reranks(scores: Callable[[str, str], float]) -> Callable[[ChatRequest], Behaviour]:
    """Answers as Cohere, Jina and their like do: best first, by index."""

    def answer(request: ChatRequest) -> Behaviour:
        found = [
            {"index": index, "relevance_score": scores(request.body["query"], text)}
            for index, text in enumerate(request.body["documents"])
        ]
        found.sort(key=lambda each: -each["relevance_score"])
        return sends(json.dumps({"id": "1", "results": found, "meta": {"billed_units": {"search_units": 1}}}).encode())

    return answer


NLI = ("entailment", "neutral", "contradiction")


def predicts(
    chances: Callable[[str, str], Sequence[float]], labels: Sequence[str] = NLI
) -> Callable[[ChatRequest], Behaviour]:
    """Answers as Text Embeddings Inference does with a classifier of pairs: every label, likeliest first; at most 32 pairs at a time."""

    def answer(request: ChatRequest) -> Behaviour:
        pairs = request.body["inputs"]
        if len(pairs) > 32:
            told = f"batch size {len(pairs)} > maximum allowed batch size 32"
            return sends(json.dumps({"error": told, "error_type": "Validation"}).encode(), status=422)
        found = [
            sorted(
                ({"label": label, "score": score} for label, score in zip(labels, chances(*pair), strict=True)),
                key=lambda each: -each["score"],
            )
            for pair in pairs
        ]
        return sends(json.dumps(found).encode())

    return answer
