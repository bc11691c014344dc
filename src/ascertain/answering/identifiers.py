"""Codes and versions in a question, and finding them in text."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"[^\W_]+(?:[-_./][^\W_]+)*")
_VERSION = re.compile(r"v?\d+(?:\.\d+){2,}")
_PIECE = re.compile(r"[^\W\d_]+|\d+")
_SHORTEST = 4
"""Shorter tokens of letters and digits (``5G``, ``H2O``, ``Q3``) have other spellings too often to insist on them."""


def identifiers(question: str) -> tuple[str, ...]:
    """Codes and versions in ``question``: ``TP-4107``, ``CVE-2024-3094``, ``3.11.2``, ``max_retry_2``."""
    found: dict[str, None] = {}
    for token in _TOKEN.findall(question):
        is_code = any(c.isdigit() for c in token) and any(c.isupper() or c == "_" for c in token)
        if _VERSION.fullmatch(token) or (is_code and len(token) >= _SHORTEST):
            found.setdefault(token)
    return tuple(found)


def mentions(text: str, identifier: str) -> bool:
    """Whether ``text`` holds the code, in any case and with or without its separators (``GPT-4``, ``gpt4``)."""
    spelled = r"[-_./\s]?".join(re.escape(piece) for piece in _PIECE.findall(identifier))
    return re.search(rf"(?<![^\W_]){spelled}(?![^\W_])", text, re.IGNORECASE) is not None
