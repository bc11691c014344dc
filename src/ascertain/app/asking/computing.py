"""Computing over the tables of documents without asking the rest: a question read by rules, or a query that the caller wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ascertain.app.asking.visibility import visible_filter
from ascertain.core.asking.answers import Answer
from ascertain.core.asking.passages import Filter, Strategy
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.errors import UsageError
from ascertain.language.languages import question_language

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain
    from ascertain.app.wire.requests import TableQueryBody
    from ascertain.reports.tables.columns import TypedTable

MOST_TABLES = 20
"""Tables that are described if nothing could be computed."""


@dataclass(frozen=True, slots=True)
class ColumnDescription:
    """A column of a table with the kind of its values and some of these."""

    name: str
    kind: str
    samples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableDescription:
    """A table as a query names it."""

    name: str
    document_ids: tuple[str, ...]
    rows: int
    columns: tuple[ColumnDescription, ...]


@dataclass(frozen=True, slots=True)
class Computed:
    """The result: an ``answer``, or else the ``tables`` that a query could be about. ``problems`` are tables that were not read."""

    answer: Answer | None
    tables: tuple[TableDescription, ...]
    problems: tuple[str, ...]


def compute_over_tables(
    knowledge: Ascertain, question: str, query: TableQueryBody | None = None, filter: Filter = Filter()
) -> Computed:
    """Compute the answer to ``question`` over the tables of what ``filter`` selects; with a ``query``, its result.

    Raises UsageError for a query that these tables do not support, and as ``search`` does.
    """
    from ascertain.reports.tables.answers import TableAnswerer
    from ascertain.reports.tables.questions.model_reading import TableQueryReply

    knowledge.check_question(question)
    knowledge.check_ready()
    answerer = knowledge.view.steps.side.table_answerer
    if not isinstance(answerer, TableAnswerer):
        raise UsageError("tables are not computed here")
    limits = knowledge.settings.budget
    run = Run(Budget(limits.calls, limits.tokens, limits.seconds, limits.usd))
    visible = visible_filter(filter, knowledge.tenant)
    language = question_language(question)
    if query is None:
        made = answerer.answer(question, language, visible, run)
    else:
        made = answerer.answer_query(question, language, TableQueryReply(**query.model_dump()), visible, run=run)
    if made is None:
        tables, problems = answerer.library.find_tables(question, visible)
        return Computed(None, tuple(_describe(tables)), tuple(problems))
    composition = made.composition
    confidence = replace(composition.confidence, caveat=" ".join(composition.caveats) or None)
    answer = Answer(
        question=question,
        text=composition.text,
        type=composition.type,
        confidence=confidence,
        sentences=composition.sentences,
        citations=composition.citations,
        strategy=Strategy.HYBRID,
        usage=run.usage,
        computation=composition.computation,
    )
    return Computed(answer, (), ())


def _describe(tables: Sequence[TypedTable]) -> list[TableDescription]:
    from ascertain.reports.tables.questions.model_reading import MOST_COLUMNS, list_samples

    return [
        TableDescription(
            typed.table.label,
            tuple(document.id for document in typed.table.documents),
            len(typed.table.rows),
            tuple(
                ColumnDescription(column.name, column.kind.value, tuple(list_samples(column)))
                for column in typed.columns[:MOST_COLUMNS]
            ),
        )
        for typed in tables[:MOST_TABLES]
    ]
