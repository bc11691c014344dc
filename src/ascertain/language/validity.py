"""Which of several versions of a text is in force: by what a text says of itself where it begins, and by its date."""

import math
import re
from datetime import datetime

from ascertain.language.word_lists import load_patterns

HEAD = 600
"""Characters in which a document says what has become of it: its title and the lines below."""

_SUPERSEDED = re.compile("|".join(load_patterns("versions", "superseded")), re.IGNORECASE | re.MULTILINE)


def says_superseded(text: str) -> bool:
    """Whether the first lines of ``text`` say that another version holds in its place (``Superseded by version 2``)."""
    return _SUPERSEDED.search(text[:HEAD]) is not None


def rank_validity(text: str, published_at: datetime | None) -> tuple[bool, float]:
    """The larger, the sooner a version is in force: one that does not say that another holds, then the later date."""
    return not says_superseded(text), published_at.timestamp() if published_at else -math.inf
