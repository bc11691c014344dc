"""docs/dependencies.md defends every package that a user's installation asks for."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAGE = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
CORE, EXTRAS = (
    [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("| `")]
    for part in (
        PAGE.partition("## In every installation")[2].partition("## In extras")[0],
        PAGE.partition("## In extras")[2].partition("## Looked at twice")[0],
    )
)


def name_of(requirement):
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()


def extras_by_package():
    found = {}
    for extra, requirements in PROJECT["optional-dependencies"].items():
        for requirement in requirements:
            if extra not in {"all", "dev", "bench"}:
                found.setdefault(name_of(requirement), []).append(extra)
    return found


def test_every_package_of_the_core_has_a_row_and_no_other():
    assert [row[0].strip("`") for row in CORE] == sorted({name_of(each) for each in PROJECT["dependencies"]})


def test_every_package_of_an_extra_has_a_row_that_names_its_extras():
    rows = {row[0].strip("`"): re.findall(r"`([a-z0-9]+)`", row[1]) for row in EXTRAS}
    assert rows == {name: sorted(extras) for name, extras in extras_by_package().items()}
    assert list(rows) == sorted(rows)


def test_every_row_says_what_for_under_which_licence_how_large_how_old_and_what_instead():
    for *_, reason, licence, size, released, instead in [*CORE, *EXTRAS]:
        assert reason
        assert re.match(r"(0BSD|BSD-[23]-Clause|MIT(-CMU)?|Apache-2\.0|PSF-2\.0|LGPL-[23]\.[01])\b", licence)
        assert re.fullmatch(r"\d+(\.\d)?", size)
        assert re.fullmatch(r"20\d\d-[01]\d", released)
        assert instead


def test_what_needs_more_words_has_them():
    looked_at_twice = re.findall(r"^- \*\*`([\w-]+)`\*\*", PAGE, re.MULTILINE)
    named = {name_of(name) for name in looked_at_twice}
    assert {row[0].strip("`") for row in [*CORE, *EXTRAS] if "see below" in row[-1]} - {"langchain-community"} <= named


def test_no_package_of_a_stranger_is_installed_for_spacy():
    assert [name_of(each) for each in PROJECT["optional-dependencies"]["nlp"]] == ["spacy"]
