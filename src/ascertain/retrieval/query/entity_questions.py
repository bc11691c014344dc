"""Questions that every place answers that names something, not the best few passages (KG-2).

Who said what and when ("Who discussed WebAssembly and in which episodes?"), all that is known of a thing, what it is
named with, how it hangs together with another. Rules over English wordings read the form of a question only; whether
anything is called so, or anybody of that name speaks, is seen when it is looked up, and a question that comes to
nothing there is answered as any other.
"""

from __future__ import annotations

import re

from ascertain.core.plans import Asks, EntityQuestion
from ascertain.graph.keys import singular_form
from ascertain.language.word_lists import compile_pattern, compile_patterns, load_word_set

LONGEST_SUBJECT = 8
"""Words; what is longer describes something instead of naming it, and is found by search."""
LONGEST_SPEAKER = 5
LONGEST_NAME = 6

_TAIL = compile_pattern("speaker_questions", "tail", re.IGNORECASE | re.DOTALL)
"""A second half that asks for more of the same: "and in which episodes", "and by whom", "and when", "and what did they
say".
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
"""A word by which a subject is a clause that describes something; a name that holds one ("The Who") is given in
quotation marks.
"""
_PREPOSITION = compile_pattern("speaker_questions", "preposition")
_QUOTED = re.compile(r"[\"“”«»](.+)[\"“”«»]", re.DOTALL)
_EDGES = " \t\r\n.,;:!?"

_ABOUT = compile_patterns("entity_questions", "about", re.IGNORECASE | re.DOTALL)
_BESIDE = compile_patterns("entity_questions", "beside", re.IGNORECASE | re.DOTALL)
_BETWEEN = compile_patterns("entity_questions", "between", re.IGNORECASE | re.DOTALL)
_REQUEST = compile_pattern("entity_questions", "polite")
_ANY_KIND = load_word_set("entity_questions", "any_kind")
_PERSON = frozenset({"who", "people"})
_OUR_OWN = compile_pattern("entity_questions", "our_own")


def read_speaker_question(question: str) -> EntityQuestion | None:
    """What ``question`` asks of all that was said; None for any other question."""
    asked = _POLITE.sub("", " ".join(question.split()), count=1).strip(_EDGES)
    halved = _TAIL.sub("", asked)
    for asks, spoken, rule in _RULES:
        for wording in dict.fromkeys((halved, _SETTING.sub("", halved), asked)):
            match = rule.fullmatch(wording.strip(_EDGES))
            found = _build_question(asks, spoken, match.groupdict()) if match else None
            if found is not None:
                return found
    return None


def _build_question(asks: Asks, spoken: bool, parts: dict[str, str | None]) -> EntityQuestion | None:
    speaker = (parts.get("speaker") or "").strip(_EDGES)
    if _ANYBODY.fullmatch(speaker):
        speaker = ""
    elif speaker and (_NO_SPEAKER.match(speaker) or len(speaker.split()) > LONGEST_SPEAKER):
        return None
    if "subject" not in parts:
        return EntityQuestion(asks, "", speaker, spoken=spoken) if speaker and speaker[0].isalpha() else None
    subject = subject_of(parts["subject"] or "")
    return None if subject is None else EntityQuestion(asks, subject, speaker, spoken=spoken)


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


def read_entity_question(question: str) -> EntityQuestion | None:
    """What ``question`` asks of a thing by its name; None for any other question."""
    asked = _REQUEST.sub("", " ".join(question.split()), count=1).strip(_EDGES)
    for rule in _BETWEEN:
        if match := rule.fullmatch(asked):
            ends = [_read_name(match[end]) for end in ("subject", "other")]
            subject, other = ends
            return EntityQuestion(Asks.CONNECTION, subject, other=other) if subject and other else None
    for rule in _BESIDE:
        if match := rule.fullmatch(asked):
            subject = subject_of(match["subject"])
            return EntityQuestion(Asks.TOGETHER, subject, kind=_singular_kind(match["kind"])) if subject else None
    for rule in _ABOUT:
        if match := rule.fullmatch(asked):
            subject = _read_name(match["subject"])
            return EntityQuestion(Asks.WORDS, subject) if subject else None
    return None


def _read_name(words: str) -> str | None:
    """The name that ``words`` are, by their capitals; None for a description: "the chunk size"."""
    subject = subject_of(words)
    if subject is None or len(subject.split()) > LONGEST_NAME:
        return None
    is_written_as_name = any(word[0].isupper() or word[0].isdigit() for word in subject.split())
    return subject if is_written_as_name and not _is_description(subject) else None


def _is_description(subject: str) -> bool:
    """Whether only its article's noun follows in lower case: "the director of Jaws" describes, "the Bank of England"
    names.
    """
    if not _OUR_OWN.match(subject):
        return False
    return len(subject.split()) > 1 and not subject.split()[1][0].isupper()


def _singular_kind(words: str) -> str:
    """The singular of what is asked for; "" where anything will do."""
    words = " ".join(words.split()).lower().removeprefix("other ")
    if words in _PERSON:
        return "person"
    head = singular_form(words.split()[-1])
    return "" if head in _ANY_KIND else head
