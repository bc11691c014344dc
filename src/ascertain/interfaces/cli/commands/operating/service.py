"""``ascertain serve`` and ``mcp``, which answer programs, and ``jobs``, the background work of a service."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ascertain.core.errors import MissingExtra, UsageError
from ascertain.interfaces.cli.options import Invocation, SharedOptions, spread_options
from ascertain.interfaces.cli.printing import format_date, print_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ascertain.app.ascertain import Ascertain
    from ascertain.core.service.service import Job
    from ascertain.core.settings import ServerSettings

JobTenant = Annotated[str, typer.Option("--tenant", metavar="T", help="Whose jobs.")]
LOOPBACK = "127.0.0.1"
MCP_PORT = 8001
"""Next to the port of ``ascertain serve``."""


@spread_options
def list_jobs(
    context: typer.Context,
    shared: SharedOptions,
    cancel: Annotated[
        str | None,
        typer.Option(
            "--cancel", metavar="ID", help="Cancel this job, or discard a failed one; what it has added stays."
        ),
    ] = None,
    tenant: JobTenant = "default",
) -> None:
    """List the background jobs of the service, or cancel one.

    In a pipe the columns are: id, state, done in percent, made, what, reason, separated by tabs.

    \b
    Examples:
      ascertain jobs
      ascertain jobs --cancel 4f0c1d2e9a8b4c6d8e7f001122334455
      ascertain jobs retry 4f0c1d2e9a8b4c6d8e7f001122334455
    """
    if context.invoked_subcommand is not None:
        if cancel is not None or tenant != "default":
            raise UsageError("--cancel and --tenant go after the command they are for: ascertain jobs retry ID")
        context.obj = Invocation(context, shared).options
        return
    from ascertain.app.wire.service import CancelledJson

    invocation = Invocation(context, shared)
    with invocation.open() as everybody:
        knowledge = everybody.as_tenant(tenant)
        if cancel is not None:
            if not (knowledge.exists and knowledge.jobs.cancel(cancel)):
                raise UsageError(f"there is no job {cancel!r} to cancel; `ascertain jobs` lists them")
            if invocation.as_json:
                invocation.emit(CancelledJson(cancelled=cancel))
            else:
                invocation.out.print(f"cancelled {cancel}", markup=False)
            return
        found = knowledge.service.jobs.jobs(tenant) if knowledge.exists else []
    if invocation.as_json:
        invocation.emit(found)
    elif found:
        _print_jobs(invocation, found)
    else:
        invocation.err.print("no background jobs; the service makes one for each upload", markup=False)


@spread_options
def retry_failed(
    context: typer.Context,
    job_id: Annotated[str, typer.Argument(metavar="ID", help="Id of the job, as 'jobs' lists it.")],
    shared: SharedOptions,
    tenant: JobTenant = "default",
) -> None:
    """Retry a failed background job.

    Its files are stored until it succeeds or is cancelled. A running service starts it at once, otherwise the next one
    does; documents added before are recognised.

    \b
    Example:
      ascertain jobs retry 4f0c1d2e9a8b4c6d8e7f001122334455
    """
    from ascertain.app.wire.service import SubmittedJson

    invocation = Invocation(context, shared)
    with invocation.open() as everybody:
        knowledge = everybody.as_tenant(tenant)
        job = knowledge.jobs.retry(job_id) if knowledge.exists else None
        if job is None:
            raise UsageError(f"there is no job {job_id!r}; `ascertain jobs` lists them")
    if invocation.as_json:
        invocation.emit(SubmittedJson(job=job))
    else:
        invocation.out.print(f"queued {job.id} again: {job.what}", markup=False)


def _print_jobs(invocation: Invocation, found: list[Job]) -> None:

    rows = [
        (
            job.id,
            job.state.value,
            f"{100 * job.done // job.total if job.total else 0} %",
            format_date(job.created_at),
            job.what,
            job.reason,
        )
        for job in found
    ]
    print_table(invocation.out, ("id", "state", "done", "made", "what", "reason"), rows, elastic=4)


@spread_options
def serve_mcp(
    context: typer.Context,
    shared: SharedOptions,
    http: Annotated[
        bool, typer.Option("--http", help="Answer over HTTP instead of standard input and output.")
    ] = False,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; any but a loopback one needs a key.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65_535, help="Port to listen on.")] = MCP_PORT,
    allow_folder: Annotated[
        list[Path] | None,
        typer.Option("--allow-folder", metavar="PATH", help="A folder that files may be added from. Can be repeated."),
    ] = None,
    no_addresses: Annotated[
        bool, typer.Option("--no-addresses", help="Add no web addresses, feeds or arXiv papers.")
    ] = False,
) -> None:
    """Serve agents by the Model Context Protocol. Its tools search, ask, add and list documents.

    Without --http an agent starts this command itself and talks to it over standard input and output. Files are added
    only from the folders that --allow-folder names. Over several knowledge bases `ask` and `search` look in all, and say which an answer is from.

    \b
    Examples:
      ascertain mcp --home notes.kb
      ascertain mcp --kb papers,notes
      ascertain mcp --home notes.kb --allow-folder ~/notes
      ascertain mcp --http --port 8001
    """
    from ascertain.interfaces.mcp import check_mcp_sdk

    check_mcp_sdk()
    from ascertain.app.telemetry.logs import configure_logs
    from ascertain.interfaces.mcp.server import serve_http, serve_stdio
    from ascertain.interfaces.mcp.tools import Reach

    invocation = Invocation(context, shared)
    reach = Reach.of(allow_folder or [], with_addresses=not no_addresses)
    if invocation.list_bases():
        if http:
            raise UsageError(
                f"--kb {invocation.options.kb}: over HTTP a server has one knowledge base, whose keys say who sees what; start one for each"
            )
        with invocation.open_all() as bases:
            configure_logs(next(iter(bases.values())).settings.telemetry)
            serve_stdio(bases, reach)
        return
    with invocation.open() as knowledge:
        configure_logs(knowledge.settings.telemetry)
        if http:
            serve_http(knowledge, reach, host, port)
        else:
            serve_stdio({"": knowledge}, reach)


@spread_options
def serve_knowledge(
    context: typer.Context,
    shared: SharedOptions,
    host: Annotated[
        str | None,
        typer.Option(
            "--host",
            metavar="ADDRESS",
            help="Address to listen on; any but a loopback one needs a key.  [default: 127.0.0.1]",
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="N", min=0, max=65_535, help="Port; 0 takes a free one.  [default: 8000]"),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", min=1, max=256, help="Processes that answer.  [default: 1]")
    ] = None,
    certificate: Annotated[
        str | None, typer.Option("--certificate", metavar="FILE", help="Use TLS with this certificate (PEM).")
    ] = None,
    key_file: Annotated[
        str | None, typer.Option("--key-file", metavar="FILE", help="The private key of the certificate (PEM).")
    ] = None,
    is_open: Annotated[
        bool,
        typer.Option(
            "--open", help="Let programs on this machine in without a key, even though there are or were keys."
        ),
    ] = False,
    first_key: Annotated[
        str | None,
        typer.Option(
            "--first-key",
            metavar="NAME",
            help="If there never was a key, create one with role admin and print it: for a container.",
        ),
    ] = None,
) -> None:
    """Serve the knowledge base over HTTP.

    Prints its address once it takes requests. In a browser it is the page; /docs there lists the operations. On loopback everyone on this
    machine may use it as long as there never was a key; 'ascertain keys add' creates one. SIGTERM and Ctrl-C let running requests finish.

    \b
    Examples:
      ascertain serve
      ascertain serve --home team.kb --port 8080
      ascertain serve --host 0.0.0.0 --workers 4 --certificate cert.pem --key-file key.pem
      ascertain serve --host 0.0.0.0 --first-key me
    """
    invocation = Invocation(context, shared)
    arguments = {
        **{"server.host": host, "server.port": port, "server.workers": workers},
        **{"server.certificate": certificate, "server.key_file": key_file, "server.open": is_open or None},
    }
    _serve_requests(invocation, arguments, lambda url: None, first_key)


@spread_options
def open_page(
    context: typer.Context,
    shared: SharedOptions,
    port: Annotated[
        int | None,
        typer.Option(
            "--port", metavar="N", min=0, max=65_535, help="Port.  [default: 8000, or a free one where that is in use]"
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser of this machine.")
    ] = True,
) -> None:
    """Open the page in the browser. Starts the service on this machine.

    The same as `ascertain serve`, for one person: it listens on 127.0.0.1 only, takes a free port if its own is in use, and
    opens the page once it takes requests. Ctrl-C stops it.

    \b
    Examples:
      ascertain ui
      ascertain ui --home team.kb --no-browser
    """
    import threading
    import webbrowser

    invocation = Invocation(context, shared)
    wanted = invocation.settings().settings.server.port if port is None else port
    chosen = wanted if port is not None or _is_free(wanted) else 0

    def show(url: str) -> None:
        if browser:
            # a terminal browser blocks its caller until it is closed
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    _serve_requests(invocation, {"server.host": LOOPBACK, "server.port": chosen, "server.workers": 1}, show)


def _is_free(port: int) -> bool:
    import socket

    with socket.socket() as probe:
        # as the listener of the service does: one that has just ended does not block its port
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def _serve_requests(
    invocation: Invocation, arguments: Mapping[str, object], show: Callable[[str], None], first_key: str | None = None
) -> None:
    """Run the service until a signal ends it; ``show`` gets its address once it takes requests. ``first_key`` is the name of a key to create where
    there never was one.
    """
    try:
        from ascertain.interfaces.server.application import run_service
        from ascertain.interfaces.server.processes import run_processes
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("ascertain"):
            raise
        raise MissingExtra("ascertain serve", "server") from error

    def announce(url: str, lets_all_in: bool) -> None:
        _print_address(invocation, knowledge.settings.server, url, lets_all_in, key=key)
        show(url)

    with invocation.open(arguments=arguments) as knowledge:
        key = _make_first_key(knowledge, first_key) if first_key is not None else ""
        if knowledge.settings.server.workers > 1:
            run_processes(knowledge, announce)
        else:
            run_service(knowledge, announce)


def _make_first_key(knowledge: Ascertain, name: str) -> str:
    """The text of a new key; empty if there is or was one."""
    from ascertain.app.access.api_keys import create_key, list_keys
    from ascertain.core.service.service import Role

    knowledge.set_up()
    if list_keys(knowledge.service):
        return ""
    limit = knowledge.settings.server.requests_per_minute
    return create_key(knowledge.service, name, role=Role.ADMIN, requests_per_minute=limit)[1]


def _print_address(invocation: Invocation, settings: ServerSettings, url: str, lets_all_in: bool, *, key: str) -> None:
    from ascertain.app.access.api_keys import is_loopback

    if invocation.as_json:
        from ascertain.app.wire.service import ServingJson

        invocation.emit(ServingJson(url=url, open=lets_all_in, key=key or None))
        return
    invocation.out.print(
        f"Ascertain answers on {url} (in a browser: the page; operations: {url}/docs)", markup=False, soft_wrap=True
    )
    if lets_all_in:
        why = "--open" if settings.open else "there is no key; create one: ascertain keys add NAME"
        note = f"Open: every program on this machine may use it ({why})"
        invocation.out.print(note, markup=False, soft_wrap=True)
    elif url.startswith("http://") and not is_loopback(settings.host):
        note = "Unencrypted: anyone on the network path can read keys and documents, unless a proxy uses TLS; or give --certificate and --key-file"
        invocation.out.print(note, markup=False, soft_wrap=True)
    if key:
        note = f"Key: {key}\nIt has the role admin and is not shown again. More keys: ascertain keys add NAME"
        invocation.out.print(note, markup=False, soft_wrap=True)
    invocation.out.file.flush()
