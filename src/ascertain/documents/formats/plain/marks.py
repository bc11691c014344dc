"""Marks that lines begin with: those of items (``2.1``, ``(a)``, ``•``), of headings, of footnotes, and rules drawn with signs."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ascertain.documents.formats.plain.lines import Line
from ascertain.language.word_lists import load_alternatives

RULE = re.compile(r"([-=_*~#+^.:\"'`<>─━═])(?: ?\1){2,}$")
"""A line of one sign."""
LEADERS = re.compile(
    r"(?:(?<!\.)\.{4,}+|(?<!\. )(?:\. ){3,}+\.?|(?<!_)_{4,}+|(?<!…)…{2,}+) *+(?P<page>[\divxlcIVXLC]{1,5}(?:-\d{1,4})?)$"
)
"""Dots to the number of a page, as in tables of contents."""
_LONGEST_TITLE = 90
_MOST_WORDS = 14

_BULLETS = "-*+•‣⁃▪■□◦●○·–—o✓✗➢➤»"
_ITEM = re.compile(
    rf"(?P<bullet>[{_BULLETS}])(?=\s)"
    r"|(?P<number>\d{1,3}(?:\.\d{1,3}){1,5}\.?|\d{1,3}[.)]|\(\d{1,3}\)|§ ?\d{1,4}(?:\.\d{1,3})*[a-z]?\.?)(?=\s)"
    r"|(?P<letter>[a-zA-Z][.)]|\([a-zA-Z]\)|[ivxlcIVXLC]{2,7}[.)]|\([ivxlcIVXLC]{2,7}\))(?=\s)"
)


class Mark(NamedTuple):
    """The marker of an item: as it is shown, where it stands, where its words begin, and the words."""

    shown: str
    indent: int
    column: int
    words: str

    @property
    def style(self) -> str:
        """What is alike in the markers of one list: ``1.``, ``(a)``, ``iv)``, the sign of a bullet."""
        return re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", re.sub(r"\d+", "1", self.shown)))

    @property
    def is_bullet(self) -> bool:
        """Whether it is a sign and no number."""
        return len(self.shown) == 1 and self.shown in _BULLETS

    @property
    def number(self) -> str:
        """The number or letters without what is around them: ``2.1``, ``a``, ``iv``."""
        return self.shown.strip("().§ ")


def match_mark(line: Line) -> Mark | None:
    """The marker that a line begins with, if it may be one."""
    match = _ITEM.match(line.text)
    if match is None or (match["bullet"] == "o" and not line.text.startswith("o  ")):
        return None
    words = line.text[match.end() :].lstrip()
    column = line.indent + len(line.text) - len(words)
    return Mark(match[0], line.indent, column, words) if words else None


_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def follows(before: Mark, mark: Mark) -> bool:
    """Whether a marker is the next one in a list after ``before``."""
    if mark.is_bullet or before.is_bullet:
        return mark.shown == before.shown
    if mark.style != before.style and not (_roman(before.number) and _roman(mark.number)):
        return False
    a, b = before.number, mark.number
    if a.replace(".", "").isdigit():
        head, _, last = b.rpartition(".")
        above, _, last_above = a.rpartition(".")
        return head == above and last.isdigit() and last_above.isdigit() and int(last) == int(last_above) + 1
    is_next_letter = len(a) == len(b) == 1 and ord(b) == ord(a) + 1
    return is_next_letter or (_roman(a) > 0 and _roman(b) == _roman(a) + 1)


def begins_list(mark: Mark) -> bool:
    """Whether a marker is that of a first item."""
    return (
        mark.is_bullet or mark.number.lower() in ("1", "0", "a", "i") or re.search(r"\.[01]$", mark.number) is not None
    )


def _roman(letters: str) -> int:
    """The value of a Roman number; 0 for what is none."""
    values = [_ROMAN.get(letter, 0) for letter in letters.lower()]
    if not values or 0 in values:
        return 0
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))


_NUMBERED = re.compile(
    r"(?P<number>\d{1,3}(?:\.\d{1,3}){0,5}|[A-Z](?:\.\d{1,3}){0,4}|[IVXLC]{1,7})(?:[.):]|(?<=\.\d)|(?<=\.\d\d)|(?= {2,}))\s+(?=\S)"
    r"|§ ?(?P<section>\d{1,4})[a-z]?\.?(?:\s+(?=\S)|$)"
)
_DIVISION = re.compile(
    rf"(?:{load_alternatives('divisions', 'divisions', 'mul')})\s+(?:\d{{1,4}}|[IVXLC]{{1,7}}|[A-Z])(?:[.:)]|\s*[—–-]|$|(?=\s))",
    re.IGNORECASE,
)
_SENTENCE_END = (".", ",", ";", ":", "!")


def is_title(text: str) -> bool:
    """Whether a line may be a heading by its looks: short, with letters, no end of a sentence, no columns."""
    if len(text) > _LONGEST_TITLE or text.endswith(_SENTENCE_END) or text.count(" ") >= _MOST_WORDS:
        return False
    return (
        any(map(str.isalpha, text))
        and "   " not in text
        and text[0] not in "-*+•<>{}|\\/$%@=~^&;,"
        and "://" not in text
    )


def heading_number(text: str) -> tuple[str, int] | None:
    """The number of a numbered heading and how deep it counts: ``3.2`` counts two deep."""
    match = _NUMBERED.match(text)
    if match is None:
        return None
    number = match["number"] or match["section"]
    return number, number.count(".") + 1


def is_division(text: str) -> bool:
    """Whether a line is that of a numbered part: ``Chapter 3. Loomings``."""
    return _DIVISION.match(text) is not None


def is_capitals(text: str) -> bool:
    """Whether the letters of a line are capitals, and enough of them for a word."""
    letters = [letter for letter in text if letter.isalpha()]
    return len(letters) >= 4 and all(letter.isupper() for letter in letters)


def is_underline(title: Line, rule: Line) -> bool:
    """Whether ``rule`` is drawn under ``title``, and under no more than it."""
    if (
        len(rule.text) < 3
        or not RULE.match(rule.text[:200])
        or " " in rule.text
        or rule.text[0] not in "=-~^*#\"'`+_.:"
    ):
        return False
    mark = match_mark(title)
    if mark is not None and mark.is_bullet:
        return False
    if len(title.text) > _LONGEST_TITLE or not any(map(str.isalnum, title.text)) or "   " in title.text:
        return False
    length = len(title.text)
    return abs(rule.indent - title.indent) <= 4 and abs(len(rule.text) - length) <= max(2, length // 4)


def is_contents(lines: Sequence[Line]) -> bool:
    """Whether most of the lines lead to the number of a page."""
    return 2 * sum(LEADERS.search(line.text[-200:]) is not None for line in lines) > len(lines)
