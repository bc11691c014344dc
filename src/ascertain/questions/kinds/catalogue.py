"""Questions about the documents as such: how many, which, of what time: "which of these papers mention BM25?".

Their metadata answers those, not their texts. Whether there are documents of the kind is looked up
(``retrieval.search.catalogue``).
"""

from __future__ import annotations

import re

from ascertain.core.asking.plans import Aspect, DocumentQuestion
from ascertain.language.word_lists import compile_patterns
from ascertain.questions.kinds.documents import LONGEST, drop_polite, names_anything

_TOPIC = "catalogue_questions"
_EDGES = " \t\r\n.,;:!?"
_ASPECTS = (Aspect.COUNT, Aspect.ADDED_LAST, Aspect.NEWEST, Aspect.OLDEST, Aspect.PERIOD, Aspect.TITLES)
_SIGNS = re.compile(
    r"\bhow (?:many|far|recent|current|fresh|new|up)|\bcount\b|\bnumber of\b|\b(?:what|which|list|show|name|give|print|when|any|enumerate)\b|"
    r"\b(?:new|old|lat|earli)est\b|most recent",
    re.IGNORECASE,
)
"""One of these is in each of the wordings."""


def read_catalogue_question(question: str) -> DocumentQuestion | None:
    """What ``question`` asks about the documents as such; None for any other."""
    text = " ".join(question.split()).strip(_EDGES)
    if not text or len(text) > LONGEST or not _SIGNS.search(text):
        return None
    asked = drop_polite(text).strip(_EDGES)
    for aspect in _ASPECTS:
        for pattern in compile_patterns(_TOPIC, aspect.value):
            match = pattern.fullmatch(asked)
            if match is not None:
                return _read_parts(aspect, match.groupdict())
    return None


def _read_parts(aspect: Aspect, parts: dict[str, str | None]) -> DocumentQuestion:
    name, focus = (" ".join((parts.get(part) or "").split()).strip(_EDGES) for part in ("name", "focus"))
    return DocumentQuestion(aspect, "" if names_anything(name) else name, focus, is_explicit=True)
