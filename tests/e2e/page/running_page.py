"""The real service and the real page in processes of their own, and a real browser to look at them with."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from playwright.sync_api import Browser, Page, sync_playwright

PATIENCE = 90.0
"""Seconds until something shows; the machine may be busy."""
START_PATIENCE = 150.0
"""Seconds until a process answers that loads models first."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MISSING = "no Chromium: the page is tested in a browser; install it with: apt-get install -y chromium"
PHONE, DESKTOP = (390, 844), (1440, 900)


class Command:
    """An ``ascertain`` command that runs until it is closed; what it says goes to ``log``."""

    def __init__(self, *arguments: object, log: Path, **environment: str) -> None:
        self._log = log
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ASCERTAIN_")}
        quiet = {"OMP_NUM_THREADS": "1", "ASCERTAIN_MODELS__THREADS": "1"}
        with log.open("wb") as out:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "ascertain", *map(str, arguments)],
                cwd=log.parent,
                env={**kept, **quiet, **environment},
                stdout=out,
                stderr=subprocess.STDOUT,
            )

    def await_answer(self, address: str) -> None:
        until = time.monotonic() + START_PATIENCE
        while time.monotonic() < until and self._process.poll() is None:
            try:
                if httpx.get(address, timeout=5, trust_env=False).is_success:
                    return
            except httpx.TransportError:
                time.sleep(0.1)
        raise AssertionError(self._log.read_text(encoding="utf-8"))

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(START_PATIENCE)


@contextmanager
def service(home: Path, port: int, log: Path, **environment: str) -> Iterator[str]:
    """``ascertain serve`` over ``home``; its address."""
    url = f"http://127.0.0.1:{port}"
    command = Command("serve", "--home", home, "--port", port, log=log, **environment)
    try:
        command.await_answer(f"{url}/healthz")
        yield url
    finally:
        command.close()


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser of this machine."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    assert found, MISSING
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def visit(browser: Browser, size: tuple[int, int] = DESKTOP, scheme: str = "light") -> Iterator[Page]:
    """A visitor with an empty browser."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, locale="en-GB")
    page = context.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    yield page
    context.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
