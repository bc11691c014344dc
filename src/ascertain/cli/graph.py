"""``ascertain graph``: built, looked at, put right, written out."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ascertain.cli.graph_arguments import First, Name, Second
from ascertain.cli.graph_decisions import merge, merges, split
from ascertain.cli.invocation import Invocation
from ascertain.cli.options import SharedOptions, grouped

if TYPE_CHECKING:
    from rich.progress import Progress


class FileFormat(StrEnum):
    """What a graph is written as."""

    GRAPHML = "graphml"
    JSON = "json"


def register(app: typer.Typer) -> None:
    """Mount the commands."""
    graph = typer.Typer(
        name="graph",
        help="Look at who and what the documents name, and how they relate it.",
        rich_markup_mode=None,
    )
    for command in (build, stats, entities, entity, path, export, merge, split, merges):
        graph.command(command.__name__)(command)
    app.add_typer(graph)


@grouped
def build(
    context: typer.Context,
    shared: SharedOptions,
    again: Annotated[
        bool, typer.Option("--again", help="Read every document again, not only those that the graph lacks.")
    ] = False,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Say what there is to read and what it costs, and do nothing.")
    ] = False,
) -> None:
    """Bring the graph into step with the documents, of all tenants.

    It is in step by itself with what is added and deleted. This is for documents from before there was a graph, or from a time with
    graph.build = false, for another graph.extractor, and after a failure. Interrupted, the same command continues.

    \b
    Examples:
      ascertain graph build
      ascertain graph build --again
      ASCERTAIN_GRAPH__EXTRACTOR=model ascertain graph build --estimate
    """
    from ascertain.cli.graph_printing import print_build, print_estimate
    from ascertain.cli.progress import counted_progress
    from ascertain.wire.graph import BuildJson, EstimateJson

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        if estimate:
            work = knowledge.graph.estimate(anew=again)
            if invocation.as_json:
                invocation.emit(EstimateJson.from_noun(work))
            else:
                print_estimate(invocation.out, work)
            return
        with counted_progress(invocation.err, "reading") as progress:
            report = knowledge.graph.build_all(_Bar(progress) if progress else None, anew=again)
    if invocation.as_json:
        invocation.emit(BuildJson.from_noun(report))
    else:
        print_build(invocation.out, report)
    if report.left:
        raise typer.Exit(1)


@grouped
def stats(context: typer.Context, shared: SharedOptions) -> None:
    """Show how much the graph holds, and what is named most.

    \b
    Examples:
      ascertain graph stats
      ascertain graph stats --json
    """
    from ascertain.cli.graph_printing import print_stats
    from ascertain.wire.graph import GraphStatsJson

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        numbers = knowledge.graph.stats()
    if invocation.as_json:
        invocation.emit(GraphStatsJson.from_noun(numbers))
    else:
        print_stats(invocation.out, numbers)


@grouped
def entities(
    context: typer.Context,
    shared: SharedOptions,
    query: Annotated[
        str, typer.Argument(metavar="[QUERY]", help="The beginning of a word of a name; it may be misspelt.")
    ] = "",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Entities to show.")] = 20,
) -> None:
    """List what documents name: by name, or what is named most.

    In a pipe the columns are: name, kind, mentions, documents, aliases, id, separated by tabs.

    \b
    Examples:
      ascertain graph entities
      ascertain graph entities naka
    """
    from ascertain.cli.graph_printing import print_entities
    from ascertain.wire.graph import FoundEntitiesJson

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        found = knowledge.graph.entities(query, limit)
    if invocation.as_json:
        invocation.emit(FoundEntitiesJson.from_noun(found))
    elif found.entities:
        print_entities(invocation.out, found)
    else:
        invocation.err.print(
            f"nothing is called {query!r}"
            if query
            else "the graph is empty; add documents: ascertain add PATH",
            markup=False,
        )


@grouped
def entity(
    context: typer.Context,
    shared: SharedOptions,
    name: Name,
    neighbours: Annotated[
        int, typer.Option("--neighbours", metavar="N", min=0, help="Links to show, the strongest first.")
    ] = 10,
    sentences: Annotated[
        int, typer.Option("--sentences", metavar="N", min=0, max=5, help="Sentences to show for each link.")
    ] = 1,
    passages: Annotated[
        int, typer.Option("--passages", metavar="N", min=0, help="Passages and documents to show.")
    ] = 5,
) -> None:
    """Show a person, a place, an organisation or a thing, with what it is named with and where.

    Each link has the sentences behind it; they are quotations from the documents.

    \b
    Examples:
      ascertain graph entity "European Central Bank"
      ascertain graph entity ECB --neighbours 30 --sentences 3
      ascertain graph entity bitcoin --json
    """
    from ascertain.cli.graph_printing import print_neighbourhood
    from ascertain.wire.graph import NeighbourhoodJson

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        found = knowledge.graph.entity(name, neighbours, sentences, passages)
    if invocation.as_json:
        invocation.emit(NeighbourhoodJson.from_noun(found))
    else:
        print_neighbourhood(invocation.out, found)


@grouped
def path(
    context: typer.Context,
    shared: SharedOptions,
    start: First,
    end: Second,
    paths: Annotated[int, typer.Option("--paths", metavar="N", min=1, max=20, help="Ways to show.")] = 1,
    sentences: Annotated[
        int, typer.Option("--sentences", metavar="N", min=1, max=5, help="Sentences to show for each step.")
    ] = 1,
) -> None:
    """Show how two things hang together, with the sentence behind each step.

    \b
    Examples:
      ascertain graph path "Satoshi Nakamoto" "proof of work"
      ascertain graph path Tesla Panasonic --paths 3
    """
    from ascertain.cli.graph_printing import print_path
    from ascertain.wire.graph import PathJson

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        found = knowledge.graph.path(start, end, paths, sentences)
    if invocation.as_json:
        invocation.emit(PathJson.from_noun(found))
    else:
        print_path(invocation.out, found)


@grouped
def export(
    context: typer.Context,
    shared: SharedOptions,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Ends in .graphml or .json.")],
    format: Annotated[
        FileFormat | None, typer.Option("--format", help="For a file with another ending.")
    ] = None,
) -> None:
    """Write entities and links to a file for other programs.

    GraphML is read by Gephi, yEd, Cytoscape and networkx.

    \b
    Examples:
      ascertain graph export notes.graphml
      ascertain graph export notes.json
    """
    from ascertain.cli.text import count
    from ascertain.wire.graph import ExportJson

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        report = knowledge.graph.export(file, format.value if format else None)
    if invocation.as_json:
        invocation.emit(ExportJson.from_noun(report))
        return
    entities = count(report.entities, "entity", "entities")
    invocation.out.print(f"{report.file}: {entities} and {count(report.links, 'link')}", markup=False)


class _Bar:
    """Draws a build."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=None)

    def advanced(self, done: int, total: int, chunks: int) -> None:
        """``done`` of ``total`` documents are read."""
        self._progress.update(self._task, completed=done, total=total)
