"""``ascertain source``: what is synced repeatedly, and ``watch``, which does so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ascertain.core.documents.sources import INTERVALS, SourceState, format_interval
from ascertain.core.errors import UsageError
from ascertain.core.service.status import format_count
from ascertain.interfaces.cli.commands.documents.documents import print_report
from ascertain.interfaces.cli.options import Invocation, SharedOptions, spread_options
from ascertain.interfaces.cli.printing import format_date, ingest_progress, print_table

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain
    from ascertain.core.documents.ingest import IngestReport
    from ascertain.core.documents.sources import SourceRecord

Tenant = Annotated[str, typer.Option("--tenant", metavar="T", help="Whose sources.")]
SourceName = Annotated[str, typer.Argument(metavar="NAME", help="Name of the source, as 'source list' shows it.")]
SyncAll = Annotated[bool, typer.Option("--sync-all", help="Delete what is gone even if that is most of it.")]


@spread_options
def add_source(
    context: typer.Context,
    address: Annotated[
        str,
        typer.Argument(metavar="ADDRESS", help="A folder, https://…, imaps://…, s3://…, sftp://…, arxiv:…, llamahub:…"),
    ],
    shared: SharedOptions,
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="What to call it.  [default: from the address]")
    ] = "",
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="folder, site, feed, arxiv, imap, git, files, llamahub or one of a package.  [default: by the address]",
        ),
    ] = "",
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", metavar="NAME=VALUE", help="An option of the kind; a secret as NAME=env:VARIABLE; repeatable."
        ),
    ] = None,
    every: Annotated[str, typer.Option("--every", metavar="TIME", help=f"How often it is read: {INTERVALS}.")] = "1h",
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Put this tag on the documents; repeatable.")
    ] = None,
    reader: Annotated[
        list[str] | None,
        typer.Option(
            "--reader", metavar="WHO", help="Read only what this user may see, for items with permissions; repeatable."
        ),
    ] = None,
    no_read: Annotated[bool, typer.Option("--no-read", help="Only put it on record; read it later.")] = False,
    tenant: Tenant = "default",
) -> None:
    """Add a source and read it: a folder, site, feed, mailbox, repository or file system.

    'source sync' reads it again: what is new or changed is added, what is gone is deleted, the rest is skipped. 'watch'
    and 'serve' do so automatically. Secrets are never stored: give an environment variable (env:NAME) or an entry of the
    keyring (keyring:SERVICE/USER).

    \b
    Examples:
      ascertain source add handbook/
      ascertain source add https://docs.example.org/guide/ --option pages=200 --every 1d
      ascertain source add s3://company/handbook --option key=env:S3_KEY --option secret=env:S3_SECRET
      ascertain source add sftp://files.example.org/reports --option username=ann --option password=env:SFTP_PASSWORD
      ascertain source add imaps://mail.example.org/INBOX --option user=ann --option password=keyring:mail/ann
      ascertain source add https://github.com/encode/httpx.git --option folder=docs
      ascertain source add llamahub:notion.NotionPageReader --option init.integration_token=env:NOTION_TOKEN
    """
    invocation = Invocation(context, shared)
    with invocation.open() as everybody:
        knowledge = everybody.as_tenant(tenant)
        record = knowledge.sources.add(
            address,
            name=name,
            kind=kind,
            options=dict(_split_option(each) for each in option or ()),
            every=every,
            tags=tag or (),
            readers=reader or (),
        )
        if no_read:
            _print_record(invocation, record)
            return
        is_read = _read_source(invocation, knowledge, record.name)
    if not is_read:
        raise typer.Exit(1)


@spread_options
def list_sources(context: typer.Context, shared: SharedOptions, tenant: Tenant = "default") -> None:
    """List the sources with the result of their last sync, and when the next one is.

    In a pipe the columns are: name, kind, state, last read, next, documents added, changed, deleted and failed the last
    time, address, reason, separated by tabs.

    \b
    Examples:
      ascertain source list
      ascertain source list --json
    """
    invocation = Invocation(context, shared)
    with invocation.open() as everybody:
        found = everybody.as_tenant(tenant).sources.list_all()
    if invocation.as_json:
        invocation.emit(found)
    elif found:
        columns = (
            "name",
            "kind",
            "state",
            "last read",
            "next",
            "added",
            "changed",
            "deleted",
            "failed",
            "address",
            "reason",
        )
        print_table(invocation.out, columns, [_record_columns(record) for record in found], elastic=9)
    else:
        invocation.err.print("no sources yet; add one: ascertain source add ADDRESS", markup=False)


@spread_options
def sync_sources(
    context: typer.Context,
    shared: SharedOptions,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Names, as 'source list' shows them; all by default.")
    ] = None,
    sync_all: SyncAll = False,
    tenant: Tenant = "default",
) -> None:
    """Read sources now: what is new or changed is added, what is gone is deleted.

    A source that cannot be reached, or that stops before it has listed everything, loses nothing. Interrupt it at any time:
    the same command continues.

    \b
    Examples:
      ascertain source sync
      ascertain source sync handbook
      ascertain source sync old-share --sync-all
    """
    invocation = Invocation(context, shared)
    arguments: dict[str, object] = {"ingest.sync_share": 1 if sync_all else None}
    with invocation.open(arguments=arguments) as everybody:
        knowledge = everybody.as_tenant(tenant)
        chosen = names or [record.name for record in knowledge.sources.list_all()]
        if not chosen:
            raise UsageError("there are no sources; add one: ascertain source add ADDRESS")
        states = [_read_source(invocation, knowledge, name) for name in chosen]
    if not all(states):
        raise typer.Exit(1)


@spread_options
def remove_source(
    context: typer.Context,
    name: SourceName,
    shared: SharedOptions,
    keep_documents: Annotated[bool, typer.Option("--keep-documents", help="Keep its documents.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    tenant: Tenant = "default",
) -> None:
    """Remove a source, and delete its documents.

    \b
    Examples:
      ascertain source remove handbook --yes
      ascertain source remove handbook --keep-documents
    """
    import sys

    invocation = Invocation(context, shared)
    with invocation.open() as everybody:
        desk = everybody.as_tenant(tenant).sources
        desk.get(name)
        if not (keep_documents or yes):
            if not sys.stdin.isatty():
                raise UsageError(f"this deletes the documents of {name}; add --yes, or --keep-documents")
            typer.confirm(f"Delete the documents of {name}?", abort=True, err=True)
        deleted = desk.remove(name, keeps_documents=keep_documents)
    if invocation.as_json:
        from ascertain.app.wire.sources import RemovedSourceJson

        invocation.emit(RemovedSourceJson(removed=name, deleted=deleted))
    else:
        invocation.out.print(f"removed {name}, deleted {format_count(deleted, 'document')}", markup=False)


@spread_options
def watch_sources(context: typer.Context, shared: SharedOptions) -> None:
    """Read sources as they change, until you press Ctrl-C. Folders are read at once, the others when they are due.

    'ascertain serve' does the same in the background; one process at a time does it.

    \b
    Examples:
      ascertain watch
      ascertain watch --json
    """
    import signal

    from ascertain.app.sources.watching import SourceWatch

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        if not knowledge.sources.list_all():
            raise UsageError("there are no sources to watch; add one: ascertain source add ADDRESS")
        watch = SourceWatch(
            knowledge.access, lambda tenant, name: _read_watched(invocation, knowledge.as_tenant(tenant), name)
        )
        signal.signal(signal.SIGTERM, lambda signal_number, frame: watch.end())
        count = format_count(len(knowledge.sources.list_all()), "source")
        invocation.err.print(f"watching {count}; Ctrl-C stops it", markup=False)
        if not watch.run():
            raise UsageError(
                "another process (ascertain serve, or watch) watches the sources of this knowledge base already"
            )


def _read_watched(invocation: Invocation, knowledge: Ascertain, name: str) -> None:
    _read_source(invocation, knowledge, name)


def _read_source(invocation: Invocation, knowledge: Ascertain, name: str) -> bool:
    """Whether it was read to its end; prints the result."""
    with ingest_progress(invocation.err) as listener:
        record, report = knowledge.sources.sync(name, listener=listener)
    if invocation.as_json:
        from ascertain.app.wire.sources import SyncedSourceJson

        invocation.emit(SyncedSourceJson(source=record, report=report))
    else:
        _print_outcome(invocation.out, record, report)
    return record.state is SourceState.READ


def _print_outcome(console: Console, record: SourceRecord, report: IngestReport) -> None:
    console.print(f"{record.name} ({record.kind}, {record.address})", style="bold", markup=False)
    print_report(console, report)
    if record.reason:
        console.print(f"not read to its end, nothing was deleted: {record.reason}", style="bold red", markup=False)


def _print_record(invocation: Invocation, record: SourceRecord) -> None:
    if invocation.as_json:
        invocation.emit(record)
    else:
        invocation.out.print(
            f"{record.name}: {record.address}, every {format_interval(record.interval_seconds)}", markup=False
        )


def _record_columns(record: SourceRecord) -> tuple[str, ...]:
    outcome = record.outcome
    numbers = (outcome.added, outcome.changed, outcome.deleted, outcome.failed)
    return (
        record.name,
        record.kind,
        record.state.value,
        format_date(record.read_at),
        _format_moment(record),
        *map(str, numbers),
        record.address,
        record.reason,
    )


def _format_moment(record: SourceRecord) -> str:
    """When it is read again, to the minute, in UTC."""
    return f"{record.next_at:%Y-%m-%d %H:%M}" if record.next_at else "never"


def _split_option(given: str) -> tuple[str, str]:
    name, mark, value = given.partition("=")
    if not (mark and name.strip()):
        raise UsageError(f"--option {name.strip() or given!r} is not of the form NAME=VALUE")
    return name.strip(), value
