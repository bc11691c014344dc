"""Which units represent a document: the sentences of its short form.

A unit is scored by the content words that it shares with the rest of the document (SumBasic: Nenkova and Vanderwende, "The impact of
frequency on summarization", 2005), by the figures, days and names in it, and by being first under its heading. Every section
gives its best unit before any gives two; what repeats a chosen unit counts less.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache

from ascertain.answering.documents.outline import Outline, Section, Unit
from ascertain.core.asking.answers import Form
from ascertain.language.names import names_in
from ascertain.language.numbers import find_quantities
from ascertain.language.sentences import leans_on_previous
from ascertain.language.tokens import WORD, word_informativeness
from ascertain.language.word_lists import compile_pattern

SHORT = 18
"""Units of a document that is shown whole: as many sentences as fit a screen."""
LEAST, MOST = 12, 24
"""Units of the short form of a longer one."""
SHARE = 0.35
"""Share of its units, between these bounds; abstracts of short reports have a quarter to a half."""
WHOLE_LIST = 8
"""Entries of a list or rows of a table that are all shown where one of them is."""
FIRST_ROWS = 3
"""Rows of a longer one, the first: they show what its columns hold."""
_ENTRY_OF_CONTENTS = re.compile(r"(?:table of contents\b|(?:chapter |section )?[\dA-H]+\.\d)", re.IGNORECASE)
FEWEST_WORDS = 4
"""Of a sentence that is informative by itself."""


@dataclass(frozen=True, slots=True)
class Selection:
    """``units`` by section, in the order of the text; ``of`` is how many there are."""

    sections: tuple[Section, ...]
    of: int

    @property
    def count(self) -> int:
        """How many units are shown."""
        return sum(len(section.units) for section in self.sections)


def select_carrying(outline: Outline, language: str, room: int | None = None, whole: int = SHORT) -> Selection:
    """The main units of ``outline``, at most about ``room``: a list once begun is shown to its end. With at most ``whole``
    units, all are shown.
    """
    units = outline.units
    spoken = [unit for unit in _cut_tables(units) if not is_chit_chat(unit)]
    if len(spoken) <= (whole if room is None else min(whole, room)):
        return _as_selection(outline, spoken)
    wanted = room or min(MOST, max(LEAST, round(SHARE * len(spoken))))
    return _as_selection(outline, _choose(outline, _score_units(outline, spoken, language), wanted, language))


def is_chit_chat(unit: Unit) -> bool:
    """Whether a unit is a greeting, thanks or the like, without content."""
    return unit.form is Form.TEXT and _chit_chat().search(unit.text) is not None


def _choose(outline: Outline, scores: Mapping[int, float], wanted: int, language: str) -> list[Unit]:
    units = outline.units
    numbers = {id(unit): number for number, unit in enumerate(units)}
    taken: dict[int, None] = {}
    for section in _rank_sections(outline, scores, numbers)[:wanted]:
        best = max(section.units, key=lambda unit: scores[numbers[id(unit)]])
        taken.update(dict.fromkeys(_with_list(best, units, numbers)))
    terms = {number: unit.terms(language) for number, unit in enumerate(units)}
    said: Counter[str] = Counter(term for number in taken for term in terms[number])
    left = {number for number, score in scores.items() if number not in taken and score > 0}
    while left and len(taken) < wanted:
        number = max(left, key=lambda n: (_discount(terms[n], scores[n], said), -n))
        more = [n for n in _with_list(units[number], units, numbers) if n in left] or [number]
        if len(taken) + len(more) > wanted + WHOLE_LIST // 2:
            more = more[: max(1, wanted - len(taken))]
        taken.update(dict.fromkeys(more))
        said.update(term for n in more for term in terms[n])
        left.difference_update(more)
    return [units[number] for number in sorted(taken)]


def _rank_sections(outline: Outline, scores: Mapping[int, float], numbers: Mapping[int, int]) -> list[Section]:
    """The sections, those with the best unit first; it matters only where there are more than requested units."""
    return sorted(outline.sections, key=lambda each: -max(scores[numbers[id(unit)]] for unit in each.units))


def _with_list(unit: Unit, units: Sequence[Unit], numbers: Mapping[int, int]) -> list[int]:
    """The numbers of ``unit`` and of the other entries of its list, where that is short."""
    number = numbers[id(unit)]
    if unit.group is None:
        return [number]
    whole = [n for n, each in enumerate(units) if each.group == unit.group]
    if len(whole) <= WHOLE_LIST:
        return whole
    return whole[:FIRST_ROWS] if unit.form is Form.ROW else [n for n in whole if n >= number][:WHOLE_LIST]


def _cut_tables(units: Sequence[Unit]) -> list[Unit]:
    """``units`` without the rows of a long table after its first ones."""
    sizes = Counter(unit.group for unit in units if unit.form is Form.ROW)
    seen: Counter[int | None] = Counter()
    kept: list[Unit] = []
    for unit in units:
        if unit.form is Form.ROW:
            seen[unit.group] += 1
            if sizes[unit.group] > SHORT and seen[unit.group] > FIRST_ROWS:
                continue
        kept.append(unit)
    return kept


def _discount(terms: Set[str], score: float, said: Mapping[str, int]) -> float:
    """What a unit of these terms adds to the chosen ones."""
    fresh = sum(1 for term in terms if term not in said) / len(terms) if terms else 0.0
    return score * (0.3 + 0.7 * fresh)


def _score_units(outline: Outline, allowed: Sequence[Unit], language: str) -> dict[int, float]:
    """How much each unit says about the document, from 0 up; 0 for those not ``allowed``."""
    units, ids = outline.units, {id(unit) for unit in allowed}
    counts: Counter[str] = Counter(term for unit in units for term in unit.terms(language))
    heads = {id(section.units[0]) for section in outline.sections}
    return {
        n: _score_unit(unit, counts, language, is_first=id(unit) in heads) if id(unit) in ids else 0.0
        for n, unit in enumerate(units)
    }


def _score_unit(unit: Unit, counts: Mapping[str, int], language: str, *, is_first: bool) -> float:
    words = len(WORD.findall(unit.text))
    if is_chit_chat(unit) or words < (FEWEST_WORDS if unit.form is Form.TEXT else 1):
        return 0.0
    terms = unit.terms(language)
    shared = sum(word_informativeness(term, language) * min(counts[term], 5) for term in terms) / (3 + len(terms))
    figures = min(3, len(find_quantities(unit.text)))
    names = min(2, len(names_in(unit.text)))
    score = shared + 0.4 * figures + 0.2 * names + 0.5 * is_first + 0.2 * (unit.group is not None)
    if unit.text.endswith("?") or leans_on_previous(unit.text):
        score *= 0.5
    if _ENTRY_OF_CONTENTS.match(unit.text) and not unit.text.endswith((".", "!")):
        score *= 0.3
    return score


def _as_selection(outline: Outline, chosen: Sequence[Unit]) -> Selection:
    ids = {id(unit) for unit in chosen}
    sections = (Section(each.path, tuple(u for u in each.units if id(u) in ids)) for each in outline.sections)
    return Selection(tuple(each for each in sections if each.units), len(outline.units))


@cache
def _chit_chat() -> re.Pattern[str]:
    return compile_pattern("aspects", "chit_chat")
