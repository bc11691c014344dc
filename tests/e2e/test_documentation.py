"""What the documentation shows is what happens.

Each ``console`` block is run, command by command, beside the demo's knowledge base, and its output compared; each ``python``
block is executed there. Where a block names ``SERVER``, a real PostgreSQL stands behind that name. ``UPDATE_DOCS=1 pytest
tests/e2e/test_documentation.py`` writes the real output into the pages.
"""

from __future__ import annotations

import os
import re
import shlex
import textwrap
from pathlib import Path

import pytest

from ascertain.app.container.store_addresses import without_secrets

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WIDTH = 110
SERVER = "postgresql://me@db.example.org/knowledge"


def blocks(kind: str) -> list[tuple[Path, str]]:
    return [(page, match[2]) for page in PAGES for match in BLOCK.finditer(page.read_text("utf-8")) if match[1] == kind]


def name(value: object) -> str:
    return value.name if isinstance(value, Path) else str(value).strip().splitlines()[0][:40]


@pytest.mark.parametrize(("page", "block"), blocks("console"), ids=name)
def test_commands_print_what_is_shown(page, block, demo, inline, request):
    server = request.getfixturevalue("postgres_url") if SERVER in block else SERVER
    shown = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command = part.splitlines()[0]
        program, *arguments = shlex.split(command)
        assert program == "ascertain"
        arguments = [argument.replace(SERVER, server) for argument in arguments]
        outcome = inline(*arguments, cwd=demo.folder, COLUMNS="100")
        assert outcome.code == 0, outcome.err
        output = outcome.out.replace(without_secrets(server), SERVER)
        shown += [f"$ {command}", *portable(output)]
    if os.environ.get("UPDATE_DOCS"):
        page.write_text(page.read_text("utf-8").replace(block, "\n".join(shown) + "\n"), encoding="utf-8")
    else:
        assert comparable(block) == comparable("\n".join(shown))


def comparable(text: str) -> str:
    """Without line breaks, and without what differs from run to run or from processor to processor: last digits of scores, times,
    checksums of dates, what was asked, and where the last of the nearest passages is from, which two of nearly the same score decide.
    """
    for changing in (
        *(r"\d+(?=/100)", r"\d+\.\d(?= (s|kB|MB)\b)", r"\b[0-9a-f]{16}\b", r"\d+(?= past answers?\b)"),
        r"(?<=nearest passages from )\d+",
    ):
        text = re.sub(changing, "n", text)
    return re.sub(r"(?<=nearest )“.*?”(?=\. None of)", "n", " ".join(text.split()))


def portable(output: str) -> list[str]:
    """Output as a page shows it: wrapped, and without the folder that the package is installed in."""
    output = re.sub(r"\S*/demo_corpus/", ".../demo_corpus/", output)
    lines = []
    for line in output.rstrip().splitlines():
        indent = " " * (len(line) - len(line.lstrip()))
        lines += textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_long_words=False) or [""]
    return lines


@pytest.mark.parametrize(("page", "block"), blocks("python"), ids=name)
def test_python_examples_run(page, block, demo, monkeypatch):
    monkeypatch.chdir(demo.folder)
    exec(compile(block, str(page), "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_between_pages_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:)([^)#\s]+)", page.read_text("utf-8"))
    assert not [link for link in links if not (page.parent / link).exists()]
