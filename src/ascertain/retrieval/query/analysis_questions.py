"""Questions about whole periods: which those are, and what they are about (AZ-1).

The rules read the form of a question and are strict: what a passage, a digest or a speaker answers is none. ``analyze`` takes any
question for one, and needs to know only what it is about.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache

from ascertain.core.analysis import AnalysisKind, AnalysisQuestion
from ascertain.language.tokens import STOP_WORDS, WORD
from ascertain.language.word_lists import compile_pattern, compile_patterns
from ascertain.retrieval.query.timeframe import drop_time_words, find_timeframe

LATELY_DAYS = 30
"""Days that an analysis reaches back where no period is named and there is news: a month, as "recently" has it."""
LONGEST = 300
"""Characters; a question about a period is short."""

_TOPIC = "analysis_questions"
_KINDS = (AnalysisKind.PREDICTION, AnalysisKind.DISAGREEMENT, AnalysisKind.MOOD, AnalysisKind.TREND)
_SIGNS = re.compile(
    r"sentiment|mood|\btone\b|trend|analy[sz]|disagree|differ|contradict|discrepanc|inconsisten|not agree|predict|forecast|outlook|"
    r"expect|prognosis|projection|foresee|how (?:positive|negative|optimistic|pessimistic|bullish|bearish|critical|favou?rable)|"
    r"moon|pump|dump|\btank|rally|soar|\bsurg|plung|plummet|bullish|bearish|"
    r"\b(?:share|proportion|percentage|part) of|coverage|reporting",
    re.IGNORECASE,
)
"""One of these is in each of the wordings."""
_MATERIAL_ALONE = re.compile(
    r"(?:the |these |those |our |my |all )*(?:articles|documents|papers|sources|stories|reports|coverage|news|period|time)",
    re.I,
)
_LEFT_OVER = re.compile(
    r"(?<!\s)(?:\s++(?:about|on|of|in|for|from|based|since|over|during|the|and|still|really|actually)\b){1,9}\s*$",
    re.IGNORECASE,
)


def read_analysis_question(question: str, now: datetime) -> AnalysisQuestion | None:
    """What a question about a whole period asks; None for any other."""
    text = " ".join(question.split()).strip(" ?!.")
    if not text or len(text) > LONGEST or not _SIGNS.search(text):
        return None
    rest = _drop_times(text, now)
    for kind in _KINDS:
        for pattern in _compile_kind(kind):
            match = pattern.fullmatch(rest)
            if match is not None:
                return AnalysisQuestion(kind, _clean_focus(match.groupdict().get("focus") or ""))
    return None


def read_any_analysis(question: str, now: datetime) -> AnalysisQuestion:
    """What any question asks, taken as one about a whole period: an overview of its subject where it asks for nothing else."""
    found = read_analysis_question(question, now)
    if found is not None:
        return found
    rest = _drop_times(" ".join(question.split()).strip(" ?!."), now)
    asking = compile_patterns(_TOPIC, "asking")
    for pattern in asking:
        rest = " ".join(pattern.sub(" ", rest).split())
    return AnalysisQuestion(AnalysisKind.OVERVIEW, _clean_focus(rest))


def _drop_times(text: str, now: datetime) -> str:
    """``text`` without its words about time, past and to come, and without what it says a prediction is to rest on."""
    frame = find_timeframe(text, now)
    rest = text
    if frame is not None and frame.is_explicit:
        rest = drop_time_words(frame.phrase, text)
        rest = rest if rest != text else ""
    rest = " ".join(_horizon().sub(" ", rest).split()).strip(" ?!.,")
    return _LEFT_OVER.sub("", rest).strip(" ?!.,")


def _clean_focus(focus: str) -> str:
    bare = focus.strip(" ,\"'“”‘’?!.")
    bare = _LEFT_OVER.sub("", bare)
    if _MATERIAL_ALONE.fullmatch(bare):
        return ""
    return bare if any(word.lower() not in STOP_WORDS for word in WORD.findall(bare)) else ""


@cache
def _horizon() -> re.Pattern[str]:
    return compile_pattern(_TOPIC, "horizon")


@cache
def _compile_kind(kind: AnalysisKind) -> tuple[re.Pattern[str], ...]:
    return compile_patterns(_TOPIC, kind.value)
