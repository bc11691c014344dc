"""``.ci/venv``, which every make target begins with."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[3] / ".ci" / "venv"


def interpreter(path: Path, *, fails_on: str) -> Path:
    """A Python that cannot run code holding ``fails_on``."""
    path.write_text(f'#!/bin/sh\ncase "$*" in *"{fails_on}"*) exit 1;; esac\nexec "{sys.executable}" "$@"\n')
    path.chmod(0o755)
    return path


def run(folder: Path, python: str | Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHON": str(python)}
    return subprocess.run([SCRIPT, folder], env=environment, capture_output=True, text=True, check=False)


def test_old_python_is_refused_with_the_remedy(tmp_path: Path):
    done = run(tmp_path / "venv", interpreter(tmp_path / "python", fails_on="version_info"))
    assert done.returncode == 1
    assert "needs Python 3.11 or newer" in done.stderr
    assert "make PYTHON=" in done.stderr
    assert not (tmp_path / "venv").exists()


def test_python_without_ensurepip_is_refused_with_the_remedy(tmp_path: Path):
    done = run(tmp_path / "venv", interpreter(tmp_path / "python", fails_on="ensurepip"))
    assert done.returncode == 1
    assert "python3-venv" in done.stderr


def test_missing_interpreter_is_refused(tmp_path: Path):
    assert run(tmp_path / "venv", "python-that-is-not-there").returncode == 1


def environment_with(folder: Path, python: str) -> Path:
    """An environment whose interpreter is the script ``python``."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").write_text(f"#!/bin/sh\n{python}\n")
    (folder / "bin" / "python").chmod(0o755)
    return folder


def test_working_environment_is_kept(tmp_path: Path):
    folder = environment_with(tmp_path / "venv", "exit 0")
    assert run(folder, "python-that-is-not-there").returncode == 0


def test_broken_environment_is_made_anew(tmp_path: Path):
    folder = environment_with(tmp_path / "venv", "exit 1")
    maker = tmp_path / "python"
    maker.write_text('#!/bin/sh\n[ "$1 $2 $3" = "-m venv --clear" ] && mkdir "$4/made"\nexit 0\n')
    maker.chmod(0o755)
    assert run(folder, maker).returncode == 0
    assert (folder / "made").is_dir()
