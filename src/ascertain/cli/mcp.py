"""``ascertain mcp``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ascertain.cli.invocation import Invocation
from ascertain.cli.options import SharedOptions, grouped

PORT = 8001
"""Beside that of ``ascertain serve``."""


def register(app: typer.Typer) -> None:
    """Mount the command."""
    app.command("mcp")(mcp)


@grouped
def mcp(
    context: typer.Context,
    shared: SharedOptions,
    http: Annotated[
        bool, typer.Option("--http", help="Answer over HTTP instead of standard input and output.")
    ] = False,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; any but a loopback one needs a key.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65_535, help="Port to listen on.")] = PORT,
    allow_folder: Annotated[
        list[Path] | None,
        typer.Option(
            "--allow-folder", metavar="PATH", help="A folder that files may be added from. Can be repeated."
        ),
    ] = None,
    no_addresses: Annotated[
        bool, typer.Option("--no-addresses", help="Add no web addresses, feeds or arXiv papers.")
    ] = False,
) -> None:
    """Serve the knowledge base to agents by the Model Context Protocol: tools to search, ask, add and list documents.

    Without --http an agent starts this command itself and talks to it over standard input and output. Files are added only from
    the folders that --allow-folder names.

    \b
    Examples:
      ascertain mcp --home notes.kb
      ascertain mcp --home notes.kb --allow-folder ~/notes
      ascertain mcp --http --port 8001
    """
    from ascertain.mcp.installed import check_installed

    check_installed()
    from ascertain.mcp.reach import Reach
    from ascertain.mcp.server import serve_http, serve_stdio
    from ascertain.telemetry.logs import configure_logs

    invocation = Invocation(context, shared)
    reach = Reach.of(allow_folder or [], with_addresses=not no_addresses)
    with invocation.open() as knowledge:
        configure_logs(knowledge.settings.telemetry)
        if http:
            serve_http(knowledge, reach, host, port)
        else:
            serve_stdio(knowledge, reach)
