"""``ascertain users``: people who sign in to the service by name and password."""

from __future__ import annotations

import getpass
import sys
from typing import Annotated

import typer

from ascertain.core.errors import UsageError
from ascertain.core.service.service import Role
from ascertain.interfaces.cli.options import Invocation, SharedOptions, spread_options
from ascertain.interfaces.cli.printing import format_date, print_table

Name = Annotated[str, typer.Argument(metavar="NAME", help="The name that they sign in with.")]


@spread_options
def add_person(
    context: typer.Context,
    name: Name,
    shared: SharedOptions,
    tenant: Annotated[str, typer.Option("--tenant", metavar="T", help="Whose documents they see.")] = "default",
    role: Annotated[
        Role,
        typer.Option(
            "--role", help="read: ask and read; write: add and delete documents too; admin: keys and audit too."
        ),
    ] = Role.WRITE,
) -> None:
    """Let somebody in by name and password, which is asked for, or read as one line from a pipe.

    Only a slow hash of the password is kept. A key with `--user NAME` opens the same conversations. Once there is somebody, `ascertain serve` lets
    nobody in without a name or key.

    \b
    Examples:
      ascertain users add kim
      head -1 kim.txt | ascertain users add kim --role read --tenant press
    """
    from ascertain.app.access.sign_in.passwords import add_user

    invocation = Invocation(context, shared)
    password = _read_password()
    with invocation.open() as knowledge:
        knowledge.set_up()
        user = add_user(knowledge.service, name, password, tenant=tenant, role=role)
    if invocation.as_json:
        invocation.emit(user)
    else:
        invocation.out.print(f"{user.name} may sign in, in tenant {user.tenant}, role {user.role.value}", markup=False)


@spread_options
def show_users(context: typer.Context, shared: SharedOptions) -> None:
    """List the people who sign in by name and password.

    In a pipe the columns are: name, tenant, role, password set, separated by tabs.

    \b
    Examples:
      ascertain users
      ascertain users list --json
    """
    if context.invoked_subcommand is not None:
        context.obj = Invocation(context, shared).options
        return
    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        found = knowledge.service.users.users() if knowledge.exists else []
    if invocation.as_json:
        invocation.emit(found)
    elif found:
        rows = [(user.name, user.tenant, user.role.value, format_date(user.changed_at)) for user in found]
        print_table(invocation.out, ("name", "tenant", "role", "password set"), rows, elastic=0)
    else:
        invocation.err.print("nobody yet; let somebody in: ascertain users add NAME", markup=False)


@spread_options
def set_password(context: typer.Context, name: Name, shared: SharedOptions) -> None:
    """Give somebody another password, which is asked for, or read as one line from a pipe. Who is signed in as them is signed out.

    \b
    Example:
      ascertain users password kim
    """
    from ascertain.app.access.sign_in.passwords import change_password

    invocation = Invocation(context, shared)
    password = _read_password()
    with invocation.open() as knowledge:
        if not knowledge.exists:
            raise UsageError(f"there are no users in {knowledge.place}; check --home")
        change_password(knowledge.service, name, password)
        user = next(user for user in knowledge.service.users.users() if user.name == name)
    if invocation.as_json:
        invocation.emit(user)
    else:
        invocation.out.print(f"{name} has another password", markup=False)


@spread_options
def remove_person(context: typer.Context, name: Name, shared: SharedOptions) -> None:
    """Let somebody in no more, and sign them out; their conversations stay.

    \b
    Example:
      ascertain users remove kim
    """
    from ascertain.app.access.sign_in.passwords import remove_user

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        if not knowledge.exists:
            raise UsageError(f"there are no users in {knowledge.place}; check --home")
        remove_user(knowledge.service, name)
    if invocation.as_json:
        from ascertain.app.wire.service import RemovedUserJson

        invocation.emit(RemovedUserJson(removed=name))
    else:
        invocation.out.print(f"{name} may sign in no more", markup=False)


def _read_password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass.getpass("Password: ")
    if getpass.getpass("Again: ") != password:
        raise UsageError("the two are not the same")
    return password
