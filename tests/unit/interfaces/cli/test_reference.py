from __future__ import annotations

from pathlib import Path

from ascertain.interfaces.cli.reference import write_reference

PAGE = Path(__file__).parents[4] / "docs" / "cli.md"


def test_the_committed_reference_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == write_reference(), "run: python -m ascertain.interfaces.cli.reference"


def test_every_command_has_examples() -> None:
    sections = write_reference().split("\n## ")[1:]
    commands = [section for section in sections if "COMMAND [ARGS]" not in section]
    assert len(commands) > 20
    assert not [section.splitlines()[0] for section in commands if "Example" not in section]
