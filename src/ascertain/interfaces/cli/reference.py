"""``docs/cli.md``, written from the commands themselves: ``python -m ascertain.interfaces.cli.reference``."""

import sys
from collections.abc import Iterator
from pathlib import Path

import typer
from typer.core import TyperGroup
from typer.main import get_command

from ascertain.interfaces.cli.application import HELP_OPTIONS, app

PAGE = Path("docs/cli.md")
WIDTH = 100
INTRODUCTION = """\
# Command line

Written from the commands by `make docs`; do not edit.

Results go to standard output, progress and remarks to standard error. `--home`, `--kb`, `--config`, `--profile`, `--json`
and `--debug` may come before or after the command. What `--json` prints is described in [json.md](json.md), settings in
[configuration.md](configuration.md).

| exit code | means |
|---|---|
| 0 | done; also when the answer is "I could not find that" |
| 1 | something went wrong: one line on standard error says what, and what to do |
| 2 | the command was used wrongly; likewise |
| 130 | interrupted; the same command continues |
"""


def write_reference() -> str:
    """The whole page."""
    # help text does not depend on the reader's terminal, so neither must the page
    root = typer.Context(
        get_command(app),
        info_name="ascertain",
        terminal_width=WIDTH,
        max_content_width=WIDTH,
        help_option_names=list(HELP_OPTIONS),
    )
    return "\n".join([INTRODUCTION, *_iterate_sections(root)])


def _iterate_sections(context: typer.Context) -> Iterator[str]:
    yield f"## `{context.command_path}`\n\n```text\n{context.get_help().rstrip()}\n```\n"
    if isinstance(context.command, TyperGroup):
        for name, command in context.command.commands.items():
            yield from _iterate_sections(typer.Context(command, info_name=name, parent=context))


if __name__ == "__main__":
    page = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    page.write_text(write_reference(), encoding="utf-8")
