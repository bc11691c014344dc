"""The command that installs an extra works wherever Ascertain came from: real pip is given it."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ascertain.core.errors import MissingExtra

ROOT = Path(__file__).parents[3]
PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "ascertain"
version = "0.1.0"
optional-dependencies = { ocr = [], mcp = [] }
[tool.hatch.build.targets.wheel]
only-include = ["pyproject.toml"]
"""
METADATA = "Metadata-Version: 2.1\nName: ascertain\nVersion: 0.1.0\nProvides-Extra: ocr\nProvides-Extra: mcp\n"
INFO = "ascertain-0.1.0.dist-info"
OFFLINE = "--dry-run --no-deps --no-index --no-build-isolation --ignore-installed --disable-pip-version-check"


def show_command(
    folder: Path, origin: dict[str, object] | None, call: str = "install_command('ocr', 'mcp', 'ocr')"
) -> str:
    """The command that ``call`` makes, as a process says it that finds Ascertain installed from ``origin``."""
    info = folder / "site" / INFO
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text(METADATA)
    if origin is not None:
        (info / "direct_url.json").write_text(json.dumps(origin))
    code = f"from ascertain.core.system.extras import install_command; print({call})"
    path = f"{folder / 'site'}:{ROOT / 'src'}"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def clone(tmp_path):
    folder = tmp_path / "my projects" / "ascertain"
    folder.mkdir(parents=True)
    (folder / "pyproject.toml").write_text(PROJECT)
    return folder


@pytest.fixture
def wheel(tmp_path):
    path = tmp_path / "ascertain-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{INFO}/METADATA", METADATA)
        archive.writestr(f"{INFO}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{INFO}/RECORD", "")
    return path


@pytest.mark.parametrize("editable", [False, True])
def test_from_a_clone_pip_takes_the_clone(tmp_path, clone, editable):
    command = show_command(tmp_path, {"url": clone.as_uri(), "dir_info": {"editable": True} if editable else {}})
    assert ("install -e '" in command) is editable
    assert command.endswith(f"'{clone}[ocr,mcp]'")
    assert_pip_takes(command)


def test_from_a_wheel_pip_takes_the_wheel(tmp_path, wheel):
    command = show_command(tmp_path, {"url": wheel.as_uri(), "archive_info": {}})
    assert f"ascertain[ocr,mcp] @ file://{wheel}" in command
    assert_pip_takes(command)


def assert_pip_takes(command: str) -> None:
    done = subprocess.run(f"{command} {OFFLINE}", shell=True, capture_output=True, text=True, check=False)
    assert "Would install ascertain-0.1.0" in done.stdout, done.stderr
    assert "does not provide the extra" not in done.stderr


@pytest.mark.parametrize(
    ("origin", "named"),
    [
        (None, "'ascertain[ocr,mcp]'"),
        ({"url": "file:///gone/ascertain-0.1.0-py3-none-any.whl", "archive_info": {}}, "'ascertain[ocr,mcp]'"),
        (
            {"url": "https://example.org/a.git", "vcs_info": {"vcs": "git", "commit_id": "c0ffee"}},
            "'ascertain[ocr,mcp] @ git+https://example.org/a.git@c0ffee'",
        ),
    ],
)
def test_without_a_file_pip_takes_the_name_or_the_repository(tmp_path, origin, named):
    assert show_command(tmp_path, origin).endswith(f"pip install {named}")


def test_all_missing_extras_are_in_one_command():
    error = MissingExtra("ascertain serve", "server", ("llm", "server", "tracing"))
    assert "ascertain serve needs the extra server, and the settings need llm, tracing: " in str(error)
    assert "[server,llm,tracing]'" in str(error)
