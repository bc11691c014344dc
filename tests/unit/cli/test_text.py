from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.cli.text import count, date, duration, printable, shorten_path, size


@given(st.text())
def test_what_is_printed_is_one_line_without_control_characters(text: str) -> None:
    shown = printable(text)
    assert all(character.isprintable() for character in shown)


def test_escape_sequences_of_a_document_do_not_reach_the_terminal() -> None:
    assert printable("a\x1b[2Jb\nc") == "a\N{REPLACEMENT CHARACTER}[2Jb c"


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (count(1, "document"), "1 document"),
        (count(2000, "document"), "2,000 documents"),
        (size(999), "999 B"),
        (size(3_400_000), "3.4 MB"),
        (duration(0.31), "0.3 s"),
        (duration(125), "2 min 05 s"),
        (date(None), ""),
        (date(datetime(2024, 12, 5, tzinfo=UTC)), "2024-12-05"),
        (date(datetime(2024, 12, 5, 9, 5, tzinfo=UTC)), "2024-12-05 09:05"),
        (shorten_path("a/b.md", 10), "a/b.md"),
        (shorten_path("long/folder/b.md", 8), "…er/b.md"),
    ],
)
def test_numbers_and_dates_for_people(shown: str, expected: str) -> None:
    assert shown == expected
