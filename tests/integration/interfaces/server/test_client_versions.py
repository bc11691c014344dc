"""OpenAI's client as it was in the first version with responses, and as it is."""

import json
import subprocess
import sys
from pathlib import Path

import openai
import pytest
from material import QUESTION

ROOT = Path(__file__).parents[4]
OLDER = ROOT / ".venv-clients" / "bin" / "python"
ANSWER = "This takes five working days."


def ask(python, place, client):
    key = client.headers["Authorization"].removeprefix("Bearer ")
    command = [python, ROOT / "tests" / "clients" / "openai_client.py", f"{place.url}/v1", key, QUESTION]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("python", "version"),
    [
        (Path(sys.executable), openai.__version__),
        pytest.param(
            *(OLDER, "1.66."),
            marks=pytest.mark.skipif(not OLDER.exists(), reason="needs .venv-clients: make test-slow"),
        ),
    ],
)
def test_every_version_gets_the_same(python, version, place, filled):
    got = ask(python, place, filled)
    assert got["version"].startswith(version)
    assert got["models"] == ["ascertain"]
    for name in ("completion", "streamed", "response"):
        assert ANSWER in got[name].replace("**", ""), name
    assert {*got["annotations"]} == {"file_citation"}
    assert (got["events"][0], got["events"][-1]) == ("response.created", "response.completed")
    assert "response.output_text.delta" in got["events"]
    assert got["dimensions"] == [384, 384]
    kinds = {name: error[:2] for name, error in got["errors"].items()}
    assert kinds == {
        "unknown model": ["NotFoundError", 404],
        "no messages": ["UnprocessableEntityError", 422],
        "wrong key": ["AuthenticationError", 401],
    }
    assert all(message for _, _, message in got["errors"].values())
