"""``ascertain graph``: build, view, correct, export."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from ascertain.core.errors import UsageError
from ascertain.core.service.status import format_count
from ascertain.interfaces.cli.options import First, Invocation, Name, Second, SharedOptions, spread_options
from ascertain.interfaces.cli.printing import counted_progress

if TYPE_CHECKING:
    from rich.console import Console

    from ascertain.app.graph.explorer import GraphExplorer
    from ascertain.app.wire.shape import NounShape
    from ascertain.core.graph.results import Decided, ExportReport, FoundEntities, Merges

Noun = TypeVar("Noun")
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Stored with the decision.")]
Undo = Annotated[bool, typer.Option("--undo", help="Revert the decision about these two.")]


@spread_options
def merge_names(
    context: typer.Context, shared: SharedOptions, left: First, right: Second, reason: Reason = "", undo: Undo = False
) -> None:
    """Decide that two names mean the same thing.

    It overrides every rule, applies to later documents, and can be reverted.

    \b
    Examples:
      ascertain graph merge "Satoshi" "Satoshi Nakamoto"
      ascertain graph merge "Satoshi" "Satoshi Nakamoto" --undo
    """
    invocation = Invocation(context, shared)
    if undo:
        _undo_decision(invocation, left, right)
    else:
        _present_decision(invocation, lambda graph: graph.merge(left, right, reason))


@spread_options
def split_names(
    context: typer.Context, shared: SharedOptions, left: First, right: Second, reason: Reason = "", undo: Undo = False
) -> None:
    """Decide that two names mean different things.

    `ascertain graph merges` lists which names are merged. It overrides every rule, applies to later documents,
    and can be reverted.

    \b
    Examples:
      ascertain graph split "Mercury (planet)" "Mercury (element)"
      ascertain graph split ECB "European Central Bank" --undo
    """
    invocation = Invocation(context, shared)
    if undo:
        _undo_decision(invocation, left, right)
    else:
        _present_decision(invocation, lambda graph: graph.split(left, right, reason))


@spread_options
def list_merges(context: typer.Context, shared: SharedOptions) -> None:
    """List which names are merged and why, and the decisions made by hand.

    In a pipe the columns are: what (decided or rule), name, name, state, reason, separated by tabs.

    \b
    Examples:
      ascertain graph merges
      ascertain graph merges --json
    """
    from ascertain.interfaces.cli.graph_printing import print_merges

    invocation = Invocation(context, shared)

    def show_merges(console: Console, found: Merges) -> None:
        if found.decided or found.merged:
            print_merges(console, found)
        else:
            invocation.err.print("no names are merged")

    _present_graph(invocation, lambda graph: graph.merges(), show_merges)


def _present_graph(
    invocation: Invocation,
    read: Callable[[GraphExplorer], Noun],
    show: Callable[[Console, Noun], object],
    shape: type[NounShape[Noun]] | None = None,
) -> None:
    """Open the knowledge base, read or change its graph, and print the result."""
    with invocation.open() as knowledge:
        found = read(knowledge.graph)
    invocation.present(found, show, shape)


def _present_decision(invocation: Invocation, decide: Callable[[GraphExplorer], Decided]) -> None:

    def show_decision(console: Console, decided: Decided) -> None:
        what = "are one thing" if decided.same else "are two things"
        console.print(f"{decided.left} and {decided.right} {what} from now on", markup=False)
        if not decided.holds:
            other = "other names keep them apart" if decided.same else "other names join them"
            console.print(f"but {other}: see 'ascertain graph merges'", markup=False)

    _present_graph(invocation, decide, show_decision)


def _undo_decision(invocation: Invocation, left: str, right: str) -> None:
    with invocation.open() as knowledge:
        was_decided = knowledge.graph.undo(left, right)
    if not was_decided:
        raise UsageError(f"nothing was decided about {left!r} and {right!r}; see 'ascertain graph merges'")
    if invocation.as_json:
        from ascertain.app.wire.graph import UndoneJson

        invocation.emit(UndoneJson(undone=True))
    else:
        invocation.out.print(f"{left} and {right}: left to the rules again", markup=False)


class FileFormat(StrEnum):
    """What a graph is written as."""

    GRAPHML = "graphml"
    JSON = "json"


@spread_options
def build_graph(
    context: typer.Context,
    shared: SharedOptions,
    again: Annotated[
        bool, typer.Option("--again", help="Read every document again, not only those that the graph lacks.")
    ] = False,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Show what there is to read and what it costs, and do nothing.")
    ] = False,
) -> None:
    """Sync the graph with the documents, of all tenants.

    It follows additions and deletions automatically. This is for documents from before there was a graph, or from
    a time with graph.build = false, for another graph.extractor, and after a failure. Interrupted, the same command
    continues.

    \b
    Examples:
      ascertain graph build
      ascertain graph build --again
      ASCERTAIN_GRAPH__EXTRACTOR=model ascertain graph build --estimate
    """
    from ascertain.interfaces.cli.graph_printing import print_build, print_estimate

    invocation = Invocation(context, shared)
    if estimate:
        _present_graph(invocation, lambda graph: graph.estimate(again=again), print_estimate)
        return
    with invocation.open() as knowledge, counted_progress(invocation.err, "reading") as bar:
        report = knowledge.graph.build_all(bar, again=again)
    invocation.present(report, print_build)
    if report.left:
        raise typer.Exit(1)


@spread_options
def show_stats(context: typer.Context, shared: SharedOptions) -> None:
    """Show the size of the graph, and the names most frequent.

    \b
    Examples:
      ascertain graph stats
      ascertain graph stats --json
    """
    from ascertain.interfaces.cli.graph_printing import print_stats

    _present_graph(Invocation(context, shared), lambda graph: graph.stats(), print_stats)


@spread_options
def list_entities(
    context: typer.Context,
    shared: SharedOptions,
    query: Annotated[
        str, typer.Argument(metavar="[QUERY]", help="The beginning of a word of a name; it may be misspelt.")
    ] = "",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Entities to show.")] = 20,
) -> None:
    """List entities: by name, or the most frequent.

    In a pipe the columns are: name, kind, mentions, documents, aliases, id, separated by tabs.

    \b
    Examples:
      ascertain graph entities
      ascertain graph entities naka
    """
    from ascertain.app.wire.graph import FoundEntitiesJson
    from ascertain.interfaces.cli.graph_printing import print_entities

    invocation = Invocation(context, shared)

    def show_entities(console: Console, found: FoundEntities) -> None:
        if found.entities:
            print_entities(console, found)
        else:
            missing = (
                f"nothing is called {query!r}" if query else "the graph is empty; add documents: ascertain add PATH"
            )
            invocation.err.print(missing, markup=False)

    _present_graph(invocation, lambda graph: graph.entities(query, limit), show_entities, FoundEntitiesJson)


@spread_options
def show_entity(
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
    topic: Annotated[str, typer.Option("--topic", metavar="TOPIC", help="Only from passages about this topic.")] = "",
) -> None:
    """Show a person, a place, an organisation or a thing, with its links and where it is named.

    Each link has the sentences behind it; they are quotations from the documents.

    \b
    Examples:
      ascertain graph entity "European Central Bank"
      ascertain graph entity ECB --neighbours 30 --sentences 3
      ascertain graph entity bitcoin --json
    """
    from ascertain.app.wire.graph import NeighbourhoodJson
    from ascertain.interfaces.cli.graph_printing import print_neighbourhood

    _present_graph(
        Invocation(context, shared),
        lambda graph: graph.entity(name, neighbours, sentences, passages, topic=topic),
        print_neighbourhood,
        NeighbourhoodJson,
    )


@spread_options
def show_path(
    context: typer.Context,
    shared: SharedOptions,
    start: First,
    end: Second,
    paths: Annotated[int, typer.Option("--paths", metavar="N", min=1, max=20, help="Ways to show.")] = 1,
    sentences: Annotated[
        int, typer.Option("--sentences", metavar="N", min=1, max=5, help="Sentences to show for each step.")
    ] = 1,
) -> None:
    """Show how two things are connected, with the sentence behind each step.

    \b
    Examples:
      ascertain graph path "Satoshi Nakamoto" "proof of work"
      ascertain graph path Tesla Panasonic --paths 3
    """
    from ascertain.app.wire.graph import PathJson
    from ascertain.interfaces.cli.graph_printing import print_path

    _present_graph(
        Invocation(context, shared), lambda graph: graph.path(start, end, paths, sentences), print_path, PathJson
    )


@spread_options
def list_communities(
    context: typer.Context,
    shared: SharedOptions,
    level: Annotated[
        int, typer.Option("--level", metavar="N", min=0, help="How far to divide; 0 shows the broadest groups only.")
    ] = 1,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Groups to show at each level.")] = 20,
) -> None:
    """Show what the documents are about: groups of what they name together, and what these divide into.

    Each group has its most typical names and a typical sentence. With --json the groups of one level, each
    with the id of the group that it divides.

    \b
    Examples:
      ascertain graph communities
      ascertain graph communities --level 0 --limit 5
      ascertain graph communities --level 2 --json
    """
    from ascertain.interfaces.cli.graph_printing import print_communities

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        graph = knowledge.graph
        levels = (level,) if invocation.as_json else range(level + 1)
        found = [graph.communities(each, limit, evidence=1) for each in levels]
    if invocation.as_json:
        invocation.emit(found[0])
    elif found[0].communities:
        print_communities(invocation.out, found)
    else:
        invocation.err.print("the graph is empty; add documents: ascertain add PATH", markup=False)


@spread_options
def export_graph(
    context: typer.Context,
    shared: SharedOptions,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Ends in .graphml or .json.")],
    format: Annotated[FileFormat | None, typer.Option("--format", help="For a file with another ending.")] = None,
) -> None:
    """Write entities and links to a file for other programs.

    GraphML is read by Gephi, yEd, Cytoscape and networkx.

    \b
    Examples:
      ascertain graph export notes.graphml
      ascertain graph export notes.json
    """

    def show_export(console: Console, report: ExportReport) -> None:
        entities = format_count(report.entities, "entity", "entities")
        console.print(f"{report.file}: {entities} and {format_count(report.links, 'link')}", markup=False)

    as_format = format.value if format else None
    _present_graph(Invocation(context, shared), lambda graph: graph.export(file, as_format), show_export)
