"""Whether a text says of itself, where it begins, that it holds no longer."""

import re

from ascertain.language.word_lists import load_patterns

HEAD = 600
"""Characters in which a document says what has become of it: its title and the lines below."""

_SUPERSEDED = re.compile("|".join(load_patterns("versions", "superseded")), re.IGNORECASE | re.MULTILINE)


def says_superseded(text: str) -> bool:
    """Whether the first lines of ``text`` say that another version holds in its place (``Superseded by version 2``)."""
    return _SUPERSEDED.search(text[:HEAD]) is not None
