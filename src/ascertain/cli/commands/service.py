"""``ascertain serve`` and ``mcp``, which answer programs, and what belongs to a service: ``keys`` and ``jobs``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ascertain.cli.options import Invocation, SharedOptions, spread_options
from ascertain.cli.printing import format_date, print_table
from ascertain.core.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from ascertain.core.service import ApiKey, Job

JobTenant = Annotated[str, typer.Option("--tenant", metavar="T", help="Whose jobs.")]
MCP_PORT = 8001
"""Beside that of ``ascertain serve``."""


@spread_options
def list_jobs(
    context: typer.Context,
    shared: SharedOptions,
    cancel: Annotated[
        str | None,
        typer.Option(
            "--cancel", metavar="ID", help="Cancel this job, or let go of one that failed; what it has added stays."
        ),
    ] = None,
    tenant: JobTenant = "default",
) -> None:
    """List the background jobs of the service, the latest first, or cancel one.

    In a pipe the columns are: id, state, done in percent, made, what, reason, separated by tabs.

    \b
    Examples:
      ascertain jobs
      ascertain jobs --cancel 4f0c1d2e9a8b4c6d8e7f001122334455
      ascertain jobs retry 4f0c1d2e9a8b4c6d8e7f001122334455
    """
    if context.invoked_subcommand is not None:
        if cancel is not None or tenant != "default":
            raise UsageError(
                "--cancel and --tenant stand behind the command that they are for: ascertain jobs retry ID"
            )
        context.obj = Invocation(context, shared).options
        return
    from ascertain.app.jobs.jobs import cancel_job
    from ascertain.wire.service import CancelledJson, JobJson

    invocation = Invocation(context, shared)
    with invocation.open() as everybody:
        knowledge = everybody.as_tenant(tenant)
        if cancel is not None:
            if not (knowledge.exists and cancel_job(knowledge, cancel)):
                raise UsageError(f"there is no job {cancel!r} that could be cancelled; `ascertain jobs` lists them")
            if invocation.as_json:
                invocation.emit(CancelledJson(cancelled=cancel))
            else:
                invocation.out.print(f"cancelled {cancel}", markup=False)
            return
        found = knowledge.service.jobs.jobs(tenant) if knowledge.exists else []
    if invocation.as_json:
        invocation.emit([JobJson.from_noun(job) for job in found])
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
    """Run a background job again that failed.

    Its files are kept until it succeeds or is cancelled. A running service takes it up at once, otherwise the next one
    that is started; what was added before is recognised.

    \b
    Example:
      ascertain jobs retry 4f0c1d2e9a8b4c6d8e7f001122334455
    """
    from ascertain.app.jobs.jobs import retry_job
    from ascertain.wire.service import JobJson, SubmittedJson

    invocation = Invocation(context, shared)
    with invocation.open() as everybody:
        knowledge = everybody.as_tenant(tenant)
        job = retry_job(knowledge, job_id) if knowledge.exists else None
        if job is None:
            raise UsageError(f"there is no job {job_id!r}; `ascertain jobs` lists them")
    if invocation.as_json:
        invocation.emit(SubmittedJson(job=JobJson.from_noun(job)))
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
def add_key(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who uses it, for people.")],
    shared: SharedOptions,
    tenant: Annotated[
        str, typer.Option("--tenant", metavar="T", help="Whose documents and conversations it opens.")
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
    invocation.err.print(f"key {key.id} of {key.name} for tenant {key.tenant}; it is not shown again", markup=False)


@spread_options
def show_keys(context: typer.Context, shared: SharedOptions) -> None:
    """List the keys, revoked ones included, by their beginnings.

    In a pipe the columns are: id, name, tenant, hint, requests a minute, made, last used, revoked, admin, separated by
    tabs.

    \b
    Examples:
      ascertain keys list
      ascertain keys list --json
    """
    from ascertain.app.api_keys import list_keys

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        found = list_keys(knowledge.service) if knowledge.exists else []
    if invocation.as_json:
        from ascertain.wire.service import KeyJson

        invocation.emit([KeyJson.from_noun(key) for key in found])
    elif found:
        columns = ("id", "name", "tenant", "key", "a minute", "made", "last used", "revoked", "admin")
        print_table(invocation.out, columns, [_key_row(key) for key in found], elastic=1)
    else:
        invocation.err.print("no keys yet; make one: ascertain keys add NAME", markup=False)


@spread_options
def refuse_key(
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


def _key_row(key: ApiKey) -> tuple[str, ...]:

    return (
        key.id,
        key.name,
        key.tenant,
        f"{key.hint}…",
        str(key.requests_per_minute or "no limit"),
        format_date(key.created_at),
        format_date(key.last_used_at),
        format_date(key.revoked_at),
        "yes" if key.is_admin else "",
    )


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
    """Serve the knowledge base to agents by the Model Context Protocol: tools to search, ask, add and list documents.

    Without --http an agent starts this command itself and talks to it over standard input and output. Files are added
    only from the folders that --allow-folder names.

    \b
    Examples:
      ascertain mcp --home notes.kb
      ascertain mcp --home notes.kb --allow-folder ~/notes
      ascertain mcp --http --port 8001
    """
    from ascertain.mcp import check_mcp_sdk

    check_mcp_sdk()
    from ascertain.mcp.server import serve_http, serve_stdio
    from ascertain.mcp.tools import Reach
    from ascertain.telemetry.logs import configure_logs

    invocation = Invocation(context, shared)
    reach = Reach.of(allow_folder or [], with_addresses=not no_addresses)
    with invocation.open() as knowledge:
        configure_logs(knowledge.settings.telemetry)
        if http:
            serve_http(knowledge, reach, host, port)
        else:
            serve_stdio(knowledge, reach)


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
) -> None:
    """Serve the knowledge base over HTTP.

    Prints its address once it takes requests. In a browser it is the page; /docs there lists the operations. On loopback without any key everybody on this
    machine may use it; 'ascertain keys add' makes one. SIGTERM and Ctrl-C let running requests come to their end.

    \b
    Examples:
      ascertain serve
      ascertain serve --home team.kb --port 8080
      ascertain serve --host 0.0.0.0 --workers 4
    """
    try:
        from ascertain.server.application import run_service
        from ascertain.server.processes import run_processes
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("ascertain"):
            raise
        raise MissingExtra("ascertain serve", "server") from error
    invocation = Invocation(context, shared)

    def announce(url: str, is_open: bool) -> None:
        if invocation.as_json:
            from ascertain.wire.service import ServingJson

            invocation.emit(ServingJson(url=url, open=is_open))
            return
        invocation.out.print(
            f"Ascertain answers on {url} (in a browser: the page; operations: {url}/docs)", markup=False, soft_wrap=True
        )
        if is_open:
            invocation.out.print(
                "Open: there is no key, so every program on this machine may use it; make one: ascertain keys add NAME",
                markup=False,
                soft_wrap=True,
            )
        invocation.out.file.flush()

    arguments = {"server.host": host, "server.port": port, "server.workers": workers}
    with invocation.open(arguments=arguments) as knowledge:
        if knowledge.settings.server.workers > 1:
            run_processes(knowledge, announce)
        else:
            run_service(knowledge, announce)
