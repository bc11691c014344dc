"""Tools to read documents in parts and to compute over their tables, and the documents as resources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from anyio import to_thread
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError
from mcp.types import CallToolResult, ListResourcesResult, Resource, ToolAnnotations
from pydantic import Field

from ascertain.app.ascertain import Ascertain
from ascertain.app.asking.computing import ColumnDescription, Computed, TableDescription, compute_over_tables
from ascertain.app.asking.rendering import answer_as_material, disarm_answer, lines_as_material
from ascertain.app.documents.reading import (
    MAX_CHARACTERS,
    DocumentOutline,
    outline_document,
    read_around,
    read_from,
    read_section,
)
from ascertain.app.wire.requests import TableQueryBody
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import DocumentState, TextWindow
from ascertain.core.errors import AscertainError, UsageError
from ascertain.interfaces.mcp.bases import Bases
from ascertain.interfaces.mcp.results import make_result, tell_errors
from ascertain.interfaces.mcp.shapes import Computation, ComputedAnswer, DescribedTable, Outlined, OutlinePart, Stretch
from ascertain.interfaces.mcp.tools import Narrowed, build_filter

CHARACTERS = 4000
"""Default length of a stretch: about 1,000 tokens."""
MOST_PARTS = 200
SCHEME = "ascertain://documents/"
RESOURCES_AT_ONCE = 100
DocumentId = Annotated[str, Field(min_length=1, max_length=200, description="As the other tools give it.")]


@dataclass(frozen=True, slots=True)
class ReadingTools:
    """Those that read a document and compute over tables."""

    bases: Bases

    def add_to(self, server: MCPServer[Any]) -> None:
        """Offer the tools, and each document and its outline as a resource."""
        reading = ToolAnnotations(read_only_hint=True, open_world_hint=False)
        server.add_tool(self.outline, title="Outline a document", annotations=reading)
        server.add_tool(self.read, title="Read a document", annotations=reading)
        server.add_tool(self.compute, title="Compute over tables", annotations=reading)
        server.resource(
            SCHEME + "{document_id}",
            name="document",
            title="Text of a document",
            description=f"Its first {MAX_CHARACTERS:,} characters; `read` gives the rest.",
            mime_type="text/plain",
        )(self.read_resource)
        server.resource(
            SCHEME + "{document_id}/outline",
            name="outline",
            title="Outline of a document",
            description="Its parts with their characters.",
            mime_type="text/plain",
        )(self.read_outline_resource)

    def outline(
        self,
        context: Context[Any, Any],
        *,
        document_id: DocumentId,
        limit: Annotated[int, Field(ge=1, le=1000, description="How many parts.")] = MOST_PARTS,
        offset: Annotated[int, Field(ge=0)] = 0,
    ) -> Annotated[CallToolResult, Outlined]:
        """Show the parts of a document: sections, else slides, sheets or chapters, pages or turns of a talk, each with its
        place in the text.
        """
        with tell_errors():
            outline = outline_document(self.bases.find_holder(context, document_id), document_id)
        part = outline.entries[offset : offset + limit]
        outlined = Outlined(
            document_id=outline.document.id,
            title=outline.document.title,
            characters=len(outline.document.text),
            parts=[OutlinePart.from_noun(entry) for entry in part],
            total=len(outline.entries),
        )
        return make_result(_format_outline(outline, offset, limit), outlined)

    def read(
        self,
        context: Context[Any, Any],
        *,
        document_id: DocumentId,
        section: Annotated[
            str | None, Field(min_length=1, max_length=1000, description="A part by its name in the outline.")
        ] = None,
        around: Annotated[
            tuple[int, int] | None, Field(description="The `span` of a passage or a citation, to read around it.")
        ] = None,
        start: Annotated[
            int, Field(ge=0, description="Where to begin, or to continue: `next_start` of the last reply.")
        ] = 0,
        characters: Annotated[int, Field(ge=100, le=MAX_CHARACTERS, description="How many at most.")] = CHARACTERS,
    ) -> Annotated[CallToolResult, Stretch]:
        """Read the text of a document within a budget of characters: a section, around a passage, or from a start on."""
        with tell_errors():
            if section is not None and around is not None:
                raise UsageError("give a section or what to read around, not both")
            knowledge = self.bases.find_holder(context, document_id)
            if section is not None:
                window, end = read_section(knowledge, document_id, section, characters, start=start)
            elif around is not None:
                window = read_around(knowledge, document_id, Span(*around), characters)
                end = window.characters
            else:
                window = read_from(knowledge, document_id, start, characters)
                end = window.characters
        stretch = Stretch(
            document_id=window.document_id,
            title=window.title,
            text=window.text,
            span=(window.start, window.end),
            place=window.place,
            characters=window.characters,
            next_start=window.end if window.end < end else None,
        )
        return make_result(_format_window(window, stretch.next_start), stretch)

    def compute(
        self,
        context: Context[Any, Any],
        *,
        question: Annotated[str, Field(min_length=1, description="What to compute, as a person would put it.")],
        query: Annotated[
            TableQueryBody | None,
            Field(description="The same as a query, if you know the table; null to have the question read by rules."),
        ] = None,
        filter: Narrowed = None,
    ) -> Annotated[CallToolResult, Computation]:
        """Compute over the rows of tables in the documents (counts, sums, means, ends, groups), with the rows it rests on.
        Where the question cannot be read, the tables with their columns are returned, for a query.
        """
        with tell_errors():
            knowledge = self.bases.find_one(context)
            computed = compute_over_tables(knowledge, question, query, build_filter(filter, knowledge.tenant))
        if computed.answer is None:
            tables = [DescribedTable.from_noun(table) for table in computed.tables]
            return make_result(_format_tables(computed), Computation(computed=None, tables=tables))
        answer = ComputedAnswer.from_noun(disarm_answer(computed.answer))
        return make_result(answer_as_material(computed.answer), Computation(computed=answer))

    def read_resource(self, document_id: str, context: Context[Any, Any]) -> str:
        """The text of a document."""
        try:
            window = read_from(self.bases.find_holder(context, document_id), document_id, 0, MAX_CHARACTERS)
        except AscertainError as error:
            raise ResourceError(str(error)) from error
        return _format_window(window, window.end if window.end < window.characters else None)

    def read_outline_resource(self, document_id: str, context: Context[Any, Any]) -> str:
        """The outline of a document."""
        try:
            outline = outline_document(self.bases.find_holder(context, document_id), document_id)
        except AscertainError as error:
            raise ResourceError(str(error)) from error
        return _format_outline(outline, 0, MOST_PARTS)


class DocumentList:
    """Lists the documents that a caller may see as resources, in pages; the SDK itself lists the common ones."""

    def __init__(self, bases: Bases) -> None:
        self._bases = bases

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """See the SDK's middleware."""
        if ctx.method != "resources/list":
            return await call_next(ctx)
        cursor = str((ctx.params or {}).get("cursor") or "0")
        start = int(cursor) if cursor.isascii() and cursor.isdigit() and len(cursor) < 10 else 0
        return await to_thread.run_sync(self._list, self._bases.list_all(ctx), start)

    def _list(self, named: Mapping[str, Ascertain], start: int) -> ListResourcesResult:
        found = [
            (name, record)
            for name, knowledge in named.items()
            if knowledge.exists
            for record in knowledge.documents()
            if record.state is not DocumentState.FAILED
        ]
        end = start + RESOURCES_AT_ONCE
        resources = [
            Resource(
                uri=SCHEME + record.id,
                name=record.id,
                title=record.title,
                description=f"In the knowledge base {name}." if name else None,
                size=record.characters,
                mime_type="text/plain",
            )
            for name, record in found[start:end]
        ]
        return ListResourcesResult(resources=resources, next_cursor=str(end) if end < len(found) else None)


def _format_outline(outline: DocumentOutline, offset: int, limit: int) -> str:
    part = outline.entries[offset : offset + limit]
    lines = [f"{'  ' * entry.level}{entry.name}: {entry.span.start}-{entry.span.end}" for entry in part]
    if not lines:
        lines = ["not divided into parts" if not outline.entries else "no more parts"]
    left = len(outline.entries) - offset - len(part)
    if left > 0:
        lines.append(f"and {left} more: offset {offset + len(part)}")
    about = {
        "document": outline.document.id,
        "title": outline.document.title,
        "characters": str(len(outline.document.text)),
    }
    return lines_as_material("outline", lines, about)


def _format_window(window: TextWindow, next_start: int | None) -> str:
    about = {
        "document": window.document_id,
        "title": window.title,
        "place": window.place.label,
        "characters": f"{window.start}-{window.end} of {window.characters}",
    }
    text = lines_as_material("text", [window.text], {name: value for name, value in about.items() if value})
    return f"{text}\n\nMore follows: start {next_start}." if next_start is not None else text


def _format_tables(computed: Computed) -> str:
    lines = [line for table in computed.tables for line in _describe_table(table)]
    lines += [f"left out: {problem}" for problem in computed.problems]
    if not computed.tables:
        return lines_as_material("tables", ["There is no table to compute over.", *lines])
    notice = "This question could not be read as a query. Reword it with these columns, or give a query."
    return f"{notice}\n\n{lines_as_material('tables', lines)}"


def _describe_table(table: TableDescription) -> list[str]:
    return [f"{table.name}, {table.rows} rows", *map(_describe_column, table.columns)]


def _describe_column(column: ColumnDescription) -> str:
    return f"- {column.name} ({column.kind}): {'; '.join(column.samples)}"
