"""What goes with a release: its version in one voice, a short changelog, files that others read."""

import re
import tomllib
from pathlib import Path

import yaml

import ascertain

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
RELEASES = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", CHANGES, re.MULTILINE)


def test_the_version_is_the_same_everywhere():
    version, date = RELEASES[0]
    assert version == PROJECT["version"] == ascertain.__version__ == CITATION["version"]
    assert date == CITATION["date-released"]
    assert f'examples=["{version}"]' in (ROOT / "src/ascertain/app/wire/service.py").read_text(encoding="utf-8")


def test_the_citation_says_what_the_package_says():
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["abstract"] == PROJECT["description"]
    assert [each["name"] for each in CITATION["authors"]] == [each["name"] for each in PROJECT["authors"]]


def test_the_changelog_keeps_its_form():
    sections = re.split(r"^## ", CHANGES, flags=re.MULTILINE)[1:]
    assert sections[0].startswith("[Unreleased]")
    assert len(sections) == len(RELEASES) + 1
    kinds = set(re.findall(r"^### (\w+)$", CHANGES, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_pages_that_the_changelog_names_are_there():
    for name in re.findall(r"\b(?:docs|deploy)/[\w-]+\.md", CHANGES):
        assert (ROOT / name).is_file(), name


def test_issue_forms_ask_for_what_helps():
    forms = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    read = {form.stem: yaml.safe_load(form.read_text(encoding="utf-8")) for form in forms}
    assert read.keys() == {"bug", "config", "feature"}
    for name in ("bug", "feature"):
        assert read[name]["name"]
        assert read[name]["description"]
        ids = [each["id"] for each in read[name]["body"]]
        assert len(ids) == len(set(ids))
    assert "ascertain doctor" in str(read["bug"])


def test_the_page_of_agents_leads_to_pages_that_are_there():
    text = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([\w./-]+)\)", text):
        assert (ROOT / link).is_file(), link


def test_what_is_published_as_source_is_named_from_the_root():
    hatch = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    included = hatch["sdist"]["include"]
    # as in .gitignore, a name without a slash before it is found in every folder, such as that of the large reader (87 MB)
    assert all(each.startswith("/") and (ROOT / each[1:]).exists() for each in included)
