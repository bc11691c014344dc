"""Moves: that something rose or fell, by how much, to what level, on which day.

Rules over English reports. A cue is a verb ("fell"), an adverb with a size ("closed up 3 %") or a noun with one ("a 12 % rally"); what
has neither a size nor a level is no move, nor is what may be, or is denied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache

from ascertain.core.analysis import Direction, Move, Quote
from ascertain.language.dates import FULL_POINT, NUMBERED_POINT, WEEKDAY, named_days
from ascertain.language.numbers import Kind, Quantity, find_quantities
from ascertain.language.tokens import STOP_WORDS
from ascertain.language.word_lists import load_pattern, load_word_set, load_words

_WORD = re.compile(r"[^\W_][\w'’&-]*")
_CLAUSE = re.compile(
    r"[,;:()\"“”]|\s[-–—]\s|\b(?:and|but|as|while|after|when|because|despite|although|which|that|since|before)\b"
)
_MAY_BE = re.compile(
    r"\b(?:will|would|could|(?-i:may)|might|should|can|likely|unlikely|expected|set|poised|going|if|not|never|n['’]t|failed|fails|won['’]t|"
    r"cannot|didn['’]t|hasn['’]t|wasn['’]t|hadn['’]t|to)\W+(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)
"""Before a verb of direction: it did not happen, or not yet. "to": "wants to rise"."""
_REFUSES = re.compile(r"declin(?:e[sd]?|ing)\s+to\s+[a-z]", re.IGNORECASE)
_REACH = 60
"""Characters behind a cue in which its size and its level stand."""
_NEAR = 14
"""Characters between a size and its noun: "12 percent weekly rally"."""
_SKIPPED = frozenset(
    "has have had was were is are been being also again then now still sharply slightly further even briefly since just price prices value"
    " shares stock token coin the a an its their his her our this that these those on monday tuesday wednesday thursday friday".split()
)
_SKIPPED_HEADS = frozenset({"price", "prices", "value", "shares", "stock", "token", "coin"})
"""Said of a thing that is named beside them; alone they are the subject."""
_OWNED = re.compile(r"^[a-z]+['’]s?$")
"""A common noun that has something: "the company's shares" are those of whom the text is about."""
_SIZE = r"(?:by\s+)?(?:about\s+|nearly\s+|some\s+)?\d[\d.,]{0,30}\s?(?:%|per ?cent)"
_SIZE_BEHIND = re.compile(rf"\s+{_SIZE}")
_SIZE_BEFORE = re.compile(rf"(?P<before>(?<![\w'’])[\w'’]++)\s++(?P<size>{_SIZE})\s+$")
_OPENING_WORDS = 4
"""Words that a sentence begins with, among which its own subject is."""
_PRONOUNS = frozenset({"it", "they", "he", "she", "which", "that", "this"})
_MOST_WORDS = 5
_AFTER_NOUN = re.compile(
    r"\s+(?:in|for|of)\s+(?:the\s+(?:price|value)\s+of\s+)?([^\W\d_][\w&’'-]*(?:\s+[A-Z][\w&’'-]*)*)"
)
_OWN_SIZE = re.compile(r"^\s+of\s+(?:about\s+|nearly\s+)?[\d.,]+\s?(?:%|per ?cent)")
_POSSESSOR = re.compile(r"([A-Z][\w&-]{0,60}(?:\s+[A-Z][\w&-]{0,60}){0,9})['’]s?\s+(?:[\w-]+\s+){0,2}$")
_PLACE = re.compile(r"\b(?:in|at|on|from|during|over)\b")
"""What follows says where or when: "consumer prices in the United States"."""
_DATE = re.compile(
    rf"\b(?:on\s+(?P<near>{NUMBERED_POINT}|{WEEKDAY})|(?P<full>{FULL_POINT})|(?P<word>yesterday))", re.IGNORECASE
)

_SPANS = re.compile(rf"\b{load_pattern('forecasts', 'spans')}\b", re.IGNORECASE)
"""A move over a week or a year is none of the day that it is told on."""

Canonical = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class _Cue:
    start: int
    end: int
    direction: Direction
    needs_number: bool
    is_noun: bool
    is_aside: bool = False
    """Whether it stands behind a comma and is said of the sentence's own subject: ", down 3 % on the day"."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is known around a sentence: whom its document is about, the day it was published, how a name is written in
    full, and the names in the sentence.
    """

    subject: str
    published: date | None
    canonical: Canonical
    names: tuple[str, ...] = ()

    def name_before(self, text: str) -> str:
        """Whom a pronoun behind ``text`` stands for: the last name in it, else whom the document is about."""
        lower = text.lower()
        held = [(lower.rfind(name.lower()), name) for name in self.names if name.lower() in lower]
        return max(held)[1] if held else self.subject


def find_moves(quote: Quote, setting: Setting) -> list[Move]:
    """The moves that a sentence tells, in order."""
    text = quote.text
    cues = list(_find_cues(text))
    if not cues:
        return []
    quantities = [each for each in find_quantities(text) if each.kind in {Kind.PERCENT, Kind.MONEY, Kind.PLAIN}]
    found: list[Move] = []
    subject = setting.subject
    for place, cue in enumerate(cues):
        end = min(cues[place + 1].start if place + 1 < len(cues) else len(text), cue.end + _REACH)
        percent = _find_size(text, cue, end, quantities)
        level = None if cue.is_noun else _find_level(text, cue, end, quantities)
        if (percent is None and level is None) or (cue.needs_number and percent is None and level is None):
            continue
        subject = _find_subject(text, cue, setting) or subject
        if not subject:
            continue
        day = _find_day(text, cue, end, setting.published)
        unit = _read_unit(level, text) if level else ""
        found.append(Move(quote, subject, cue.direction, percent, level.value if level else None, unit, day))
    return found


def _find_cues(text: str) -> Iterator[_Cue]:
    for match in _WORD.finditer(text):
        word = match[0].lower()
        before, after = text[: match.start()], text[match.end() :]
        verb = _verbs().get(word)
        noun = _nouns().get(word)
        is_noun = noun is not None and _is_noun_here(before, after)
        if is_noun and noun is not None:
            yield _Cue(match.start(), match.end(), noun, True, True)
        elif verb is not None:
            if not _MAY_BE.search(before[-40:]) and not _REFUSES.match(text, match.start()):
                needs_number = word in load_word_set("moves", "needs_number")
                is_aside = word.endswith("ing") and before.rstrip().endswith(",")
                yield _Cue(match.start(), match.end(), verb, needs_number, False, is_aside)
        elif word in _ADVERBS:
            yield from _find_adverb(match, before, after)


_ADVERBS = {"up": Direction.UP, "higher": Direction.UP, "down": Direction.DOWN, "lower": Direction.DOWN}


def _find_adverb(match: re.Match[str], before: str, after: str) -> Iterator[_Cue]:
    """An adverb with its size behind it ("closed up 3 %") or before it ("closed 3 % higher")."""
    direction, stands = _ADVERBS[match[0].lower()], load_word_set("moves", "stands")
    sized = _SIZE_BEFORE.search(before)
    if sized is not None and sized["before"].lower() in stands:
        yield _Cue(sized.start("size"), sized.start("size"), direction, True, False)
    elif _SIZE_BEHIND.match(after):
        last = _WORD.findall(before[-30:])
        is_aside = before.rstrip().endswith(",")
        if is_aside or (last and last[-1].lower() in stands):
            yield _Cue(match.start(), match.end(), direction, True, False, is_aside)


def _is_noun_here(before: str, after: str) -> bool:
    """Whether a word that may be verb or noun is a noun: with its size before it, or "of" behind it."""
    if re.search(r"\d\s?(?:%|[- ]?per ?cent)[-\s]+(?:[a-z]+[-\s]+){0,2}$", before):
        return not re.search(r"\b(?:to|of)\s+[\d.]+\s?(?:%|per ?cent)\s+$", before)
    return bool(re.match(r"\s+of\s+(?:about\s+|nearly\s+)?\d", after))


def _find_size(text: str, cue: _Cue, end: int, quantities: list[Quantity]) -> float | None:
    if cue.is_noun:
        near = [q for q in quantities if q.kind is Kind.PERCENT and 0 <= cue.start - q.span.end <= _NEAR]
        near += [q for q in quantities if q.kind is Kind.PERCENT and 0 <= q.span.start - cue.end <= _NEAR]
        return near[0].value if near else None
    for quantity in quantities:
        is_behind = quantity.kind is Kind.PERCENT and cue.end <= quantity.span.start < end
        if is_behind and _word_before(text, quantity.span.start) not in load_word_set("moves", "not_sizes"):
            return quantity.value
    return None


def _find_level(text: str, cue: _Cue, end: int, quantities: list[Quantity]) -> Quantity | None:
    for quantity in quantities:
        if not cue.end <= quantity.span.start < end:
            continue
        if _word_before(text, quantity.span.start) in load_word_set("moves", "bounds") and not _is_year(quantity):
            return quantity
    return None


def _is_year(quantity: Quantity) -> bool:
    return quantity.kind is Kind.PLAIN and quantity.text.isdigit() and len(quantity.text) == 4


def _word_before(text: str, place: int) -> str:
    words = _WORD.findall(text[max(0, place - 20) : place])
    if words and words[-1].lower() in {"about", "around", "nearly", "almost", "roughly", "just", "some"}:
        words.pop()
    return words[-1].lower() if words else ""


def _read_unit(level: Quantity, text: str) -> str:
    if level.kind is Kind.PERCENT:
        return "%"
    sign = level.text.strip()[0]
    if sign in "$€£¥₹":
        return sign
    if level.kind is not Kind.MONEY:
        behind = _WORD.match(text[level.span.end :].lstrip())
        return behind[0] if behind and behind[0].lower() in load_word_set("moves", "currencies") else ""
    word = level.text.split()[-1].lower()
    return {"dollars": "$", "dollar": "$", "usd": "$", "euros": "€", "euro": "€", "eur": "€", "pounds": "£"}.get(
        word, word
    )


def _find_subject(text: str, cue: _Cue, setting: Setting) -> str:
    if cue.is_noun:
        behind = _AFTER_NOUN.match(_OWN_SIZE.sub("", text[cue.end :]))
        if behind is not None and behind[1].lower() not in STOP_WORDS:
            return setting.canonical(behind[1])
        owner = _POSSESSOR.search(re.sub(r"\d[\d.,]{0,30}\s?(?:%|[- ]?per ?cent)[-\s]*$", "", text[: cue.start]))
        return setting.canonical(owner[1]) if owner else ""
    if cue.is_aside:
        named = _last_name(_WORD.findall(text[: cue.start])[:_OPENING_WORDS])
        return setting.canonical(named) if named else setting.subject
    before = text[: cue.start]
    clause = before[max((match.end() for match in _CLAUSE.finditer(before)), default=0) :]
    if not clause.strip() and before.rstrip().endswith(","):
        # "its share, the dominance, rose"
        clause = before.split(",")[0]
    words = _WORD.findall(_PLACE.split(clause, maxsplit=1)[0]) or _WORD.findall(clause)
    while words and (words[-1].lower() in _skipped_behind() or words[-1].lower().endswith("ly")):
        words.pop()
    words = words[-_MOST_WORDS:]
    if not words or words[-1].lower() in _PRONOUNS:
        return setting.name_before(before) if words else ""
    if len(words) > 1 and _OWNED.match(words[-2]) and words[-1].lower() in _SKIPPED_HEADS:
        return setting.name_before(before)
    named = _last_name(words)
    return setting.canonical(named or _plain_subject(words))


@cache
def _skipped_behind() -> frozenset[str]:
    return (_SKIPPED - _SKIPPED_HEADS) | load_word_set("moves", "stands")


def _last_name(words: list[str]) -> str:
    """The last run of capitalised words, or of a name with its head: "Bitcoin's price"; empty where nothing is named."""
    runs: list[list[str]] = [[]]
    for place, word in enumerate(words):
        head = words[place + 1] if place + 1 < len(words) else ""
        if word[0].isupper() and re.search(r"['’]s?$", word) and head.islower() and head not in _SKIPPED:
            # what Bitcoin has is not Bitcoin: "Bitcoin's dominance"
            return f"{word} {head}"
        is_name = word[0].isupper() and word.lower() not in STOP_WORDS and word.lower() not in _SKIPPED
        if is_name:
            runs[-1].append(re.sub(r"['’]s?$", "", word))
        elif runs[-1]:
            runs.append([])
    named = [run for run in runs if run]
    return " ".join(named[-1]) if named else ""


def _plain_subject(words: list[str]) -> str:
    kept: list[str] = []
    for word in reversed(words):
        if word.lower() in STOP_WORDS or word.isdigit():
            break
        kept.insert(0, word.lower())
    return " ".join(kept[-2:])


def _find_day(text: str, cue: _Cue, end: int, published: date | None) -> date | None:
    """The day that a move is of: the one named behind it, or in its sentence, or the one it was published on; None for one
    over a longer time.
    """
    if published is None:
        return None
    behind, named = _SPANS.search(text, cue.end, end), _DATE.search(text, cue.start, end)
    if behind is not None and (named is None or behind.start() < named.start()):
        return None
    day = _read_day(named, published) or _read_day(_DATE.search(text), published)
    is_longer = _SPANS.search(text, max(0, cue.start - _REACH), min(len(text), end + _REACH)) is not None
    return day or (None if is_longer else published)


def _read_day(match: re.Match[str] | None, published: date) -> date | None:
    if match is None:
        return None
    days = named_days(match["near"] or match["full"] or match["word"], published)
    return None if days is None or days.is_year or (days.after - days.first).days > 1 else days.first


@cache
def _verbs() -> dict[str, Direction]:
    return _by_direction("up_verbs", "down_verbs")


@cache
def _nouns() -> dict[str, Direction]:
    return _by_direction("up_nouns", "down_nouns")


def _by_direction(up: str, down: str) -> dict[str, Direction]:
    found = dict.fromkeys(load_words("moves", up), Direction.UP)
    return found | dict.fromkeys(load_words("moves", down), Direction.DOWN)
