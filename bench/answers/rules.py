"""What each rule of choosing sentences is worth: answers to questions that are looked up, with the rule and without it.

    python -m bench.answers.rules --homes FOLDER [--requests FILE] [--only NAME ...]

Questions of ``asked`` and ``wild`` dev over the ten homes that ``asked.py --homes`` and ``wild.py --homes`` built. What the workflow hands to
the composer is recorded once; then every question is composed anew with one rule taken out at a time. Reported is, for each collection, how
many answers hold all that is wanted, and how many hold most of it in their first sentence. A rule is worth its lines where it gains on
collections that it was not made for; the table is in docs/benchmarks.md. Writes ``results/rules.json``.
"""

from __future__ import annotations

import argparse
import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ascertain import Ascertain
from ascertain.answering import evidence, extractive
from ascertain.answering.composition import Composition, WritingRequest
from ascertain.answering.extractive import ExtractiveComposer
from ascertain.answering.judging import signals
from ascertain.core.asking.runs import Budget, FixedClock, Run
from ascertain.evaluation.asked import AskedQuestion, meet_expectations, read_asked
from bench.fit.judge import SETS, is_looked_up
from bench.setting import circumstances, data_folder, save, show_status

NOTHING: Mapping[str, object] = {}


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule and what takes its place: names of a module with other values."""

    does: str
    module: Any
    instead: Mapping[str, object]


RULES = {
    "rows": Rule("a row that tells most of the question answers it", extractive, {"match_rows": lambda *_: []}),
    "entry of a code": Rule("the section headed by a code is its answer", extractive, {"find_entry": lambda *_: []}),
    "code asked for": Rule(
        "code with a name of the question counts as a sentence", extractive, {"is_code_asked_for": lambda q, c: False}
    ),
    "whole units": Rule("items and definitions are quoted whole", extractive, {"complete_unit": lambda _, c: c}),
    "entries of a list": Rule(
        "long definitions that are announced are listed", extractive, {"list_entries": lambda _: []}
    ),
    "defining": Rule(
        "a sentence that says what the subject is gains", signals, {"_score_definitions": lambda q, c: np.zeros(len(c))}
    ),
    "openings": Rule(
        "what opens the section called as the subject gains",
        signals,
        {"_score_openings": lambda q, c: np.zeros(len(c))},
    ),
    "asked headings": Rule("what stands under a heading that asks the same gains", signals, {"ASKED_SAME": 0.0}),
    "named entries": Rule(
        "an entry that the question names gains", signals, {"score_named": lambda q, c: np.zeros(len(c))}
    ),
    "entry headings": Rule(
        "what stands under a code that is asked for gains", signals, {"is_entry_of": lambda c, codes: False}
    ),
    "correcting": Rule("a correction gains", evidence, {"CORRECTING": 0.0}),
    "replaced": Rule("a document that holds no longer loses", evidence, {"REPLACED": 0.0}),
    "change first": Rule(
        "what says that the first holds no longer comes first",
        extractive,
        {"_put_change_first": lambda c, chosen, a: list(chosen)},
    ),
    "author": Rule("who speaks as \u201cI\u201d is named", extractive, {"find_author": lambda c, i: None}),
    "restated": Rule(
        "what only asks the question again is no answer", extractive, {"restates_question": lambda q, c: False}
    ),
    "same": Rule("what says the same is said once", extractive, {"_says_same": lambda a, b: False}),
    "fact beside": Rule(
        "a fact beside the chosen takes the place of the weakest", extractive, {"_offers_fact": lambda q, c: True}
    ),
    "kind for enough": Rule(
        "only sentences of the kind asked for make it enough", extractive, {"_offers_kind": lambda q, c: True}
    ),
    "parts": Rule(
        "more sentences where several things are asked",
        extractive,
        {"ENOUGH_OF_PARTS": extractive.ENOUGH, "LIKELY_PART": extractive.LIKELY},
    ),
    "strict bounds": Rule(
        "few further sentences (against .9, .99; .07, .03)",
        extractive,
        {"ENOUGH": 0.9, "ENOUGH_OF_PARTS": 0.99, "LIKELY": 0.07, "LIKELY_PART": 0.03},
    ),
    "pronouns": Rule("what a pronoun stands for is told in brackets", extractive, {"find_referent": lambda d, s: ""}),
}


@dataclass(slots=True)
class Asked:
    """A question with what the composer was handed for it last."""

    collection: str
    question: AskedQuestion
    request: WritingRequest


def record_requests(homes: Path) -> list[Asked]:
    """What the composer is handed for each question of the sets that is looked up."""
    recorded: list[Asked] = []
    latest: list[WritingRequest] = []
    compose = ExtractiveComposer.compose

    def record(self: ExtractiveComposer, request: WritingRequest, run: Run) -> Composition:
        latest.append(request)
        return compose(self, request, run)

    ExtractiveComposer.compose = record
    try:
        for name, corpus, home, questions in list_collections(homes):
            for question in questions:
                show_status(f"{name} {corpus}: {question.id}")
                latest.clear()
                with open_home(home, question) as knowledge:
                    knowledge.ask(question.question, use_cache=False)
                if latest and latest[-1].report is None:
                    recorded.append(Asked(f"{name} {corpus}", question, latest[-1]))
    finally:
        ExtractiveComposer.compose = compose
    return recorded


def list_collections(homes: Path) -> Iterator[tuple[str, str, Path, list[AskedQuestion]]]:
    for name in SETS:
        asked = [q for q in read_asked(data_folder() / name / "dev") if is_looked_up(q) and not q.conversation]
        for corpus in sorted({question.corpus for question in asked}):
            home = next(path for path in homes.glob(f"dev-{corpus}-*") if path.is_dir())
            yield name, corpus, home, [question for question in asked if question.corpus == corpus]


_OPEN: dict[tuple[Path, object], Ascertain] = {}


@contextmanager
def open_home(home: Path, question: AskedQuestion) -> Iterator[Ascertain]:
    key = (home, question.moment)
    if key not in _OPEN:
        clock = FixedClock(question.moment) if question.moment else None
        _OPEN[key] = Ascertain.open(str(home), clock=clock)
    yield _OPEN[key]


@contextmanager
def without(rule: Rule | None) -> Iterator[None]:
    """The rule taken out of its module."""
    instead = rule.instead if rule else NOTHING
    module = rule.module if rule else None
    before = {name: getattr(module, name) for name in instead}
    try:
        for name, value in instead.items():
            setattr(module, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


Outcome = tuple[bool, bool, bool]
NAMES = ("right", "first", "good")


def measure(asked: list[Asked], composers: Mapping[str, ExtractiveComposer]) -> dict[str, list[Outcome]]:
    """For each collection of each question whether its answer is right, its first sentence is, and the answer is right and short."""
    found: dict[str, list[Outcome]] = {}
    for number, each in enumerate(asked):
        show_status(f"{number} of {len(asked)}")
        made = composers[each.collection].compose(each.request, Run(Budget(calls=0, tokens=0, seconds=600, usd=0)))
        first = made.sentences[0].text if made.sentences else ""
        whole, begun = meet_expectations(each.question, made.text), meet_expectations(each.question, first)
        is_short = len(made.sentences) <= each.question.max_sentences
        found.setdefault(each.collection, []).append((whole >= 1, begun >= 1, whole >= 1 and is_short))
    return found


def summarise(found: Mapping[str, list[Outcome]]) -> dict[str, Any]:
    """Shares in percent, of all questions and of those of each collection."""

    def share(rows: list[Outcome]) -> dict[str, float]:
        return {name: round(100 * float(np.mean([row[i] for row in rows])), 1) for i, name in enumerate(NAMES)}

    everything = [row for rows in found.values() for row in rows]
    return {**share(everything), "collections": {name: share(rows) for name, rows in found.items()}}


def compare(base: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """What is lost without a rule, in points, and on how many collections it gains and loses."""
    pairs = [(base["collections"][name], other["collections"][name]) for name in base["collections"]]
    gains = [sum(a[name] - b[name] for name in ("right", "first")) for a, b in pairs]
    return {
        **{name: round(base[name] - other[name], 1) for name in NAMES},
        "collections that gain": sum(gain > 0 for gain in gains),
        "collections that lose": sum(gain < 0 for gain in gains),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--homes", type=Path, required=True)
    parser.add_argument("--requests", type=Path, default=Path("/tmp/rules_requests.pickle"), help="recorded once")
    parser.add_argument("--only", nargs="*", default=list(RULES))
    arguments = parser.parse_args()
    if not arguments.requests.is_file():
        arguments.requests.write_bytes(pickle.dumps(record_requests(arguments.homes)))
    asked: list[Asked] = pickle.loads(arguments.requests.read_bytes())
    composers: dict[str, ExtractiveComposer] = {}
    for name, corpus, home, _ in list_collections(arguments.homes):
        collection = f"{name} {corpus}"
        question = next(each.question for each in asked if each.collection == collection)
        with open_home(home, question) as knowledge:
            composers[collection] = find_composer(knowledge, question.question)
    base = summarise(measure(asked, composers))
    print(f"with all: right {base['right']:.1f}, first {base['first']:.1f} of {len(asked)}", flush=True)
    table: dict[str, Any] = {}
    for name in arguments.only:
        with without(RULES[name]):
            table[name] = {"does": RULES[name].does, **compare(base, summarise(measure(asked, composers)))}
        print(name, table[name], flush=True)
    save("rules", {**circumstances(), "questions": len(asked), "with all": base, "without": table})


def find_composer(knowledge: Ascertain, question: str) -> ExtractiveComposer:
    """The composer that a knowledge base answers ``question`` with."""
    seen: list[ExtractiveComposer] = []
    compose: Callable[..., Composition] = ExtractiveComposer.compose

    def catch(self: ExtractiveComposer, request: WritingRequest, run: Run) -> Composition:
        seen.append(self)
        return compose(self, request, run)

    ExtractiveComposer.compose = catch
    try:
        knowledge.ask(question, use_cache=False)
    finally:
        ExtractiveComposer.compose = compose
    return seen[0]


if __name__ == "__main__":
    main()
