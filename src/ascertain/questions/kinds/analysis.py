"""Questions about whole periods: which those are, and what they are about (AZ-1).

The rules read the form of a question and are strict: a question that a passage, a digest or a speaker answers is not one. ``analyze`` takes any
question for one, and needs to know only what it is about.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache

from ascertain.core.reports.analysis import AnalysisKind, AnalysisQuestion, Mood
from ascertain.language.tokens import STOP_WORDS, WORD
from ascertain.language.word_lists import compile_pattern, compile_patterns, load_word_set
from ascertain.questions.timeframe import drop_time_words, find_timeframe

LATELY_DAYS = 30
"""Days that an analysis reaches back where no period is named and there is news: a month, as "recently" has it."""
LONGEST = 300
"""Characters; a question about a period is short."""

_TOPIC = "analysis_questions"
_KINDS = (AnalysisKind.PREDICTION, AnalysisKind.DISAGREEMENT, AnalysisKind.MOOD, AnalysisKind.TREND)
_NOUNS = {AnalysisKind.PREDICTION: "outlooks", AnalysisKind.MOOD: "mood_words", AnalysisKind.TREND: "trends"}
"""What is asked for by its noun alone, of everything: "outlook"."""
_OPENING = re.compile(r"^(?:an?|in|on|at|about|for) ")
_PERIOD_ALONE = re.compile(r"(?:the |this |that )?(?:period|time|now|now or later)", re.IGNORECASE)
_OVER_THE = re.compile(r"\bover the (?:whole )?(week|month|quarter|year)\b(?! of\b)", re.IGNORECASE)
_LEFT_OVER = re.compile(
    r"(?<!\s)(?:\s++(?:about|on|of|in|for|from|based|since|over|during|the|and|still|really|actually|now|today)\b){1,9}\s*$",
    re.IGNORECASE,
)


def spell_out_period(question: str) -> str:
    """``question`` with the period in full that only who asks for a course leaves short: "over the month" is the last one."""
    return _OVER_THE.sub(r"over the last \1", question)


def read_analysis_question(question: str, language: str, now: datetime) -> AnalysisQuestion | None:
    """What a question about a whole period asks; None for any other."""
    text = spell_out_period(" ".join(question.split()).strip(" ?!."))
    if not text or len(text) > LONGEST:
        return None
    frame = find_timeframe(text, language, now)
    rest = _drop_times(text, now, language)
    for kind in _KINDS:
        for pattern in _compile_kind(kind, frame is not None and frame.is_explicit):
            match = pattern.fullmatch(rest)
            if match is not None:
                side = _read_side(rest) if kind is AnalysisKind.MOOD else None
                return AnalysisQuestion(kind, _clean_focus(match.groupdict().get("focus") or ""), side)
    return None


def _read_side(question: str) -> Mood | None:
    """The one mood that a question names; None where it names none, or both."""
    words = frozenset(word.lower() for word in WORD.findall(question))
    asks_ill, asks_well = (bool(words & load_word_set(_TOPIC, name)) for name in ("asked_ill", "asked_well"))
    if asks_ill == asks_well:
        return None
    return Mood.NEGATIVE if asks_ill else Mood.POSITIVE


def read_any_analysis(question: str, language: str, now: datetime) -> AnalysisQuestion:
    """What any question asks, taken as one about a whole period: an overview of its subject where it asks for nothing else."""
    found = read_analysis_question(question, language, now)
    if found is not None:
        return found
    rest = _drop_times(spell_out_period(" ".join(question.split()).strip(" ?!.")), now, language)
    for kind, name in _NOUNS.items():
        if compile_pattern(_TOPIC, name).fullmatch(re.sub(r"^(?:the|any|your)\s", "", rest)):
            return AnalysisQuestion(kind)
    asking = compile_patterns(_TOPIC, "asking")
    for pattern in asking:
        rest = " ".join(pattern.sub(" ", rest).split())
    return AnalysisQuestion(AnalysisKind.OVERVIEW, _clean_focus(rest))


def _drop_times(text: str, now: datetime, language: str) -> str:
    """``text`` without its words about time, past and to come, and without what it says a prediction is to rest on."""
    frame = find_timeframe(text, language, now)
    rest = text
    if frame is not None and frame.is_explicit:
        rest = drop_time_words(frame.phrase, text)
        rest = rest if rest != text else ""
    rest = " ".join(_horizon().sub(" ", rest).split()).strip(" ?!.,")
    return _LEFT_OVER.sub("", rest).strip(" ?!.,")


def _clean_focus(focus: str) -> str:
    bare = focus.strip(" ,\"'“”‘’?!.")
    bare = _LEFT_OVER.sub("", bare)
    if compile_pattern(_TOPIC, "material").fullmatch(bare) or _PERIOD_ALONE.fullmatch(bare):
        return ""
    bare = _OPENING.sub("", _work_on().sub("", _in_material().sub("", bare)))
    return bare if any(word.lower() not in STOP_WORDS for word in WORD.findall(bare)) else ""


@cache
def _horizon() -> re.Pattern[str]:
    return compile_pattern(_TOPIC, "horizon")


@cache
def _work_on() -> re.Pattern[str]:
    return re.compile(rf"^(?:{compile_pattern(_TOPIC, 'work_on').pattern})\s+(?:the\s+)?", re.IGNORECASE)


@cache
def _in_material() -> re.Pattern[str]:
    return re.compile(rf"(?<!\s)\s+(?:{compile_pattern(_TOPIC, 'in_material').pattern})$", re.IGNORECASE)


@cache
def _compile_kind(kind: AnalysisKind, is_dated: bool) -> tuple[re.Pattern[str], ...]:
    own = compile_patterns(_TOPIC, kind.value)
    return (*own, *compile_patterns(_TOPIC, "course")) if is_dated and kind is AnalysisKind.TREND else own
