from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.service.status import format_count, format_size
from ascertain.interfaces.cli.printing import format_date, format_duration, shorten_path, strip_control


@given(st.text())
def test_what_is_printed_is_one_line_without_control_characters(text: str) -> None:
    shown = strip_control(text)
    assert all(character.isprintable() for character in shown)


def test_escape_sequences_of_a_document_do_not_reach_the_terminal() -> None:
    assert strip_control("a\x1b[2Jb\nc") == "a\N{REPLACEMENT CHARACTER}[2Jb c"


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (format_count(1, "document"), "1 document"),
        (format_count(2000, "document"), "2,000 documents"),
        (format_size(999), "999 B"),
        (format_size(3_400_000), "3.4 MB"),
        (format_duration(0.31), "0.3 s"),
        (format_duration(125), "2 min 05 s"),
        (format_date(None), ""),
        (format_date(datetime(2024, 12, 5, tzinfo=UTC)), "2024-12-05"),
        (format_date(datetime(2024, 12, 5, 9, 5, tzinfo=UTC)), "2024-12-05 09:05"),
        (shorten_path("a/b.md", 10), "a/b.md"),
        (shorten_path("long/folder/b.md", 8), "…er/b.md"),
    ],
)
def test_numbers_and_dates_for_people(shown: str, expected: str) -> None:
    assert shown == expected
