"""Cleaning of text, so that what is stored is what a person would read and every span stays exact.

Applied to pieces before they are put together, never to a finished document.
"""

from __future__ import annotations

import re

_LINE_BREAKS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Controls, lone surrogates, non-characters, soft hyphens, zero-width and bidirectional marks: invisible, and they
# would stop "exam<soft hyphen>ple" from matching "example". Joiners (U+200C, U+200D) carry meaning and stay.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]"
)
_WIDE_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
# The look-behind keeps long runs of spaces inside a line from being tried from each of their characters.
_TRAILING = re.compile(r"(?<![ \t])[ \t]+(?=\n|\Z)")
_BLANK_LINES = re.compile(r"\n{3,}")
_SPACES = re.compile(r"\s+")


def clean_text(text: str) -> str:
    """``text`` with unified line ends, no invisible characters, no trailing spaces, no runs of blank lines.

    Idempotent. Line breaks and indentation inside stay; surrounding blank lines and closing spaces go.
    """
    text = _LINE_BREAKS.sub("\n", text)
    text = _INVISIBLE.sub("", text)
    text = _WIDE_SPACES.sub(" ", text)
    text = _TRAILING.sub("", text)
    text = _BLANK_LINES.sub("\n\n", text)
    return text.strip("\n").rstrip()


def clean_line(text: str) -> str:
    """``text`` cleaned and on one line, with single spaces; for titles, names and headings."""
    return _SPACES.sub(" ", clean_text(text)).strip()


def short_line(text: object, limit: int = 300) -> str | None:
    """A cleaned line of at most ``limit`` characters, or None when nothing readable is left."""
    line = clean_line(text) if isinstance(text, str) else ""
    return line[:limit].rstrip() or None
