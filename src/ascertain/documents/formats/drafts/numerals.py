"""Numbers of list items, headings and notes, as they are shown: ``4``, ``d``, ``iv``, ``04``, ``4th``."""

from collections.abc import Callable

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINAL_WORDS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip
_MOST_LETTERS = 30
"""Of a number in letters: Word repeats them (27 is ``aa``), and counts in figures from where that gets long."""


def roman_numeral(number: int) -> str:
    """4 → ``iv``; in figures what Roman numerals have no sign for."""
    if not 0 < number < 4000:
        return str(number)
    written = ""
    for value, letters in _ROMAN:
        times, number = divmod(number, value)
        written += letters * times
    return written


def letter_numeral(number: int) -> str:
    """1 → ``a``, 27 → ``aa``, 28 → ``ab``, as browsers count items and sheets their columns; in figures what is below 1."""
    if number < 1:
        return str(number)
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters


def repeated_letter(number: int) -> str:
    """1 → ``a``, 27 → ``aa``, 28 → ``bb`` (ECMA-376 part 1, 17.18.59)."""
    times, letter = divmod(number - 1, 26)
    return chr(ord("a") + letter) * (times + 1) if 0 <= times < _MOST_LETTERS else str(number)


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _in_words(number: int) -> str:
    if not 0 <= number < 100:
        return str(number)
    if number < 20:
        return _ONES[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "")


def _ordinal_in_words(number: int) -> str:
    words = _in_words(number)
    head, hyphen, last = words.rpartition("-")
    if not last.isalpha():
        return _ordinal(number)
    ordinal = _ORDINAL_WORDS.get(last) or (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")
    return head + hyphen + ordinal


_NOTE_SIGNS = "*†‡§"


def _note_sign(number: int) -> str:
    times, sign = divmod(number - 1, len(_NOTE_SIGNS))
    return _NOTE_SIGNS[sign] * (times + 1) if 0 <= times < _MOST_LETTERS else str(number)


_WRITERS: dict[str, Callable[[int], str]] = {
    "lowerRoman": roman_numeral,
    "upperRoman": lambda number: roman_numeral(number).upper(),
    "lowerLetter": repeated_letter,
    "upperLetter": lambda number: repeated_letter(number).upper(),
    "decimalZero": lambda number: f"{number:02d}",
    "ordinal": _ordinal,
    "cardinalText": lambda number: _in_words(number).capitalize(),
    "ordinalText": lambda number: _ordinal_in_words(number).capitalize(),
    "chicago": _note_sign,
    "none": lambda number: "",
    "i": roman_numeral,
    "I": lambda number: roman_numeral(number).upper(),
    "a": repeated_letter,
    "A": lambda number: repeated_letter(number).upper(),
    "": lambda number: "",
}
"""By the names of ECMA-376 part 1, 17.18.59, and of OpenDocument 1.3 part 3, 19.502."""


def write_number(number: int, style: str) -> str:
    """``number`` in a style of OOXML or OpenDocument; in figures where the style is not known."""
    return _WRITERS.get(style, str)(number)
