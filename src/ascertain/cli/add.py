"""``ascertain add``."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from ascertain.cli.invocation import Invocation
from ascertain.cli.options import SharedOptions, grouped

if TYPE_CHECKING:
    from rich.console import Console

    from ascertain.app.results import IngestReport


class Engine(StrEnum):
    """Where an ingest works."""

    LOCAL = "local"
    RAY = "ray"


def register(app: typer.Typer) -> None:
    """Mount the command."""
    app.command("add")(add)


@grouped
def add(
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
        list[str] | None,
        typer.Option("--tag", metavar="TAG", help="Put this tag on the documents; repeatable."),
    ] = None,
    sync: Annotated[
        bool,
        typer.Option("--sync", help="Also delete documents whose files are gone from the given folders."),
    ] = False,
    engine: Annotated[
        Engine | None,
        typer.Option(
            "--engine",
            help="local works in this process, ray on a cluster into a server store.  [default: ingest.engine]",
        ),
    ] = None,
) -> None:
    """Read files, folders, web pages, feeds and papers into the knowledge base.

    PDF, HTML, Markdown, plain text, DOCX, JSONL and CSV of articles, RSS and Atom feeds, and transcripts (WebVTT, SRT,
    JSON, text). Unchanged documents are skipped, changed ones replaced. Interrupt it at any time: the same command
    continues. What cannot be read never stops the run; it is listed at the end with the reason.
    An address is fetched only if it is public, or its host is in web.allowed_hosts.

    \b
    Examples:
      ascertain add handbook/
      ascertain add papers/ --profile papers --tag reading-list
      ascertain add episodes/ --profile podcasts --sync
      ascertain add feed.jsonl --profile news
      ascertain add https://example.org/guide https://example.org/feed.xml arxiv:1706.03762
      ascertain add archive/ --engine ray
    """
    from ascertain.cli.progress import ingest_progress
    from ascertain.wire.documents import ReportJson

    invocation = Invocation(context, shared)
    with (
        invocation.open(arguments={"ingest.engine": engine}) as knowledge,
        ingest_progress(invocation.err) as listener,
    ):
        report = knowledge.add(sources, tags=tag or (), sync=sync, listener=listener)
    if invocation.as_json:
        invocation.emit(ReportJson.from_noun(report))
    else:
        print_report(invocation.out, report)
    if report.failures and not (report.added or report.changed or report.unchanged):
        raise typer.Exit(1)


def print_report(console: Console, report: IngestReport) -> None:
    """What came of an ingest, in a line, then the failures with their reasons."""
    from ascertain.cli.tables import print_table
    from ascertain.cli.text import count, duration

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
    line = f"{', '.join(parts) or 'nothing to add'}: {count(report.chunks, 'chunk')} in {duration(report.seconds)}"
    console.print(line, markup=False)
    graph = report.graph
    if graph.documents:
        found = (
            count(graph.names, "name"),
            count(graph.mentions, "mention"),
            count(graph.relations, "relation"),
        )
        console.print(f"into the knowledge graph: {', '.join(found)}", markup=False)
    for note in report.notes:
        console.print(note, markup=False)
    if report.failures:
        console.print(f"\n{count(len(report.failures), 'failure')}:", style="bold red")
        rows = [(failure.source, failure.reason) for failure in report.failures]
        print_table(console, ("source", "reason"), rows, elastic=1)
