"""What a question wants to have told what it is, as manuals and glossaries list it: by a name with a text of its own (QU-1)."""

from __future__ import annotations

import re

from ascertain.language.tokens import STOP_WORDS, fold_words, stem_word
from ascertain.language.word_lists import load_word_set

_NOUN = r"-{0,2}\w[\w.'’-]*(?:\s+[\w.'’-]+){0,3}?"
_SUBJECT_ASKED = re.compile(
    r"(?:^|[,.;:]\s*|\band\s+)(?:(?:what(?:['’]?s|\s+(?:is|are|was|were))|define)\s+(?:(?:an?|the|your|our)\s+)?"
    rf"(?P<what>{_NOUN})|what\s+(?:does|do)\s+(?:(?:an?|the|your|our)\s+)?(?P<does>{_NOUN})\s+(?:do|mean|means|stand\s+for))"
    r"(?:\s+(?:in|for|of|at|on|by|to|with|from|under)\b.*)?\W*$",
    re.I,
)
_KINDS = frozenset(map(stem_word, load_word_set("asked_facts", "key_kinds")))
_WORDS = re.compile(r"\w+")
LONGEST_KEY = 80
"""Characters of a line, or of what stands before its colon, that is the name of what it tells."""


def find_subject(question: str) -> str:
    """What ``question`` wants to have told what it is: ``processor`` of "what is a processor in structlog?"; "" for any other
    question.
    """
    match = _SUBJECT_ASKED.search(question)
    subject = ((match["what"] or match["does"]) if match else "").rstrip(".'’-")
    words = fold_words(subject).split()
    return "" if not words or any(word in STOP_WORDS for word in words) else subject


def fold_key(name: str) -> tuple[str, ...]:
    """``name`` as keys are compared: ``--dry-run`` and "the dry-run option" are one."""
    stems = tuple(stem_word(word) for word in _WORDS.findall(fold_words(name)) if word not in STOP_WORDS)
    return tuple(stem for stem in stems if stem not in _KINDS) or stems


def has_entry(text: str, key: tuple[str, ...]) -> bool:
    """Whether ``text`` has a heading, or an entry of a list, that is called ``key`` (as ``fold_key`` gives it)."""
    names = (line.partition(": ")[0].partition("(")[0] for line in text.splitlines())
    return any(len(name) <= LONGEST_KEY and fold_key(name) == key for name in names if name.strip())
