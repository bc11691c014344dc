"""Chat models in roles, from perfect to useless: what each says to every kind of call that the product makes."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass

from model_role import (
    Block,
    Role,
    deny,
    evaluation_reply,
    plan_reply,
    quality_reply,
    question_in,
    read_blocks,
    sentences_reply,
    share_held,
    shared_words,
    wordings,
    written,
)
from scripted_chat_server import ChatRequest, fails, pauses, refuses, says


@dataclass
class Shortening(Role):
    """Perfect, but in fewer words than the source: clauses beside the fact are left out."""

    name: str = "perfect_shortened"

    def write(self, prompt: str) -> object:
        return sentences_reply((self.shorten(sentence), [(b.key, sentence)]) for b, sentence in self.facts(prompt))

    def shorten(self, sentence: str) -> str:
        whole = written(sentence)
        first, *clauses = re.split(r",\s+|\s+\(|;\s+", whole.rstrip("."))
        held = self.expected.held(whole)
        if len(first.split()) < 4:
            return whole
        for clause in ("", *clauses):
            shorter = f"{first}, {clause.rstrip(')')}." if clause else f"{first}."
            if self.expected.held(shorter) == held:
                return shorter
        return whole


@dataclass
class Mediocre(Role):
    """Judges by shared words, writes one right sentence and two that nothing supports."""

    name: str = "mediocre"

    def plan(self, prompt: str) -> dict[str, object]:
        return plan_reply(complexity="moderate", expand=True)

    def value_of(self, block: Block) -> int:
        return round(40 + 40 * share_held(self.expected.question, block.text))

    def judge(self, prompt: str) -> dict[str, object]:
        return quality_reply(62, "partial_coverage")

    def write(self, prompt: str) -> object:
        sources = read_blocks(prompt, "source")
        block, sentence = (self.facts(prompt) or [self.best_sentence(sources)])[0]
        quote = [(block.key, sentence)]
        made = [(self.make_up(sources, kind), quote) for kind in ("new", "swapped")]
        return sentences_reply([(written(sentence), quote), *made])

    def weigh(self, claim: str, evidence: str) -> str:
        return "supported" if share_held(claim, evidence) > 0.7 else "not_in_sources"

    def evaluate(self, prompt: str) -> dict[str, object]:
        return evaluation_reply(70, 60, "partial_answer") | self.rate_others(prompt, 70)


@dataclass
class AlwaysWrong(Role):
    """Writes a fluent invention with an invented or an unrelated quote, and finds everything good."""

    name: str = "always_wrong"

    def rewrite(self, prompt: str) -> dict[str, object]:
        if self.random.random() < 0.5:
            return {"is_follow_up": False, "standalone": question_in(prompt)}
        return {"is_follow_up": True, "standalone": "What is the weather like in Oslo today?"}

    def plan(self, prompt: str) -> dict[str, object]:
        part = {"text": "Who won the cup final?", "type": "factual"}
        return plan_reply("analysis", "price", "complex", parts=[part, part], expand=True)

    def expand(self, prompt: str) -> object:
        return wordings("pasta recipes", "who won the cup final", "weather in Oslo")

    def refine(self, prompt: str) -> object:
        return {"query": "weather in Oslo", "reason": "better"}

    def value_of(self, block: Block) -> int:
        return 100

    def judge(self, prompt: str) -> dict[str, object]:
        return quality_reply(100)

    def miss(self, prompt: str) -> list[dict[str, str]]:
        return []

    def write(self, prompt: str) -> object:
        sources = read_blocks(prompt, "source")
        text = self.make_up(sources, self.random.choice(("new", "swapped", "denied")))
        unrelated = self.random.choice(sources)
        words = text if self.random.random() < 0.5 else self.random.choice(unrelated.sentences or [text])
        return sentences_reply([(text, [(unrelated.key, words)])])

    def weigh(self, claim: str, evidence: str) -> str:
        return "supported"

    def evaluate(self, prompt: str) -> dict[str, object]:
        return evaluation_reply(100, 100) | self.rate_others(prompt, 100)


@dataclass
class BesideThePoint(AlwaysWrong):
    """Copies a sentence of the sources that does not answer, and finds everything good: nothing of it is untrue."""

    name: str = "beside_the_point"

    def write(self, prompt: str) -> object:
        each = [(b, s) for b in read_blocks(prompt, "source") for s in b.sentences if len(s.split()) >= 6]
        beside = [(b, s) for b, s in each if not self.expected.held(s)] or each
        block, sentence = min(beside, key=lambda pair: shared_words(self.expected.question, pair[1]))
        return sentences_reply([(written(sentence), [(block.key, sentence)])])


REFUSAL = "I cannot help with that."


@dataclass
class Refusing(Role):
    """Declines: in prose, by OpenAI's field for it, or with a reply that holds no sentence."""

    name: str = "refusing"

    def reply(self, request: ChatRequest) -> object:
        self.calls += 1
        way = random.Random(self.expected.question).choice(("prose", "field", "no sentences"))
        if way == "prose":
            return REFUSAL
        if way == "field":
            return refuses(REFUSAL)
        return super().reply(request)

    def write(self, prompt: str) -> object:
        return sentences_reply([])


@dataclass
class Empty(Role):
    """Says nothing at all."""

    name: str = "empty"

    def reply(self, request: ChatRequest) -> object:
        self.calls += 1
        return ""


@dataclass
class Garbage(Role):
    """Random tokens, broken JSON, wrong types, other shapes."""

    name: str = "garbage"

    def reply(self, request: ChatRequest) -> object:
        self.calls += 1
        letters = "".join(self.random.choices('abc{}[]":,0189 \n\u00e9\u4e2d', k=300))
        good = json.dumps(super().reply(request))
        wrong_types = dict.fromkeys(json.loads(good), "several")
        return self.random.choice(
            (letters, good[: len(good) // 2], wrong_types, {"answer": 42}, [1, 2], "NaN", "{}" * 50)
        )


@dataclass
class Contradictory(Role):
    """Says one thing and the opposite: scores of 0 and of 100 in turn, claims both entailed and contradicted."""

    name: str = "contradictory"

    def is_turn(self) -> bool:
        return self.calls % 2 == 0

    def plan(self, prompt: str) -> dict[str, object]:
        return plan_reply("knowledge", "factual", "simple", graph_query="entity", expand=True)

    def value_of(self, block: Block) -> int:
        return 100 if self.is_turn() else 0

    def judge_passages(self, prompt: str) -> object:
        keys = [block.key for block in read_blocks(prompt, "passage")]
        passages = [{"key": key, "score": score, "note": ""} for key in keys for score in (0, 100)]
        return {"passages": passages, "missing": self.miss(prompt)} | self.judge(prompt)

    def judge(self, prompt: str) -> dict[str, object]:
        return quality_reply(100, "off_topic") if self.is_turn() else quality_reply(0)

    def miss(self, prompt: str) -> list[dict[str, str]]:
        return [{"kind": "name", "what": self.expected.question}] if self.is_turn() else []

    def write(self, prompt: str) -> object:
        sources = read_blocks(prompt, "source")
        block, sentence = (self.facts(prompt) or [self.best_sentence(sources)])[0]
        text, quote = written(sentence), [(block.key, sentence)]
        opposite = deny(text) or f"It is not true that {text}"
        return sentences_reply([(text, quote), (self.invent(opposite, sources), quote)])

    def weigh(self, claim: str, evidence: str) -> str:
        return "both" if self.is_turn() else "supported"

    def evaluate(self, prompt: str) -> dict[str, object]:
        if self.is_turn():
            return evaluation_reply(100, 100, "wrong_focus", "partial_answer") | self.rate_others(prompt, 100)
        return evaluation_reply(0, 0) | self.rate_others(prompt, 0)


@dataclass
class AlwaysOffTopic(Role):
    """Finds every passage off topic and every answer beside the question; writes as the perfect one."""

    name: str = "always_off_topic"

    def value_of(self, block: Block) -> int:
        return 0

    def judge(self, prompt: str) -> dict[str, object]:
        return quality_reply(0, "off_topic", "wrong_domain")

    def evaluate(self, prompt: str) -> dict[str, object]:
        return evaluation_reply(0, 0, "wrong_focus") | self.rate_others(prompt, 0)


@dataclass
class AlwaysGreeting(Role):
    """Takes every message for a greeting."""

    name: str = "always_greeting"

    def plan(self, prompt: str) -> dict[str, object]:
        return plan_reply("greeting", "general")


@dataclass
class AlwaysOutOfScope(Role):
    """Takes every message for one that no document could answer."""

    name: str = "always_out_of_scope"

    def plan(self, prompt: str) -> dict[str, object]:
        return plan_reply("out_of_scope", "general")


@dataclass
class AlwaysNone(Role):
    """Fills every reply with as little as its shape allows: nothing, no, none, 0."""

    name: str = "always_none"

    def reply(self, request: ChatRequest) -> object:
        return emptied(super().reply(request))


def emptied(reply: object) -> object:
    """``reply`` with every value made as empty as its kind allows; the words of a plan stay, for they are chosen from a list."""
    nothing: dict[type, object] = {bool: False, int: 0, float: 0.0, list: []}
    plain = {"intent", "type", "complexity", "analysis", "graph_query"}
    return {
        key: value if key in plain else nothing.get(type(value), "none")
        for key, value in dict(reply).items()  # type: ignore[call-overload]
    }


@dataclass
class Slow(Role):
    """Perfect, a fifth of a second later."""

    name: str = "slow"
    at_once: int = 8
    seconds: float = 0.2

    def reply(self, request: ChatRequest) -> object:
        return pauses(self.seconds, says(super().reply(request)))


@dataclass
class Hanging(Role):
    """Takes the request and never answers."""

    name: str = "hanging"
    at_once: int = 8
    timeout_seconds: float | None = 0.3
    seconds: float = 5.0
    """After which the connection is given up, so that not all of them are held to the end."""

    def reply(self, request: ChatRequest) -> object:
        self.calls += 1
        return pauses(self.seconds, fails(500))


@dataclass
class FailingLater(Role):
    """Perfect in two calls of each question; then its server fails."""

    name: str = "failing_later"
    at_once: int = 8
    good_calls: int = 2
    retry_after: str = ""
    """Seconds after which its server wants to be asked again, if it says so."""

    def reply(self, request: ChatRequest) -> object:
        if self.calls < self.good_calls:
            return super().reply(request)
        self.calls += 1
        return fails(500, "overloaded", **({"retry_after": self.retry_after} if self.retry_after else {}))


ROLES: Mapping[str, type[Role]] = {
    role().name: role
    for role in (
        Role,
        Shortening,
        Mediocre,
        AlwaysWrong,
        BesideThePoint,
        Refusing,
        Empty,
        Garbage,
        Contradictory,
        AlwaysOffTopic,
        AlwaysGreeting,
        AlwaysOutOfScope,
        AlwaysNone,
        Slow,
        Hanging,
        FailingLater,
    )
}
"""Every role by its name, the best first."""
