"""``ascertain keys``: who may use the service; ``ascertain audit`` and ``prune-audit``: who did what."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from ascertain.core.errors import UsageError
from ascertain.core.service.service import Role
from ascertain.core.service.status import format_count
from ascertain.interfaces.cli.options import Invocation, SharedOptions, parse_moment, spread_options
from ascertain.interfaces.cli.printing import format_date, print_table, strip_control

if TYPE_CHECKING:
    from ascertain.core.service.service import ApiKey

KeyId = Annotated[str, typer.Argument(metavar="ID", help="Id of the key, as 'keys' shows it.")]
Expires = Annotated[
    str | None, typer.Option("--expires", metavar="TIME", help="Time until it expires: 90d, 12h or 4w.")
]


@spread_options
def add_key(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is for.")],
    shared: SharedOptions,
    tenant: Annotated[str, typer.Option("--tenant", metavar="T", help="Whose documents it opens.")] = "default",
    user: Annotated[
        str,
        typer.Option(
            "--user",
            metavar="NAME",
            help="The user whose conversations, jobs and runs it opens.  [default: the key's own]",
        ),
    ] = "",
    role: Annotated[
        Role,
        typer.Option(
            "--role", help="read: ask and read; write: add and delete documents too; admin: figures and audit too."
        ),
    ] = Role.WRITE,
    expires: Expires = None,
    requests_per_minute: Annotated[
        int | None,
        typer.Option(
            "--requests-per-minute",
            metavar="N",
            min=0,
            help="Limit of its requests; 0 means no limit.  [default: server.requests_per_minute]",
        ),
    ] = None,
) -> None:
    """Create a key and print it once: only its digest is stored.

    Each tenant has its own documents; `default` is the one used by the other commands. Within it conversations, jobs, research runs and feedback
    belong to the user of the key that created them. Once there is a key, `ascertain serve` requires one.

    \b
    Examples:
      ascertain keys add laptop --user alice --expires 90d
      ascertain keys add "press office" --tenant press --role read --requests-per-minute 30
      ascertain keys add monitoring --role admin --json
    """
    from ascertain.app.access.api_keys import create_key, read_lifetime

    invocation = Invocation(context, shared)
    lifetime = read_lifetime(expires)
    with invocation.open() as knowledge:
        knowledge.set_up()
        limit = requests_per_minute
        key, text = create_key(
            knowledge.service,
            name,
            tenant,
            user=user,
            role=role,
            expires=lifetime,
            requests_per_minute=knowledge.settings.server.requests_per_minute if limit is None else limit,
        )
    _print_new(invocation, key, text)


@spread_options
def rotate_text(context: typer.Context, key_id: KeyId, shared: SharedOptions, expires: Expires = None) -> None:
    """Replace the text of a key and print it once; the old text is refused within a few seconds.

    What the key created stays its own. It expires after the given time, by default after the same time as before.

    \b
    Example:
      ascertain keys rotate 3f9c02aa
    """
    from ascertain.app.access.api_keys import read_lifetime, rotate_key

    invocation = Invocation(context, shared)
    lifetime = read_lifetime(expires)
    with invocation.open() as knowledge:
        if not knowledge.exists:
            raise UsageError(f"there are no keys in {knowledge.place}; check --home")
        key, text = rotate_key(knowledge.service, key_id, lifetime)
    _print_new(invocation, key, text)


def _print_new(invocation: Invocation, key: ApiKey, text: str) -> None:
    if invocation.as_json:
        from ascertain.app.wire.service import NewKeyJson

        invocation.emit(NewKeyJson.of(key, text))
        return
    invocation.out.print(text, markup=False)
    until = f" until {format_date(key.expires_at)}" if key.expires_at else ""
    note = f"key {key.id} of {key.name} for {key.user} in tenant {key.tenant}, role {key.role.value}{until}; it is not shown again"
    invocation.err.print(note, markup=False)


@spread_options
def show_keys(context: typer.Context, shared: SharedOptions) -> None:
    """List the keys, with when each was last used. Revoked ones are included; a key is shown by its beginning.

    In a pipe the columns are: id, name, tenant, user, role, hint, requests a minute, made, last used, ends, state, separated by tabs.

    \b
    Examples:
      ascertain keys
      ascertain keys list --json
    """
    if context.invoked_subcommand is not None:
        context.obj = Invocation(context, shared).options
        return
    from ascertain.app.access.api_keys import list_keys

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        found = list_keys(knowledge.service) if knowledge.exists else []
    if invocation.as_json:
        invocation.emit(found)
    elif found:
        columns = ("id", "name", "tenant", "user", "role", "key", "a minute", "made", "last used", "ends", "state")
        print_table(invocation.out, columns, [_key_row(key) for key in found], elastic=1)
    else:
        invocation.err.print("no keys yet; create one: ascertain keys add NAME", markup=False)


@spread_options
def refuse_key(context: typer.Context, key_id: KeyId, shared: SharedOptions) -> None:
    """Refuse a key from now on; running services notice within a few seconds.

    \b
    Example:
      ascertain keys revoke 3f9c02aa
    """
    from ascertain.app.access.api_keys import revoke_key

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        if not knowledge.exists:
            raise UsageError(f"there are no keys in {knowledge.place}; check --home")
        revoke_key(knowledge.service, key_id)
    if invocation.as_json:
        from ascertain.app.wire.service import RevokedJson

        invocation.emit(RevokedJson(revoked=key_id))
    else:
        invocation.out.print(f"revoked {key_id}", markup=False)


def _key_row(key: ApiKey) -> tuple[str, ...]:
    state = "revoked" if key.revoked_at else "good" if key.is_good(datetime.now(UTC)) else "ended"
    return (
        *(key.id, key.name, key.tenant, key.user, key.role.value, f"{key.hint}…"),
        str(key.requests_per_minute or "no limit"),
        *(format_date(moment) for moment in (key.created_at, key.last_used_at, key.expires_at)),
        state,
    )


@spread_options
def show_audit(
    context: typer.Context,
    shared: SharedOptions,
    tenant: Annotated[str | None, typer.Option("--tenant", metavar="T", help="Only of this tenant.")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="How many.")] = 100,
) -> None:
    """List who did what, the latest first. Shows keys made, used, rotated and revoked, deletions, sharing, and requests that a role refused.

    Only the first use of a key each day (UTC) is logged. In a pipe the columns are: time, tenant, user, key, address, action, subject, outcome,
    separated by tabs.

    \b
    Examples:
      ascertain audit
      ascertain audit --tenant press --limit 1000 --json
    """
    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        found = knowledge.service.audit.entries(tenant, limit) if knowledge.exists else []
    if invocation.as_json:
        invocation.emit(found)
    elif found:
        columns = ("time", "tenant", "user", "key", "address", "action", "subject", "outcome")
        rows = [
            (
                *(format_date(each.moment), each.tenant, each.user, each.key_id, each.address, each.action),
                *(strip_control(each.subject), each.outcome),
            )
            for each in found
        ]
        print_table(invocation.out, columns, rows, elastic=6)
    else:
        invocation.err.print("the audit log is empty", markup=False)


@spread_options
def prune_audit(
    context: typer.Context,
    shared: SharedOptions,
    before: Annotated[str, typer.Option("--before", metavar="DATE", help="Entries older than this: 2026-01-01.")],
    tenant: Annotated[str | None, typer.Option("--tenant", metavar="T", help="Only of this tenant.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")] = False,
) -> None:
    """Delete old entries of the audit log. The deletion itself is logged.

    \b
    Examples:
      ascertain prune-audit --before 2026-01-01
      ascertain prune-audit --before 2026-01-01 --tenant press --yes
    """
    invocation = Invocation(context, shared)
    moment = parse_moment(before, "--before")
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(f"this deletes audit entries before {before}; add --yes to confirm")
        typer.confirm(f"Delete audit entries before {before}?", abort=True, err=True)
    with invocation.open() as knowledge:
        deleted = 0
        if knowledge.exists:
            with knowledge.access.audited(
                "prune_audit", f"before {moment:%Y-%m-%dT%H:%M} of {tenant or 'all tenants'}"
            ):
                deleted = knowledge.service.audit.delete_before(moment, tenant)
    if invocation.as_json:
        from ascertain.app.wire.documents import DeletedJson

        invocation.emit(DeletedJson(deleted=deleted))
    else:
        invocation.out.print(f"deleted {format_count(deleted, 'entry', 'entries')}", markup=False)
