"""The tools' results as data: parts of the JSON shapes, and shapes for agents only."""

from __future__ import annotations

from pydantic import Field

from ascertain.app.asking.computing import TableDescription
from ascertain.app.documents.reading import OutlineEntry
from ascertain.app.wire.analysis import AnalysisJson
from ascertain.app.wire.documents import FoundJson, SearchJson
from ascertain.app.wire.research import CheckedClaimJson, ResearchRunJson
from ascertain.app.wire.shape import NounShape, Shape, SpanJson, omit_fields, select_fields
from ascertain.core.asking import answers
from ascertain.core.asking.answers import AnswerSentence
from ascertain.core.documents.blocks import Place
from ascertain.core.documents.documents import DocumentRecord
from ascertain.core.documents.ingest import IngestReport
from ascertain.core.reports.research import ClaimCheck

Named = Field(
    default=None,
    exclude_if=lambda name: name is None,
    description="Which of several knowledge bases it is from; left out where the server has one.",
)


class Passage(
    select_fields(FoundJson, *("rank", "document_id", "title", "url", "published_at", "score", "text", "span", "place"))
):
    """One passage that was found."""

    knowledge_base: str | None = Named


class Found(select_fields(SearchJson, "query", "strategy", "results", "confidence")):
    """The passages of a search, best first."""

    results: list[Passage]  # pyright: ignore[reportIncompatibleVariableOverride]


class Sentence(select_fields(AnswerSentence, "text", "verdict", "citations")):
    """One sentence of an answer, whether its sources support it, and the numbers of its citations."""


class Citation(
    select_fields(
        answers.Citation,
        *("n", "document_id", "title", "url", "published_at", "quote", "span", "answer", "figure", "place", "source"),
        "warning",
    )
):
    """Words of a document that an answer rests on, exactly as they stand there; with a `figure` they describe that and are a model's."""


class Answered(
    omit_fields(
        answers.Answer,
        *("question", "strategy", "attempts", "decisions", "usage", "seconds", "groundedness", "standalone"),
        *("id", "is_cached", "computation"),
        sentences=list[Sentence],
        citations=list[Citation],
    )
):
    """An answer with its citations; `type` is rejection when the documents do not say."""

    knowledge_base: str | None = Named


class AnalysedAnswer(
    select_fields(answers.Answer, *("answer", "type", "confidence", "caveat", "citations"), citations=list[Citation])
):
    """The analysis in words, with its citations."""


class Analysed(
    select_fields(
        AnalysisJson,
        *("kind", "focus", "pattern", "published_from", "published_before", "coverage", "answer"),
        answer=AnalysedAnswer,
    )
):
    """What every document of a period says together, and how much of it was read; `ascertain analyze --json` has all."""


class Added(
    select_fields(
        IngestReport, *("added", "changed", "unchanged", "duplicates", "chunks", "failures", "notes", "graph")
    )
):
    """The result of adding, in documents."""


class Listed(
    select_fields(
        DocumentRecord, *("id", "title", "kind", "source", "state", "reason", "chunks", "url", "published_at", "tags")
    )
):
    """A document of the knowledge base."""


class Verdict(select_fields(ClaimCheck, "claim", "verdict", "reason", "evidence_for", "evidence_against")):
    """A claim that was checked; the numbers are of citations."""


class Researched(
    select_fields(
        ResearchRunJson,
        *("id", "title", "findings", "claims", "citations"),
        claims=list[Verdict],
        citations=list[Citation],
    )
):
    """The report of a run; `id` identifies it in its events, its record and further questions."""


class Checked(
    select_fields(
        CheckedClaimJson,
        *("claim", "verdict", "reason", "evidence_for", "evidence_against", "citations"),
        citations=list[Citation],
    )
):
    """The verdict on a claim, with the words it rests on."""


class Documents(Shape):
    """A page of the list, and how many there are in all."""

    documents: list[Listed]
    total: int


class OutlinePart(NounShape[OutlineEntry]):
    """A part of a document; `read` takes its name as `section`."""

    name: str
    level: int
    span: SpanJson


class Outlined(Shape):
    """The parts of a document in the order of its text; `total` counts those that are not shown too."""

    document_id: str
    title: str
    characters: int
    parts: list[OutlinePart]
    total: int


class Stretch(Shape):
    """A stretch of a document; `next_start` is where what follows begins, null at the end of the requested text."""

    document_id: str
    title: str
    text: str
    span: SpanJson
    place: Place
    characters: int
    next_start: int | None


class TableColumn(Shape):
    """A column of a table."""

    name: str
    kind: str
    samples: list[str]


class DescribedTable(NounShape[TableDescription]):
    """A table with the names to use in a query."""

    name: str
    document_ids: list[str]
    rows: int
    columns: list[TableColumn]


class ComputedAnswer(
    select_fields(
        answers.Answer, "answer", "confidence", "caveat", "citations", "computation", citations=list[Citation]
    )
):
    """A figure with the rows that it rests on."""


class Computation(Shape):
    """What was computed; if nothing could be computed, `computed` is null and `tables` are those that a query could be about."""

    computed: ComputedAnswer | None
    tables: list[DescribedTable] = Field(default=[])
