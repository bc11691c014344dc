"""An older client of MCP's SDK, with the form of the protocol that it knows."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
PYTHON = ROOT / ".venv-clients" / "bin" / "python"
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not PYTHON.exists(), reason="needs .venv-clients: make test-slow")]


def ask(*given):
    command = [PYTHON, ROOT / "tests" / "clients" / "mcp_client.py", *given]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(params=["stdio", "http"])
def got(request, home, serving):
    if request.param == "stdio":
        yield ask(sys.executable, "-m", "ascertain", "mcp", "--home", str(home))
        return
    with serving(home) as url:
        yield ask(url)


def test_everything_is_there_for_an_older_client(got):
    assert (got["version"].split(".")[:2], got["name"]) == (["1", "8"], "ascertain")
    assert got["protocol"] == "2024-11-05"
    assert {"ask", "search", "outline", "read", "compute"} <= {*got["tools"]}
    is_error, text = got["answer"]
    assert not is_error
    assert "30 days" in text
    assert got["refused"] == [True, "k must be 20 or less"]
    assert len(got["resources"]) == 2
    assert "GB-7731" in got["text"] or "30 days" in got["text"]
    assert "answer_with_sources" in got["prompts"]
    assert "Call `ask`" in got["prompt"]
