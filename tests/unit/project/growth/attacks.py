"""Texts that grow, made to keep a rule busy: of what texts are full of, and of what a pattern itself repeats."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from re import _constants as constants
from re import _parser as parser
from typing import Any


@dataclass(frozen=True)
class Attack:
    """``head``, then ``pump`` again and again, then ``tail``."""

    head: str
    pump: str
    tail: str

    def of_length(self, length: int) -> str:
        """The text with so many characters of ``pump``."""
        return self.head + (self.pump * (length // len(self.pump) + 1))[:length] + self.tail


PUMPS = (
    " ", ".", "1", '"', "'", "“", "’", "(", ")", "[", "]", "{", "<", ">", "a", "A", "Aa ", "A. ", "Aa-", "Aa and ", "Aa of the ", "a, ",
    "Aa, ", "-", "—", "_", "*", "#", "# a\n", "`", "~", "> ", "|", "| a ", "|-", "/", "\\", ":", ";", "!", "?", "=", "$1 ", "5% ", "@", "a@", "a@b.",
    "http://a.", "www.", "A: ", "00:01 ", "1,", "1.", "1 ", "2020-", "2020-01-01 ", "May 5, ", "Mr. ", "U.S. ", "\u0301", "e\u0301", "\u200b",
    "\u202e", "\u00a0", "\n", "\n\n", " \n", "\r\n", "\t", "- a\n", "1. a\n", "a\n", "[1] ", "(1) ", "[a](", "![", "<a ", "<!--", "&amp;", "{{", "\\a{",
    "$a$", "中", "中。", "ก", "ا", "😀", "👩\u200d", "aB", "a_b", "a.b", "a1", "not ", "no more than ", "he said ", "Q: a\nA: b\n",
    "The cat of Bob sat. ", "ignore all previous instructions ", "between 2020 and ", "from a to ", "Smith (2020) ", "Bob's ", "--- ", "```",
)  # fmt: skip
"""What texts of strangers are full of, or could be."""
TAILS = ("", "7x", "\n")
FRAME = ("Contents of the handbook\n\nChapter one said ", "7\n\nThe end of it is here.\n")
"""Ordinary text around, which makes rules go further than over a text of one kind of character."""


def general_attacks() -> Iterator[Attack]:
    """Those for any rule."""
    for pump in PUMPS:
        for tail in TAILS:
            yield Attack("", pump, tail)
        yield Attack(FRAME[0], pump, FRAME[1])


def attacks_on(pattern: re.Pattern[str]) -> Iterator[Attack]:
    """Those against each thing that a pattern repeats: what must stand before it, then what it repeats, and then nothing that it wants."""
    seen: set[Attack] = set()
    for before, repeated in _repeats(parser.parse(pattern.pattern, pattern.flags), ""):
        for pump in filter(None, (repeated, before + repeated)):
            for tail in ("", "\x00", "\n!"):
                for head in {before, ""}:
                    attack = Attack(head, pump, tail)
                    if attack not in seen:
                        seen.add(attack)
                        yield attack


_REPEATS = (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT)
_LONG = 20
"""A repetition of fewer is a constant."""


def _repeats(items: Any, before: str) -> Iterator[tuple[str, str]]:
    """Each (what stands before it, what it repeats) of a parsed pattern."""
    for operation, value in items:
        if operation in _REPEATS:
            _, most, inner = value
            if most >= _LONG:
                for example in _examples(inner):
                    yield before, example
            yield from _repeats(inner, before)
        elif operation is constants.SUBPATTERN:
            yield from _repeats(value[3], before)
        elif operation is constants.ATOMIC_GROUP:
            yield from _repeats(value, before)
        elif operation in (constants.ASSERT, constants.ASSERT_NOT):
            yield from _repeats(value[1], before)
        elif operation is constants.BRANCH:
            for branch in value[1][:12]:
                yield from _repeats(branch, before)
        before += _example_of(operation, value)


def _examples(items: Any) -> list[str]:
    """A few texts that match: of one class of characters one of each sort."""
    if len(items) == 1 and items[0][0] is constants.IN:
        return [chosen for chosen in (_first_of(items[0][1], sort) for sort in _SORTS) if chosen][:4]
    if len(items) == 1 and items[0][0] is constants.BRANCH:
        return [found for branch in items[0][1][1][:6] for found in _examples(branch)]
    if len(items) == 1 and items[0][0] is constants.SUBPATTERN:
        return _examples(items[0][1][3])
    example = _example(items)
    return [example] if example else []


def _example(items: Any) -> str:
    return "".join(_example_of(operation, value) for operation, value in items)


def _example_of(operation: Any, value: Any) -> str:
    if operation is constants.LITERAL:
        return chr(value)
    if operation is constants.NOT_LITERAL:
        return "a" if value != ord("a") else "b"
    if operation is constants.ANY:
        return "a"
    if operation is constants.IN:
        return next((chosen for chosen in (_first_of(value, sort) for sort in _SORTS) if chosen), "")
    if operation is constants.BRANCH:
        return _example(value[1][0])
    if operation is constants.SUBPATTERN:
        return _example(value[3])
    if operation is constants.ATOMIC_GROUP:
        return _example(value)
    if operation in _REPEATS:
        least, _, inner = value
        return _example(inner) * least
    return ""


_SORTS = (
    "a",
    " ",
    "1",
    ".",
    "A",
    "\n",
    "-",
    '"',
    "'",
    "(",
    ",",
    "/",
    "_",
    "|",
    "#",
    "*",
    "“",
    "é",
    "\t",
    "[",
    "]",
    "{",
    "<",
    "=",
    "+",
    "~",
    "`",
    "中",
)


def _first_of(members: Any, character: str) -> str | None:
    """The character, if it is of the class; else the first that the class lists, if it lists any."""
    compiled = _compile_class(members)
    return character if compiled is not None and compiled(character) else None


def _compile_class(members: Any) -> Any:
    negates = bool(members) and members[0][0] is constants.NEGATE
    rest = members[1:] if negates else members

    def holds(character: str) -> bool:
        return any(_is_member(kind, value, character) for kind, value in rest) != negates

    return holds


_CATEGORIES = {
    constants.CATEGORY_DIGIT: str.isdigit,
    constants.CATEGORY_NOT_DIGIT: lambda c: not c.isdigit(),
    constants.CATEGORY_SPACE: str.isspace,
    constants.CATEGORY_NOT_SPACE: lambda c: not c.isspace(),
    constants.CATEGORY_WORD: lambda c: c.isalnum() or c == "_",
    constants.CATEGORY_NOT_WORD: lambda c: not (c.isalnum() or c == "_"),
}


def _is_member(kind: Any, value: Any, character: str) -> bool:
    if kind is constants.LITERAL:
        return ord(character) == value
    if kind is constants.RANGE:
        return value[0] <= ord(character) <= value[1]
    return bool(_CATEGORIES.get(value, lambda c: False)(character))
