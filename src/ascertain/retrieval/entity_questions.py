"""Questions about a thing that documents name: all that is known of it, what it is named with, how it hangs
together with another (KG-2).

Rules over English wordings, like those of ``speaker_questions``. Whether anything is called so is seen when
it is looked up.
"""

from __future__ import annotations

import re

from ascertain.core.plans import Asks, Inquiry
from ascertain.graph.keys import singular
from ascertain.language.word_lists import compile_pattern, compile_patterns, load_word_set
from ascertain.retrieval.speaker_questions import subject_of

LONGEST_NAME = 6
"""Words."""


_ABOUT = compile_patterns("entity_questions", "about", re.IGNORECASE | re.DOTALL)
_BESIDE = compile_patterns("entity_questions", "beside", re.IGNORECASE | re.DOTALL)
_BETWEEN = compile_patterns("entity_questions", "between", re.IGNORECASE | re.DOTALL)
_POLITE = compile_pattern("entity_questions", "polite")
_EDGES = " \t\r\n.,;:!?"
_ANY_KIND = load_word_set("entity_questions", "any_kind")
_PERSON = frozenset({"who", "people"})
_OUR_OWN = compile_pattern("entity_questions", "our_own")


def entity_question(question: str) -> Inquiry | None:
    """What ``question`` asks of a thing by its name; None for any other question."""
    asked = _POLITE.sub("", " ".join(question.split()), count=1).strip(_EDGES)
    for rule in _BETWEEN:
        if match := rule.fullmatch(asked):
            ends = [_name(match[end]) for end in ("subject", "other")]
            subject, other = ends
            return Inquiry(Asks.CONNECTION, subject, other=other) if subject and other else None
    for rule in _BESIDE:
        if match := rule.fullmatch(asked):
            subject = subject_of(match["subject"])
            return Inquiry(Asks.TOGETHER, subject, kind=_kind(match["kind"])) if subject else None
    for rule in _ABOUT:
        if match := rule.fullmatch(asked):
            subject = _name(match["subject"])
            return Inquiry(Asks.WORDS, subject) if subject else None
    return None


def _name(words: str) -> str | None:
    """The name that ``words`` are, by their capitals; None for a description: "the chunk size"."""
    subject = subject_of(words)
    if subject is None or len(subject.split()) > LONGEST_NAME:
        return None
    is_written_as_name = any(word[0].isupper() or word[0].isdigit() for word in subject.split())
    return subject if is_written_as_name and not _is_description(subject) else None


def _is_description(subject: str) -> bool:
    """Whether only its article's noun follows in lower case: "the director of Jaws" describes, "the Bank of
    England" names.
    """
    if not _OUR_OWN.match(subject):
        return False
    return len(subject.split()) > 1 and not subject.split()[1][0].isupper()


def _kind(words: str) -> str:
    """The singular of what is asked for; "" where anything will do."""
    words = " ".join(words.split()).lower().removeprefix("other ")
    if words in _PERSON:
        return "person"
    head = singular(words.split()[-1])
    return "" if head in _ANY_KIND else head
