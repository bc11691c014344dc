"""Questions about a thing that documents name: all that is known of it, what it is named with, how it hangs together with another (KG-2).

Rules over English wordings, like those of ``speaker_questions``. Whether anything is called so is seen when it is looked up.
"""

from __future__ import annotations

import re

from ascertain.core.plans import Asks, Inquiry
from ascertain.graph.keys import singular
from ascertain.retrieval.speaker_questions import subject_of

LONGEST_NAME = 6
"""Words."""

_NAMED = r"(?:mentioned|named|listed|discussed|seen|cited|talked\s+about|written\s+about)"
_TOGETHER = r"(?:together\s+with|along\s+with|alongside|in\s+connection\s+with|in\s+the\s+same\s+(?:sentence|breath|article|document|passage)s?\s+as|with|beside|next\s+to)"
_LINKED = r"(?:connected|related|linked|associated|tied)"
_TIE = r"(?:connections?|links?|relationships?|relations?|ties?|association)"
_KNOWN = r"(?:know|learn|find\s+out|have)"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.DOTALL)


_ABOUT = tuple(
    _pattern(text)
    for text in (
        rf"what\s+(?:all\s+)?(?:do|can|did)\s+(?:we|i|you)\s+{_KNOWN}\s+(?:about|of|on)\s+(?P<subject>.+)",
        r"what\s+is\s+(?:there\s+)?known\s+(?:about|of)\s+(?P<subject>.+)",
        r"(?:tell\s+me\s+|show\s+me\s+|find\s+|list\s+)?(?:everything|all)\s+(?:(?:that\s+)?(?:we|you|i)\s+(?:know|have)\s+|that\s+is\s+(?:said|known|written)\s+)?(?:about|on|of)\s+(?P<subject>.+)",
        r"what\s+(?:do|does)\s+(?:(?:the|these|my|our|all)\s+)+(?:documents?|articles?|sources?|news|stories|files)\s+(?:say|tell\s+us|report|write)\s+(?:about|on|of)\s+(?P<subject>.+)",
    )
)
_BESIDE = tuple(
    _pattern(text)
    for text in (
        rf"(?:which|what)\s+(?P<kind>[\w-]+(?:\s+[\w-]+)?)\s+(?:is|are|was|were|get|gets)\s+(?:most\s+|often\s+|also\s+|usually\s+)*{_NAMED}\s+(?:together\s+|often\s+)?{_TOGETHER}\s+(?P<subject>.+)",
        rf"(?P<kind>who|what)\s+(?:else\s+)?(?:is|are|was|were|gets?)\s+(?:most\s+|often\s+|also\s+|usually\s+)*{_NAMED}\s+(?:together\s+|often\s+)?{_TOGETHER}\s+(?P<subject>.+)",
        rf"(?:which|what)\s+(?P<kind>[\w-]+(?:\s+[\w-]+)?)\s+(?:appear|occur|come\s+up)s?\s+(?:together\s+|often\s+)?{_TOGETHER}\s+(?P<subject>.+)",
    )
)
_BETWEEN = tuple(
    _pattern(text)
    for text in (
        rf"how\s+(?:is|are|was|were)\s+(?P<subject>.+?)\s+(?:and|&)\s+(?P<other>.+?)\s+(?:\w+ly\s+)?{_LINKED}(?:\s+(?:to|with)\s+(?:each\s+other|one\s+another))?",
        rf"how\s+(?:is|are|was|were)\s+(?P<subject>.+?)\s+(?:\w+ly\s+)?{_LINKED}\s+(?:to|with)\s+(?P<other>.+)",
        r"how\s+(?:do|does|did)\s+(?P<subject>.+?)\s+(?:relate|connect|link)\s+to\s+(?P<other>.+)",
        r"what\s+(?:connects|links|ties)\s+(?P<subject>.+?)\s+(?:and|to|with)\s+(?P<other>.+)",
        rf"(?:what(?:['’]s|\s+is|\s+are)|is\s+there|explain|describe|show\s+me)\s+(?:the|an?|any)\s+{_TIE}\s+between\s+(?P<subject>.+?)\s+and\s+(?P<other>.+)",
        rf"what\s+{_TIE}\s+(?:is|are)\s+there\s+between\s+(?P<subject>.+?)\s+and\s+(?P<other>.+)",
    )
)
_POLITE = re.compile(
    r"^\W*(?:(?:please|ok|so|and|hey|hi|now)\b[\s,]*|(?:can|could|would)\s+you\s+)+", re.IGNORECASE
)
_EDGES = " \t\r\n.,;:!?"
_ANY_KIND = frozenset({"what", "thing", "other", "else", "name", "entity", "topic", "word", "concept"})
_PERSON = frozenset({"who", "people"})
_OUR_OWN = re.compile(
    r"(?:the|this|these|those|that|my|our|your|his|her|its|their|an?|each|every|any|some)\b", re.IGNORECASE
)


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
    """Whether only its article's noun follows in lower case: "the director of Jaws" describes, "the Bank of England" names."""
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
