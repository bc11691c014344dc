"""What the pages call by a path, a dotted name, a setting or a target of make is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "src" / "ascertain"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "AGENTS.md", "deploy/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
JSON_PAGE = ROOT / "docs" / "json.md"
"""Written from the code; its dotted names are fields."""

BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"[\w./*-]*\w\.(?:py|sql|md)|[\w./*-]+/[\w.*-]*\.(?:toml|json)")
FOLDER = re.compile(r"[\w.-]+(?:/[\w.-]+)*/")
DOTTED = re.compile(r"[a-z_]+(?:\.\w+)*\.(?!(?:py|toml|jsonl?|md|yaml)$)\w+")
PLACES = (ROOT, SOURCE, ROOT / "docs", ROOT / "bench", ROOT / "deploy")
SETTINGS = re.findall(r"^\| `([\w.]+)` \|", (ROOT / "docs" / "configuration.md").read_text("utf-8"), re.MULTILINE)
IN_A_HOME = ("prompts/", "profiles/", "uploads/", ".ascertain/", "handbook/", "questions/")
"""Beginnings of paths that are a user's, not ours."""


def quoted_names(page: Path) -> list[str]:
    """What stands between backticks, outside of blocks; names with a part to fill in (``NAME``) are left out."""
    names = QUOTED.findall(BLOCK.sub("", page.read_text("utf-8")))
    return [name for name in names if not re.search(r"(?<![A-Za-z])[A-Z]{3,}(?![A-Za-z])", name)]


def names_of_files(page: Path) -> list[str]:
    found = [name for name in quoted_names(page) if FILE.fullmatch(name) or FOLDER.fullmatch(name)]
    return [name for name in found if not name.startswith(IN_A_HOME)]


def is_in_the_code(name: str) -> bool:
    """Whether ``name`` is a module or package, or something that the module before it defines."""
    parts = name.removeprefix("ascertain.").split(".")
    for length in range(len(parts), 0, -1):
        path = SOURCE.joinpath(*parts[:length])
        module = path.with_suffix(".py") if path.with_suffix(".py").is_file() else path / "__init__.py"
        if module.is_file() and length == len(parts):
            return True
        if module.is_file():
            return defines(module, parts[length])
    return path.is_dir() or defines(SOURCE / "__init__.py", parts[0])


def defines(module: Path, name: str) -> bool:
    """Whether ``name`` is a function, a class, a value or an import of ``module``."""
    definition = rf"^(?:(?:async )?def |class )?{name}\b|import .*\b{name}\b|^    \"?{name}\b"
    return bool(re.search(definition, module.read_text("utf-8"), re.MULTILINE))


def is_a_setting(name: str) -> bool:
    """Also a section, and one value of a table."""
    return (
        name in SETTINGS or name.rpartition(".")[0] in SETTINGS or any(key.startswith(f"{name}.") for key in SETTINGS)
    )


def is_a_group_of_entry_points(name: str) -> bool:
    return f'entry-points."{name}"]' in (ROOT / "pyproject.toml").read_text("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_and_folders_that_a_page_names_are_there(page):
    missing = [name for name in names_of_files(page) if not any(list(place.glob(name)) for place in PLACES)]
    assert missing == []


@pytest.mark.parametrize("page", [page for page in PAGES if page != JSON_PAGE], ids=lambda page: page.name)
def test_modules_and_settings_that_a_page_names_are_there(page):
    ours = {path.stem for path in SOURCE.iterdir()} | {key.split(".")[0] for key in SETTINGS} | {"ascertain"}
    names = [name for name in quoted_names(page) if DOTTED.fullmatch(name) and name.split(".")[0] in ours]
    known = (is_in_the_code, is_a_setting, is_a_group_of_entry_points)
    assert [name for name in names if not any(is_known(name) for is_known in known)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_the_code_on_a_page_imports_is_there(page):
    imports = re.findall(r"^from (ascertain[\w.]*) import (.+)$", page.read_text("utf-8"), re.MULTILINE)
    names = [f"{module}.{name.strip()}" for module, listed in imports for name in listed.split(",")]
    assert [name for name in names if not is_in_the_code(name.removeprefix("ascertain."))] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_targets_of_make_that_a_page_names_are_there(page):
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    blocks = "".join(BLOCK.findall(page.read_text("utf-8")))
    lines = [*quoted_names(page), *blocks.splitlines()]
    named = [match[1] for line in lines if (match := re.match(r"make ([a-z-]+)", line))]
    assert [target for target in named if target not in targets] == []


def test_figures_of_the_readme_stand_in_the_benchmarks():
    rows = re.findall(r"^\|.*\*\*.*$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    figures = {figure for row in rows for figure in re.findall(r"\d+\.\d+", row)}
    benchmarks = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    assert len(figures) > 8
    assert {figure for figure in figures if not re.search(rf"(?<![\d.]){re.escape(figure)}(?!\d)", benchmarks)} == set()
