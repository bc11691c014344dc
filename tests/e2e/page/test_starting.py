"""``ascertain ui`` as a command: what it says, and the service that it starts and ends."""

import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import httpx
import pytest
from running_page import START_PATIENCE, free_port

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("heard_interrupts")]


@contextmanager
def started(folder, *arguments):
    command = [sys.executable, "-m", "ascertain", "ui", *map(str, arguments)]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
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
def test_page_and_service_start_together_and_end_together(tmp_path):
    page, api = free_port(), free_port()
    api_url = f"http://127.0.0.1:{api}"
    arguments = ("--serve", "--home", tmp_path / "kb", "--port", page, "--api-url", api_url)
    with started(tmp_path, *arguments) as process:
        wait_for(lambda: answers(f"http://127.0.0.1:{page}/_stcore/health"))
        assert answers(f"{api_url}/healthz")
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=START_PATIENCE)
    assert f"The page is at http://localhost:{page}" in said
    assert not answers(f"{api_url}/healthz")
    assert "Streamlit" not in said
    assert "Traceback" not in said


def test_page_without_a_service_says_how_to_start_one(tmp_path):
    port = free_port()
    with started(tmp_path, "--port", port, "--api-url", f"http://127.0.0.1:{free_port()}") as process:
        wait_for(lambda: answers(f"http://127.0.0.1:{port}/_stcore/health"))
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=START_PATIENCE)
    assert "ascertain serve" in said


@pytest.mark.parametrize("address", ["http://kb.example.org", "https://127.0.0.1:8000"])
def test_service_elsewhere_cannot_be_started(address, tmp_path):
    with started(tmp_path, "--serve", "--api-url", address) as process:
        said, _ = process.communicate(timeout=START_PATIENCE)
    assert process.returncode == 2
    assert "leave out --serve" in said
