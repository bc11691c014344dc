"""Where sources agree and where they cannot both be right: moves of one day, figures of one event, what one says and another denies."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations

from ascertain.core.reports.analysis import Agreement, Contradiction, DocumentMap, Move, Statement
from ascertain.language.languages import ENGLISH
from ascertain.language.numbers import Kind, Quantity, find_quantities, holds_quantity
from ascertain.language.tokens import STOP_WORDS, content_terms, stem_word, word_informativeness
from ascertain.language.word_lists import compile_pattern, load_words

NEAR_DAYS = 7
"""Days within which two sources report one event; a figure that changes later is news, not a contradiction."""
ALIKE = 0.5
"""Share of the words of two sentences that they have in common from which they report one thing (Jaccard; generated corpora of seeds
that are not reported, and by eye on the development set of news).
"""
ALIKE_DENIED = 0.65
"""The same where one of them denies: a denial uses the same words, a mere negation may be about anything."""
FEWEST_SHARED = 3
SAME_SIZE, FAR_SIZE = 0.11, 0.5
"""Points of percent up to which two sizes are one, rounded, and from which they differ."""
SAME_LEVEL, FAR_LEVEL = 0.003, 0.015
"""The same for levels, as shares."""
COMMON = 150
"""Sentences that a word may occur in and still lead to others about the same."""

_DENIAL = compile_pattern("forecasts", "denials")
_OF_THE_DAY = re.compile(rf"\b{compile_pattern('forecasts', 'of_the_day').pattern}\b", re.IGNORECASE)
_CAPITAL = re.compile(r"[A-Z][\w’'&-]*")
_CALENDAR = frozenset(word for name in ("months", "weekdays") for word in load_words("months_and_days", name))
_DENIAL_STEMS = frozenset(
    content_terms(
        "denied denies deny denying dismissed rejected refuted false untrue wrong incorrect said says", ENGLISH
    )
)


@dataclass(frozen=True, slots=True)
class _Origin:
    """A statement or a move with who published it and when."""

    source: str
    day: date | None
    document_id: str


def find_agreements(maps: Sequence[DocumentMap]) -> list[Agreement]:
    """Moves that several sources report alike."""
    agreements: list[Agreement] = []
    for moves in _group_moves(maps).values():
        left = list(moves)
        while left:
            _, move = left[0]
            alike = [each for each in left if _is_alike(move, each[1])]
            left = [each for each in left if each not in alike]
            by_source = {each.source: quoted.quote for each, quoted in reversed(alike)}
            if len(by_source) > 1:
                sources = tuple(sorted(by_source))
                agreements.append(
                    Agreement(describe_move(move), tuple(by_source[source] for source in sources), sources)
                )
    return agreements


def find_contradictions(maps: Sequence[DocumentMap]) -> list[Contradiction]:
    """Differences between two sources, each pair of sources once for one thing."""
    found = [*_contradicting_moves(maps), *_contradicting_statements(maps)]
    kept: dict[tuple[object, ...], Contradiction] = {}
    for each in found:
        kept.setdefault((each.why, frozenset(each.sources)), each)
    return list(kept.values())


def describe_move(move: Move) -> str:
    """``Bitcoin fell 4 % to $92,000 on 12 May 2025``."""
    size = f" {move.percent:g} %" if move.percent is not None else ""
    level = f" to {format_level(move)}" if move.level is not None else ""
    if move.direction is None:
        return f"{move.subject} stood at {format_level(move)}{_format_on(move.day)}"
    went = "rose" if move.direction == "up" else "fell"
    return f"{move.subject} {went}{size}{level}{_format_on(move.day)}"


def _format_on(day: date | None) -> str:
    return f" on {day.day} {day:%B %Y}" if day else ""


def format_level(move: Move) -> str:
    """The level with its unit: ``$92,000``."""
    value = move.level or 0.0
    number = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"
    return f"{move.unit}{number}" if move.unit in {"$", "€", "£", "¥", "₹"} else f"{number} {move.unit}".strip()


def _group_moves(maps: Sequence[DocumentMap]) -> dict[tuple[str, date], list[tuple[_Origin, Move]]]:
    """Moves of one day by what moved; those over longer spans have none."""
    groups: dict[tuple[str, date], list[tuple[_Origin, Move]]] = defaultdict(list)
    for each in maps:
        for move in each.moves:
            if move.day is not None and each.publisher:
                origin = _Origin(each.publisher, move.day, each.document_id)
                groups[(move.subject.lower(), move.day)].append((origin, move))
    return groups


def _is_alike(one: Move, other: Move) -> bool:
    if one.direction != other.direction:
        return False
    if one.percent is not None and other.percent is not None:
        return abs(one.percent - other.percent) <= SAME_SIZE
    if one.level is not None and other.level is not None:
        return abs(one.level - other.level) <= SAME_LEVEL * abs(one.level)
    return False


def _contradicting_moves(maps: Sequence[DocumentMap]) -> Iterator[Contradiction]:
    for moves in _group_moves(maps).values():
        for (one, move), (other, moved) in combinations(moves, 2):
            if one.source == other.source or one.document_id == other.document_id:
                continue
            why = _explain_difference(move, moved)
            # a source with both reports two moves, as of morning and evening
            own = [each for origin, each in moves if origin.source == one.source]
            others = [each for origin, each in moves if origin.source == other.source]
            if (
                why
                and not any(_is_alike(each, moved) for each in own)
                and not any(_is_alike(each, move) for each in others)
            ):
                what = f"{move.subject}{_format_on(move.day)}"
                yield Contradiction(what, why, move.quote, moved.quote, (one.source, other.source))


def _explain_difference(one: Move, other: Move) -> str:
    if one.level is not None and other.level is not None and one.unit != other.unit:
        return ""
    if None in {one.direction, other.direction}:
        # a price of one hour and of another do not exclude each other
        return ""
    if one.direction != other.direction:
        return f"{one.subject}{_format_on(one.day)}: one says that it rose, the other that it fell"
    if one.percent is not None and other.percent is not None and abs(one.percent - other.percent) >= FAR_SIZE:
        low, high = sorted((one.percent, other.percent))
        return f"{one.subject}{_format_on(one.day)}: {low:g} % or {high:g} %"
    if one.level is not None and other.level is not None and one.unit == other.unit:
        # "below 90,000" and "to 89,100" do not exclude each other; sizes do
        has_sizes = one.percent is not None and other.percent is not None
        if has_sizes and abs(one.level - other.level) > FAR_LEVEL * abs(one.level):
            return f"{one.subject}{_format_on(one.day)}: {format_level(one)} or {format_level(other)}"
    return ""


@dataclass(frozen=True, slots=True)
class _Candidate:
    origin: _Origin
    statement: Statement
    terms: frozenset[str]
    quantities: tuple[Quantity, ...]
    is_denial: bool


def _contradicting_statements(maps: Sequence[DocumentMap]) -> Iterator[Contradiction]:
    candidates = list(_list_candidates(maps))
    postings: dict[str, list[int]] = defaultdict(list)
    for place, each in enumerate(candidates):
        for term in each.terms:
            postings[term].append(place)
    seen: set[tuple[int, int]] = set()
    for place, each in enumerate(candidates):
        if not each.quantities and not each.is_denial:
            continue
        shared: dict[int, int] = defaultdict(int)
        for term in each.terms:
            for other in postings[term] if len(postings[term]) <= COMMON else ():
                shared[other] += 1
        for other, _ in sorted(shared.items()):
            pair = (min(place, other), max(place, other))
            if other == place or pair in seen:
                continue
            seen.add(pair)
            why = _explain_contradiction(each, candidates[other])
            if why:
                one, two = candidates[pair[0]], candidates[pair[1]]
                what = ", ".join(sorted(set(one.statement.names) & set(two.statement.names))) or "one event"
                yield Contradiction(
                    what, why, one.statement.quote, two.statement.quote, (one.origin.source, two.origin.source)
                )


def _list_candidates(maps: Sequence[DocumentMap]) -> Iterator[_Candidate]:
    for document in maps:
        moved = {move.quote.span for move in document.moves}
        expected = {each.quote.span for each in document.forecasts}
        day = document.published_at.date() if document.published_at else None
        for statement in document.statements:
            text = statement.quote.text
            if statement.quote.span in moved or statement.quote.span in expected or not document.publisher:
                continue
            terms = frozenset(term for term in statement.terms if not any(character.isdigit() for character in term))
            quantities = tuple(
                q for q in find_quantities(text) if q.kind in {Kind.MONEY, Kind.PERCENT, Kind.PLAIN} and not _is_year(q)
            )
            is_denial = _DENIAL.search(text) is not None
            origin = _Origin(document.publisher, day, document.document_id)
            yield _Candidate(origin, statement, terms - _DENIAL_STEMS, quantities, is_denial)


def _is_year(quantity: Quantity) -> bool:
    return quantity.kind is Kind.PLAIN and quantity.text.isdigit() and 1900 <= quantity.value <= 2100


def _explain_contradiction(one: _Candidate, other: _Candidate) -> str:
    if one.origin.source == other.origin.source or not _are_near(one.origin.day, other.origin.day):
        return ""
    common = one.terms & other.terms
    numerals = {term for each in (one, other) for q in each.quantities for term in content_terms(q.text, ENGLISH)}
    alike = len(common - numerals) / max(1, len((one.terms | other.terms) - numerals))
    if len(common - numerals) < FEWEST_SHARED or alike < ALIKE:
        return ""
    subject = _find_common_names(one.statement.quote.text, other.statement.quote.text)
    if not subject:
        return ""
    if one.is_denial != other.is_denial and not one.quantities and not other.quantities and alike >= ALIKE_DENIED:
        return f"{subject}: one says it, the other denies it"
    return _explain_figures(one, other, subject)


def _find_common_names(one: str, other: str) -> str:
    """The names of both sentences; empty where one has none of the other's, or either one that the other lacks: they tell of
    different things then.
    """
    first, second = list_names(one), list_names(other)
    shared = [word for word in first if word in second]
    if not shared or not (set(first) <= set(second) or set(second) <= set(first)):
        return ""
    return " ".join(shared[:4])


def list_names(text: str) -> list[str]:
    """Words written as names, in order; the first word of a sentence where it is no common one."""
    names: dict[str, None] = {}
    for match in _CAPITAL.finditer(text):
        word = re.sub(r"['’]s?$", "", match[0])
        is_common = word.lower() in STOP_WORDS or word.lower() in _CALENDAR
        is_opening = (
            not text[: match.start()].strip(" \"'“‘")
            and word_informativeness(stem_word(word.lower(), ENGLISH), ENGLISH) < 1.0
        )
        if not is_common and not is_opening:
            names[word] = None
    return list(names)


def _explain_figures(one: _Candidate, other: _Candidate, subject: str) -> str:
    is_of_day = _OF_THE_DAY.search(one.statement.quote.text) or _OF_THE_DAY.search(other.statement.quote.text)
    if is_of_day and one.origin.day != other.origin.day:
        return ""
    for quantity in one.quantities:
        same_kind = [each for each in other.quantities if each.kind is quantity.kind]
        if len(same_kind) != 1 or sum(each.kind is quantity.kind for each in one.quantities) != 1:
            continue
        if not holds_quantity(quantity, same_kind) and not holds_quantity(same_kind[0], [quantity]):
            first, second = sorted((quantity, same_kind[0]), key=lambda each: each.value)
            return f"{subject}: {first.text.strip()} or {second.text.strip()}"
    return ""


def _are_near(one: date | None, other: date | None) -> bool:
    return one is None or other is None or abs((one - other).days) <= NEAR_DAYS
