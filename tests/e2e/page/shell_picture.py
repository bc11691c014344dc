"""A picture of an answer in the shell, for the README: ``python tests/e2e/page/shell_picture.py docs/images``."""

from __future__ import annotations

import io
import re
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI

import ascertain
from ascertain.app.ascertain import Ascertain
from ascertain.app.demo import add_demo, read_demo
from ascertain.core.asking.answers import Answer
from ascertain.core.settings import Settings
from ascertain.interfaces.cli.answers import print_answer

QUESTION = "what to do about TP-4107?"
COLUMNS = 96
NO_FONTS = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
"""Fonts are those of whoever looks: nothing is fetched for a picture."""


def shorten_sources(answer: Answer) -> Answer:
    """The answer with paths as they are below the package."""
    package = f"{Path(ascertain.__file__).parent}/"
    return replace(answer, citations=[replace(c, source=c.source.removeprefix(package)) for c in answer.citations])


def main(folder: Path) -> None:
    """Ask the demo, and draw what ``ascertain ask`` prints."""
    target = folder.resolve() / "shell-answer.svg"
    demo = read_demo()
    console = Console(file=io.StringIO(), record=True, width=COLUMNS, force_terminal=True, highlight=False)
    with tempfile.TemporaryDirectory() as home, Ascertain(Settings(home=Path(home), now=demo.now)) as knowledge:
        add_demo(knowledge, demo)
        answer = knowledge.ask(QUESTION)
        console.print(f'$ ascertain ask "{QUESTION}"', markup=False)
        print_answer(console, shorten_sources(answer), knowledge.document)
    console.save_svg(str(target), title="ascertain", theme=DIMMED_MONOKAI, code_format=NO_FONTS, unique_id="shell")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
