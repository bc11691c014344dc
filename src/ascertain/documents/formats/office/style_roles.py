"""What a paragraph is by the name of its style, in Word, RTF and OpenDocument."""

import re
from collections.abc import Iterable
from enum import StrEnum


class Role(StrEnum):
    """What a paragraph is, beside a heading."""

    TEXT = "text"
    TITLE = "title"
    QUOTATION = "quotation"
    CAPTION = "caption"
    CODE = "code"
    CONTENTS = "contents"
    """A line of a table of contents, of figures, or of an index."""


_ROLES = (
    (Role.TITLE, re.compile(r"title", re.I)),
    (Role.CAPTION, re.compile(r"(?:table|image|figure|drawing)?\s?caption|illustration|figure", re.I)),
    (Role.QUOTATION, re.compile(r"(?:intense )?quot(?:e|ations?)|block (?:text|quote|quotation)", re.I)),
    (Role.CONTENTS, re.compile(r"toc \d|contents \d+|table of (?:figures|authorities)|index \d", re.I)),
    (
        Role.CODE,
        re.compile(
            r"(?:source|program|verbatim|block)? ?code(?: block| text)?|html preformatted|preformatted text|macro|verbatim",
            re.I,
        ),
    ),
)
"""By whole names; Word and LibreOffice write those of their own styles in English whatever their language (17.7.4.9)."""
_HEADING_NAME = re.compile(r"(?:heading|überschrift|titre|título|titolo|kop|rubrik)\s?(\d)", re.I)
"""Programs other than Word name the styles of headings in their language, and may give them no outline level."""


def role_of(names: Iterable[str]) -> Role:
    """The role by the name of a style, then of those it is based on."""
    for name in names:
        for role, pattern in _ROLES:
            if pattern.fullmatch(name.strip()):
                return role
    return Role.TEXT


def heading_level(names: Iterable[str]) -> int | None:
    """The level of a heading, from 1, by the names of its styles; None where none of them is one of headings."""
    found = next((match for name in names if (match := _HEADING_NAME.fullmatch(name.strip()))), None)
    return (int(found[1]) or 1) if found else None
