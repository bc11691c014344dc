"""Answers that present whole documents: an outline with its main sentences, or what they say about one aspect.

Every sentence is quoted. The first line says which documents were read, why these, and how much of them is shown; it claims
nothing about what was not read, and where no sentence says something in known words, it says exactly that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby

from ascertain.answering.citations import cite_span
from ascertain.answering.composition import Composition
from ascertain.answering.confidence import confidence_of
from ascertain.answering.documents.aspects import Findings, find_aspect
from ascertain.answering.documents.changes import Change, list_changes, speaks_of
from ascertain.answering.documents.outline import (
    Outline,
    Section,
    Unit,
    narrow_outline,
    outline_document,
    raise_outline,
)
from ascertain.answering.documents.releases import find_release_date
from ascertain.answering.documents.selection import SHORT, select_carrying
from ascertain.answering.overviews.digests import StorySource, StoryWriter
from ascertain.answering.units.candidates import collapse_spaces, count_noun
from ascertain.answering.units.versions import find_replaced
from ascertain.answering.writing.sourced_writing import as_checked, number_citations
from ascertain.core.asking.answers import AnswerSentence, AnswerType, Citation, Decision, Form, Verdict, VerdictLabel
from ascertain.core.asking.forms import join_sentences
from ascertain.core.asking.plans import Aspect, DocumentQuestion
from ascertain.core.asking.runs import Run
from ascertain.core.documents.documents import Document
from ascertain.core.documents.profiling import DocumentType
from ascertain.core.reports.overviews import DocumentFit, FoundDocuments
from ascertain.language.dates import format_day
from ascertain.language.languages import question_language
from ascertain.questions.reading.question import read_question

NAMED, NEAREST, IN_SHORT = 85, 55, 45
"""Confidence of a document named as in the question, of the nearest one, and of a document that is summarised
because it says nothing of the kind in known words. By judgement: questions with labels on files not looked at while this was
built would settle them.
"""
BY_WORDS = 70
"""The same where no heading says that what follows is of the kind, only the wording of its sentences."""
MOST_FOUND = 40
"""Units of one kind that are listed: as many as people read."""
WHOLE_PART = 30
"""Units of a part under a heading that is shown whole: a user who asks for a part by its heading does not want a short form of it."""
OF_SEVERAL, OF_EACH = 24, 2
"""Units shown of several documents together, and of each at least."""
_SHOWN_KINDS = {
    Aspect.DECISIONS: "decisions",
    Aspect.TASKS: "tasks",
    Aspect.OBLIGATIONS: "obligations",
    Aspect.RISKS: "risks",
    Aspect.DEADLINES: "deadlines",
    Aspect.OPEN_POINTS: "open points",
    Aspect.RECOMMENDATIONS: "recommendations",
    Aspect.REQUESTS: "requests",
    Aspect.TIMELINE: "dates",
    Aspect.PEOPLE: "persons",
    Aspect.CHANGES: "changes",
}


@dataclass(frozen=True, slots=True)
class Presentation:
    """``confidence``, 0..100; ``how`` is a line for the reader."""

    composition: Composition
    confidence: int
    how: str


@dataclass(frozen=True, slots=True)
class _Part:
    """What is shown of one document: units by section, out of ``of``."""

    outline: Outline
    sections: tuple[Section, ...]
    of: int

    @property
    def count(self) -> int:
        return sum(len(section.units) for section in self.sections)


@dataclass(frozen=True, slots=True)
class Group:
    """Sentences under one heading; ``units`` are what they quote, none where they were written. ``body`` is their layout where
    it does not follow from their form.
    """

    heading: str
    sentences: tuple[AnswerSentence, ...]
    units: tuple[Unit, ...]
    body: str = ""

    @property
    def text(self) -> str:
        """The heading, and under it the sentences; in a conversation after the name of the speaker."""
        is_spoken = any(unit.speaker for unit in self.units)
        by_form = _lay_out_turns(self.sentences, self.units) if is_spoken else join_sentences(self.sentences)
        body = self.body or by_form
        gap = "\n\n" if self.sentences and self.sentences[0].form is Form.ROW else "\n"
        return f"{self.heading}{gap}{body}" if self.heading else body


@dataclass(slots=True)
class Lines:
    """An answer as it grows: what it covers, what was written about all of it, and what is under each heading."""

    groups: list[Group]
    citations: list[Citation]
    documents: int
    lead: str = ""
    overview: tuple[AnswerSentence, ...] = ()
    is_written: bool = False

    @property
    def sentences(self) -> tuple[AnswerSentence, ...]:
        """What was written about all of it, and what is under each heading, in order."""
        return (*self.overview, *(each for group in self.groups for each in group.sentences))


@dataclass(frozen=True, slots=True)
class PresentationRequest:
    """The question, the documents found for it and their texts, and the reference day for years."""

    question: str
    language: str
    asked: DocumentQuestion
    found: FoundDocuments
    documents: Sequence[Document]
    today: date


def present_documents(request: PresentationRequest, run: Run, writer: StoryWriter | None = None) -> Presentation | None:
    """The answer from the documents, written by ``writer`` where there is one; None where nothing can be quoted, or where a list is
    requested and there is none.
    """
    asked, found = request.asked, request.found
    if asked.aspect is Aspect.CHANGES:
        return _present_changes(request, run)
    if asked.aspect is Aspect.RELEASE:
        return _present_release(request, run)
    documents, others = request.documents, ()
    if found.is_one:
        documents, others = _choose_version(request.question, documents)
    outlines = [each for document in documents if (each := _outline(document, found)).sections]
    if not outlines:
        return None
    choice = _describe_choice(asked, found, others)
    if asked.aspect is not Aspect.OVERVIEW:
        findings = [
            (each, find_aspect(each, asked.aspect, asked.focus, request.today, language=request.language))
            for each in outlines
        ]
        held = [(outline, each) for outline, each in findings if each is not None]
        if held:
            lines = _quote_parts([_as_part(outline, each) for outline, each in held])
            lines.lead = choice + _describe_findings(asked, found, outlines, held)
            by_heading = all(each.by_heading for _, each in held) or asked.aspect is Aspect.PEOPLE
            score = min(_rate(found), NAMED if by_heading else BY_WORDS)
            return finish_presentation(
                lines,
                score,
                request.question,
                run,
                writer=writer if asked.aspect not in _WHOLE else None,
                language=request.language,
            )
        if not asked.name or len(outlines) > 1 or (asked.aspect is Aspect.LIST and not asked.is_explicit):
            return None
    parts = _select_parts(outlines, found, request.language)
    lines = _quote_parts(parts)
    if asked.aspect is Aspect.OVERVIEW:
        lines.lead = choice + _describe_overview(found, parts)
        return finish_presentation(lines, _rate(found), request.question, run, writer=writer, language=request.language)
    name = name_document(outlines[0].document)
    nothing = f"No sentence of {name} says anything of {_name_kind(asked)} in words that are known here."
    lines.lead = f"{choice}{nothing} What it says ({_describe_share(parts[0])}):"
    return finish_presentation(
        lines, min(_rate(found), IN_SHORT), request.question, run, writer=writer, language=request.language
    )


def _present_changes(request: PresentationRequest, run: Run) -> Presentation | None:
    """What differs between two documents, sentence by sentence, each quoted from the one it is in."""
    one, other = (outline_document(each) for each in request.documents)
    changes = list_changes(one.units, other.units)
    focus = (
        request.asked.focus if any(speaks_of(each, request.asked.focus, request.language) for each in changes) else ""
    )
    shown = [each for each in changes if speaks_of(each, focus, request.language)]
    names = name_document(one.document), name_document(other.document)
    lines = Lines([], [], 2)
    for heading, group in groupby(shown[:MOST_FOUND], key=lambda change: _describe_change(change, names)):
        units = tuple(unit for change in group for unit in (*change.before, *change.after))
        lines.groups.append(Group(heading, tuple(quote_units(units, lines)), units))
    if not lines.groups:
        return None
    about = f" that speak of “{collapse_spaces(focus)}”" if focus else ""
    most = f"; the first {MOST_FOUND} are shown" if len(shown) > MOST_FOUND else ""
    lines.lead = (
        f"{names[0]} and {names[1]} differ in {count_noun(len(shown), 'place')}{about}, of {len(one.units):,} and "
        f"{len(other.units):,} sentences{most}:"
    )
    return finish_presentation(lines, NAMED, request.question, run, writer=None, language=request.language)


def _present_release(request: PresentationRequest, run: Run) -> Presentation | None:
    """The heading or the line that dates a version; None where neither does."""
    document, section = request.documents[0], request.found.section
    dated = find_release_date(document, section) if section else ()
    if not dated:
        return None
    lines = Lines([], [cite_span(number, document, span) for number, span in enumerate(dated, 1)], 1)
    text = ": ".join(collapse_spaces(span.of(document.text)) for span in dated)
    numbers = tuple(citation.number for citation in lines.citations)
    lines.groups.append(Group("", (AnswerSentence(text, Verdict(VerdictLabel.SUPPORTED, 1.0), numbers),), ()))
    return finish_presentation(lines, NAMED, request.question, run, writer=None, language=request.language)


def _describe_change(change: Change, names: tuple[str, str]) -> str:
    """What happened to the sentences below; where both are below, the older ones first."""
    if change.before and change.after:
        return f"Changed from {names[0]} to {names[1]}:"
    return f"Only in {names[0] if change.before else names[1]}:"


_WHOLE = frozenset({Aspect.LIST, Aspect.PEOPLE, Aspect.TIMELINE})
"""Whether it is shown entry by entry, also where a chat model writes."""


def _choose_version(question: str, documents: Sequence[Document]) -> tuple[Sequence[Document], tuple[str, ...]]:
    """The first of ``documents`` that holds still, and the titles of the others."""
    replaced = find_replaced(
        read_question(question, question_language(question)), {each.id: each for each in documents}
    )
    chosen = next((each for each in documents if each.id not in replaced), documents[0])
    titles = (collapse_spaces(each.title) or each.source for each in documents if each is not chosen)
    return [chosen], tuple(dict.fromkeys(titles))


def _outline(document: Document, found: FoundDocuments) -> Outline:
    outline = outline_document(document)
    return narrow_outline(outline, found.section) if found.section else outline


def _select_parts(outlines: Sequence[Outline], found: FoundDocuments, language: str) -> list[_Part]:
    room = None if len(outlines) == 1 else max(OF_EACH, OF_SEVERAL // len(outlines))
    parts: list[_Part] = []
    for outline in outlines:
        raised = raise_outline(outline) if room is None else _join_sections(outline)
        selection = select_carrying(raised, language, room, WHOLE_PART if found.section else SHORT)
        parts.append(_Part(outline, selection.sections, selection.of))
    return [part for part in parts if part.sections]


def _join_sections(outline: Outline) -> Outline:
    """``outline`` as one section: of several documents, each is shown as a whole."""
    return replace(outline, sections=(Section((), outline.units),))


def _as_part(outline: Outline, findings: Findings) -> _Part:
    sections: list[Section] = []
    left = MOST_FOUND
    for section in findings.sections:
        sections.append(replace(section, units=section.units[:left]))
        left -= len(sections[-1].units)
        if left <= 0:
            break
    return _Part(outline, tuple(sections), len(outline.units))


def _quote_parts(parts: Sequence[_Part]) -> Lines:
    """The units of ``parts`` as quotations under their headings; with several documents, each begins with its title."""
    lines = Lines([], [], len(parts))
    for part in parts:
        title = describe_document(part.outline.document) if len(parts) > 1 else ""
        for place, section in enumerate(part.sections):
            heading = "\n".join(filter(None, (title if place == 0 else "", section.heading)))
            lines.groups.append(Group(heading, tuple(quote_units(section.units, lines)), section.units))
    return lines


def quote_units(units: Sequence[Unit], lines: Lines) -> Iterator[AnswerSentence]:
    """A sentence for each unit, with its citation."""
    for unit in units:
        number = len(lines.citations) + 1
        lines.citations.append(cite_span(number, unit.document, unit.span))
        verdict = Verdict(VerdictLabel.SUPPORTED, 1.0)
        yield AnswerSentence(unit.text, verdict, (number,), form=unit.form, columns=unit.columns)


def finish_presentation(
    lines: Lines, score: int, question: str, run: Run, *, writer: StoryWriter | None, language: str
) -> Presentation:
    """``lines`` as an answer of this confidence, or with what ``writer`` makes of them instead."""
    if writer is not None:
        _write_over(lines, question, language, run, writer=writer)
    sentences = lines.sentences
    text = "\n\n".join(
        filter(None, (lines.lead, join_sentences(lines.overview), *(each.text for each in lines.groups)))
    )
    kind = "written" if lines.is_written else "quoted"
    how = f"{count_noun(len(sentences), 'sentence')} of {count_noun(lines.documents, 'document')}, {kind}"
    composition = Composition(
        text,
        sentences,
        tuple(lines.citations),
        confidence_of(score, 0, language),
        (Decision("compose", "document", how),),
        AnswerType.SUMMARY,
        checked=as_checked(sentences),
    )
    return Presentation(composition, score, how)


def _write_over(lines: Lines, question: str, language: str, run: Run, *, writer: StoryWriter) -> None:
    """Replace the quotations under each heading with what ``writer`` writes; they stay where it writes nothing."""
    by_number = {citation.number: citation for citation in lines.citations}
    sources = [
        StorySource(tuple(by_number[n] for each in group.sentences for n in each.citations)) for group in lines.groups
    ]
    written = writer.write(question, language, sources, run)
    if written is None:
        return
    mixed = [
        Group(group.heading, own, ()) if own else group
        for own, group in zip(written.stories, lines.groups, strict=True)
    ]
    flat = [*written.overview, *(each for group in mixed for each in group.sentences)]
    numbered, lines.citations = number_citations(flat, lines.citations)
    rest = iter(numbered)
    lines.overview = tuple(next(rest) for _ in written.overview)
    lines.groups = [replace(group, sentences=tuple(next(rest) for _ in group.sentences)) for group in mixed]
    lines.is_written = True


def _lay_out_turns(sentences: Sequence[AnswerSentence], units: Sequence[Unit]) -> str:
    turns: list[tuple[str, list[str]]] = []
    for sentence, unit in zip(sentences, units, strict=True):
        if not turns or turns[-1][0] != unit.speaker:
            turns.append((unit.speaker, []))
        turns[-1][1].append(sentence.text)
    return "\n".join(f"{speaker}: {' '.join(texts)}" if speaker else " ".join(texts) for speaker, texts in turns)


def _name_kind(asked: DocumentQuestion) -> str:
    return f"“{collapse_spaces(asked.focus)}”" if asked.aspect is Aspect.LIST else _SHOWN_KINDS[asked.aspect]


def _rate(found: FoundDocuments) -> int:
    return NEAREST if found.fit is DocumentFit.NEAREST else NAMED


def name_document(document: Document) -> str:
    """The title of a document in quotation marks, or where it came from."""
    return f"“{collapse_spaces(document.title) or document.source}”"


def describe_document(document: Document) -> str:
    """Its name, with its document type and date, as far as known."""
    day = document.published_at
    kind = document.document_profile.type if document.document_profile else DocumentType.OTHER
    told = [] if kind is DocumentType.OTHER else [kind.value.replace("_", " ")]
    if day is not None and document.title:
        told.append(format_day(day))
    return " ".join(filter(None, (name_document(document), f"({', '.join(told)})" if told else "")))


def _describe_share(part: _Part) -> str:
    """``12 of 30 sentences, from 7 of 7 sections``, and what was not read."""
    forms = {unit.form for section in part.sections for unit in section.units}
    rows = "row" if forms == {Form.ROW} else "sentence" if Form.ROW not in forms else "sentence and row"
    shown = f"{part.count:,} of {count_noun(part.of, rows).replace('sentence and', 'sentences and')}"
    if part.count == part.of:
        shown = "all of it"
    of = len(part.outline.sections)
    sections = ""
    if of > 1:
        paths = {unit.document.place_of(unit.span).section for section in part.sections for unit in section.units}
        held = sum(
            any(u.document.place_of(u.span).section in paths for u in each.units) for each in part.outline.sections
        )
        sections = f", from {held} of {of} sections"
    unread = "" if part.outline.is_whole else "; it is longer than what is read for this, so its end is left out"
    return f"{shown}{sections}{unread}"


def _describe_choice(asked: DocumentQuestion, found: FoundDocuments, others: Sequence[str]) -> str:
    """Why this document was taken, where the question does not name it."""
    name = collapse_spaces(asked.name)
    if found.fit is DocumentFit.NEAREST:
        return f"No document was found under the name “{name}”; the nearest is taken. " if name else ""
    if others:
        titles = ", ".join(f"“{each}”" for each in others[:3])
        more = f" and {len(others) - 3} more" if len(others) > 3 else ""
        return f"Others fit the name too: {titles}{more}. "
    return ""


def _describe_overview(found: FoundDocuments, parts: Sequence[_Part]) -> str:
    if len(parts) == 1:
        part = parts[0]
        under = f", under “{' › '.join(found.section)}”" if found.section else ""
        return f"{name_document(part.outline.document)}{under} ({_describe_share(part)}):"
    return f"{len(parts)} of {count_noun(found.documents, 'document')}:"


def _describe_findings(
    asked: DocumentQuestion,
    found: FoundDocuments,
    outlines: Sequence[Outline],
    held: Sequence[tuple[Outline, Findings]],
) -> str:
    count = sum(each.count for _, each in held)
    kind = _name_kind(asked)
    if len(outlines) > 1:
        where = f"{len(held)} of {count_noun(found.documents, 'document')}"
    else:
        where = name_document(outlines[0].document)
    if asked.aspect is Aspect.PEOPLE:
        return _describe_people(where, held)
    cut = f", the first {MOST_FOUND} of each" if any(each.count > MOST_FOUND for _, each in held) else ""
    by = "under its headings" if all(each.by_heading for _, each in held) else "by their wording"
    passages = count_noun(count, "entry").replace("entrys", "entries")
    return f"{kind[:1].upper()}{kind[1:]} in {where}: {passages} found {by}{cut}:"


def _describe_people(where: str, held: Sequence[tuple[Outline, Findings]]) -> str:
    """Who speaks, and who else is named."""
    speakers = list(dict.fromkeys(unit.speaker for outline, _ in held for unit in outline.units if unit.speaker))
    named = dict.fromkeys(name for _, each in held for name in each.names)
    others = [name for name in named if not any(each.startswith(name) for each in speakers)]
    shown = ", ".join(others[:MOST_FOUND])
    if not speakers:
        return f"Named in {where}, as far as names were recognised: {shown}."
    besides = f" Named besides, as far as names were recognised: {shown}." if shown else ""
    return f"Speaking in {where}: {', '.join(speakers[:MOST_FOUND])}.{besides}"
