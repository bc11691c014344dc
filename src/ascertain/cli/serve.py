"""``ascertain serve``."""

from __future__ import annotations

from typing import Annotated

import typer

from ascertain.cli.invocation import Invocation
from ascertain.cli.options import SharedOptions, grouped


def register(app: typer.Typer) -> None:
    """Mount the command."""
    app.command("serve")(serve)


@grouped
def serve(
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
        typer.Option(
            "--port", metavar="N", min=0, max=65_535, help="Port; 0 takes a free one.  [default: 8000]"
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", metavar="N", min=1, max=256, help="Questions worked on at a time.  [default: 2]"
        ),
    ] = None,
) -> None:
    """Serve the knowledge base over HTTP.

    Prints its address once it takes requests; /docs there lists them. On loopback without any key everybody on this machine may use it;
    'ascertain keys add' makes one. SIGTERM and Ctrl-C let running requests come to their end.

    \b
    Examples:
      ascertain serve
      ascertain serve --home team.kb --port 8080
      ascertain serve --host 0.0.0.0 --workers 4
    """
    from ascertain.core.errors import MissingExtra

    try:
        from ascertain.server.running import run
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
            f"Ascertain answers on {url} (operations: {url}/docs)", markup=False, soft_wrap=True
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
        run(knowledge, announce)
