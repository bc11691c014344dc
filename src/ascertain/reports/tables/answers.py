"""Answers that are computed: a question as a query over a table, its sentence, and the rows that it rests on as citations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from ascertain.answering.citations import cite_span
from ascertain.answering.composition import Composition
from ascertain.answering.confidence import confidence_of
from ascertain.answering.overviews.global_answers import GlobalAnswer
from ascertain.answering.units.candidates import count_noun
from ascertain.core.asking.answers import AnswerSentence, AnswerType, Citation, Decision, Verdict, VerdictLabel
from ascertain.core.asking.judgements import CheckedClaim, Groundedness
from ascertain.core.asking.passages import Filter, Passage
from ascertain.core.asking.runs import Run
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, Document
from ascertain.core.errors import CitationError, ModelError, UsageError
from ascertain.core.reports.research import ComputedVerdict
from ascertain.reports.tables.columns import TypedTable
from ascertain.reports.tables.engine import QueryTooLong, TableEngine
from ascertain.reports.tables.library import TableLibrary
from ascertain.reports.tables.query import Aggregate, Outcome
from ascertain.reports.tables.questions.computations import read_form
from ascertain.reports.tables.questions.interpretation import Reading, asks_computation, interpret, interpret_claim
from ascertain.reports.tables.questions.matching import Relate
from ascertain.reports.tables.questions.model_reading import InvalidQuery, TableQueryReply, build_query
from ascertain.reports.tables.wording import Wording
from ascertain.stores.ports.chunks import CompleteStore

MOST_QUOTED = 8
"""Rows of a table that are quoted under an answer; of more, the first ones, which the answer says."""
FEWEST_WORDS = 2
"""Of a question to a table: one names a column, one a row."""
_SHOWN_AS_IT_STANDS = frozenset({Aggregate.HIGHEST, Aggregate.LOWEST, Aggregate.LIST})
ASKED_EXACTLY = 100
"""Confidence in the reading of a query that the caller wrote: there is nothing to guess."""
MOST_NAMED = 10
"""Tables that an error names."""
MOST_JOINED = 4
"""Rows of the other table of a join that are quoted."""


class QuestionReader(Protocol):
    """Reads a question as a query where the rules do not: a chat model."""

    def read(self, question: str, tables: Sequence[TypedTable], run: Run) -> Reading | None:
        """The query; None if the tables do not answer, or if the model's reply is not a query over them."""
        ...


@dataclass(frozen=True, slots=True)
class TableAnswerer:
    """Computes answers over the tables of ``store``, by rules; where these find nothing, by ``reader`` if there is one. ``relate`` says which columns words of a
    question mean nearly.
    """

    store: CompleteStore
    library: TableLibrary
    reader: QuestionReader | None = None
    relate: Relate | None = None

    def may_answer(self, question: str, filter: Filter) -> bool:
        """Whether ``question`` asks for something to be computed, or there are files of tables in which it may be looked up; quick."""
        form = read_form(question)
        if form is None or len(form.tokens) < FEWEST_WORDS:
            return False
        return form.is_computed or self.library.has_files(filter)

    def answer(self, question: str, language: str, filter: Filter, run: Run) -> GlobalAnswer | None:
        """The computed answer to ``question``; None where no table of what ``filter`` selects is asked about."""
        tables, problems = self.library.find_tables(question, filter)
        for problem in problems:
            run.note(Decision("compute", "left out", problem))
        reading = self._interpret(question, tables, run) if tables else None
        if reading is None and tables and self.reader is not None and asks_computation(question):
            reading = self.reader.read(question, tables, run)
        return self._compute(tables, reading, filter, run, language=language) if reading is not None else None

    def answer_query(
        self, question: str, language: str, query: TableQueryReply, filter: Filter, *, run: Run
    ) -> GlobalAnswer | None:
        """The answer to a ``query`` whose table is named by its label; ``question`` is what it is for.

        None where no row can be cited. Raises UsageError for an unknown table, column or value.
        """
        tables, problems = self.library.find_tables(f"{question} {query.table}", filter)
        labels = [typed.table.label for typed in tables]
        if query.table not in labels:
            known = "; ".join(labels[:MOST_NAMED]) or "none"
            left_out = f" Left out: {'; '.join(problems)}." if problems else ""
            raise UsageError(f"there is no table {query.table!r}; known tables: {known}.{left_out}")
        try:
            named = build_query(query.model_copy(update={"table": "T1"}), tables, [labels.index(query.table)])
        except InvalidQuery as error:
            raise UsageError(f"this query cannot be run: {error}") from None
        return self._compute(tables, Reading(named, ASKED_EXACTLY, 1.0), filter, run, language=language)

    def judge(self, claim: str, filter: Filter, run: Run) -> ComputedVerdict | None:
        """Whether the rows of a table support ``claim``; None if none decides it."""
        form = read_form(claim)
        if form is None or len(form.tokens) < FEWEST_WORDS or not form.is_computed:
            return None
        tables, _ = self.library.find_tables(claim, filter)
        reading = interpret_claim(claim, tables)
        if reading is None:
            return None
        tables = reading.extend_tables(tables)
        outcome = self._run(tables, reading, run)
        wording = Wording(tables, reading, outcome) if outcome is not None else None
        holds = wording.decide() if wording is not None else None
        if wording is None or outcome is None or holds is None:
            return None
        citations = tuple(_cite_rows(tables, reading, outcome))
        return ComputedVerdict(holds, wording.write_figure(), citations) if citations else None

    def _compute(
        self, tables: Sequence[TypedTable], reading: Reading, filter: Filter, run: Run, *, language: str
    ) -> GlobalAnswer | None:
        tables = reading.extend_tables(tables)
        outcome = self._run(tables, reading, run)
        return self._build(tables, reading, outcome, filter, language) if outcome is not None else None

    def _run(self, tables: Sequence[TypedTable], reading: Reading, run: Run) -> Outcome | None:
        try:
            with TableEngine(tables, reading.query) as engine:
                return engine.run()
        except QueryTooLong as error:
            run.note(Decision("compute", "given up", str(error)))
            return None

    def _interpret(self, question: str, tables: Sequence[TypedTable], run: Run) -> Reading | None:
        """The reading by rules, without meanings if the embedding model cannot be used."""
        try:
            return interpret(question, tables, self.relate)
        except ModelError as error:
            run.note(Decision("compute", "by words alone", str(error)))
            return interpret(question, tables)

    def _build(
        self, tables: Sequence[TypedTable], reading: Reading, outcome: Outcome, filter: Filter, language: str
    ) -> GlobalAnswer | None:
        wording = Wording(tables, reading, outcome)
        citations = tuple(_cite_rows(tables, reading, outcome))
        if not citations:
            return None
        computation = wording.compute()
        text = f"{wording.write()}{_say_quoted(reading, outcome)}"
        verdict = Verdict(VerdictLabel.SUPPORTED, 1.0)
        sentence = AnswerSentence(text, verdict, tuple(citation.number for citation in citations))
        caveats = tuple(f"{doubt[:1].upper()}{doubt[1:]}." for doubt in reading.doubts)
        how = computation.meaning
        composition = Composition(
            text=text,
            sentences=(sentence,),
            citations=citations,
            confidence=confidence_of(reading.confidence, 0, language),
            decisions=(Decision("compute", "computed", f"{how}; {count_noun(outcome.matching, 'row')} met it"),),
            type=AnswerType.SUMMARY,
            checked=Groundedness((CheckedClaim(text, 0, verdict, "computed from the rows that it cites"),)),
            caveats=caveats,
            computation=computation,
        )
        passages = self._find_passages(citations)
        scores = {"rows": float(outcome.matching), "of": float(computation.of_rows)}
        return GlobalAnswer(composition, passages, filter, reading.confidence, how, scores, keeps_dates=True)

    def _find_passages(self, citations: Sequence[Citation]) -> tuple[Passage, ...]:
        """The chunks in which the cited rows stand."""
        documents = tuple(dict.fromkeys(citation.document_id for citation in citations))
        spans = [(citation.document_id, citation.span) for citation in citations]
        chunks: list[Chunk] = []
        for chunk in self.store.iterate_chunks(Filter(document_ids=documents, tenant=self._tenant_of(documents))):
            if any(chunk.document_id == document and chunk.span.overlap(span) for document, span in spans):
                chunks.append(chunk)
        return tuple(
            Passage(chunk, 1.0, {"computed": 1.0}, explanation="holds rows that the figure rests on")
            for chunk in chunks
        )

    def _tenant_of(self, documents: Sequence[str]) -> str:
        document = self.store.document(documents[0])
        return document.tenant if document is not None else "default"


def _say_quoted(reading: Reading, outcome: Outcome) -> str:
    count = len(outcome.rows)
    return f" The first {MOST_QUOTED} of these {count:,} rows are quoted." if count > MOST_QUOTED else ""


def _cite_rows(tables: Sequence[TypedTable], reading: Reading, outcome: Outcome) -> Iterator[Citation]:
    """The header of the table and the rows, each with the cell that answers; then those of the other table."""
    query = reading.query
    typed = tables[query.table]
    answering = query.measure if query.measure is not None else query.shown
    if query.grouping is not None or query.aggregate not in _SHOWN_AS_IT_STANDS:
        # the figure is none of the cells
        answering = None
    rows = outcome.rows[:MOST_QUOTED]
    if reading.derived is not None:
        answering = None
        before = reading.derived.before
        rows = tuple(each for row in rows for each in (*before[row : row + 1], row) if each is not None)
    number = 0
    # where no row has it, the header shows what was looked through
    for citation in _cite_table(typed, rows, answering, number):
        number = citation.number
        yield citation
    if query.join is not None:
        yield from _cite_table(tables[query.join.table], outcome.joined[:MOST_JOINED], None, number)


def _cite_table(typed: TypedTable, rows: Sequence[int], cell: int | None, number: int) -> Iterator[Citation]:
    table = typed.table
    shown: set[int] = set()
    for row in [table.rows[place] for place in rows] or [None]:
        place = row.document if row is not None else 0
        document = table.documents[place]
        if place not in shown:
            shown.add(place)
            number += 1
            yield cite_span(number, document, table.headers[place])
        if row is not None:
            number += 1
            answer = table.cell_span(row, cell) if cell is not None else None
            yield _cite_row(number, document, row.span, answer)


def _cite_row(number: int, document: Document, span: Span, answer: Span | None) -> Citation:
    try:
        return cite_span(number, document, span, answer=answer)
    except CitationError:
        return cite_span(number, document, span)
