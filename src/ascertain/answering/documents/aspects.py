"""What a document says about one aspect: its decisions, tasks, risks, deadlines, its people, the entries of a list.

Two signs count: the heading a unit is under ("Risks", "Action items"), and the words with which a sentence says such a
thing anywhere. Both are word lists (``aspects``); what a document says in neither way is not found, so nothing here says
that a document has no risks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from itertools import pairwise

from ascertain.answering.documents.outline import Outline, Section, Unit
from ascertain.answering.documents.selection import is_chit_chat
from ascertain.core.asking.answers import Form
from ascertain.core.asking.plans import Aspect
from ascertain.language.dates import MONTHS, NUMBERED_POINT, POINT, WEEKDAYS, named_days
from ascertain.language.names import names_in
from ascertain.language.tokens import WORD, content_terms, stem_word
from ascertain.language.word_lists import compile_pattern, load_word_set

_TOPIC = "aspects"


@dataclass(frozen=True, slots=True)
class Findings:
    """``sections`` contain what was found. ``by_heading``: a heading of the document itself says so. ``names`` are persons, for a
    question for people.
    """

    sections: tuple[Section, ...]
    by_heading: bool
    names: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many units were found."""
        return sum(len(section.units) for section in self.sections)


def find_aspect(outline: Outline, aspect: Aspect, focus: str, today: date, *, language: str) -> Findings | None:
    """What ``outline`` says of ``aspect``, in its order, of a timeline by date; None where neither sign is found."""
    if aspect is Aspect.LIST:
        return _find_list(outline, focus, language)
    if aspect is Aspect.TIMELINE:
        return _find_timeline(outline, today)
    if aspect is Aspect.PEOPLE:
        return _find_people(outline)
    return _find_by_signs(outline, aspect, focus, language)


def _find_by_signs(outline: Outline, aspect: Aspect, focus: str, language: str) -> Findings | None:
    headings = load_word_set(_TOPIC, f"{aspect.value}_headings")
    party = frozenset(content_terms(focus, language))
    by_heading = False
    sections: list[Section] = []
    for section in outline.sections:
        is_headed = _is_headed(section, headings)
        own = section.units if is_headed else _find_said(section.units, aspect)
        if party and not is_headed and aspect is Aspect.OBLIGATIONS:
            own = [unit for unit in own if party & unit.terms(language)]
        if party and is_headed and not party & frozenset(content_terms(section.heading, language)):
            own = [unit for unit in own if not _binds_another(unit, party, language)]
        own = [unit for unit in own if not is_chit_chat(unit)]
        by_heading |= is_headed and bool(own)
        if own:
            sections.append(replace(section, units=tuple(own)))
    if party and by_heading:
        about = [each for each in sections if party & frozenset(content_terms(each.heading, language))]
        of_party = [
            each for each in sections if each in about or any(party & unit.terms(language) for unit in each.units)
        ]
        sections = of_party or sections
    return Findings(tuple(sections), by_heading) if sections else None


def _binds_another(unit: Unit, party: Set[str], language: str) -> bool:
    """Whether the subject of a unit is another party: a landlord's duties are not a tenant's."""
    match = compile_pattern(_TOPIC, "bound_party").match(unit.text)
    return (
        match is not None
        and not party & set(content_terms(match["who"], language))
        and not party & unit.terms(language)
    )


def _is_headed(section: Section, headings: Set[str]) -> bool:
    return any(word in headings for name in section.path[-2:] for word in re.findall(r"[\w-]+", name.casefold()))


def _find_said(units: Sequence[Unit], aspect: Aspect) -> list[Unit]:
    """The units that say it, of a conversation with what they agree to."""
    said = _compile(f"{aspect.value}_sentences")
    spoken = _compile("spoken_decisions") if aspect in {Aspect.DECISIONS, Aspect.TASKS} else None
    found: dict[int, Unit] = {}
    for number, unit in enumerate(units):
        is_said = said.search(unit.text) is not None
        if not is_said and spoken is not None and unit.speaker:
            is_said = spoken.search(unit.text) is not None and not unit.text.endswith("?")
        if not is_said:
            continue
        if unit.speaker and _compile("assent").match(unit.text) is not None:
            found.update(_agreed_to(units, number))
        found[number] = unit
    return [found[number] for number in sorted(found)]


def _agreed_to(units: Sequence[Unit], number: int) -> dict[int, Unit]:
    """The previous speaker's last sentence, which a yes answers."""
    speaker = units[number].speaker
    before = number - 1
    while before >= 0 and units[before].speaker == speaker:
        before -= 1
    if before < 0:
        return {}
    first = before
    while first > 0 and units[first - 1].speaker == units[before].speaker and before - first < 1:
        first -= 1
    return {place: units[place] for place in range(first, before + 1) if not is_chit_chat(units[place])}


def _find_timeline(outline: Outline, today: date) -> Findings | None:
    """The units that name a day, a month or a year, by the first of these."""
    dated: list[tuple[date, int, Unit]] = []
    for number, unit in enumerate(outline.units):
        days = [days for match in _dates().finditer(unit.text) if (days := named_days(match.group().lower(), today))]
        exact = [each for each in days if not each.is_year] or days
        if exact:
            dated.append((min(each.first for each in exact), number, unit))
    if not dated:
        return None
    ordered = tuple(unit for _, _, unit in sorted(dated, key=lambda each: each[:2]))
    return Findings((Section((), ordered),), by_heading=False)


@cache
def _dates() -> re.Pattern[str]:
    after = "|".join(rf"(?<=\b{word} )" for word in ("in", "by", "on", "from", "since", "until"))
    return re.compile(rf"(?<![\w.,-])(?:{NUMBERED_POINT}|(?:{after}){POINT})", re.IGNORECASE)


def _find_people(outline: Outline) -> Findings | None:
    """The units that name persons, each person once."""
    headings, columns = load_word_set(_TOPIC, "people_headings"), load_word_set(_TOPIC, "people_columns")
    plain = _common_words(outline)
    # speakers are known; what is mentioned without a given name is a product or a place as often as a person
    is_spoken = any(unit.speaker for unit in outline.units)
    names: dict[str, None] = {}
    sections: list[Section] = []
    for section in outline.sections:
        is_headed = _is_headed(section, headings)
        own: list[Unit] = []
        for unit in section.units:
            named = _name_persons(unit, columns, plain, is_headed)
            sure = [each for each in named if not is_spoken or each == unit.speaker or _begins_as_person(each)]
            fresh = [name for name in sure if name not in names]
            if fresh:
                names.update(dict.fromkeys(fresh))
                own.append(unit)
        if own:
            sections.append(replace(section, units=tuple(own)))
    return Findings(tuple(sections), False, tuple(names)) if names else None


def _name_persons(unit: Unit, columns: Set[str], plain: Set[str], is_headed: bool) -> list[str]:
    """The persons that a unit names; ``plain`` are words that its document also writes without capitals."""
    found = [unit.speaker] if unit.speaker else []
    if unit.form is Form.ROW:
        cells = zip(unit.columns, unit.text.split(" | "), strict=False)
        return [cell for column, cell in cells if columns & set(re.findall(r"\w+", column.casefold())) and cell]
    for name in names_in(unit.text).values():
        if is_person(name, plain) or (is_headed and 1 < len(name.split()) <= LONGEST_PERSON):
            found.append(name)
    return list(dict.fromkeys(found))


LONGEST_PERSON = 4
"""Words of a person's name."""


def is_person(name: str, plain: Set[str] = frozenset()) -> bool:
    """Whether ``name`` is likely that of a person: it begins with a given name or a title, or has two or three capitalised words
    none of which marks a place, a body or a thing, or is one of ``plain``.
    """
    words = [word.strip(".") for word in name.split()]
    folded = [word.casefold() for word in words]
    if not 1 < len(words) <= LONGEST_PERSON or not all(word[:1].isupper() and word.isalpha() for word in words):
        return False
    if _not_persons() & set(folded) or folded[-1] in plain:
        return False
    if _begins_as_person(name):
        return True
    return not any(word in plain or word.isupper() for word, _ in zip(folded, words, strict=True)) and len(words) <= 3


def _begins_as_person(name: str) -> bool:
    return name.split(maxsplit=1)[0].strip(".").casefold() in _before_persons()


def _common_words(outline: Outline) -> frozenset[str]:
    """The words that a document writes in lower case."""
    return frozenset(word for unit in outline.units for word in WORD.findall(unit.text) if word.islower())


@cache
def _before_persons() -> frozenset[str]:
    return load_word_set("names", "given_names") | load_word_set("names", "titles")


@cache
def _not_persons() -> frozenset[str]:
    """Words of places, bodies, events and products, of days and months."""
    kinds = ("organisation_heads", "place_heads", "event_heads", "product_heads")
    words = frozenset[str]().union(*(load_word_set("name_kinds", kind) for kind in kinds))
    places = (
        load_word_set("places", "countries"),
        load_word_set("places", "states"),
        load_word_set("places", "cities"),
    )
    return words.union(*places, MONTHS, WEEKDAYS)


def _find_list(outline: Outline, focus: str, language: str) -> Findings | None:
    """Every entry of the list, the table or the section that ``focus`` names; else the entries introduced by a sentence with
    its words.
    """
    wanted = frozenset(content_terms(focus, language))
    any_entry = frozenset(stem_word(word, language) for word in load_word_set(_TOPIC, "list_stems"))
    if wanted <= any_entry:
        return _keep(outline, lambda _, unit: unit.group is not None)
    wanted -= any_entry
    kinds = frozenset(stem_word(word, language) for word in load_word_set("asked_facts", "option_kinds"))
    others = (frozenset({kind}) for kind in sorted(kinds - wanted)) if wanted <= kinds else ()
    return next(filter(None, (_find_named_list(outline, each, language) for each in (wanted, *others))), None)


FEWEST_ENTRIES = 2
"""Entries of a list from which a section is one."""


def _find_named_list(outline: Outline, wanted: Set[str], language: str) -> Findings | None:
    headed = _keep(outline, lambda section, _: wanted <= _stems_of(section.path[-1:], language))
    if headed is not None:
        # of a list of definitions the entries, and not what is said behind each
        listed = _keep(
            outline, lambda section, unit: unit.group is not None and wanted <= _stems_of(section.path[-1:], language)
        )
        found = listed if listed is not None and listed.count >= FEWEST_ENTRIES else headed
        return replace(found, by_heading=True)
    in_column = _keep(outline, lambda _, unit: unit.form is Form.ROW and wanted <= _stems_of(unit.columns, language))
    if in_column is not None:
        return replace(in_column, by_heading=True)
    return _find_announced(outline, wanted, language)


def _find_announced(outline: Outline, wanted: Set[str], language: str) -> Findings | None:
    """The lists whose preceding sentence contains the words."""
    units = outline.units
    groups = {
        unit.group
        for before, unit in pairwise(units)
        if unit.group is not None and before.group != unit.group and wanted <= before.terms(language)
    }
    return _keep(outline, lambda _, unit: unit.group in groups) if groups else None


def _keep(outline: Outline, is_wanted: Callable[[Section, Unit], bool]) -> Findings | None:
    sections = [
        replace(section, units=tuple(unit for unit in section.units if is_wanted(section, unit)))
        for section in outline.sections
    ]
    kept = tuple(section for section in sections if section.units)
    return Findings(kept, by_heading=False) if kept else None


def _stems_of(names: Sequence[str], language: str) -> frozenset[str]:
    return frozenset(stem_word(word.casefold(), language) for name in names for word in WORD.findall(name))


@cache
def _compile(name: str) -> re.Pattern[str]:
    return compile_pattern(_TOPIC, name)
