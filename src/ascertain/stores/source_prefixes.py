"""What a source in a filter stands for besides itself."""

from __future__ import annotations

CHILD_SEPARATORS = ("/", "#")
"""A source names a folder of files, or a table file whose rows are ``path#row``."""


def prefixes(source: str) -> tuple[str, ...]:
    """The prefixes that ``source`` stands for besides itself: a glob ending in ``*``, or a folder's contents."""
    if source.endswith("*"):
        return (source[:-1],)
    if source.endswith(CHILD_SEPARATORS):
        return (source,)
    return tuple(source + separator for separator in CHILD_SEPARATORS)


def ancestors(source: str) -> list[str]:
    """Every prefix of ``source`` that ends in a separator: the folders it is in, and the table file it is a row of."""
    return [source[: place + 1] for place, character in enumerate(source) if character in CHILD_SEPARATORS]
