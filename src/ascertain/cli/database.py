"""``ascertain db``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from ascertain.cli.invocation import Invocation
from ascertain.cli.options import SharedOptions, grouped

if TYPE_CHECKING:
    from ascertain.app.results import SchemaChange


def register(app: typer.Typer) -> None:
    """Mount the commands."""
    database = typer.Typer(name="db", help="Look after the schema of the store.", rich_markup_mode=None)
    database.command("upgrade")(upgrade)
    database.command("status")(status)
    app.add_typer(database)


@grouped
def upgrade(context: typer.Context, shared: SharedOptions) -> None:
    """Bring the store's schema up to this version of Ascertain.

    Run it once after an upgrade of the package, on any machine; again, or on several at once, does no harm. Documents stay,
    and so do programs of the version before. An empty database is set up.

    \b
    Example:
      ascertain db upgrade
    """
    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        change = knowledge.upgrade()
        place = knowledge.place
    if _emitted(invocation, change):
        return
    for step in change.applied:
        invocation.out.print(f"applied {step}", markup=False)
    what = f"{change.before} → {change.after}" if change.applied else f"{change.after}, nothing to do"
    invocation.out.print(f"{place}: schema {what}", markup=False)


@grouped
def status(context: typer.Context, shared: SharedOptions) -> None:
    """Show the version of the store's schema and the steps that `ascertain db upgrade` would apply.

    \b
    Example:
      ascertain db status --json
    """
    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        change = knowledge.pending_upgrade()
        place = knowledge.place
    if _emitted(invocation, change):
        return
    for step in change.applied:
        invocation.out.print(f"pending {step}", markup=False)
    behind = f" of {change.after}: run ascertain db upgrade" if change.applied else ", up to date"
    invocation.out.print(f"{place}: schema {change.before}{behind}", markup=False)


def _emitted(invocation: Invocation, change: SchemaChange) -> bool:
    from ascertain.wire.holdings import SchemaJson

    if invocation.as_json:
        invocation.emit(SchemaJson.from_noun(change))
    return invocation.as_json
