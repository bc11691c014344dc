"""Answers about the documents as such: how many there are, which, from when, each with its opening words, or those in which it names the subject.

Counts and comparisons come from stored facts, so they are in the first line, with the number of documents covered; the quotations below let a
reader see which documents these are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from ascertain.answering.documents.composing import (
    NAMED,
    Group,
    Lines,
    Presentation,
    describe_document,
    finish_presentation,
    quote_units,
)
from ascertain.answering.documents.outline import Unit, outline_document
from ascertain.answering.documents.selection import FEWEST_WORDS, is_chit_chat
from ascertain.answering.units.candidates import collapse_spaces, count_noun
from ascertain.core.asking.answers import Form
from ascertain.core.asking.plans import Aspect, DocumentQuestion
from ascertain.core.asking.runs import Run
from ascertain.core.documents.documents import Document, DocumentRecord
from ascertain.core.documents.profiling import DocumentType
from ascertain.core.reports.overviews import Catalogue
from ascertain.language.dates import format_day
from ascertain.language.tokens import WORD

SHOWN = 12
"""Most documents listed: what fits a screen."""
OF_A_DAY = 3
"""Most documents of one day listed as the newest or the oldest."""
_TYPES_SHOWN = 6


def list_shown(asked: DocumentQuestion, catalogue: Catalogue) -> tuple[DocumentRecord, ...]:
    """The documents whose opening words are quoted in answer to ``asked``."""
    records, dated = catalogue.records, catalogue.dated
    if asked.aspect is Aspect.ADDED_LAST or (asked.aspect not in _LISTED and not dated):
        return records[:1]
    if asked.aspect is Aspect.PERIOD:
        return dated if len(dated) == 1 else (dated[-1], dated[0])
    if asked.aspect not in _LISTED:
        return _list_of_day(asked, dated)[:OF_A_DAY]
    return records[:SHOWN]


def _list_of_day(asked: DocumentQuestion, dated: Sequence[DocumentRecord]) -> tuple[DocumentRecord, ...]:
    """The documents of the first or the last day."""
    days = [each.published_at.date() if each.published_at else date.min for each in dated]
    wanted = max(days) if asked.aspect is Aspect.NEWEST else min(days)
    return tuple(each for each, day in zip(dated, days, strict=True) if day == wanted)


def present_catalogue(
    asked: DocumentQuestion, catalogue: Catalogue, documents: Sequence[Document], run: Run, *, language: str
) -> Presentation | None:
    """What ``catalogue`` says in answer to ``asked``; ``documents`` are the texts of those shown. None where nothing of them can be
    quoted.
    """
    lines = Lines([], [], len(catalogue.records))
    for document in documents:
        opening = _find_opening(document, catalogue.naming)
        if opening is not None:
            lines.groups.append(Group(describe_document(document), tuple(quote_units((opening,), lines)), (opening,)))
    if not lines.groups:
        return None
    lines.lead = _LEADS[asked.aspect](asked, catalogue, documents)
    return finish_presentation(lines, NAMED, "", run, writer=None, language=language)


def _find_opening(document: Document, naming: re.Pattern[str] | None) -> Unit | None:
    """The first sentence that names the subject; else the first that is informative by itself, else simply the first."""
    units = outline_document(document).units
    telling = [
        each
        for each in units
        if each.form is Form.TEXT and not is_chit_chat(each) and len(WORD.findall(each.text)) >= FEWEST_WORDS
    ]
    named = (each for each in (*telling, *units) if naming is not None and naming.search(each.text))
    return next(named, next(iter(telling), units[0] if units else None))


def _name_type(record: DocumentRecord) -> str:
    return (record.document_profile.type if record.document_profile else DocumentType.OTHER).value.replace("_", " ")


def _lead_list(asked: DocumentQuestion, catalogue: Catalogue, documents: Sequence[Document]) -> str:
    found = len(catalogue.records)
    of = f"{found:,} of {count_noun(catalogue.total, 'document')}"
    if asked.focus or asked.name:
        called = (
            f"{'is' if found == 1 else 'are'} called “{collapse_spaces(asked.name)}” by type or name"
            if asked.name
            else ""
        )
        least = "" if catalogue.is_complete else "At least "
        said = f"{least}{of} {' and '.join(filter(None, (called, _say_subject(asked, catalogue))))}."
    else:
        be = "is" if found == 1 else "are"
        copies = f" Copies of these are left out: {catalogue.copies:,}." if catalogue.copies else ""
        said = f"There {be} {count_noun(found, 'document')} here{_list_types(catalogue)}.{copies}"
    cut = f"{len(documents)} of them, the newest first" if found > len(documents) else ""
    return " ".join(filter(None, (said, _describe_period(catalogue) if found > 1 else "", f"{cut}:" if cut else "")))


def _say_subject(asked: DocumentQuestion, catalogue: Catalogue) -> str:
    """``names “bitcoin” or one of 3 other names of it, as “satoshi”``; empty where there is no subject."""
    if not asked.focus:
        return ""
    focus = collapse_spaces(asked.focus).casefold()
    others = [each for each in catalogue.names if not each.startswith(focus) and not focus.endswith(each)]
    more = "".join(f" or “{each}”" for each in others)
    if len(others) > 1:
        more = f" or one of {len(others)} other names of it, as “{others[0]}”"
    verb = "names" if len(catalogue.records) == 1 else "name"
    return f"{verb} “{collapse_spaces(asked.focus)}”{more}"


def _list_types(catalogue: Catalogue) -> str:
    counts = Counter(_name_type(each) for each in catalogue.records)
    if set(counts) == {DocumentType.OTHER.value}:
        return ""
    other = counts.pop(DocumentType.OTHER.value, 0)
    common = counts.most_common(_TYPES_SHOWN)
    other += sum(counts.values()) - sum(number for _, number in common)
    return (
        f" ({', '.join(f'{kind}: {number:,}' for kind, number in [*common, *([('other', other)] if other else [])])})"
    )


def _describe_period(catalogue: Catalogue) -> str:
    """From when to when the dated ones are."""
    dated, of = catalogue.dated, len(catalogue.records)
    first, last = (each.published_at for each in (dated[-1], dated[0])) if dated else (None, None)
    if first is None or last is None:
        return "None of them carries a date."
    days = (
        f"of {format_day(first)}" if first.date() == last.date() else f"from {format_day(first)} to {format_day(last)}"
    )
    which = (
        "All of them carry a date"
        if len(dated) == of
        else f"{len(dated):,} of them {'carries' if len(dated) == 1 else 'carry'} a date"
    )
    return f"{which}, {days}."


def _lead_period(asked: DocumentQuestion, catalogue: Catalogue, documents: Sequence[Document]) -> str:
    return f"{count_noun(len(catalogue.records), 'document')}{_say_kind(asked)}. {_describe_period(catalogue)}"


def _lead_by_date(asked: DocumentQuestion, catalogue: Catalogue, documents: Sequence[Document]) -> str:
    dated, of = catalogue.dated, len(catalogue.records)
    if not dated:
        return (
            f"None of {count_noun(of, 'document')}{_say_kind(asked)} carries a date, so which is the {asked.aspect.value} is not on record. "
            "The first by its file name:"
        )
    of_day = _list_of_day(asked, dated)
    day = of_day[0].published_at
    bare = f" {of - len(dated):,} more carry no date." if of > len(dated) else ""
    kind = f"{asked.aspect.value} of {count_noun(len(dated), 'dated document')}{_say_kind(asked)}"
    told = f"The {kind} is" if len(of_day) == 1 else f"The {len(of_day):,} that are {kind} are"
    return f"{told} of {format_day(day) if day else ''}.{bare}"


def _lead_added(asked: DocumentQuestion, catalogue: Catalogue, documents: Sequence[Document]) -> str:
    added = catalogue.records[0].added_at
    return f"Of {count_noun(len(catalogue.records), 'document')}{_say_kind(asked)} this one was added last, on {format_day(added)} at {added:%H:%M} UTC:"


def _say_kind(asked: DocumentQuestion) -> str:
    return f" called “{collapse_spaces(asked.name)}”" if asked.name else ""


_LISTED = frozenset({Aspect.COUNT, Aspect.TITLES})
_LEADS: Mapping[Aspect, Callable[[DocumentQuestion, Catalogue, Sequence[Document]], str]] = {
    Aspect.COUNT: _lead_list,
    Aspect.TITLES: _lead_list,
    Aspect.PERIOD: _lead_period,
    Aspect.NEWEST: _lead_by_date,
    Aspect.OLDEST: _lead_by_date,
    Aspect.ADDED_LAST: _lead_added,
}
