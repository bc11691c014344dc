"""``ascertain ui`` as a command: the service that it starts, and the browser that it opens."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import httpx
import pytest
from running_page import START_PATIENCE, free_port

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("heard_interrupts")]


@contextmanager
def started(folder, *arguments, **environment):
    command = [sys.executable, "-m", "ascertain", "ui", *map(str, arguments)]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    with process:
        try:
            yield process
        finally:
            process.terminate()


def answers(address):
    try:
        return httpx.get(address, timeout=5, trust_env=False).is_success
    except httpx.TransportError:
        return False


def wait_for(condition):
    until = time.monotonic() + START_PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.2)


@pytest.mark.sample
def test_the_page_opens_in_the_browser_once_the_service_answers(tmp_path):
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\ncurl -s -o /dev/null -w "%{{http_code}} $1" "$1" > {opened}.part && mv {opened}.part {opened}\n'
    )
    browser.chmod(0o755)
    with started(tmp_path, "--home", tmp_path / "kb", "--port", free_port(), BROWSER=f"{browser} %s") as process:
        wait_for(opened.exists)
        status, address = opened.read_text().split()
        assert status == "200"
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=START_PATIENCE)
    assert f"Ascertain answers on {address}" in said
    assert "Traceback" not in said
    assert not answers(f"{address}/healthz")


def test_a_port_that_is_in_use_is_left_for_a_free_one(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        environment = {"ASCERTAIN_SERVER__PORT": str(port)}
        with started(tmp_path, "--home", tmp_path / "kb", "--no-browser", **environment) as process:
            said = next(line for line in process.stdout if "Ascertain answers" in line)
            address = re.search(r"http://127\.0\.0\.1:\d+", said)[0]
            assert address != f"http://127.0.0.1:{port}"
            assert answers(address)
