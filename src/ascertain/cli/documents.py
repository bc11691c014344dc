"""``ascertain documents`` and ``ascertain delete``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ascertain.cli.filters import build_filter
from ascertain.cli.invocation import Invocation
from ascertain.cli.options import MaterialOptions, SharedOptions, grouped
from ascertain.core.documents import DocumentRecord, DocumentState
from ascertain.core.errors import UsageError
from ascertain.core.profiling import DocumentType

if TYPE_CHECKING:
    from rich.console import Console

PREVIEW = 10
"""Documents named before asking whether to delete them."""


def register(app: typer.Typer) -> None:
    """Mount the commands."""
    app.command("documents")(documents)
    app.command("delete")(delete)


@grouped
def documents(
    context: typer.Context,
    shared: SharedOptions,
    filters: MaterialOptions,
    state: Annotated[
        list[DocumentState] | None, typer.Option("--state", help="Only documents in this state; repeatable.")
    ] = None,
) -> None:
    """List documents with their states.

    A document that is not plainly indexed is listed with the reason. In a pipe the columns are: id, state, kind, date,
    chunks, title, source, reason, type, separated by tabs.

    \b
    Examples:
      ascertain documents
      ascertain documents --state failed
      ascertain documents --kind article --since 2024-12-01 --json
    """
    from ascertain.wire.documents import DocumentJson

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        records = knowledge.documents(build_filter(filters))
    shown = [record for record in records if not state or record.state in state]
    if invocation.as_json:
        invocation.emit([DocumentJson.from_noun(record) for record in shown])
    elif shown:
        _print_records(invocation.out, shown)
    else:
        invocation.err.print(
            "no documents match" if records else "no documents yet; add some: ascertain add PATH"
        )


@grouped
def delete(
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
        raise UsageError(
            "say what to delete: a document id, or a filter such as --source, --kind or --before"
        )
    with invocation.open() as knowledge:
        chosen = knowledge.documents(selection)
        if not chosen:
            raise UsageError(
                "no document matches, nothing was deleted; 'ascertain documents' lists ids and sources"
            )
        if not yes:
            _confirm(invocation, chosen)
        deleted = knowledge.delete(selection)
    if invocation.as_json:
        from ascertain.wire.documents import DeletedJson

        invocation.emit(DeletedJson(deleted=deleted))
    else:
        from ascertain.cli.text import count

        invocation.out.print(f"deleted {count(deleted, 'document')}", markup=False)


def _confirm(invocation: Invocation, chosen: list[DocumentRecord]) -> None:
    import sys

    from ascertain.cli.text import count

    if not sys.stdin.isatty():
        raise UsageError(f"this deletes {count(len(chosen), 'document')}; add --yes to confirm")
    for record in chosen[:PREVIEW]:
        invocation.err.print(f"  {record.id}  {record.title}  ({record.source})", markup=False)
    if len(chosen) > PREVIEW:
        invocation.err.print(f"  … and {len(chosen) - PREVIEW:,} more")
    typer.confirm(f"Delete {count(len(chosen), 'document')}?", abort=True, err=True)


def _print_records(console: Console, records: list[DocumentRecord]) -> None:
    """Two or three lines a document in a terminal, however narrow; tab-separated columns in a pipe."""
    from rich.text import Text

    from ascertain.cli.passages import indented
    from ascertain.cli.tables import print_table
    from ascertain.cli.text import count, date, printable

    if not console.is_terminal:
        print_table(console, (), [_columns(record) for record in records])
        return
    for record in records:
        line = Text(record.id, style="bold cyan")
        details = (record.kind.value, _type(record), date(record.published_at), count(record.chunks, "chunk"))
        line.append("  " + "  ".join(filter(None, details)), style="not bold default")
        if record.state is not DocumentState.INDEXED:
            line.append(f"  {record.state.value}", style="bold red")
        console.print(line)
        indented(console, Text(printable(record.title)))
        indented(console, Text(printable(record.source), style="dim"))
        if record.reason:
            indented(console, Text(printable(record.reason), style="red"))
    console.print(f"\n{count(len(records), 'document')}", style="dim")


def _columns(record: DocumentRecord) -> tuple[str, ...]:
    from ascertain.cli.text import date

    return (
        record.id,
        record.state.value,
        record.kind.value,
        date(record.published_at),
        str(record.chunks),
        record.title,
        record.source,
        record.reason,
        _type(record),
    )


def _type(record: DocumentRecord) -> str:
    """What the document seems to be, in words; empty where nothing tells."""
    profile = record.document_profile
    return "" if profile is None or profile.type is DocumentType.OTHER else profile.type.replace("_", " ")
