"""The documentation as a site: every page is in its navigation, and what a page tells people to type is a command the program has."""

import importlib.util
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup
from typer.main import get_command

from ascertain.interfaces.cli.application import app
from ascertain.interfaces.cli.main import CommandLineError

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
OUTSIDE = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "deploy/README.md")]
"""Pages that link to the site's and are no part of it; those among its own pages are looked at when it is built."""
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
BLOCK = re.compile(r"^ *```(?:bash|sh|shell)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(?:^\s*|\$\(|&& |; |\| )(?:[A-Z_]+=\S+ )*ascertain ([^\n|&;)<>#]*)", re.MULTILINE)


_spec = importlib.util.spec_from_file_location("llms_text", ROOT / ".ci" / "llms_text.py")
assert _spec and _spec.loader
llms_text = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(llms_text)


@pytest.mark.parametrize(
    ("markup", "is_refused"),
    [
        ('<script src="https://cdn.example.org/a.js"></script>', True),
        ('<img alt="x" src="//cdn.example.org/a.png">', True),
        ('<link rel="stylesheet" href="https://fonts.example.org/css">', True),
        ('<script src="../assets/a.js"></script><img src="images/a.png">', False),
        ('<link href="../assets/a.css" rel="stylesheet"><a href="https://example.org">out</a>', False),
    ],
)
def test_a_page_that_loads_from_another_server_is_refused(markup, is_refused):
    assert bool(llms_text.LOADS.search(markup)) is is_refused


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("# A\n\nIt **reads** [files](a.md) and `x`. And more.\n", "It reads files and x."),
        ("# A\n\n```bash\nls\n```\n\n1. First. \n\n![p](p.png)\n\nThen words\nfollow.\n", "Then words follow."),
    ],
)
def test_a_page_is_summed_up_by_its_first_sentence(page, sentence):
    assert llms_text.first_sentence(page) == sentence


def pages_of(nav: list[dict[str, Any]]) -> Iterator[str]:
    for entry in nav:
        for value in entry.values():
            if isinstance(value, str):
                yield value
            else:
                yield from pages_of(value)


def commands(page: Path) -> list[str]:
    blocks = "\n".join(BLOCK.findall(page.read_text("utf-8"))).replace("\\\n", " ")
    return [found[1].strip() for found in COMMAND.finditer(blocks)]


def test_every_page_is_in_the_navigation_once():
    nav = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]["nav"]
    assert sorted(pages_of(nav)) == sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))


@pytest.mark.parametrize("page", OUTSIDE, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_from_outside_the_site_lead_to_headings(page):
    links = re.findall(r"\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)", page.read_text("utf-8"))
    assert [
        f"{path}#{name}" for path, name in links if name not in headings(page.parent / path if path else page)
    ] == []


def headings(page: Path) -> set[str]:
    """The names by which GitHub and the site link to the headings of a page."""
    titles = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\s-]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_of_a_page_are_those_of_the_program(page):
    assert [f"{line}: {why}" for line in commands(page) if (why := what_is_wrong(shlex.split(line)))] == []


def test_a_command_that_is_none_is_found():
    assert what_is_wrong(["ask", "how?", "--home", "a.kb"]) is None
    assert "No such option" in (what_is_wrong(["ask", "how?", "--hme", "a.kb"]) or "")
    assert "No such command" in (what_is_wrong(["aks", "how?"]) or "")


def what_is_wrong(arguments: list[str]) -> str | None:
    """Why the program would refuse the command line; it is parsed and not run."""
    command = get_command(app)
    context = typer.Context(command, info_name="ascertain")
    try:
        while isinstance(command, TyperGroup):
            _, arguments, _ = command.make_parser(context).parse_args(list(arguments))
            if not arguments:
                return None
            _, below, arguments = command.resolve_command(context, arguments)
            assert below is not None
            command, context = below, typer.Context(below, parent=context, info_name=below.name)
        _, left_over, _ = command.make_parser(context).parse_args(list(arguments))
    except Exception as error:
        if not isinstance(error, CommandLineError):
            raise
        return error.format_message()
    return f"not known: {left_over}" if left_over else None
