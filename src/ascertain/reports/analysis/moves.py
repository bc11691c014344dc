"""Moves: that something rose or fell, by how much, to what level, on which day.

Rules over English reports. A cue is a verb ("fell"), an adverb with a size ("closed up 3 %") or a noun with one ("a 12 % rally"); what
has neither a size nor a level is not a move, nor is a possible or denied one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import islice

from ascertain.core.reports.analysis import Direction, Move, Quote
from ascertain.language.dates import FULL_POINT, NUMBERED_POINT, WEEKDAY, named_days
from ascertain.language.languages import ENGLISH
from ascertain.language.numbers import Kind, Quantity, find_quantities
from ascertain.language.tokens import STOP_WORDS, stem_word, word_informativeness
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
    " shares stock token coin record high low peak all-time the a an its their his her our this that these those on monday tuesday wednesday thursday friday".split()
)
_SKIPPED_HEADS = frozenset("price prices value shares stock token coin record high low peak all-time".split())
"""Said of a thing that is named beside them; alone they are the subject."""
_HEADS = _SKIPPED_HEADS | frozenset({"prices", "quote", "quotes"})
_OWNED = re.compile(r"^[a-z]+['’]s?$")
"""A common noun that has something: "the company's shares" are those of whom the text is about."""
_SIZE = r"(?:by\s+)?(?:about\s+|nearly\s+|some\s+)?\d[\d.,]{0,30}\s?(?:%|per ?cent)"
_SIZE_BEHIND = re.compile(rf"\s+{_SIZE}")
_SIZE_BEFORE = re.compile(rf"(?P<before>(?<![\w'’])[\w'’]++)\s++(?P<size>{_SIZE})\s+$")
_DEFINITE = frozenset({"the", "its", "their", "his", "her"})
"""Before a word such as price: of whom the text is about."""
_OPENING_WORDS = 4
"""Words that a sentence begins with, among which its own subject is."""
_PRONOUNS = frozenset({"it", "they", "he", "she", "which", "that", "this"})
_MOST_WORDS = 5
_YEAR = 4
"""Digits from which a number behind a name is a year or a sum."""
_MONTHS = load_word_set("months_and_days", "months")
_AFTER_NOUN = re.compile(
    r"\s+(?:in|for|of)\s+(?:the\s+(?:price|value)\s+of\s+)?([^\W\d_][\w&’'-]*(?:\s+[A-Z][\w&’'-]*)*)"
)
_OWN_SIZE = re.compile(r"^\s+of\s+(?:about\s+|nearly\s+)?[\d.,]+\s?(?:%|per ?cent)")
_POSSESSOR = re.compile(r"([A-Z][\w&-]{0,60}(?:\s+[A-Z][\w&-]{0,60}){0,9})['’]s?\s+(?:[\w-]+\s+){0,2}$")
_OPENED = re.compile(r"[^,;.]{0,40},\s+(?:the\s+)?([A-Z][\w&-]{0,60}(?:\s+[A-Z][\w&-]{0,60}){0,5})")
"""Whom an opening phrase is said of: "With a gain of 9 percent, Monero led"."""
_PLACE = re.compile(r"\b(?:in|at|on|from|during|over)\b", re.IGNORECASE)
"""What follows says where or when: "consumer prices in the United States"."""
_PART = re.compile(r"\b(?:of|for)\b")
"""What is before it moves, and not what is behind it: "the number of homes", "demand for steel"."""
_MOST_PLACES = 4
_DATE = re.compile(
    rf"\b(?:on\s+(?P<near>{NUMBERED_POINT}|{WEEKDAY})|(?P<full>{FULL_POINT})|(?P<word>yesterday))", re.IGNORECASE
)

_SPANS = re.compile(rf"\b{load_pattern('forecasts', 'spans')}\b", re.IGNORECASE)
"""A move over a week or a year does not belong to the day it is reported on."""
_RECORD_OF = re.compile(
    r"\b(?:low|lowest|high|highest|weakest|strongest|best|worst|largest|biggest|sharpest|steepest)\s(?:[a-z]+\s){0,2}(?:in|for|of)\s"
    r"(?:[\w-]+\s){0,3}(?:days?|weeks?|months?|quarters?|years?|decades?)\b",
    re.IGNORECASE,
)
"""Of how long it is the lowest or the largest: "its lowest level in two years" is that of a day."""

Canonical = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class _Cue:
    start: int
    end: int
    direction: Direction | None
    needs_number: bool
    is_noun: bool
    is_aside: bool = False
    """Whether it stands behind a comma and is said of the sentence's own subject: ", down 3 % on the day"."""
    level: Quantity | None = None
    """What it tells where a price stands, without a word of where it came from."""


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
    quantities = [each for each in find_quantities(text) if each.kind in {Kind.PERCENT, Kind.MONEY, Kind.PLAIN}]
    cues = sorted((*_find_cues(text), *_find_levels(text, quantities)), key=lambda cue: cue.start) if quantities else []
    if not cues:
        return []
    found: list[Move] = []
    subject = setting.subject
    for place, cue in enumerate(cues):
        end = min(cues[place + 1].start if place + 1 < len(cues) else len(text), cue.end + _REACH)
        percent = _find_size(text, cue, end, quantities) if cue.direction else None
        level = cue.level or (None if cue.is_noun else _find_level(text, cue, end, quantities))
        if (percent is None and level is None) or (cue.needs_number and percent is None and level is None):
            continue
        subject = _find_subject(text, cue, setting) or subject
        if not subject:
            continue
        day = _find_day(text, cue, end, setting.published)
        unit = _read_unit(level, text) if level else ""
        found.append(Move(quote, subject, cue.direction, percent, level.value if level else None, unit, day))
    # "slid to a low of $12.80" tells one level, by the verb where it has one
    moved = {(move.subject, move.level) for move in found if move.direction is not None}
    return [move for move in found if move.direction is not None or (move.subject, move.level) not in moved]


def _find_levels(text: str, quantities: list[Quantity]) -> Iterator[_Cue]:
    """Where a price stands: a verb or a noun of levels, and behind it the sum, with nothing between but what belongs to it."""
    for quantity in quantities:
        is_share = quantity.kind is Kind.PERCENT
        if not is_share and not _is_price(quantity, text):
            continue
        between: list[str] = []
        for match in reversed(list(_WORD.finditer(text, max(0, quantity.span.start - _REACH), quantity.span.start))):
            word = match[0].lower()
            if _CLAUSE.search(text, match.end(), quantity.span.start):
                break
            if _tells_share(word) if is_share else _tells_level(word, between, text[: match.start()]):
                if not _MAY_BE.search(_TO_A.sub("", text[: match.start()])[-40:]):
                    yield _Cue(match.start(), match.end(), None, True, False, level=quantity)
                break
            if word not in load_word_set("moves", "level_between") and not word.endswith("ly"):
                break
            between.append(word)


_TO_A = re.compile(r"\sto (?:an? |the |new |record |fresh ){1,3}$")
"""Between a verb and the noun of a level: "slid to a low of"."""


def _is_price(quantity: Quantity, text: str) -> bool:
    """Whether it is a sum of money, or a number with a unit of prices behind it."""
    if quantity.kind is not Kind.PLAIN:
        return quantity.kind is Kind.MONEY
    behind = _WORD.match(text[quantity.span.end :].lstrip(" -"))
    return behind is not None and behind[0].lower() in load_word_set("moves", "level_units")


def _tells_share(word: str) -> bool:
    """Whether a verb tells the percentage that something came to: "turnover reached 18 percent"."""
    return word in load_word_set("moves", "share_verbs")


def _tells_level(word: str, between: Sequence[str], before: str) -> bool:
    """Whether ``word`` tells the price behind it; ``between`` are the words up to that, the last first."""
    if word in load_word_set("moves", "level_nouns"):
        # a verb before it tells the same, with its subject
        return between == ["of"]
    if word in load_word_set("moves", "level_copulas"):
        clause = _WORD.findall(_CLAUSE.split(before)[-1].lower())
        return not load_word_set("moves", "price_words").isdisjoint((*between, *clause))
    return word in load_word_set("moves", "level_verbs")


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
        is_aside = before.rstrip().endswith(",")
        last = (_WORD.findall(before[-30:]) or [""])[-1].lower()
        if last in load_word_set("moves", "gives_up") and direction is Direction.UP:
            direction = Direction.DOWN
        if not _MAY_BE.search(before[-40:]) and last not in load_word_set("moves", "no_moves"):
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
    while words and words[-1].lower() in {
        "about",
        "around",
        "nearly",
        "almost",
        "roughly",
        "just",
        "some",
        "the",
        "a",
        "an",
    }:
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
        opened = _OPENED.match(text, cue.end) if owner is None and "," not in text[: cue.start] else None
        named = owner or opened
        return setting.canonical(named[1]) if named else ""
    if cue.is_aside:
        named = _last_name(_WORD.findall(text[: cue.start])[:_OPENING_WORDS])
        return setting.canonical(named) if named else setting.subject
    before = text[: cue.start]
    clause = before[max((match.end() for match in _CLAUSE.finditer(before)), default=0) :]
    if not clause.strip() and before.rstrip().endswith(","):
        # "its share, the dominance, rose"
        clause = before.split(",")[0]
    subject_words = _drop_place(clause)
    words = _WORD.findall(subject_words) or _WORD.findall(clause)
    while words and (words[-1].lower() in _skipped_behind() or words[-1].lower().endswith("ly")):
        words.pop()
    part = _name_part(words)
    if part:
        return part
    if len(words) > 1 and len(clause) == len(before) and not _names_something(words[0]) and words[1].islower():
        # the first word of a sentence is written large whatever it is: "House prices"
        words[0] = words[0].lower()
    words = words[-_MOST_WORDS:]
    if not words or words[-1].lower() in _PRONOUNS:
        return setting.name_before(before) if words else ""
    is_owned = len(words) > 1 and (_OWNED.match(words[-2]) or words[-2].lower() in _DEFINITE)
    if is_owned and words[-1].lower() in _SKIPPED_HEADS:
        return setting.name_before(before)
    named = _last_name(words)
    return setting.canonical(named or _plain_subject(words))


@cache
def _skipped_behind() -> frozenset[str]:
    return (_SKIPPED - _SKIPPED_HEADS) | load_word_set("moves", "stands")


def _drop_place(clause: str) -> str:
    """``clause`` up to where it says where or when, but for what is in something by its head: "shares in Kestrel"."""
    for match in islice(_PLACE.finditer(clause), _MOST_PLACES):
        words = [word for word in _WORD.findall(clause[: match.start()]) if word.lower() not in STOP_WORDS]
        if not words or len(words) > 1 or words[0].lower() not in _HEADS:
            return clause[: match.start()]
    return clause


def _name_part(words: list[str]) -> str:
    """What moves, with what it is of: "number of homes", "average rent for a two-room flat"; empty where it is a price or the like of
    something, which belongs to that thing, or a part of a name.
    """
    place = next((number for number, word in enumerate(words) if _PART.fullmatch(word)), 0)
    head = [word for word in words[:place] if word.lower() not in STOP_WORDS][-_LONGEST_HEAD:]
    behind = words[place + 1 :][:_MOST_WORDS]
    if not head or not behind or any(_names_something(word) for word in head) or not head[-1].isalpha():
        return ""
    heads = [word.lower() in _HEADS for word in head]
    if any(heads[:-1]) or (heads[-1] and (words[place] == "of" or len(head) == 1)):
        return ""
    if len(head) == 1 and head[0][0].isupper() and behind[0][0].isupper():
        # "Bank of America"
        return ""
    return " ".join((*(word.lower() for word in head), words[place], *behind))


def _names_something(word: str) -> bool:
    """Whether a word is written as a name, and is none of those that a sentence may begin with."""
    return word[0].isupper() and word_informativeness(stem_word(word.lower(), ENGLISH), ENGLISH) >= _RARE


_LONGEST_HEAD = 3
_RARE = 0.98
"""What a word tells from which it names something where it opens a sentence: above "staff", "consumer" and "unemployment"."""


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
        elif runs[-1] and word.isdigit() and len(word) < _YEAR and runs[-1][-1].lower() not in _MONTHS:
            # the number of an index is a part of its name: "S&P 500"
            runs[-1].append(word)
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
    text = _RECORD_OF.sub(lambda match: " " * len(match[0]), text)
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
