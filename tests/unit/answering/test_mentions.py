from __future__ import annotations

import pytest

from ascertain.answering.matching.kinds import mentions_identifier
from ascertain.answering.units.candidates import find_missing_names, find_unmentioned_codes
from ascertain.core.asking.passages import Passage
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, DocumentKind
from ascertain.questions.reading.question import find_identifiers, read_question


def a_passage(text: str, heading: str = "") -> Passage:
    return Passage(Chunk("c", "d", 0, Span(0, len(text)), text, heading, heading, DocumentKind.PROSE, "d.md"), 0.5)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does error TP-4107 mean?", ("TP-4107",)),
        ("Is CVE-2024-3094 fixed in 3.11.2?", ("CVE-2024-3094", "3.11.2")),
        ("What is MAX_RETRY_2 for?", ("MAX_RETRY_2",)),
        ("How did GPT-4 score, and GPT-4 again?", ("GPT-4",)),
        ("What happened on 5 December 2024 at 100,000 dollars?", ()),
        ("What is the 24-hour limit in the 1990s?", ()),
        ("Is 5G or H2O meant?", ()),
        ("who?", ()),
    ],
)
def test_codes_and_versions_are_recognised(question: str, expected: tuple[str, ...]) -> None:
    assert find_identifiers(question) == expected


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        ("Error TP-4107 means", "TP-4107", True),
        ("error tp4107.", "TP-4107", True),
        ("TP 4107", "TP-4107", True),
        ("TP-41070", "TP-4107", False),
        ("ATP-4107", "TP-4107", False),
        ("TP-4108", "TP-4107", False),
        ("version 3.11.20", "3.11.2", False),
        ("version 3.11.2.", "3.11.2", True),
        ("PPR-1777 has v1.10.3 of the firmware", "1.10.3", True),
        ("PPR-1777 has v1.10.31 of the firmware", "1.10.3", False),
        ("the lev1.10.3 of it", "1.10.3", False),
    ],
)
def test_a_code_is_found_whole_whatever_its_separators(text: str, code: str, expected: bool) -> None:
    assert mentions_identifier(text, code) is expected


def test_a_code_in_the_heading_counts() -> None:
    assert find_unmentioned_codes(("TP-1",), [a_passage("It is locked.", "Errors › TP-1")]) == ()
    assert find_unmentioned_codes(("TP-2",), [a_passage("It is locked.", "Errors › TP-1")]) == ("TP-2",)


def test_names_that_no_passage_holds_are_told() -> None:
    question = read_question("Does Tidepool Backup run on Solaris?")
    passages = [a_passage("Tidepool Backup runs on Linux and Windows.")]
    assert find_missing_names(question, passages) == ("Solaris",)
