"""``ascertain stats`` and ``ascertain doctor``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ascertain.core.errors import AscertainError
from ascertain.core.service.status import format_count, format_size
from ascertain.interfaces.cli.options import Invocation, SharedOptions, spread_options
from ascertain.interfaces.cli.printing import format_date, format_named, print_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from ascertain.core.documents.ingest import IngestRun
    from ascertain.core.service.status import GraphCounts, StoreStats


SHOWN_SHARES = 5
"""Types and subjects of documents listed in a table; ``--json`` has them all."""


@spread_options
def show_stats(
    context: typer.Context,
    shared: SharedOptions,
    feedback: Annotated[
        bool, typer.Option("--feedback", help="Show how answers were liked instead, by kind of question and strategy.")
    ] = False,
    drift: Annotated[
        int | None,
        typer.Option(
            "--drift", metavar="DAYS", min=1, max=365, help="Show instead what changed in the answers of the last days."
        ),
    ] = None,
) -> None:
    """Show how much is in the knowledge base.

    \b
    Examples:
      ascertain stats
      ascertain stats --home team.kb --json
      ascertain stats --feedback
      ascertain stats --drift 7
    """
    from ascertain.app.wire.holdings import StatsJson

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        if feedback:
            from ascertain.interfaces.cli.commands.asking.conversations import print_summary

            print_summary(invocation, knowledge.feedback_summary())
            return
        if drift is not None:
            from ascertain.interfaces.cli.commands.asking.conversations import print_drift

            print_drift(invocation, knowledge.drift(drift))
            return
        numbers = knowledge.stats()
        place = knowledge.place
        runs = knowledge.ingest_runs()
        graph = knowledge.graph.counts()
    if invocation.as_json:
        invocation.emit(StatsJson.from_counts(numbers, place, runs, graph))
        return

    print_table(
        invocation.out,
        ("what", "value"),
        [("place", place), *_stat_rows(numbers), *_graph_rows(graph), *_run_rows(runs)],
        elastic=1,
    )


@spread_options
def list_named(context: typer.Context, shared: SharedOptions) -> None:
    """List the named knowledge bases, with their folders.

    `ascertain add PATH --kb NAME` creates one. To remove one, delete its folder.

    \b
    Examples:
      ascertain kb list
      ascertain ask "how do refunds work?" --kb handbook
    """
    from ascertain.app.container.store_addresses import list_named_homes
    from ascertain.app.wire.holdings import NamedHomeJson

    invocation = Invocation(context, shared)
    found = [
        NamedHomeJson(name=home.name, home=str(home), documents=_count_documents(context, home))
        for home in list_named_homes()
    ]
    if invocation.as_json:
        invocation.emit(found)
        return
    if not found:
        invocation.err.print("no named knowledge bases yet; create one: ascertain add PATH --kb NAME", markup=False)
        return
    unknown = "cannot be opened: see ascertain doctor"
    rows = [(each.name, unknown if each.documents is None else f"{each.documents:,}", each.home) for each in found]
    print_table(invocation.out, ("name", "documents", "home"), rows, elastic=2)


def _count_documents(context: typer.Context, home: Path) -> int | None:
    try:
        with Invocation(context, SharedOptions(kb=home.name)).open() as knowledge:
            return knowledge.stats().documents if knowledge.exists else 0
    except AscertainError:
        return None


@spread_options
def run_doctor(
    context: typer.Context,
    shared: SharedOptions,
    repair: Annotated[bool, typer.Option("--repair", help="Rebuild what is wrong.")] = False,
) -> None:
    """Check that everything works.

    Looks at the settings, the model, the disk and the knowledge base. Exits with 1 when something is wrong.

    \b
    Examples:
      ascertain doctor
      ascertain doctor --repair --home team.kb
    """
    from ascertain.app.health import examine_health
    from ascertain.app.wire.holdings import HealthJson

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        health = examine_health(knowledge, repair)
    if invocation.as_json:
        invocation.emit(HealthJson.from_noun(health))
    else:
        for problem in health.problems:
            invocation.out.print(f"problem: {problem}", style="bold red", markup=False)
        print_table(invocation.out, ("check", "result"), list(health.facts.items()), elastic=1)
        if not health.problems:
            invocation.out.print("everything is in order", style="green")
    if health.problems:
        raise typer.Exit(1)


def _stat_rows(numbers: StoreStats) -> list[tuple[str, str]]:

    def listed(counts: Mapping[str, int]) -> str:
        return ", ".join(f"{name} {number:,}" for name, number in counts.items())

    dated = f"{numbers.earliest[:10]} to {numbers.latest[:10]}" if numbers.earliest and numbers.latest else "none"
    return [
        ("documents", f"{numbers.documents:,}"),
        ("chunks", f"{numbers.chunks:,}"),
        ("kinds", listed(numbers.by_kind)),
        ("profiles", listed(numbers.by_profile)),
        ("states", listed(numbers.by_state)),
        *((name, shares) for name, shares in _format_shares(numbers).items() if shares),
        ("published", dated),
        ("embedding model", f"{numbers.embedding_model} ({numbers.dimension} dimensions)"),
        ("on disk", format_size(numbers.bytes_on_disk)),
    ]


def _graph_rows(graph: GraphCounts | None) -> list[tuple[str, str]]:
    """The size of the graph; if it cannot be read, doctor says why."""
    if graph is None:
        return [("knowledge graph", "cannot be read: see ascertain doctor")]
    held = format_named(graph.names, graph.mentions, graph.relations)
    return [("knowledge graph", f"{held}, of {format_count(graph.documents, 'document')}")]


def _run_rows(runs: Sequence[IngestRun]) -> list[tuple[str, str]]:
    """The running runs, or else the last one."""
    under_way = [run for run in runs if run.state.value == "running"]
    return [("adding now" if run in under_way else "last added", _describe_run(run)) for run in under_way or runs[:1]]


def _describe_run(run: IngestRun) -> str:

    share = f", {run.bytes_done / run.bytes_total:.0%}" if run.bytes_total else ""
    failures = f", {format_count(run.failures, 'failure')}" if run.failures else ""
    reason = f": {run.reason}" if run.reason else ""
    engine = "" if run.engine == "local" else f", {run.engine}"
    done = f"{run.state.value}{share}, {format_count(run.chunks, 'chunk')}{failures}{engine}{reason}"
    return f"{run.what}, since {format_date(run.started_at)}, {done}"


def _format_shares(numbers: StoreStats) -> dict[str, str]:
    def listed(shares: Iterable[tuple[str, float]]) -> str:
        named = [f"{name.replace('_', ' ')} {share:.0%}" for name, share in shares]
        return ", ".join([*named[:SHOWN_SHARES], *(["…"] if len(named) > SHOWN_SHARES else [])])

    corpus = numbers.corpus
    return {"types": listed(corpus.types.items()), "subjects": listed(corpus.domains.items())}
