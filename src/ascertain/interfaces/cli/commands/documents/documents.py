"""``ascertain add``, ``documents`` and ``delete``."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from ascertain.core.documents.documents import DocumentRecord, DocumentState
from ascertain.core.documents.profiling import DocumentType
from ascertain.core.errors import UsageError
from ascertain.core.service.status import format_count
from ascertain.interfaces.cli.options import Invocation, MaterialOptions, SharedOptions, build_filter, spread_options
from ascertain.interfaces.cli.printing import (
    format_date,
    format_duration,
    format_named,
    ingest_progress,
    print_table,
    strip_control,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ascertain.core.documents.ingest import Failure, FigureGain, FileCompleteness, IngestReport

PREVIEW = 10
"""Documents named before asking whether to delete them."""


class Engine(StrEnum):
    """Where ingest runs."""

    LOCAL = "local"
    RAY = "ray"


@spread_options
def add_sources(
    context: typer.Context,
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH|URL|arxiv:ID",
            help="Files and folders, which are walked; web pages, files and feeds by URL; papers by their id at arXiv.",
        ),
    ],
    shared: SharedOptions,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Put this tag on the documents; repeatable.")
    ] = None,
    sync: Annotated[
        bool, typer.Option("--sync", help="Also delete documents whose files are gone from the given folders.")
    ] = False,
    sync_all: Annotated[
        bool, typer.Option("--sync-all", help="As --sync, even where most of the files are gone.")
    ] = False,
    follow_links: Annotated[
        bool, typer.Option("--follow-links", help="Follow links in a folder that lead out of it.")
    ] = False,
    engine: Annotated[
        Engine | None,
        typer.Option(
            "--engine",
            help="local works in this process, ray on a cluster into a server store.  [default: ingest.engine]",
        ),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask before pictures are described (ingest.describe_figures).")
    ] = False,
) -> None:
    """Read files, folders, web pages, feeds and papers.

    PDF, HTML, Markdown, plain text, DOCX, CSV, JSONL of articles, RSS and Atom feeds, and transcripts (WebVTT, SRT,
    JSON, text). Unchanged documents are skipped, changed ones replaced. Interrupt it at any time: the same command
    continues. Unreadable files never stop the run; they are listed at the end with the reason. An address is fetched
    only if it is public, or its host is in web.allowed_hosts. A bar shows how many files are read and how long the rest
    will take; without a terminal a line on standard error does so every ten seconds. If pictures are to be described by
    a chat model (ingest.describe_figures), everything else is added first; then it shows how many there are and what that
    will cost, and asks. Without a terminal they wait for a run with --yes.

    \b
    Examples:
      ascertain add handbook/
      ascertain add papers/ --profile papers --tag reading-list
      ascertain add episodes/ --profile podcasts --sync
      ascertain add feed.jsonl --profile news
      ascertain add https://example.org/guide https://example.org/feed.xml arxiv:1706.03762
      ascertain add archive/ --engine ray
    """
    invocation = Invocation(context, shared)
    arguments = {
        "ingest.engine": engine,
        "ingest.sync_share": 1 if sync_all else None,
        "ingest.follow_links": follow_links or None,
    }
    sync = sync or sync_all
    with invocation.open(arguments=arguments) as knowledge:
        with ingest_progress(invocation.err) as listener:
            report = knowledge.add(sources, tags=tag or (), sync=sync, listener=listener, defer_figures=not yes)
        if report.figures.waiting and not yes and _confirm_describing(invocation, report.figures):
            print_report(invocation.err, report)
            with ingest_progress(invocation.err) as listener:
                report = knowledge.add(sources, tags=tag or (), listener=listener)
    invocation.present(report, print_report)
    if report.failures and not (report.added or report.changed or report.unchanged):
        raise typer.Exit(1)


def _confirm_describing(invocation: Invocation, figures: FigureGain) -> bool:
    """Whether a user confirms that the pictures should be described, at this cost."""
    import sys

    if invocation.as_json or not sys.stdin.isatty():
        return False
    return typer.confirm(f"{_price_figures(figures)}. Describe them now?", default=False, err=True)


def _price_figures(figures: FigureGain) -> str:
    """``37 pictures for openai:gpt-5-mini to describe, about 48,000 tokens, $0.02``."""
    price = f", ${figures.waiting_usd:.2f}" if figures.waiting_usd else ""
    pictures = format_count(figures.waiting, "picture")
    return f"{pictures} for {figures.model} to describe, about {figures.waiting_tokens:,} tokens{price}"


def print_figures(console: Console, figures: FigureGain) -> None:
    """The report on pictures; empty where none are described."""
    if figures.described or figures.remembered:
        done = f"{format_count(figures.described + figures.remembered, 'picture')} described by {figures.model}"
        before = f", {figures.remembered:,} of them before" if figures.remembered else ""
        console.print(f"{done}{before}", markup=False)
    if figures.reasons:
        why = "; ".join(map(strip_control, figures.reasons))
        console.print(f"{format_count(figures.waiting, 'picture')} not described: {why}", style="yellow", markup=False)
    if figures.waiting and not figures.reasons:
        console.print(f"{_price_figures(figures)}: add the same again with --yes", style="yellow", markup=False)


def print_report(console: Console, report: IngestReport) -> None:
    """The result of an ingest, in a line, then the failures with their reasons."""
    parts = [
        f"{number:,} {what}"
        for what, number in (
            ("added", report.added),
            ("changed", report.changed),
            ("unchanged", report.unchanged),
            ("deleted", report.deleted),
            ("near-duplicates", report.duplicates),
        )
        if number
    ]
    pace = f"{format_count(report.chunks, 'chunk')} in {format_duration(report.seconds)}"
    console.print(f"{', '.join(parts) or 'nothing to add'}: {pace}", markup=False)
    graph = report.graph
    if graph.documents:
        found = format_named(graph.names, graph.mentions, graph.relations)
        console.print(f"into the knowledge graph: {found}", markup=False)
    print_figures(console, report.figures)
    for note in report.notes:
        console.print(note, markup=False)
    print_completeness(console, report.completeness)
    print_failures(console, report.failures)


MOST_LISTED = 20
"""Documents listed with what was left out; the others are counted."""


def print_completeness(console: Console, completeness: Sequence[FileCompleteness]) -> None:
    """How much of what the files show was stored: for each of a few files, for many files those with something missing."""
    if not completeness:
        return
    words = sum(each.completeness.words for each in completeness)
    shown = sum(each.completeness.words_shown for each in completeness)
    share = min(99.9, 100 * words / shown) if words < shown else 100
    console.print(f"stored: {share:.4g} % of {shown:,} words", markup=False)
    ordered = sorted(completeness, key=lambda each: each.completeness.share)
    listed = [each for each in ordered if each.completeness.left_out or each.completeness.notes]
    for each in listed[:MOST_LISTED]:
        style = "default" if each.completeness.is_complete else "bold yellow"
        console.print(Text(f"  {strip_control(each.source)}: {strip_control(each.completeness.label)}", style=style))
    if len(listed) > MOST_LISTED:
        console.print(f"  … and {len(listed) - MOST_LISTED:,} more with parts left out (--json lists all)")


def print_failures(console: Console, failures: Sequence[Failure]) -> None:
    """What could not be read, and why; nothing if all was read."""
    if failures:
        console.print(f"\n{format_count(len(failures), 'failure')}:", style="bold red")
        rows = [(failure.source, failure.reason) for failure in failures]
        print_table(console, ("source", "reason"), rows, elastic=1)


@spread_options
def list_documents(
    context: typer.Context,
    shared: SharedOptions,
    filters: MaterialOptions,
    state: Annotated[
        list[DocumentState] | None, typer.Option("--state", help="Only documents in this state; repeatable.")
    ] = None,
) -> None:
    """List documents with their states.

    A document that is not fully indexed is listed with the reason. In a pipe the columns are: id, state, kind, date,
    chunks, title, source, reason, type, separated by tabs.

    \b
    Examples:
      ascertain documents
      ascertain documents --state failed
      ascertain documents --kind article --since 2024-12-01 --json
    """
    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        records = knowledge.documents(build_filter(filters))
    shown = [record for record in records if not state or record.state in state]
    if invocation.as_json:
        invocation.emit(shown)
    elif shown:
        _print_records(invocation.out, shown)
    else:
        invocation.err.print("no documents match" if records else "no documents yet; add some: ascertain add PATH")


@spread_options
def delete_documents(
    context: typer.Context,
    shared: SharedOptions,
    filters: MaterialOptions,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Document ids, as 'documents' lists them.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete documents by id or filter.

    \b
    Examples:
      ascertain delete 3f2a9c0d1b7e4a55c0de
      ascertain delete --source old-notes/ --yes
      ascertain delete --kind article --before 2023-01-01
    """
    from dataclasses import replace

    invocation = Invocation(context, shared)
    selection = build_filter(filters)
    selection = replace(selection, document_ids=(*(ids or ()), *selection.document_ids))
    if selection.is_unrestricted:
        raise UsageError("say what to delete: a document id, or a filter such as --source, --kind or --before")
    with invocation.open() as knowledge:
        chosen = knowledge.documents(selection)
        if not chosen:
            raise UsageError("no document matches, nothing was deleted; 'ascertain documents' lists ids and sources")
        if not yes:
            _confirm_deletion(invocation, chosen)
        deleted = knowledge.delete(selection)
    if invocation.as_json:
        from ascertain.app.wire.documents import DeletedJson

        invocation.emit(DeletedJson(deleted=deleted))
    else:
        invocation.out.print(f"deleted {format_count(deleted, 'document')}", markup=False)


def _confirm_deletion(invocation: Invocation, chosen: list[DocumentRecord]) -> None:
    import sys

    if not sys.stdin.isatty():
        raise UsageError(f"this deletes {format_count(len(chosen), 'document')}; add --yes to confirm")
    for record in chosen[:PREVIEW]:
        invocation.err.print(f"  {record.id}  {record.title}  ({record.source})", markup=False)
    if len(chosen) > PREVIEW:
        invocation.err.print(f"  … and {len(chosen) - PREVIEW:,} more")
    typer.confirm(f"Delete {format_count(len(chosen), 'document')}?", abort=True, err=True)


def _print_records(console: Console, records: list[DocumentRecord]) -> None:
    """Two or three lines a document in a terminal, however narrow; tab-separated columns in a pipe."""
    from ascertain.interfaces.cli.answers import print_indented

    if not console.is_terminal:
        print_table(console, (), [_record_columns(record) for record in records])
        return
    for record in records:
        line = Text(record.id, style="bold cyan")
        details = (
            record.kind.value,
            _describe_type(record),
            format_date(record.published_at),
            format_count(record.chunks, "chunk"),
        )
        line.append("  " + "  ".join(filter(None, details)), style="not bold default")
        if record.state is not DocumentState.INDEXED:
            line.append(f"  {record.state.value}", style="bold red")
        console.print(line)
        print_indented(console, Text(strip_control(record.title)))
        print_indented(console, Text(strip_control(record.source), style="dim"))
        if record.reason:
            print_indented(console, Text(strip_control(record.reason), style="red"))
        if record.completeness is not None and (record.completeness.left_out or record.completeness.notes):
            print_indented(console, Text(strip_control(f"stored: {record.completeness.label}"), style="yellow"))
    console.print(f"\n{format_count(len(records), 'document')}", style="dim")


def _record_columns(record: DocumentRecord) -> tuple[str, ...]:

    return (
        record.id,
        record.state.value,
        record.kind.value,
        format_date(record.published_at),
        str(record.chunks),
        record.title,
        record.source,
        record.reason,
        _describe_type(record),
    )


def _describe_type(record: DocumentRecord) -> str:
    """What the document seems to be, in words; empty if unknown."""
    profile = record.document_profile
    return "" if profile is None or profile.type is DocumentType.OTHER else profile.type.replace("_", " ")
