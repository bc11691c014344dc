from pathlib import Path

import pytest
from typer.main import get_command

from ascertain.interfaces.cli.application import app
from ascertain.interfaces.cli.main import run_with_guard


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Run a command on a home of its own; exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> tuple[int, str, str]:
        arguments = [*words, "--home", str(tmp_path / "kb")]
        code = run_with_guard(
            lambda: get_command(app).main(arguments, prog_name="ascertain", standalone_mode=False), debug=False
        )
        told = capsys.readouterr()
        return code, told.out, told.err

    return command
