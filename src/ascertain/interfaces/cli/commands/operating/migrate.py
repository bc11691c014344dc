"""``ascertain migrate``."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from ascertain.core.errors import UsageError
from ascertain.core.service.status import format_count, format_size
from ascertain.interfaces.cli.options import Invocation, SharedOptions, spread_options
from ascertain.interfaces.cli.printing import format_duration, print_table, rated_progress

if TYPE_CHECKING:
    from ascertain.app.choosing.settings_file import Switch
    from ascertain.app.migration.copying import Migration
    from ascertain.app.migration.documents import MigrationListener
    from ascertain.core.service.migration import Content, MigrationPlan, MigrationReport

SHOWN_DIFFERENCES = 20
"""Listed for people; ``--json`` lists them all."""
CHECKSUM_DIGITS = 16
"""Shown of a checksum to people."""

From = Annotated[str | None, typer.Option("--from", metavar="PLACE", help="Copy from here.  [default: the one in use]")]
To = Annotated[str | None, typer.Option("--to", metavar="PLACE", help="Copy to here.  [default: the one in use]")]


@spread_options
def migrate_store(
    context: typer.Context,
    shared: SharedOptions,
    source: From = None,
    target: To = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be copied and what prevents it.")] = False,
    verify_only: Annotated[bool, typer.Option("--verify-only", help="Only compare both places.")] = False,
    tenant: Annotated[
        str | None, typer.Option("--tenant", metavar="NAME", help="Only what belongs to this tenant.")
    ] = None,
    merge: Annotated[bool, typer.Option("--merge", help="Keep what only the target has.")] = False,
    switch: Annotated[bool, typer.Option("--switch", help="Then write the new place into ascertain.toml.")] = False,
) -> None:
    """Copy a knowledge base from one store to another.

    Everything is copied, vectors, conversations, the graph, keys, feedback and uploaded files too; nothing is embedded
    again. At the end every document is read again from both places and compared. Interrupted, the same command
    continues. A PLACE is a folder or an address; see docs/stores.md.

    \b
    Examples:
      ascertain migrate --from team.kb --to postgresql://me@db.example.org/knowledge --dry-run
      ascertain migrate --from team.kb --to postgresql://me@db.example.org/knowledge --switch
      ascertain migrate --from team.kb --to qdrant+http://search.example.org:6333/team
      ascertain migrate --from postgresql://me@db.example.org/knowledge --to backup.kb
    """
    from ascertain.app.choosing.settings_file import switch_from

    invocation = Invocation(context, shared)
    migration = _open_migration(invocation, source, target, tenant, merge=merge)
    if dry_run:
        _print_plan(invocation, migration.plan())
        return
    with _show_progress(invocation.err) as listener:
        report = migration.verify(listener) if verify_only else migration.run(listener)
    change = None if report.differences or verify_only else switch_from(migration.source, migration.target)
    overruled = change.write(os.environ) if change and switch else []
    if invocation.as_json:
        written = str(change.file) if change and change.values and switch else None
        from ascertain.app.wire.migration import MigrationJson

        invocation.emit(MigrationJson.from_report(report, written))
    else:
        _print_report(invocation.out, report)
        if change:
            _print_switch(invocation.out, change, switch, overruled)
    if report.differences:
        raise typer.Exit(1)


def _open_migration(
    invocation: Invocation, source: str | None, target: str | None, tenant: str | None, *, merge: bool
) -> Migration:
    from ascertain.app.container.store_addresses import Address, parse_address
    from ascertain.app.migration.copying import Migration
    from ascertain.app.migration.plan import MigrationScope

    if source is None and target is None:
        raise UsageError(
            "say where to copy to, with --to, for example --to postgresql://user@host/database; "
            "see 'ascertain migrate --help'"
        )
    settings = invocation.settings().settings
    in_use = Address(settings.store, settings.home)
    here = parse_address(source, settings, os.environ) if source else in_use
    # what the target also stores in a folder stays in the home that is switched
    beside = settings.model_copy(update={"home": here.home})
    there = parse_address(target, beside, os.environ) if target else in_use
    return Migration(here, there, MigrationScope(tenant, merge), settings.graph)


def _print_plan(invocation: Invocation, plan: MigrationPlan) -> None:

    if invocation.as_json:
        invocation.emit(plan)
        return

    out = invocation.out
    there = format_count(plan.target_documents, "document") if plan.target_exists else "nothing yet"
    out.print(f"from {plan.source}", markup=False)
    out.print(f"to   {plan.target}, which holds {there}", markup=False)
    out.print(f"vectors of {plan.model} ({plan.dimension} dimensions) are copied as they are", markup=False)
    rows = [
        (
            tenant.tenant,
            format_count(tenant.documents, "document"),
            format_count(tenant.chunks, "chunk"),
            format_count(tenant.conversations, "conversation"),
            format_size(tenant.bytes),
            f"{tenant.present:,} already there",
        )
        for tenant in plan.tenants
    ]
    print_table(out, ("tenant", "documents", "chunks", "conversations", "size", ""), rows)
    for obstacle in plan.obstacles:
        out.print(f"in the way: {obstacle}", style="bold red", markup=False)
    if not plan.obstacles:
        out.print("ready to copy; nothing was changed", style="green")


def _print_report(console: Console, report: MigrationReport) -> None:

    if report.written or report.unchanged:
        line = f"{format_count(report.written, 'document')} and {format_count(report.turns, 'turn')} copied"
        before = f", {report.unchanged:,} were there" if report.unchanged else ""
        console.print(f"{line}{before}, in {format_duration(report.seconds)}", markup=False)
    if report.graphs or report.pins:
        decided = f" and {format_count(report.pins, 'decision')} about names" if report.pins else ""
        console.print(f"graph of {format_count(report.graphs, 'document')}{decided} copied", markup=False)
    kept = report.service
    amounts = {"key": kept.keys, "past answer": kept.answers, "notebook": kept.notebooks, "uploaded file": kept.files}
    if any(amounts.values()):
        named = ", ".join(format_count(amount, name) for name, amount in amounts.items() if amount)
        console.print(f"{named} copied", markup=False)
    if kept.waiting:
        waiting = format_count(kept.waiting, "uploaded file")
        console.print(
            f"left out, still to be read by the service at the source: {waiting}; the same command brings them later",
            markup=False,
        )
    for names in report.left_out:
        console.print(f"left out, still being answered: turn {' / '.join(names)}", markup=False)
    for proof in report.tenants:
        if proof.source == proof.target:
            console.print(f"{proof.tenant}: {_describe_content(proof.source)} in both", markup=False)
        else:
            console.print(f"{proof.tenant}: {_describe_content(proof.source)} in {report.source}", markup=False)
            console.print(f"{proof.tenant}: {_describe_content(proof.target)} in {report.target}", markup=False)
    for line in report.differences[:SHOWN_DIFFERENCES]:
        console.print(f"different: {line}", style="bold red", markup=False)
    if len(report.differences) > SHOWN_DIFFERENCES:
        console.print(f"… and {len(report.differences) - SHOWN_DIFFERENCES:,} more")
    if report.differences:
        console.print("the two are not equal; run the same command again to copy the changes", markup=False)
    else:
        console.print("verified: both are equal", style="green")


def _describe_content(content: Content) -> str:

    amounts = (
        format_count(content.documents, "document"),
        format_count(content.chunks, "chunk"),
        format_count(content.turns, "turn"),
        f"checksum {content.checksum[:CHECKSUM_DIGITS]}",
    )
    return ", ".join(amounts)


def _print_switch(console: Console, change: Switch, is_written: bool, overruled: Sequence[str]) -> None:
    import json

    if change.values:
        console.print(f"\nwritten to {change.file}:" if is_written else f"\nto use it, write into {change.file}:")
        console.print("[store]", markup=False)
    for key, value in change.values.items():
        console.print(f"{key.removeprefix('store.')} = {json.dumps(value)}", markup=False)
    for line in change.remarks:
        console.print(line, markup=False)
    for line in overruled:
        console.print(f"but {line}", style="bold red", markup=False)


@contextmanager
def _show_progress(console: Console) -> Generator[MigrationListener | None]:
    if not console.is_terminal:
        yield None
        return

    with rated_progress(console) as progress:
        yield _Bar(progress)


class _Bar:
    """Draws a migration, one bar a stage."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=None, name="looking", rate="")

    def stage(self, name: str, chunks: int) -> None:
        """Start another bar."""
        self._progress.remove_task(self._task)
        self._task = self._progress.add_task("", total=chunks or None, name=name, rate="")

    def report_progress(self, chunks: int) -> None:
        """Advance by ``chunks``."""
        task = self._progress.tasks[-1]
        done, seconds = task.completed + chunks, task.elapsed or 0.0
        rate = f"{done / seconds:,.0f} chunks/s" if seconds > 1 else ""
        self._progress.update(self._task, advance=chunks, rate=rate)
