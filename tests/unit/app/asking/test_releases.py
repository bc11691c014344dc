"""When a version came out is said by its heading in a changelog, or by the line under it."""

from __future__ import annotations

import pytest

from ascertain import Ascertain

RST = """Changelog
=========

Version 8.1.0
-------------

Released 2022-03-28

-   Drop support for Python 3.6, which was released in 2016.

Version 8.0.4
-------------

Unreleased, and a line that is much too long to be the day of anything, though it ends with 18 February 2022.

-   Fix a crash of the completion.
"""
MARKDOWN = """# Changelog of Fennel

## [2.4.0] - 2023-11-02
### Added
- A new `--flat` option, as in 8.1.0 of the other tool.

## [2.3.1] - 2023-09-14
### Fixed
- Reading of empty files.
"""


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    (folder / "CHANGES.rst").write_text(RST)
    (folder / "fennel.md").write_text(MARKDOWN)
    with Ascertain.open(tmp_path_factory.mktemp("kb")) as opened:
        opened.add([str(folder)])
        yield opened


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("When was version 8.1.0 released?", ["Version 8.1.0: Released 2022-03-28"]),
        ("When was Fennel 2.4.0 released?", ["[2.4.0] - 2023-11-02"]),
        ("when did 2.3.1 come out", ["[2.3.1] - 2023-09-14"]),
        ("What is the release date of Fennel v2.3.1?", ["[2.3.1] - 2023-09-14"]),
    ],
)
def test_the_heading_of_a_version_says_when_it_came_out(knowledge, question, said):
    answer = knowledge.ask(question)
    assert [sentence.text for sentence in answer.sentences] == said
    assert answer.confidence.score >= 80


@pytest.mark.parametrize("question", ["When was Fennel 2.5.0 released?", "when was Parsnip 2.3.1 released?"])
def test_no_other_version_and_no_other_thing_is_dated(knowledge, question):
    answer = knowledge.ask(question)
    assert not answer.sentences
    assert "could not find" in answer.text


def test_a_version_without_a_day_gets_none_from_a_long_line(knowledge):
    answer = knowledge.ask("When was version 8.0.4 released?")
    assert not answer.text.startswith("Version 8.0.4:")
