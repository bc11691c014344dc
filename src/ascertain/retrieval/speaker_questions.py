"""Questions for who said what, and when: "Who discussed WebAssembly and in which episodes?" (KG-2, podcasts).

Rules over English wordings. They read the form of a question only; whether somebody of that name speaks
anywhere is seen when it is looked up, and a question that comes to nothing there is answered as any other.
"""

from __future__ import annotations

import re

from ascertain.core.plans import Asks, Inquiry
from ascertain.language.word_lists import compile_pattern, compile_patterns

LONGEST_SUBJECT = 8
"""Words; what is longer describes something instead of naming it, and is found by search."""
LONGEST_SPEAKER = 5

_TAIL = compile_pattern("speaker_questions", "tail", re.IGNORECASE | re.DOTALL)
"""A second half that asks for more of the same: "and in which episodes", "and by whom", "and when", "and what
did they say".
"""
_SETTING = compile_pattern("speaker_questions", "setting")
"""Where to look, which is no part of what is looked for."""
_POLITE = compile_pattern("speaker_questions", "polite")


_RULES: tuple[tuple[Asks, bool, re.Pattern[str]], ...] = tuple(
    (asks, spoken, rule)
    for name, asks, spoken in (
        ("asks_speakers", Asks.SPEAKERS, True),
        ("asks_episodes", Asks.EPISODES, True),
        ("asks_documents", Asks.EPISODES, False),
        ("asks_times", Asks.TIMES, True),
        ("asks_words", Asks.WORDS, True),
    )
    for rule in compile_patterns("speaker_questions", name, re.IGNORECASE | re.DOTALL)
)
_ANYBODY = compile_pattern("speaker_questions", "anybody")
_NO_SPEAKER = compile_pattern("speaker_questions", "no_speaker")
"""A description of somebody, or nobody: "the author of the paper", "it"."""
_NO_SUBJECT = compile_pattern("speaker_questions", "no_subject")
_CLAUSE = compile_pattern("speaker_questions", "clause")
"""A word by which a subject is a clause that describes something; a name that holds one ("The Who") is given
in quotation marks.
"""
_PREPOSITION = compile_pattern("speaker_questions", "preposition")
_QUOTED = re.compile(r"[\"“”«»](.+)[\"“”«»]", re.DOTALL)
_EDGES = " \t\r\n.,;:!?"


def speaker_question(question: str) -> Inquiry | None:
    """What ``question`` asks of all that was said; None for any other question."""
    asked = _POLITE.sub("", " ".join(question.split()), count=1).strip(_EDGES)
    halved = _TAIL.sub("", asked)
    for asks, spoken, rule in _RULES:
        for wording in dict.fromkeys((halved, _SETTING.sub("", halved), asked)):
            match = rule.fullmatch(wording.strip(_EDGES))
            found = _inquiry(asks, spoken, match.groupdict()) if match else None
            if found is not None:
                return found
    return None


def _inquiry(asks: Asks, spoken: bool, parts: dict[str, str | None]) -> Inquiry | None:
    speaker = (parts.get("speaker") or "").strip(_EDGES)
    if _ANYBODY.fullmatch(speaker):
        speaker = ""
    elif speaker and (_NO_SPEAKER.match(speaker) or len(speaker.split()) > LONGEST_SPEAKER):
        return None
    if "subject" not in parts:
        return Inquiry(asks, "", speaker, spoken=spoken) if speaker and speaker[0].isalpha() else None
    subject = subject_of(parts["subject"] or "")
    return None if subject is None else Inquiry(asks, subject, speaker, spoken=spoken)


def subject_of(words: str) -> str | None:
    """What is looked for, without where to look for it; None when it names nothing by itself."""
    quoted = _QUOTED.fullmatch(words.strip(_EDGES))
    if quoted:
        return quoted[1].strip() or None
    subject = words.strip(_EDGES)
    while (shorter := _SETTING.sub("", subject).strip(_EDGES)) != subject:
        subject = shorter
    if _PREPOSITION.match(subject):
        return None
    if _NO_SUBJECT.fullmatch(subject) or _CLAUSE.search(subject) or len(subject.split()) > LONGEST_SUBJECT:
        return None
    return subject
