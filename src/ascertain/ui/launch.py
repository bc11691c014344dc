"""Starting the page: Streamlit with this package's settings, whatever its own files say, and nothing sent anywhere."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec

import httpx

from ascertain.core.errors import MissingExtra
from ascertain.core.settings import UiSettings
from ascertain.ui.client import CONNECT_SECONDS, is_loopback

URL_VARIABLE = "ASCERTAIN_UI__API_URL"
KEY_VARIABLE = "ASCERTAIN_API_KEY"
"""Holds the key of the service, where it asks for one."""
UPLOAD_MEGABYTES = 200
"""Largest file the page takes; the service has its own limit (server.max_upload_megabytes)."""
LIGHT = {
    "primaryColor": "#0b6663",
    "backgroundColor": "#fbfaf6",
    "secondaryBackgroundColor": "#f1eee5",
    "textColor": "#1c2526",
    "linkColor": "#0b6663",
    "borderColor": "#dcd8cc",
    "sidebar.backgroundColor": "#f4f1ea",
    "sidebar.secondaryBackgroundColor": "#e9e5da",
}
DARK = {
    "primaryColor": "#6ccabf",
    "backgroundColor": "#14191b",
    "secondaryBackgroundColor": "#20282b",
    "textColor": "#e8ecea",
    "linkColor": "#6ccabf",
    "borderColor": "#343d40",
    "sidebar.backgroundColor": "#191f21",
    "sidebar.secondaryBackgroundColor": "#262f32",
}
BOTH: dict[str, object] = {
    # both faces come with Streamlit: nothing is fetched from elsewhere
    "font": "sans-serif",
    "headingFont": "serif",
    "baseRadius": "10px",
    "buttonRadius": "10px",
    "showWidgetBorder": True,
    "showSidebarBorder": True,
    "metricValueFontSize": "1.75rem",
}
# one for each strategy and kind; told apart in grey too
LIGHT_CHARTS = ["#0b6663", "#c98a2b", "#4f6d9a", "#9c4a6c", "#7a8b3a"]
DARK_CHARTS = ["#6ccabf", "#e6b564", "#93aedb", "#d98fb1", "#b9c97a"]


@dataclass(frozen=True, slots=True)
class PageSettings:
    """Where the service is, and its key where the page's process has one."""

    api_url: str
    key: str | None

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> PageSettings:
        """From the environment; without any of it the service of this machine, without a key."""
        return cls(environ.get(URL_VARIABLE) or UiSettings().api_url, environ.get(KEY_VARIABLE) or None)


def page_environment(settings: UiSettings) -> dict[str, str]:
    """The environment of the page; the key itself stays in its own variable."""
    return {URL_VARIABLE: settings.api_url}


def theme_options() -> dict[str, object]:
    """Streamlit's options, by dotted name."""
    return {
        **{f"theme.{name}": value for name, value in BOTH.items()},
        **{f"theme.light.{name}": value for name, value in LIGHT.items()},
        **{f"theme.dark.{name}": value for name, value in DARK.items()},
        "theme.light.chartCategoricalColors": LIGHT_CHARTS,
        "theme.dark.chartCategoricalColors": DARK_CHARTS,
    }


@cache
def read_resource(name: str) -> str:
    """A file from ``assets``: a style sheet, a script, a picture."""
    return files("ascertain.ui").joinpath("assets", name).read_text(encoding="utf-8")


def style_sheet() -> str:
    """What the page's own elements look like, as an HTML element."""
    return f"<style>{read_resource('tokens.css')}{read_resource('page.css')}</style>"


def check_streamlit() -> None:
    """Raise MissingExtra when Streamlit is not there."""
    found = find_spec("streamlit")
    # without an origin it is a folder of that name where the command was called
    if found is None or found.origin is None:
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
    check_streamlit()
    # the rest of this module is of use without them
    import streamlit  # noqa: PLC0415
    from starlette.responses import HTMLResponse  # noqa: PLC0415
    from starlette.routing import Route  # noqa: PLC0415

    from ascertain.ui.page import PAGES  # noqa: PLC0415

    os.environ.update(page_environment(settings))
    document = name_place(files("streamlit").joinpath("static", "index.html").read_text(encoding="utf-8"))

    def send_document(_: object) -> HTMLResponse:
        return HTMLResponse(document, headers={"Cache-Control": "no-cache"})

    routes = [Route(f"/{path}", send_document) for path in ("", *(page.path for page in PAGES))]
    script = str(files("ascertain.ui").joinpath("script", "page.py"))
    # once the server has ended it passes the signal on that told it to: whoever called goes on to end what else is there
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        streamlit.App(script, routes=routes).run(config=streamlit_options(settings))
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)


def name_place(document: str) -> str:
    """Streamlit's HTML document with the address of its server, from which its scripts come too.

    Without it the scripts look for the server below the path of each page first (``/documents/_stcore/health``), where
    nothing is, and the browser logs an error.
    """
    place = "<script>window.__streamlit = { BACKEND_BASE_URL: new URL('./', location.href).href };</script>"
    return document.replace("<head>", f"<head>{place}", 1)


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
