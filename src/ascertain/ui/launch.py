"""Starting the page: Streamlit with this package's settings, whatever its own files say, and nothing sent anywhere."""

from __future__ import annotations

import os
from importlib.resources import files
from importlib.util import find_spec

import httpx

from ascertain.core.errors import MissingExtra
from ascertain.core.settings import UiSettings
from ascertain.ui.connection import CONNECT_SECONDS, is_loopback
from ascertain.ui.page_settings import UPLOAD_MEGABYTES, handed_over
from ascertain.ui.theme import theme_options


def check_installed() -> None:
    """Raise MissingExtra when Streamlit is not there."""
    if find_spec("streamlit") is None:
        raise MissingExtra("The page in the browser", "ui")


def is_answering(api_url: str) -> bool:
    """Whether a service answers at the address, healthy or not."""
    address = httpx.URL(api_url.rstrip("/") + "/healthz")
    try:
        response = httpx.get(address, timeout=CONNECT_SECONDS, trust_env=not is_loopback(address.host))
    except httpx.TransportError:
        return False
    return response.is_success


def run_page(settings: UiSettings) -> None:
    """Serve the page until the process is told to end."""
    check_installed()
    from streamlit.web import bootstrap  # noqa: PLC0415  the rest of this module is of use without it

    os.environ.update(handed_over(settings))
    options = streamlit_options(settings)
    bootstrap.load_config_options(options)
    bootstrap.run(str(files("ascertain.ui").joinpath("script", "page.py")), False, [], options)


def streamlit_options(settings: UiSettings) -> dict[str, object]:
    """Streamlit's own settings, by dotted name."""
    return {
        "server.address": settings.host,
        "server.port": settings.port,
        "server.headless": True,
        "server.fileWatcherType": "none",
        "server.maxUploadSize": UPLOAD_MEGABYTES,
        "browser.gatherUsageStats": False,
        # its greeting would ask a server on the internet for this machine's address
        "logger.hideWelcomeMessage": True,
        "logger.level": "warning",
        "client.toolbarMode": "minimal",
        "client.showErrorDetails": "none",
        "client.showErrorLinks": False,
        **theme_options(),
    }
