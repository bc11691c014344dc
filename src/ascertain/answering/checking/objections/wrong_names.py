"""Names and codes that no source has, and words attributed to someone else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ascertain.answering.checking.objections.objection import Case, Objection
from ascertain.core.asking.answers import VerdictLabel
from ascertain.language.dates import MONTH_FORMS, WEEKDAYS
from ascertain.language.equivalents import held_terms
from ascertain.language.tokens import STOP_WORDS, content_terms, fold_words

_NAME = re.compile(r"[^\W_]+(?:[-.'’&/][^\W_]+)*")
"""A word with what holds it together: ``E-217``, ``O'Brien``, ``AT&T``."""
_OPENS = re.compile(r"(?:^|[.!?:;]|\b(?:No|Yes),)[\s\"'“‘(\[]*$")
_CALENDAR = re.compile(rf"(?:{'|'.join((*MONTH_FORMS, *(day.lower() for day in WEEKDAYS)))})\.?")
_FIRST_PERSON = re.compile(r"\b(?:I|I['’]\w+|my|me|myself|we|our)\b")
_DENIAL = re.compile(r"\b(?:no|not|never|none|nothing|neither|nor|without|cannot)\b|n['’]t\b", re.I)
_SHORTEST_STEM = 4
"""Letters that a name and its adjective share at least: Portugal, Portuguese."""
_SHORTEST_ABBREVIATION = 2
_MOSTLY_NAMES = 0.7
"""Share of capitalised words from which a sentence is written as a headline, and capitals say nothing."""
_NAMED_BEFORE = re.compile(r"^\W*([A-Z][\w'’.-]+(?:\s+(?:van |de |von |al-)?[A-Z][\w'’.-]+)+)\s+\w+")
"""A sentence about someone with a first and a last name."""


def find_wrong_name(case: Case) -> Objection | None:
    """The first name or code of the claim that no source contains, in any spelling.

    Being in the question is not enough, except for a claim that denies something about it.
    """
    asked = {name for name in _find_names(case.statement.question) if name[0].isupper()}
    names = [*_find_names(case.text), *(word for word in _NAME.findall(case.text)[:1] if word in asked)]
    if len(names) > _MOSTLY_NAMES * len(_NAME.findall(case.text)):
        return None
    known, shown = _Known(case.known, case.language), _Known(case.shown, case.language)
    is_denied = _DENIAL.search(case.text) is not None
    for name in names:
        if not known.holds(name, names) or not (is_denied or shown.holds(name, names)):
            return Objection(VerdictLabel.NOT_IN_SOURCES, f"no source names {name}")
    return None


def find_wrong_speaker(case: Case) -> Objection | None:
    """Someone other than the speaker of a first-person quotation, where no quotation names them."""
    spoken = [each for each in case.evidence if each.speaker and _FIRST_PERSON.search(each.quote)]
    match = _NAMED_BEFORE.match(case.text)
    if not match or not spoken or len(spoken) != len(case.evidence):
        return None
    named = set(content_terms(match[1], case.language))
    speakers = [set(content_terms(each.speaker, case.language)) for each in spoken]
    is_named = named & set(content_terms("\n".join(case.quotes), case.language)) or any(
        named & speaker for speaker in speakers
    )
    if not named or is_named:
        return None
    return Objection(VerdictLabel.CONTRADICTED, f"the speaker is {spoken[0].speaker}, not {match[1]}")


def _find_names(text: str) -> Iterator[str]:
    """Capitalised words that do not begin a sentence, and codes: words of letters and digits, or with capitals inside."""
    for match in _NAME.finditer(text):
        word = re.sub(r"['’]s?$", "", match.group())
        if _CALENDAR.fullmatch(word.lower()) or not any(map(str.isalpha, word)) or len(word) < _SHORTEST_ABBREVIATION:
            continue
        is_code = any(map(str.isdigit, word)) and word[0].isalpha()
        is_mixed = any(map(str.isupper, word[1:])) and word[0].isalpha()
        if text[match.start() - 1 : match.start()] in {"=", "_"}:
            continue  # a value in code
        if is_code or is_mixed or (word[0].isupper() and not _OPENS.search(text[: match.start()])):
            yield word


class _Known:
    """The names of some text, ready for look-up."""

    def __init__(self, text: str, language: str) -> None:
        self._language = language
        self._terms = held_terms(text, language)
        self._folded = fold_words(text)
        self._words = {fold_words(word) for word in _NAME.findall(text)}
        self._words |= {part for word in self._words for part in re.split(r"[-.'’&/]", word)}
        self._initials = _list_initials(text)

    def holds(self, name: str, names: Sequence[str]) -> bool:
        folded = fold_words(name)
        if folded in self._words or folded in STOP_WORDS or self._terms.issuperset(content_terms(name, self._language)):
            return True
        if folded in self._initials or re.sub(r"[^\w]", "", folded) in self._initials:
            return True
        if any(self._spells_out(run) for run in _list_runs(names) if name in run):
            return True
        if any(map(str.isdigit, name)):
            return re.sub(r"[\W_]", "", folded) in re.sub(r"[\W_]", "", self._folded)
        parts = [part for part in re.split(r"[-.'’&/]", folded) if part]
        if len(parts) > 1 and all(self.holds(part, ()) for part in parts):
            return True
        return any(_is_kindred(folded, word) for word in self._words)

    def _spells_out(self, run: Sequence[str]) -> bool:
        """Whether the text has the initials of these names as a word: ECB for European Central Bank."""
        initials = "".join(word[0] for word in run).lower()
        return len(initials) >= _SHORTEST_ABBREVIATION and initials in self._words


def _is_kindred(one: str, other: str) -> bool:
    """Whether one is the beginning of the other, except for an ending: Fed, Federal; Portugal, Portuguese; Brandts, Brandt."""
    short, long = sorted((one, other), key=len)
    shared = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if shared == len(short) and shared >= _SHORTEST_STEM - 1:
        return True
    return shared >= _SHORTEST_STEM and shared >= len(short) - 2 and len(long) - shared <= 4


def _list_runs(names: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(len(names)):
        for end in range(start + _SHORTEST_ABBREVIATION, min(start + 6, len(names)) + 1):
            yield names[start:end]


def _list_initials(text: str) -> set[str]:
    """Initials of neighbouring words, with and without the small ones: ``mica`` of Markets in Crypto-Assets."""
    found: set[str] = set()
    for line in text.splitlines():
        words = re.findall(r"[^\W\d_]+", line)
        for start, first in enumerate(words):
            if not first[0].isupper():
                continue
            every = capitals = ""
            for word in words[start : start + 8]:
                every += word[0].lower()
                capitals += word[0].lower() if word[0].isupper() else ""
                found.update((every, capitals))
    return {initials for initials in found if len(initials) >= _SHORTEST_ABBREVIATION}
