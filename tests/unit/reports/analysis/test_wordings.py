"""Ordinary wordings of analytical questions and of price statements: how many of each are read."""

from __future__ import annotations

import tomllib
from datetime import UTC, date, datetime
from pathlib import Path

from analysis_documents import MAPPER

from ascertain.core.asking.runs import Budget, FixedClock, Run
from ascertain.core.documents.blocks import Span
from ascertain.core.reports.analysis import Quote
from ascertain.core.settings.profiles import load_profile
from ascertain.language.languages import ENGLISH
from ascertain.questions.planning import RulePlanner
from ascertain.questions.timeframe import find_timeframe
from ascertain.reports.analysis.moves import Setting, find_moves

NOW = datetime(2025, 6, 15, 18, tzinfo=UTC)
WORDINGS = tomllib.loads((Path(__file__).parent / "wordings.toml").read_text("utf-8"))
PLANNER = RulePlanner([load_profile("news")], FixedClock(NOW))


def read_analysis(question):
    return PLANNER.plan(question, ENGLISH, Run(Budget(0, 0, 60.0, 0.0))).analysis_question


def analytical_misses(aside: bool) -> list[tuple[str, object]]:
    return [
        (each["ask"], read_analysis(each["ask"]))
        for each in WORDINGS["analytical"]
        if each.get("aside", False) is aside and not is_read(each)
    ]


def is_read(each) -> bool:
    asked, frame = read_analysis(each["ask"]), find_timeframe(each["ask"], ENGLISH, NOW)
    first = frame.start.date() if frame is not None and frame.is_explicit else None
    is_now = first is not None and "since" not in each and first >= date(2025, 6, 14)
    return asked is not None and asked.focus.lower() == each["about"].lower() and (is_now or first == each.get("since"))


def wrongly_analysed(half: str) -> list[str]:
    return [each for each in WORDINGS["ordinary"][half] if read_analysis(each) is not None]


def price_misses(aside: bool) -> list[tuple[str, object]]:
    found = [(each, moves_of(each["text"])) for each in WORDINGS["price"] if each.get("aside", False) is aside]
    return [(each["text"], moves) for each, moves in found if not any(tells(move, each) for move in moves)]


def moves_of(text: str):
    quote = Quote("d", Span(0, len(text)), text)
    return find_moves(quote, Setting("Solana", date(2025, 5, 11), MAPPER.canonical_name))


def tells(move, each) -> bool:
    if move.subject.lower() != each["subject"].lower():
        return False
    if "level" in each:
        return move.level == each["level"]
    return (move.direction, move.percent) == (each["direction"], each["percent"])


def test_analytical_wordings_go_to_the_analysis_with_their_subject_and_period():
    misses = [*analytical_misses(False), *analytical_misses(True)]
    assert len(misses) <= 4, misses


def test_ordinary_questions_do_not():
    wrong = [*wrongly_analysed("looked_at"), *wrongly_analysed("aside")]
    assert len(wrong) <= 1, wrong


def test_price_statements_are_read():
    misses = [*price_misses(False), *price_misses(True)]
    assert len(misses) <= 4, misses
