"""Numbers as English writes them in words."""

from __future__ import annotations

from ascertain.language.word_lists import load_words

SMALL_NUMBERS = load_words("numbers", "small")
"""``zero`` to ``nineteen``; the index of each is its value."""
TENS = load_words("numbers", "tens")
"""``twenty`` to ``ninety``."""
ORDINALS = load_words("numbers", "ordinals")
"""``zeroth`` to ``twelfth``; the index of each is its value."""
