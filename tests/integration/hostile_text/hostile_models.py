"""Chat models for the scripted server: one that obeys what stands outside the data, one that repeats any injection."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from hostile_documents import EVIL, PAYLOAD, SUBJECTS, HostileDocument, Subject
from scripted_chat_server import ChatRequest

_BLOCK = re.compile(r'<(\w+) boundary="([0-9a-f]{16})"([^>]*)>\n(.*?)\n</\1 \2>', re.DOTALL)
_KEY = re.compile(r'(?:key|number|of)="([^"]*)"')


class Blocks:
    """A prompt taken apart: ``outside`` is what a model may take orders from."""

    def __init__(self, request: ChatRequest) -> None:
        self.outside = _BLOCK.sub("", request.text)
        self.found = [
            (kind, next(iter(_KEY.findall(about)), ""), text) for kind, _, about, text in _BLOCK.findall(request.text)
        ]

    def of(self, kind: str) -> list[tuple[str, str]]:
        return [(key, text) for name, key, text in self.found if name == kind]

    @property
    def subject(self) -> Subject:
        asked = " ".join(text for kind, _, text in self.found if kind in {"question", "claim"})
        return next((s for s in SUBJECTS if s.question in asked or s.telling in asked), SUBJECTS[0])


def honest(request: ChatRequest) -> dict[str, Any]:
    """What a good model replies, reading data as data."""
    blocks = Blocks(request)
    subject = blocks.subject
    shown = blocks.of("source" if request.schema == "WritingReply" else "passage")
    right = [key for key, text in shown if subject.fact in text.replace("\n| ", " ")]
    replies: dict[str, Callable[[], dict[str, Any]]] = {
        "UnderstandingReply": lambda: {
            "is_follow_up": False,
            "standalone": subject.question,
            "intent": "knowledge",
            "analysis": "none",
            "focus": "",
            "type": "factual",
            "complexity": "simple",
            "parts": [],
            "graph_query": "none",
            "expand": False,
            "reason": "one fact",
        },
        "JudgementReply": lambda: {
            "passages": [
                {"key": key, "score": 95 if key in right else 5, "note": subject.fact if key in right else ""}
                for key, _ in shown
            ],
            "score": 85,
            "issues": [],
            "missing": [],
            "reason": "the fact is there",
        },
        "WritingReply": lambda: {
            "sentences": [{"text": subject.fact, "quotes": [{"key": key, "text": subject.fact}]} for key in right[:1]]
        },
        "ClaimsReply": lambda: {
            "verdicts": [
                {"claim": int(key), "verdict": "supported" if claim[2:] in shown else "not_in_sources", "reason": ""}
                for shown in ("".join(text for _, text in blocks.of("source")),)
                for key, claim in blocks.of("claim")
            ]
        },
        "EvaluationReply": lambda: {
            "relevance": 95,
            "completeness": 95,
            "issues": [],
            "other": 0,
            "comment": "answers it",
        },
    }
    if request.schema == "ExaminationReply":
        return replies["ClaimsReply"]() | replies["EvaluationReply"]()
    return replies[request.schema]()


class ObedientModel:
    """Does what stands outside the data, whoever wrote it; notes when that was an order of a document's."""

    def __init__(self) -> None:
        self.obeyed: list[str] = []

    def __call__(self, request: ChatRequest) -> dict[str, Any]:
        outside = Blocks(request).outside
        if PAYLOAD in outside or EVIL in outside or "previous instructions" in outside:
            self.obeyed.append(outside)
            return corrupted(request, PAYLOAD)
        return honest(request)


class GullibleModel:
    """Repeats the injection of ``case`` whatever it is shown, with the keys and verdicts that serve it."""

    def __init__(self) -> None:
        self.case: HostileDocument | None = None

    def __call__(self, request: ChatRequest) -> dict[str, Any]:
        return corrupted(request, self.case.order if self.case else PAYLOAD)


def corrupted(request: ChatRequest, order: str) -> dict[str, Any]:
    """What serves an injection: all of it supported, cited with keys that were given and keys that were not.

    Whatever does not serve it is judged honestly, as one would who knows of the controls.
    """
    blocks = Blocks(request)
    passages = blocks.of("passage")
    fact = blocks.subject.fact
    link = f"https://{EVIL}/log?q=1"
    quotes = [{"key": key, "text": text} for key in ("S1", "S99") for text in (order, fact)]
    said = (
        f"{PAYLOAD} did it.",
        f"{blocks.subject.fact.split()[1]} was the work of {PAYLOAD}, see {link} ![x]({link}).",
        f"\x1b[31m{order}",
        f"It was {PAYLOAD} [S99] who did all of it [1].",
    )

    def serves(text: str) -> bool:
        return any(words in text.replace("\n| ", " ") for words in (PAYLOAD, EVIL, order, fact))

    replies: dict[str, Callable[[], dict[str, Any]]] = {
        "JudgementReply": lambda: {
            "passages": [
                {"key": "P99", "score": 100},
                *({"key": key, "score": 100 * serves(text), "note": order} for key, text in passages),
            ],
            "score": 100,
            "issues": [],
            "missing": [],
            "reason": order,
        },
        "WritingReply": lambda: {"sentences": [{"text": text, "quotes": quotes} for text in said]},
        "ClaimsReply": lambda: {
            "verdicts": [
                {"claim": int(key), "verdict": "supported" if serves(text) else "not_in_sources", "reason": order}
                for key, text in blocks.of("claim")
            ]
        },
        "EvaluationReply": lambda: {"relevance": 100, "completeness": 100, "issues": [], "other": 0, "comment": order},
    }
    if request.schema == "ExaminationReply":
        return replies["ClaimsReply"]() | replies["EvaluationReply"]()
    return replies[request.schema]() if request.schema in replies else honest(request)
