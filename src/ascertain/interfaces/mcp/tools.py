"""The tools: each calls the app, and returns text for a model with the same as data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from ascertain.app.ascertain import Ascertain
from ascertain.app.asking.rendering import answer_as_material, disarm_answer, lines_as_material
from ascertain.app.asking.several import ask_each, search_each
from ascertain.app.ports import address_of
from ascertain.app.wire.analysis import AnalysisJson
from ascertain.app.wire.requests import FilterBody
from ascertain.app.wire.research import CheckedClaimJson, ResearchRunJson
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.requests import SearchResult
from ascertain.core.documents.documents import DocumentKind, DocumentRecord
from ascertain.core.errors import UsageError
from ascertain.core.reports.research import DEFAULT_SOURCES, ResearchMode, ResearchRun, ResearchSource
from ascertain.interfaces.mcp.bases import Bases
from ascertain.interfaces.mcp.results import make_result, show_answers, show_found, tell_errors
from ascertain.interfaces.mcp.shapes import Added, Analysed, Answered, Checked, Documents, Found, Listed, Researched


@dataclass(frozen=True, slots=True)
class Reach:
    """``folders`` are resolved paths. An address is fetched by the guarded client, which reaches no private network."""

    folders: tuple[Path, ...] = ()
    with_addresses: bool = True

    @classmethod
    def of(cls, folders: Sequence[Path], with_addresses: bool = True) -> Reach:
        """The folders as they are on disk now; raises UsageError for a missing one."""
        for folder in folders:
            if not folder.is_dir():
                raise UsageError(f"{folder}: no such folder; --allow-folder takes a folder that agents may add from")
        return cls(tuple(folder.resolve() for folder in folders), with_addresses)

    def resolve_target(self, what: str) -> Path | str:
        """The argument of ``Ascertain.add`` for ``what``; raises UsageError for anything out of reach.

        Links are followed first, so that one inside a folder leads nowhere else; neither does one further down.
        """
        if address_of(what) is not None:
            if not self.with_addresses:
                raise UsageError("addresses cannot be added here: the server runs with --no-addresses")
            return what
        if not self.folders:
            raise UsageError(
                "files cannot be added here: the server runs without --allow-folder"
                + ("; give an address" if self.with_addresses else "")
            )
        # no name of a file holds a NUL, and to look it up is an error of Python
        path = Path(what.replace("\0", "\N{REPLACEMENT CHARACTER}")).expanduser()
        for folder in self.folders:
            found = (path if path.is_absolute() else folder / path).resolve()
            if found.is_relative_to(folder) and found.exists():
                self._check_links(found)
                return found
        allowed = ", ".join(map(str, self.folders))
        raise UsageError(f"{what}: there is no such file or folder in the allowed ones ({allowed})")

    def check_addresses(self) -> None:
        """Raise UsageError if fetching is not allowed."""
        if not self.with_addresses:
            raise UsageError("nothing can be fetched here: the server runs with --no-addresses")

    def _check_links(self, top: Path) -> None:
        for parent, folders, files in os.walk(top):
            for name in (*folders, *files):
                entry = Path(parent, name)
                if entry.is_symlink() and not any(map(entry.resolve().is_relative_to, self.folders)):
                    raise UsageError(f"{entry} is a link out of the allowed folders; nothing was added")


PASSAGES = 5
"""Default number of passages."""
MOST_AT_ONCE = 50
"""Paths and addresses of one call: the client waits for them, and gives up after a minute or so."""

DaysBack = Annotated[int | None, Field(ge=1, le=365, description="Only documents of the last N days; null for all.")]
How = Annotated[
    Literal["semantic", "keyword", "hybrid"] | None,
    Field(description="By meaning, by words, or both; null lets the knowledge base choose."),
]

Narrowed = Annotated[
    FilterBody | None,
    Field(description="Only these documents: by date, kind, source, tag, topic, language or id; null for all."),
]


@dataclass(frozen=True, slots=True)
class Tools:
    """Those that search, ask, add and list."""

    bases: Bases
    reach: Reach

    def add_to(self, server: MCPServer[Any]) -> None:
        """Offer all tools."""
        reading = ToolAnnotations(read_only_hint=True, open_world_hint=False)
        # it adds, replaces and deletes nothing, and is idempotent
        adding = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True)
        server.add_tool(self.search, title="Search the documents", annotations=reading)
        server.add_tool(self.ask, title="Ask the documents", annotations=ToolAnnotations(destructive_hint=False))
        server.add_tool(self.analyze, title="Analyse a whole period", annotations=reading)
        server.add_tool(self.add, title="Add documents", annotations=adding)
        # a given page is fetched and stored for the run
        server.add_tool(self.research, title="Research a question", annotations=ToolAnnotations(destructive_hint=False))
        server.add_tool(self.check_claim, title="Check a claim", annotations=reading)
        server.add_tool(self.list_documents, title="List the documents", annotations=reading)

    def search(
        self,
        context: Context[Any, Any],
        *,
        query: Annotated[str, Field(min_length=1, description="A question, or words to look for.")],
        k: Annotated[int | None, Field(ge=1, le=20, description="How many passages; null for 5.")] = None,
        days_back: DaysBack = None,
        strategy: How = None,
        filter: Narrowed = None,
    ) -> Annotated[CallToolResult, Found]:
        """Search the documents for the best passages, each with its document, place and date."""

        def search(knowledge: Ascertain) -> SearchResult:
            narrowed = build_filter(filter, knowledge.tenant)
            return knowledge.search(query, k=k or PASSAGES, days_back=days_back, strategy=strategy, filter=narrowed)

        with tell_errors():
            results = search_each(self.bases.list_chosen(context), search)
        return show_found(results, k or PASSAGES)

    def ask(
        self,
        context: Context[Any, Any],
        *,
        question: Annotated[str, Field(min_length=1, description="The question, as a person would put it.")],
        conversation_id: Annotated[
            str | None, Field(max_length=200, description="Continues the conversation with this id, or starts it.")
        ] = None,
        days_back: DaysBack = None,
        strategy: How = None,
        filter: Narrowed = None,
    ) -> Annotated[CallToolResult, Answered]:
        """Answer a question from the documents: checked sentences with citations of the exact words, or that they do
        not say.
        """
        bases = self.bases.list_chosen(context)
        with tell_errors():
            answers = ask_each(
                bases,
                question,
                conversation_id=conversation_id,
                days_back=days_back,
                strategy=strategy,
                # a server of several has no keys, and so one tenant
                filter=build_filter(filter, next(iter(bases.values())).tenant),
            )
        return show_answers(answers)

    def analyze(
        self,
        context: Context[Any, Any],
        *,
        question: Annotated[str, Field(min_length=1, description="What to analyse, and of which period.")],
        days_back: DaysBack = None,
        kind: Annotated[DocumentKind | None, Field(description="Only documents of this kind.")] = None,
    ) -> Annotated[CallToolResult, Analysed]:
        """Read every document of a period, not the best few passages, and report what all of them say together: sentiment, trends,
        moves, contradictions between sources, and who expects what (speculation of those who are named).
        """
        chosen = Filter(kinds=(kind,) if kind else ())
        with tell_errors():
            analysis = self.bases.find_one(context).analyze(question, filter=chosen, days_back=days_back)
        answer = disarm_answer(analysis.answer)
        analysed = Analysed.from_noun(AnalysisJson.from_noun(replace(analysis, answer=answer)))
        return make_result(answer_as_material(analysis.answer), analysed)

    def add(
        self,
        context: Context[Any, Any],
        *,
        what: Annotated[
            list[str],
            Field(
                min_length=1,
                max_length=MOST_AT_ONCE,
                description="Files or folders in the allowed folders, web addresses, feeds, or arxiv:ID.",
            ),
        ],
        tags: Annotated[tuple[str, ...], Field(max_length=20, description="Labels to find them by.")] = (),
    ) -> Annotated[CallToolResult, Added]:
        """Read files, folders, web pages, feeds or arXiv papers into the knowledge base; what has not changed is
        skipped.
        """
        with tell_errors():
            targets = [self.reach.resolve_target(each) for each in what]
            report = self.bases.find_one(context).add(targets, tags=tags)
        lines = [
            f"{name}: {getattr(report, name)}" for name in ("added", "changed", "unchanged", "duplicates", "chunks")
        ]
        lines += [f"failed: {failure.source}: {failure.reason}" for failure in report.failures]
        return make_result(lines_as_material("report", [*lines, *report.notes]), Added.from_noun(report))

    def research(
        self,
        context: Context[Any, Any],
        *,
        subject: Annotated[str, Field(min_length=1, description="A question, or the address of a page.")],
        mode: Annotated[ResearchMode, Field(description="How much is looked at.")] = ResearchMode.QUICK,
        sources: Annotated[
            tuple[ResearchSource, ...] | None,
            Field(
                min_length=1,
                max_length=3,
                description="Where to look; without it documents and web, and arxiv where the question is about papers.",
            ),
        ] = None,
    ) -> Annotated[CallToolResult, Researched]:
        """Look into a question or a page with several agents: a cited report with a plain-language summary and a
        verdict for each claim. Takes some seconds, with a page or arXiv up to some minutes.
        """
        with tell_errors():
            if address_of(subject) is not None or ResearchSource.ARXIV in (sources or ()):
                self.reach.check_addresses()
            knowledge = self.bases.find_one(context)
            chosen = DEFAULT_SOURCES if sources is None and not self.reach.with_addresses else sources
            run = knowledge.research.run(subject, mode=mode, sources=chosen)
            report = knowledge.research.write_markdown(run)
        return make_result(lines_as_material("report", report.splitlines()), _describe_run(run))

    def check_claim(
        self, context: Context[Any, Any], *, claim: Annotated[str, Field(min_length=1, description="A statement.")]
    ) -> Annotated[CallToolResult, Checked]:
        """Check whether the documents support a claim, contradict it, or neither, with the exact words for and against."""
        with tell_errors():
            found = self.bases.find_one(context).research.check_claim(claim)
        check, cited = found.check, {each.number: each for each in found.citations}
        lines = [f"{check.verdict.words}: {check.reason}"]
        for side, numbers in (("for", check.evidence_for), ("against", check.evidence_against)):
            lines += [f"{side} [{number}] {cited[number].title}: {cited[number].quote}" for number in numbers]
        whole = CheckedClaimJson.of(check, found.citations, found.usage)
        return make_result(lines_as_material("verdict", lines), Checked.from_noun(whole))

    def list_documents(
        self,
        context: Context[Any, Any],
        *,
        kind: Annotated[DocumentKind | None, Field(description="Only documents of this kind.")] = None,
        source: Annotated[
            str | None, Field(description="Only this path or address; with * at the end all that begin with it.")
        ] = None,
        tag: Annotated[str | None, Field(description="Only documents with this label.")] = None,
        limit: Annotated[int, Field(ge=1, le=200)] = 50,
        offset: Annotated[int, Field(ge=0)] = 0,
    ) -> Annotated[CallToolResult, Documents]:
        """List the documents of the knowledge base, in order of their source."""
        chosen = Filter(kinds=(kind,) if kind else (), sources=(source,) if source else (), tags=(tag,) if tag else ())
        with tell_errors():
            records = self.bases.find_one(context).documents(chosen)
        part = records[offset : offset + limit]
        shown = f"{len(part)} of {len(records)} documents, from number {offset + 1}:" if part else "no documents"
        listed = Documents(documents=[Listed.from_noun(record) for record in part], total=len(records))
        return make_result(lines_as_material("documents", [shown, *map(_format_document, part)]), listed)


def build_filter(given: FilterBody | None, tenant: str) -> Filter:
    """As the app takes it."""
    return given.to_filter(tenant) if given is not None else Filter(tenant=tenant)


def _describe_run(run: ResearchRun) -> Researched:
    return Researched.from_noun(ResearchRunJson.from_noun(run))


def _format_document(record: DocumentRecord) -> str:
    date = f", {record.published_at.date().isoformat()}" if record.published_at else ""
    return (
        f"{record.id} {record.title} ({record.kind.value}{date}, {record.state.value}): {record.url or record.source}"
    )
