"""Follow-ups that ask the last question of another time: "and the day before?", "and on the 3rd?", "and last week?" (QU-5, QU-11)."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from ascertain.language.word_lists import compile_pattern
from ascertain.questions.timeframe import Timeframe, drop_time_words, find_timeframe

_NEIGHBOUR = compile_pattern("conversation", "neighbouring_time")
_DAY = compile_pattern("conversation", "day_of_month")
_UNITS = {"day": timedelta(days=1), "week": timedelta(days=7)}


def shift_question(fragment: str, last: str, now: datetime, language: str) -> str | None:
    """The question ``last`` asked of the time that ``fragment`` names beside its own; None where one of them names none.

    ``fragment`` has nothing that joins it to the conversation before it: "the day before?".
    """
    bare = fragment.strip().rstrip(" ?!.")
    frame = find_timeframe(last, language, now)
    if frame is None:
        return None
    moved = _move(frame, _NEIGHBOUR.fullmatch(bare)) or _choose_day(frame, _DAY.fullmatch(bare))
    if moved is None:
        own = find_timeframe(bare, language, now)
        if own is None or drop_time_words(own.phrase, bare).strip(" ?!.,") not in {"", "in", "on"}:
            return None
        moved = bare
    return _put_in_place(last, frame.phrase, moved)


def _move(frame: Timeframe, match: re.Match[str] | None) -> str | None:
    if match is None:
        return None
    steps = -1 if match["before"] or match["previous"] else 1
    unit, start = (match["unit"] or match["named"]).lower(), frame.start
    if unit in _UNITS:
        moved = start + steps * _UNITS[unit]
        return (
            _name_day(moved) if unit == "day" else f"from {_name_day(moved)} to {_name_day(moved + timedelta(days=6))}"
        )
    if unit == "year":
        return f"in {start.year + steps}"
    month = start.month - 1 + steps
    return f"in {start.replace(year=start.year + month // 12, month=month % 12 + 1, day=1):%B %Y}"


def _choose_day(frame: Timeframe, match: re.Match[str] | None) -> str | None:
    if match is None:
        return None
    try:
        return _name_day(frame.start.replace(day=int(match["day"])))
    except ValueError:
        return None


def _name_day(moment: datetime) -> str:
    return f"on {moment.day} {moment:%B %Y}"


def _put_in_place(question: str, phrase: str, moved: str) -> str:
    """``question`` with ``moved`` where its own time stood, preposition included."""
    words = re.compile(rf"(?:\b(?:in|on|at|during|for)\s+)?{re.escape(phrase)}", re.IGNORECASE)
    text, count = words.subn(lambda _: moved, question, count=1)
    return text if count else f"{question.rstrip(' ?!.')} {moved}?"
