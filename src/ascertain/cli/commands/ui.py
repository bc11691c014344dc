"""``ascertain ui``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ascertain.cli.options import Invocation, SharedOptions, spread_options
from ascertain.core.errors import UsageError

if TYPE_CHECKING:
    import subprocess

    from ascertain.core.settings import UiSettings

SERVICE_SECONDS = 60.0
"""How long a service may take to answer first: it loads its models."""


@spread_options
def open_page(
    context: typer.Context,
    shared: SharedOptions,
    api_url: Annotated[
        str | None,
        typer.Option("--api-url", metavar="URL", help="The service it talks to.  [default: http://127.0.0.1:8000]"),
    ] = None,
    host: Annotated[
        str | None, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.  [default: 127.0.0.1]")
    ] = None,
    port: Annotated[int | None, typer.Option("--port", metavar="N", help="Port.  [default: 8501]")] = None,
    serve: Annotated[bool, typer.Option("--serve", help="Start the service too, and end it with the page.")] = False,
) -> None:
    """Open a page in the browser to ask, read sources and add documents.

    The page is a client of the service and needs one: start it with `ascertain serve`, or together with the page by
    --serve. Where the service asks for a key, the page takes it from ASCERTAIN_API_KEY; without one it asks each
    visitor for theirs.

    \b
    Examples:
      ascertain ui --serve --home team.kb       the service and the page
      ascertain ui --api-url https://kb.example.org
    """
    from ascertain.ui.launch import check_streamlit, run_page

    invocation = Invocation(context, shared)
    check_streamlit()
    given = {"ui.api_url": api_url, "ui.host": host, "ui.port": port}
    settings = invocation.settings(given).settings.ui
    started = _start_service(invocation, settings) if serve else None
    try:
        _print_address(invocation.err, settings)
        run_page(settings)
    finally:
        if started is not None:
            _end_service(started)


def _start_service(invocation: Invocation, settings: UiSettings) -> subprocess.Popen[bytes] | None:
    """The service in a process of its own, once it answers; None when one answers already."""
    import subprocess
    import sys
    from urllib.parse import urlsplit

    from ascertain.ui.client import is_loopback
    from ascertain.ui.launch import is_answering

    address = urlsplit(settings.api_url)
    if not is_loopback(address.hostname or "") or address.scheme != "http":
        raise UsageError(
            f"--serve starts a service on this machine, and {settings.api_url} is elsewhere; leave out --serve"
        )
    if is_answering(settings.api_url):
        return None
    options = invocation.options
    shared = {"--home": options.home, "--config": options.config, "--profile": options.profile}
    given = [word for name, value in shared.items() if value is not None for word in (name, str(value))]
    place = ["--host", str(address.hostname), "--port", str(address.port or 80)]
    service = subprocess.Popen([sys.executable, "-m", "ascertain", "serve", *place, *given])
    try:
        _await_service(service, settings.api_url)
    except BaseException:
        _end_service(service)
        raise
    return service


def _await_service(service: subprocess.Popen[bytes], api_url: str) -> None:
    import time

    from ascertain.ui.launch import is_answering

    deadline = time.monotonic() + SERVICE_SECONDS
    while not is_answering(api_url):
        if service.poll() is not None:
            raise UsageError("the service did not start; what it said stands above")
        if time.monotonic() > deadline:
            raise UsageError(f"the service did not answer at {api_url} within {SERVICE_SECONDS:.0f} s")
        time.sleep(0.2)


def _print_address(console: Console, settings: UiSettings) -> None:
    import os

    from ascertain.ui.client import is_loopback
    from ascertain.ui.launch import KEY_VARIABLE, is_answering

    name = "localhost" if is_loopback(settings.host) else settings.host
    console.print(f"The page is at http://{name}:{settings.port}", markup=False)
    if not is_answering(settings.api_url):
        console.print(
            f"Nothing answers at {settings.api_url} yet. Start the service with: ascertain serve",
            style="yellow",
            markup=False,
        )
    if not is_loopback(settings.host) and os.environ.get(KEY_VARIABLE):
        console.print(f"Whoever reaches this page acts with the key in {KEY_VARIABLE}.", style="yellow", markup=False)


def _end_service(service: subprocess.Popen[bytes]) -> None:
    service.terminate()
    service.wait()
