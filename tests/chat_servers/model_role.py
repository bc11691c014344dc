"""What a chat model that plays a role works with, and the perfect one: it says the best there is to every kind of call.

A role knows what the question in hand expects and reads the prompt as a model would; it remembers which of its sentences it made
up. ``server.reply_by(role.reply)`` lets it speak over HTTP.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from scripted_chat_server import ChatRequest

from ascertain.app.ascertain import Ascertain
from ascertain.core.asking.answers import Answer
from ascertain.core.asking.requests import Done, NodeStarted, Turn
from ascertain.core.asking.runs import Budget, Run
from ascertain.language.languages import ENGLISH
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import content_terms
from ascertain.questions.conversation.rewriting import RuleRewriter

BLOCK = re.compile(r'<(\w+) boundary="(\w+)"([^>]*)>\n(.*?)\n</\1 \2>', re.DOTALL)
ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
MARKUP = re.compile(r"^(?:[#>|\s-]|\*\s)+|[*`]{1,3}")
FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
DENIES = re.compile(r"\bnot\s+")
AFFIRMS = re.compile(r"\b(is|are|was|were|has|have|will|can|does|did)\b")


@cache
def fold_words(text: str) -> str:
    """The words of ``text`` in small letters, a space on either side of each."""
    return " ".join(("", *re.findall(r"\w+", text.casefold()), ""))


def says_words(text: str, words: str) -> bool:
    """Whether ``text`` holds ``words`` as whole words, whatever their case and what stands between them."""
    return fold_words(words) in fold_words(text)


@dataclass(frozen=True)
class Expected:
    """What a right answer to ``question`` holds: of each group of ``must`` one, of ``must_not`` nothing.

    Without groups there is nothing to find, and declining is right. ``titles`` are the documents that say it; without
    them every document counts.
    """

    question: str
    must: Sequence[Sequence[str]] = ()
    must_not: Sequence[str] = ()
    titles: frozenset[str] = frozenset()
    type: str = "fact"
    says: Callable[[str, str], bool] = says_words

    @property
    def is_answerable(self) -> bool:
        return bool(self.must)

    def held(self, text: str) -> list[int]:
        """The groups that ``text`` holds; none where it holds what is wrong."""
        if any(self.says(text, wrong) for wrong in self.must_not):
            return []
        return [i for i, group in enumerate(self.must) if any(self.says(text, one) for one in group)]

    def is_right(self, text: str) -> bool:
        return self.is_answerable and len(self.held(text)) == len(self.must)


@dataclass(frozen=True)
class Block:
    """A piece of a prompt that others wrote."""

    kind: str
    about: Mapping[str, str]
    text: str

    @property
    def key(self) -> str:
        return self.about.get("key", "")

    @property
    def sentences(self) -> list[str]:
        return [span.of(self.text) for span in split_sentences(self.text)]


def read_blocks(prompt: str, *kinds: str) -> list[Block]:
    """The blocks of these kinds in a prompt, the last of each key."""
    found: list[Block] = []
    for kind, _, about, body in BLOCK.findall(prompt):
        if kind in kinds:
            text = "\n".join(line.removeprefix("| ") for line in body.split("\n"))
            found.append(Block(kind, dict(ATTRIBUTE.findall(about)), text))
    return found


def shared_words(one: str, other: str) -> int:
    return len(set(content_terms(one, ENGLISH)) & set(content_terms(other, ENGLISH)))


def share_held(claim: str, evidence: str) -> float:
    """The share of a claim's content words that its evidence holds."""
    said = set(content_terms(claim, ENGLISH))
    return len(said & set(content_terms(evidence, ENGLISH))) / len(said) if said else 0.0


def written(sentence: str) -> str:
    """A sentence of a document as a model would write it: on one line, without markup."""
    text = " ".join(MARKUP.sub("", line).strip() for line in sentence.split("\n")).strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."


Quote = tuple[str, str]
"""Key and words."""


@dataclass
class Role:
    """An honest and able model that knows what is expected: it judges truthfully, and writes what the sources hold."""

    name: str = "perfect"
    at_once: int = 1
    """Questions that are asked beside each other: more where most of the time is waiting."""
    timeout_seconds: float | None = None
    """A limit of one call that suits it; None for the default."""
    expected: Expected = field(default_factory=lambda: Expected(""))
    calls: int = 0
    inventions: list[str] = field(default_factory=list)
    """Its sentences that no document states."""
    read: set[str] = field(default_factory=set)
    """The sources that it wrote from."""
    random: random.Random = field(default_factory=random.Random)

    def begin(self, expected: Expected) -> None:
        """Take up a question."""
        self.expected, self.calls, self.inventions, self.read = expected, 0, [], set()
        self.random = random.Random(f"{self.name}: {expected.question}")

    def reply(self, request: ChatRequest) -> object:
        """What it says: an object, a text, or a behaviour of the server."""
        self.calls += 1
        return getattr(self, STEPS[request.schema])(request.text)

    # ------------------------------------------------------------------ each kind of call

    def leave_to_rules(self, prompt: str) -> object:
        """Nothing written: roles are measured on single questions, which have no digest, narrative or framing."""
        return {"stories": []}

    def understand(self, prompt: str) -> object:
        return self.rewrite(prompt) | self.plan(prompt)

    def rewrite(self, prompt: str) -> dict[str, object]:
        turns = [Turn(block.about["speaker"], block.text) for block in read_blocks(prompt, "turn")]
        run = Run(Budget(calls=0, tokens=0, seconds=60, usd=0))
        made = RuleRewriter().standalone(question_in(prompt), ENGLISH, turns, run)
        return {"is_follow_up": made.is_follow_up, "standalone": made.text}

    def plan(self, prompt: str) -> dict[str, object]:
        return plan_reply(type={"how-to": "procedural", "comparison": "comparative"}.get(self.expected.type, "factual"))

    def expand(self, prompt: str) -> object:
        question = question_in(prompt)
        return wordings(f"{question} in detail", f"{question} explained", f"background of {question}")

    def refine(self, prompt: str) -> object:
        named = " ".join(sorted(self.expected.titles)[:1])
        return {"query": f"{question_in(prompt)} {named or 'details'}", "reason": "names the document"}

    def judge_passages(self, prompt: str) -> object:
        passages = [self.judge_passage(block) for block in read_blocks(prompt, "passage")]
        return {"passages": passages, "missing": self.miss(prompt)} | self.judge(prompt)

    def judge_passage(self, block: Block) -> dict[str, object]:
        value = self.value_of(block)
        note = written(self.best_sentence([block])[1])[:300] if value >= 70 else ""
        return {"key": block.key, "score": value, "note": note}

    def judge(self, prompt: str) -> dict[str, object]:
        blocks = read_blocks(prompt, "passage")
        held = {i for block in blocks for i in self.facts_of(block)}
        if self.expected.is_answerable and held:
            full = len(held) == len(self.expected.must)
            return quality_reply(95 if full else 60, *(() if full else ("partial_coverage",)))
        near = any(self.value_of(block) for block in blocks)
        return quality_reply(30 if near else 0, "missing_key_info" if near else "off_topic")

    def miss(self, prompt: str) -> list[dict[str, str]]:
        held = {i for block in read_blocks(prompt, "passage") for i in self.facts_of(block)}
        if self.expected.is_answerable and len(held) == len(self.expected.must):
            return []
        return [{"kind": "concept", "what": self.expected.question}]

    def write(self, prompt: str) -> object:
        return sentences_reply((written(sentence), [(block.key, sentence)]) for block, sentence in self.facts(prompt))

    def examine(self, prompt: str) -> object:
        return self.check(prompt) | self.evaluate(prompt)

    def check(self, prompt: str) -> dict[str, object]:
        sources = {block.about["number"]: block.text for block in read_blocks(prompt, "source")}
        return {
            "verdicts": [
                {
                    "claim": int(block.about["number"]),
                    "verdict": self.weigh(
                        block.text, "\n".join(sources.get(n, "") for n in block.about["cites"].split(", "))
                    ),
                    "reason": "",
                }
                for block in read_blocks(prompt, "claim")
            ]
        }

    def weigh(self, claim: str, evidence: str) -> str:
        """The verdict on a claim."""
        if self.is_invention(claim):
            return "not_in_sources"
        if set(FIGURE.findall(claim)) - set(FIGURE.findall(evidence)):
            return "contradicted"
        return "supported" if share_held(claim, evidence) >= 0.8 else "not_in_sources"

    def evaluate(self, prompt: str) -> dict[str, object]:
        text = " ".join(block.text for block in read_blocks(prompt, "sentence", "answer"))
        other = self.rate_others(prompt)
        if self.expected.is_right(text):
            return evaluation_reply(95, 95) | other
        return evaluation_reply(30, 20, "wrong_focus") | other

    def rate_others(self, prompt: str, score: int | None = None) -> dict[str, int]:
        """What it says of the text beside the answer, where there is one: ``score``, or the truth."""
        rated = [score if score is not None else self.value_of(block) for block in read_blocks(prompt, "other")]
        return {"other": rated[0]} if rated else {}

    def weigh_themes(self, prompt: str) -> object:
        keys = dict.fromkeys(re.findall(r'key="(T\d+)"', prompt))
        return {"scores": [{"key": key, "score": 80} for key in keys]}

    def tell_theme(self, prompt: str) -> object:
        sources = read_blocks(prompt, "source")
        return {"sentences": [{"text": written(block.text), "keys": [block.key]} for block in sources[:1]]}

    def read_graph(self, prompt: str) -> object:
        return {"relations": [], "other_names": []}

    # ------------------------------------------------------------------ what it can see in the sources

    def is_expected_source(self, block: Block) -> bool:
        titles = self.expected.titles
        return not titles or block.about.get("title", "") in titles

    def facts_of(self, block: Block) -> list[int]:
        """The expected facts that a block holds; a name may stand at its place or in its title."""
        if not self.is_expected_source(block):
            return []
        return self.expected.held(f"{block.text} {block.about.get('place', '')}")

    def value_of(self, block: Block) -> int:
        """How much a passage helps, 0..100, in truth."""
        held = len(self.facts_of(block))
        if held and held == len(self.expected.must):
            return 100
        if held:
            return 70
        return 30 if shared_words(self.expected.question, block.text) > 1 else 0

    def facts(self, prompt: str) -> list[tuple[Block, str]]:
        """The fewest sentences that hold all that is expected; none where the sources do not."""
        sources = read_blocks(prompt, "source")
        missing, chosen = set(range(len(self.expected.must))), list[tuple[Block, str]]()
        while missing:
            candidates = [
                (len(missing & set(held)), shared_words(self.expected.question, sentence), block, sentence)
                for block in sources
                if self.is_expected_source(block)
                for sentence in block.sentences
                if missing & set(held := self.expected.held(f"{sentence} {block.about.get('place', '')}"))
            ]
            if not candidates:
                return []
            _, _, block, sentence = max(candidates, key=lambda candidate: candidate[:2])
            chosen.append((block, sentence))
            missing -= set(self.expected.held(f"{sentence} {block.about.get('place', '')}"))
        return chosen

    def best_sentence(self, blocks: Sequence[Block]) -> tuple[Block, str]:
        """The sentence that shares most words with the question."""
        each = [(block, sentence) for block in blocks for sentence in block.sentences]
        return max(each, key=lambda pair: shared_words(self.expected.question, pair[1]))

    # ------------------------------------------------------------------ making things up

    def invent(self, text: str, sources: Sequence[Block]) -> str:
        self.inventions.append(text)
        self.read |= {block.text for block in sources}
        return text

    def is_invention(self, sentence: str) -> bool:
        """Whether a sentence, or a part of one, is made up; a part that a source states is not."""
        said = fold_words(sentence)
        is_made = any(said in fold_words(made) for made in self.inventions)
        return is_made and not any(said in fold_words(text) for text in self.read)

    def make_up(self, sources: Sequence[Block], kind: str) -> str:
        """A fluent sentence that no source states: with new names and figures, a figure swapped, or a denial."""
        sentences = [written(s) for b in sources for s in b.sentences if 6 <= len(s.split()) <= 40]
        sentences.sort(key=lambda sentence: -shared_words(self.expected.question, sentence))
        makers = {"swapped": self.swap_figure, "denied": deny}
        for sentence in sentences if kind in makers else ():
            made = makers[kind](sentence, sentences)
            if made and not self.expected.held(made) and not any(made in block.text for block in sources):
                return self.invent(made, sources)
        words = " ".join(re.findall(r"\w[\w'-]*", self.expected.question)[-4:])
        return self.invent(f"Regarding {words}, Alma Verrick confirmed a total of 7,412 in March 2031.", sources)

    def swap_figure(self, sentence: str, sentences: Sequence[str]) -> str:
        """With a figure of another sentence in place of its own, so that every word stands in the sources."""
        own = FIGURE.search(sentence)
        if own is None:
            return ""
        others = [found for other in sentences for found in FIGURE.findall(other) if found not in sentence]
        return sentence.replace(own.group(), others[0] if others else "7,412", 1)


def deny(sentence: str, _: Sequence[str] = ()) -> str:
    """The opposite, in the same words; empty where there is no place for a "not"."""
    if DENIES.search(sentence):
        return DENIES.sub("", sentence, count=1)
    return AFFIRMS.sub(r"\1 not", sentence, count=1) if AFFIRMS.search(sentence) else ""


STEPS = {
    "UnderstandingReply": "understand",
    "ExpansionReply": "expand",
    "RefinementReply": "refine",
    "JudgementReply": "judge_passages",
    "WritingReply": "write",
    "ClaimsReply": "check",
    "ExaminationReply": "examine",
    "EvaluationReply": "evaluate",
    "ThemeScoresReply": "weigh_themes",
    "ThemeReply": "tell_theme",
    "GraphReply": "read_graph",
    "DigestReply": "leave_to_rules",
    "NarrativeReply": "leave_to_rules",
    "FramingReply": "leave_to_rules",
}
"""The method that answers each kind of reply."""


def question_in(prompt: str) -> str:
    return read_blocks(prompt, "question")[-1].text


def plan_reply(
    intent: str = "knowledge", type: str = "factual", complexity: str = "simple", **rest: object
) -> dict[str, object]:
    plain = {"analysis": "none", "focus": "", "parts": [], "graph_query": "none", "expand": False, "reason": ""}
    return {"intent": intent, "type": type, "complexity": complexity, **plain, **rest}


def wordings(technical: str, simple: str, aspect: str) -> object:
    return {"technical": technical, "simple": simple, "aspect": aspect, "hyde": "", "step_back": ""}


def quality_reply(score: int, *issues: str) -> dict[str, object]:
    return {"score": score, "issues": list(issues), "reason": ""}


def sentences_reply(sentences: Iterable[tuple[str, Sequence[Quote]]]) -> object:
    return {
        "sentences": [
            {"text": text, "quotes": [{"key": key, "text": words} for key, words in quotes]}
            for text, quotes in sentences
        ]
    }


def evaluation_reply(relevance: int, completeness: int, *issues: str) -> dict[str, object]:
    return {"relevance": relevance, "completeness": completeness, "issues": list(issues), "comment": ""}


SEARCHING = frozenset({"retrieve", "gather", "overview"})
"""Nodes that search."""


def ask_counting(knowledge: Ascertain, question: str, **options: Any) -> tuple[Answer, int]:
    """The answer, and how many searches it took."""
    *_, done = events = list(knowledge.ask_stream(question, **options))
    assert isinstance(done, Done)
    return done.answer, sum(isinstance(event, NodeStarted) and event.node in SEARCHING for event in events)
