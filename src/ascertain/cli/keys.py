"""``ascertain keys``: who may use the service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ascertain.cli.invocation import Invocation
from ascertain.cli.options import SharedOptions, grouped

if TYPE_CHECKING:
    from ascertain.app.results import ApiKey


def register(app: typer.Typer) -> None:
    """Mount the commands."""
    keys = typer.Typer(name="keys", help="Manage the API keys of the service.", rich_markup_mode=None)
    keys.command("add")(add)
    keys.command("list")(list_)
    keys.command("revoke")(revoke)
    app.add_typer(keys)


@grouped
def add(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who uses it, for people.")],
    shared: SharedOptions,
    tenant: Annotated[
        str,
        typer.Option("--tenant", metavar="T", help="Whose documents and conversations it opens."),
    ] = "default",
    requests_per_minute: Annotated[
        int | None,
        typer.Option(
            "--requests-per-minute",
            metavar="N",
            min=0,
            help="Limit of its requests; 0 is none.  [default: server.requests_per_minute]",
        ),
    ] = None,
    admin: Annotated[
        bool, typer.Option("--admin", help="Let it read the figures of the whole service (/metrics).")
    ] = False,
) -> None:
    """Make a key and print it, this one time: only a digest of it is kept.

    Each tenant has its own documents, conversations and answers; `default` is the one that the other commands work on.
    Once there is a key, `ascertain serve` lets nobody in without one.

    \b
    Examples:
      ascertain keys add alice
      ascertain keys add "press office" --tenant press --requests-per-minute 30
      ascertain keys add monitoring --admin --json
    """
    from ascertain.app.api_keys import create_key

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        knowledge.set_up()
        limit = requests_per_minute
        key, text = create_key(
            knowledge.service,
            name,
            tenant,
            requests_per_minute=knowledge.settings.server.requests_per_minute if limit is None else limit,
            is_admin=admin,
        )
    if invocation.as_json:
        from ascertain.wire.service import NewKeyJson

        invocation.emit(NewKeyJson.model_validate(NewKeyJson.read_attributes(key, key=text)))
        return
    invocation.out.print(text, markup=False)
    invocation.err.print(
        f"key {key.id} of {key.name} for tenant {key.tenant}; it is not shown again", markup=False
    )


@grouped
def list_(context: typer.Context, shared: SharedOptions) -> None:
    """List the keys, revoked ones included, by their beginnings.

    In a pipe the columns are: id, name, tenant, hint, requests a minute, made, last used, revoked, admin, separated by tabs.

    \b
    Examples:
      ascertain keys list
      ascertain keys list --json
    """
    from ascertain.app.api_keys import list_keys
    from ascertain.cli.tables import print_table

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        found = list_keys(knowledge.service) if knowledge.exists else []
    if invocation.as_json:
        from ascertain.wire.service import KeyJson

        invocation.emit([KeyJson.from_noun(key) for key in found])
    elif found:
        columns = ("id", "name", "tenant", "key", "a minute", "made", "last used", "revoked", "admin")
        print_table(invocation.out, columns, [_row(key) for key in found], elastic=1)
    else:
        invocation.err.print("no keys yet; make one: ascertain keys add NAME", markup=False)


@grouped
def revoke(
    context: typer.Context,
    key_id: Annotated[str, typer.Argument(metavar="ID", help="Id of the key, as 'keys list' shows it.")],
    shared: SharedOptions,
) -> None:
    """Refuse a key from now on; running services take a few seconds to hear of it.

    \b
    Example:
      ascertain keys revoke 3f9c02aa
    """
    from ascertain.app.api_keys import revoke_key
    from ascertain.core.errors import UsageError

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        if not knowledge.exists:
            raise UsageError(f"there are no keys in {knowledge.place}; check --home")
        revoke_key(knowledge.service, key_id)
    if invocation.as_json:
        from ascertain.wire.service import RevokedJson

        invocation.emit(RevokedJson(revoked=key_id))
    else:
        invocation.out.print(f"revoked {key_id}", markup=False)


def _row(key: ApiKey) -> tuple[str, ...]:
    from ascertain.cli.text import date

    return (
        key.id,
        key.name,
        key.tenant,
        f"{key.hint}…",
        str(key.requests_per_minute or "no limit"),
        date(key.created_at),
        date(key.last_used_at),
        date(key.revoked_at),
        "yes" if key.is_admin else "",
    )
