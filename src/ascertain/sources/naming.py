"""Titles out of file names."""

from __future__ import annotations

import re

from ascertain.language.word_lists import load_word_set

_SEPARATORS = re.compile(r"[-_+\s]+")
_ACRONYMS = load_word_set("titles", "acronyms")


def title_from_name(stem: str) -> str:
    """``founders-talk-38`` → ``Founders Talk 38``; names with spaces or capitals keep their case."""
    words = [word for word in _SEPARATORS.split(stem) if word]
    if any(character.isupper() for character in stem):
        return " ".join(words) or stem
    return (
        " ".join(word.upper() if word in _ACRONYMS else word[0].upper() + word[1:] for word in words) or stem
    )
