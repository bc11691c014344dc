"""Whether an answer says what a string says in other words: another inflection, numbers, units, sums and dates in another form.

``1,200``, ``1200``, ``1.2 thousand`` and ``twelve hundred`` are one number, ``five days`` and ``five-day`` one period, ``March 3rd, 2025``, ``3 Mar 2025`` and
``2025-03-03`` one day, ``$5`` and ``5 dollars`` one sum, ``90 min`` and ``ninety minutes`` one time. Words are the same when they have one stem (Snowball's, English:
snowballstem.org) and differ in an ending of grammar alone. Words of like meaning are not known here, nor negation; that is what a model as judge is for.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from ascertain.language.dates import MONTH_FORMS, MONTHS, month_number
from ascertain.language.languages import ENGLISH
from ascertain.language.numbers import SMALL, TENS
from ascertain.language.tokens import stem_word
from ascertain.language.word_lists import load_words

_UNITS = {
    **dict.fromkeys(("h", "hr", "hrs", "hours"), "hour"),
    **dict.fromkeys(("min", "mins", "minutes"), "minute"),
    **dict.fromkeys(("s", "sec", "secs", "seconds"), "second"),
    **dict.fromkeys(("ms", "msec", "milliseconds"), "millisecond"),
    "days": "day",
    **dict.fromkeys(("wk", "wks", "weeks"), "week"),
    "months": "month",
    **dict.fromkeys(("yr", "yrs", "years"), "year"),
    **dict.fromkeys(("km", "kms", "kilometer", "kilometers", "kilometres"), "kilometre"),
    **dict.fromkeys(("cm", "centimeter", "centimeters", "centimetres"), "centimetre"),
    **dict.fromkeys(("mm", "millimeter", "millimeters", "millimetres"), "millimetre"),
    **dict.fromkeys(("meter", "meters", "metres"), "metre"),
    **dict.fromkeys(("kg", "kgs", "kilo", "kilos", "kilograms", "kilogramme", "kilogrammes"), "kilogram"),
    **dict.fromkeys(("liter", "liters", "litres"), "litre"),
    **dict.fromkeys(("kb", "kilobytes"), "kilobyte"),
    **dict.fromkeys(("mb", "megabytes"), "megabyte"),
    **dict.fromkeys(("gb", "gigabytes"), "gigabyte"),
    **dict.fromkeys(("tb", "terabytes"), "terabyte"),
    "degrees": "degree",
    "pct": "percent",
    **dict.fromkeys(("dollar", "dollars"), "usd"),
    **dict.fromkeys(("euro", "euros"), "eur"),
    "pm": "pm",
    "am": "am",
}
"""How a unit behind a number is written here, by how it may be written; a single m may be metres, minutes or millions, and stays."""
_UNIT_NAMES = frozenset(_UNITS.values())
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_SHORT_SCALES = {
    "k": "thousand",
    **dict.fromkeys(("m", "mn", "mln"), "million"),
    **dict.fromkeys(("b", "bn"), "billion"),
    **dict.fromkeys(("t", "tn"), "trillion"),
}
"""Behind a sum of money; of these only those of ``_CLEAR`` behind another number."""
_CLEAR = frozenset({"k", "mn", "mln", "bn", "tn"})
_SIGNS = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr"}
_SIGN = "sign"
"""Behind the code of a currency that was a sign: ``usdsign``."""
_SIGNED = {f"{code}{_SIGN}": code for code in _SIGNS.values()}
_CARDINALS = {word: value for value, word in enumerate(SMALL)} | {word: 10 * ten for ten, word in enumerate(TENS, 2)}
_ENDINGS = ("th", "st", "nd", "rd", *["th"] * 9)
_ORDINALS = {word: f"{n}{_ENDINGS[n]}" for n, word in enumerate(load_words("quantities", "ordinals"))}

_DAY = r"(?P<{0}day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?\b"
_MONTH = rf"(?P<{{0}}month>{'|'.join(MONTH_FORMS)})\b\.?"
_YEAR = r"(?:,?\s+(?P<{0}year>(?:1\d|20)\d\d)\b)?"
_WRITTEN_DATE = re.compile(
    rf"(?<![\d.,]){_DAY.format('a')}(?:\s+of)?\s+{_MONTH.format('a')}{_YEAR.format('a')}"
    rf"|\b{_MONTH.format('b')}\s+{_DAY.format('b')}(?!\s?[:%]|[.,]\d){_YEAR.format('b')}",
    re.IGNORECASE,
)
_ISO_DATE = re.compile(r"(?<!\d)(?P<year>\d{4})-(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])(?!\d)")
_DOTTED_DATE = re.compile(r"(?<![\d.])(?P<day>\d{1,2})\.(?P<month>0?[1-9]|1[0-2])\.(?P<year>\d{4})(?![\d.])")
_OTHER_WORDS = frozenset({"may", "march", "mar"})
"""Months that are other words where they are written small and no year follows."""
_SCALE = rf"(?:\s?(?P<{{0}}scale>{'|'.join((*_SCALES, *sorted(_SHORT_SCALES, key=len, reverse=True)))})\b)?"
_AMOUNT = r"(?P<{0}amount>(?<!\d)(?<!\d,)\d[\d,]*+(?:\.\d+)?)"
_SUM = re.compile(
    rf"(?:\b(?:US|A|C))?(?P<sign>[$€£¥₹])\s?{_AMOUNT.format('a')}{_SCALE.format('a')}"
    rf"|\b(?P<code>USD|EUR|GBP|JPY|INR)\s?{_AMOUNT.format('b')}{_SCALE.format('b')}"
    rf"|{_AMOUNT.format('c')}\s?(?P<behind>[€£])",
    re.IGNORECASE,
)
_INFLECTIONS = frozenset("|s|es|e|ed|d|ing|y|ies|ied|ying".split("|"))
_SHORTEST = 3
"""Letters of a word that is inflected here: what is shorter is a name or a code more often, such as the language Go."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_NUMBER_AND_UNIT = re.compile(r"(\d+(?:\.\d+)?)([a-z]+)")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: ``form`` in lower case, numbers and units in one form; ``stem`` as Snowball cuts it.

    ``is_optional``: a sign of a currency, which may as well not be there.
    """

    form: str
    stem: str
    is_optional: bool = False


@lru_cache(maxsize=4096)
def read_words(text: str) -> tuple[Word, ...]:
    """The words of ``text`` in the forms that are compared."""
    joined = re.sub(r"(?<=\d)[\u00a0\u2009\u202f'\u2019](?=\d{3}\b)", "", text)
    dated = _rewrite_dates(unicodedata.normalize("NFKC", joined))
    words = plain_words(_SUM.sub(_write_sum, dated).replace("\u00b0", " degrees ")).split()
    numbered = list(_join_numbers(list(_split_units(words))))
    return tuple(_name_words(numbered))


def holds_paraphrase(words: Sequence[Word], string: str) -> bool:
    """Whether the words of ``string`` stand among ``words`` in a row, each in any inflection; a ``*`` at its end lets the last go on.

    What is written as identifiers are, ``show_default``, has no other words.
    """
    return "_" not in string and _holds(words, string, _is_inflected)


def holds_forms(words: Sequence[Word], string: str) -> bool:
    """The same for words as they are: numbers, units and dates in any form, but no other inflection."""
    return _holds(words, string, _is_alike)


def holds_words(text: str, string: str) -> bool:
    """Whether ``string`` stands in ``text``, which ``plain_words`` made, letter by letter and as whole words; ``*`` as above."""
    wanted = " " + plain_words(string.rstrip("*"))
    return (wanted if string.endswith("*") else wanted + " ") in f" {text} "


def plain_words(text: str) -> str:
    """Lower-case words and figures, one space apart: no accents, no punctuation but decimal points, no thousands separators."""
    lower = unicodedata.normalize("NFKC", text).lower().replace("\u00ad", "")
    joined = re.sub(r"(?<=\d)[,_](?=\d{3}\b)", "", lower)
    spelled = joined.replace("%", " percent ").replace("per cent", "percent")
    bare = "".join(c for c in unicodedata.normalize("NFKD", spelled) if not unicodedata.combining(c))
    words = re.sub(r"(?<!\d)\.|\.(?!\d)", " ", bare)
    return " ".join(re.sub(r"[^\w.]|_", " ", words).split())


Same = Callable[[Word, Word], bool]


def _holds(words: Sequence[Word], string: str, same: Same) -> bool:
    wanted = [word for word in read_words(string.rstrip("*")) if not word.is_optional]
    if not wanted:
        return False
    checks = [(word, same) for word in wanted]
    if string.endswith("*"):
        checks[-1] = wanted[-1], _goes_on
    return any(_stands_at(words, start, checks) for start in range(len(words)))


def _stands_at(words: Sequence[Word], start: int, checks: Sequence[tuple[Word, Same]]) -> bool:
    position = start
    for wanted, same in checks:
        while position < len(words) and words[position].is_optional and not same(wanted, words[position]):
            position += 1
        if position == len(words) or not same(wanted, words[position]):
            return False
        position += 1
    return True


def _is_alike(wanted: Word, found: Word) -> bool:
    return wanted.form == found.form


def _goes_on(wanted: Word, found: Word) -> bool:
    return found.form.startswith(wanted.form)


def _is_inflected(wanted: Word, found: Word) -> bool:
    """Whether one is the other with another ending of grammar: stems are also those of derived words, and of ``liquidated`` and ``liquidity``."""
    if wanted.form == found.form:
        return True
    if wanted.stem != found.stem or min(len(wanted.form), len(found.form)) < _SHORTEST:
        return False
    shorter = min(len(wanted.form), len(found.form))
    pairs = enumerate(zip(wanted.form, found.form, strict=False))
    shared = next((place for place, (one, other) in pairs if one != other), shorter)
    return all(_is_ending(word.form[:shared], word.form[shared:]) for word in (wanted, found))


def _is_ending(start: str, rest: str) -> bool:
    return rest in _INFLECTIONS or (rest[:1] == start[-1:] and rest[1:] in {"ed", "ing"})


def _rewrite_dates(text: str) -> str:
    """Every day as ``3 march 2025``, and without a year where it has none."""
    for pattern in (_ISO_DATE, _DOTTED_DATE):
        text = pattern.sub(lambda m: f" {int(m['day'])} {MONTHS[int(m['month']) - 1]} {m['year']} ", text)
    return _WRITTEN_DATE.sub(_write_date, text)


def _write_date(match: re.Match[str]) -> str:
    form = "a" if match["aday"] else "b"
    name, day, year = (match[form + part] for part in ("month", "day", "year"))
    if name in _OTHER_WORDS and not year:
        return match[0]
    return f"{int(day)} {MONTHS[month_number(name) - 1]} {year or ''}".rstrip()


def _write_sum(match: re.Match[str]) -> str:
    """A sum of money as its number and the code of its currency, with a mark where that was a sign."""
    form = next(form for form in "abc" if match[f"{form}amount"])
    scale = (match[f"{form}scale"] or "").lower() if form != "c" else ""
    sign = match["sign"] or match["behind"]
    code = f"{_SIGNS[sign]}{_SIGN}" if sign else match["code"].lower()
    amount = re.sub(r"\.00$", "", match[f"{form}amount"].rstrip(","))
    return f" {amount} {_SHORT_SCALES.get(scale, scale)} {code} "


def _split_units(words: Sequence[str]) -> Iterator[str]:
    """``5km`` as two words, ``140k`` as 140 thousand, ``3 p.m.`` as 3 pm."""
    for place, word in enumerate(words):
        match = _NUMBER_AND_UNIT.fullmatch(word)
        before = words[place - 1] if place else ""
        if match and (match[2] in _UNITS or match[2] in _CLEAR):
            yield from (match[1], _SHORT_SCALES.get(match[2], match[2]))
        elif word == "m" and before in {"a", "p"} and place > 1 and _NUMBER.fullmatch(words[place - 2]):
            continue
        elif word in {"a", "p"} and words[place + 1 : place + 2] == ["m"] and _NUMBER.fullmatch(before):
            yield f"{word}m"
        else:
            yield word


def _join_numbers(words: Sequence[str]) -> Iterator[str]:
    """Numbers in words, and those with a scale behind them, as one word of figures each; ordinals as ``2nd``."""
    place = 0
    while place < len(words):
        length, value = _read_number(words, place)
        if length == 1 and words[place] == "one" and not _is_unit(words[place + 1 : place + 2]):
            value = None  # a pronoun more often
        yield f"{value:f}" if value is not None else _ORDINALS.get(words[place], words[place])
        place += length


def _is_unit(following: Sequence[str]) -> bool:
    return bool(following) and (following[0] in _UNITS or following[0] in _UNIT_NAMES)


def _read_number(words: Sequence[str], start: int) -> tuple[int, Decimal | None]:
    """How many words make the number at ``start``, and its value; one word and None where there is none, or figures that stay as they are."""
    first = words[start]
    following = words[start + 1 : start + 2]
    if _NUMBER.fullmatch(first):
        value, place = Decimal(first), start + 1
        while place < len(words) and place - start < 4 and words[place] in _SCALES:
            value *= _SCALES[words[place]]
            place += 1
        return (place - start, _shorten(value)) if place > start + 1 else (1, None)
    if first in _CARDINALS or first in _SCALES:
        return _read_cardinal(words, start)
    if first in {"a", "an"} and following and following[0] in _SCALES:
        length, value = _read_cardinal(words, start + 1)
        return length + 1, value
    return 1, None


def _read_cardinal(words: Sequence[str], start: int) -> tuple[int, Decimal]:
    """The English number in words at ``start``: twelve hundred, two hundred and five, three million."""
    total, current, place = 0, 0, start
    while place < len(words) and place - start < 12:
        word = words[place]
        if word == "and":
            is_within = place > start and words[place - 1] in _SCALES
            if not is_within or _room_for(current, words[place + 1 : place + 2]) is None:
                break
        elif word in _SCALES:
            if word == "hundred":
                if current >= 100:
                    break
                current = (current or 1) * 100
            else:
                if total and total % (_SCALES[word] * 1000):
                    break
                total, current = total + (current or 1) * _SCALES[word], 0
        else:
            added = _room_for(current, [word]) if place > start else _CARDINALS.get(word)
            if added is None:
                break
            current += added
        place += 1
    return place - start, _shorten(Decimal(total + current))


def _room_for(current: int, following: Sequence[str]) -> int | None:
    """The value of the next numeral where it goes on with ``current``: five behind twenty, ten behind a hundred."""
    value = _CARDINALS.get(following[0]) if following else None
    if value is None or value == 0:
        return None
    room = 10 if value < 10 and (current % 100 >= 20 or current % 100 == 0) else 100
    return value if current % room == 0 else None


def _shorten(value: Decimal) -> Decimal:
    """Without zeros behind the point."""
    return value.quantize(Decimal(1)) if value == value.to_integral_value() else value.normalize()


def _name_words(words: Sequence[str]) -> Iterator[Word]:
    """The words as they are compared, units behind a number under one name each."""
    for place, word in enumerate(words):
        before = words[place - 1] if place else ""
        if word in _SIGNED:
            yield Word(_SIGNED[word], _SIGNED[word], is_optional=True)
        elif word in {"c", "celsius"} and before in {"degree", "degrees"}:
            yield Word("celsius", "celsius", is_optional=True)
        else:
            form = _UNITS.get(word, word) if before[:1].isdigit() else word
            yield Word(form, stem_word(form, ENGLISH) if form.isalpha() else form)
