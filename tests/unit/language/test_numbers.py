from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.language.numbers import Kind, find_quantities, holds_quantity


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("3 million people", 3_000_000, Kind.PLAIN),
        ("3,000,000 people", 3_000_000, Kind.PLAIN),
        ("2.5bn euros", 2.5e9, Kind.MONEY),
        ("$4.2B", 4.2e9, Kind.MONEY),
        ("€1.5T a year", 1.5e12, Kind.MONEY),
        ("as in figure 5b", 5, Kind.PLAIN),
        ("$40 a head", 40, Kind.MONEY),
        ("12 %", 12, Kind.PERCENT),
        ("twelve percent", 12, Kind.PERCENT),
        ("the 21st floor", 21, Kind.ORDINAL),
        ("the third time", 3, Kind.ORDINAL),
        ("twenty-five cats", 25, Kind.PLAIN),
        ("a dozen eggs", 12, Kind.PLAIN),
        ("in Feb. that year", 2, Kind.MONTH),
    ],
)
def test_numbers_are_read_by_value_and_kind(text, value, kind):
    (found,) = find_quantities(text)
    assert (found.value, found.kind) == (value, kind)


@pytest.mark.parametrize(
    ("claim", "evidence", "expected"),
    [
        ("3 million", "3,000,000", True),
        ("about 300", "312", True),
        ("300", "312", False),
        ("about 300", "400", False),
        ("50%", "fifty per cent", True),
        ("50%", "50 euros", False),
        ("50", "50 euros", True),
        ("24 February 2022", "on Feb. 24, 2022", True),
        ("5 May", "5 of them", False),
        ("10 to 20", "between 10 and 20", True),
        ("10 to 25", "between 10 and 20", False),
    ],
)
def test_a_number_holds_when_the_evidence_has_it(claim, evidence, expected):
    there = find_quantities(evidence)
    assert all(holds_quantity(q, there) for q in find_quantities(claim)) is expected


def test_one_alone_is_no_number():
    assert find_quantities("no one knows which one") == []


@given(st.text(max_size=200))
def test_spans_hold_what_they_say(text):
    for quantity in find_quantities(text):
        assert quantity.span.of(text) == quantity.text
