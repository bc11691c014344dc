import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.answering.checking.figures import find_figures, find_months


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("fined €41 million", [(41e6, "euro")]),
        ("41 million euros", [(41e6, "euro")]),
        ("84% or 84 percent", [(84, "%"), (84, "%")]),
        ("a five-day trip", [(5 * 86400, "second")]),
        ("two thirds", [(2 / 3, "")]),
        ("about a sixth of it", [(1 / 6, "")]),
        ("half a point", [(0.5, "point")]),
        ("25 basis points", [(0.25, "point")]),
        ("more than doubled", [(2, "times")]),
        ("64 times as much", [(64, "times")]),
        ("from 14:02", [(14 * 3600 + 120, "clock")]),
        ("in the 1990s", [(1990, "decade")]),
        ("the eighth cut", [(8, "ordinal")]),
        ("one of them, at first", []),
        ("only one key", [(1, "")]),
        ("the parts BR-7 and P1", []),
        ("139 000 jobs", [(139000, "")]),
        ("2,048 ether", [(2048, "")]),
    ],
)
def test_figures_are_read_by_value_and_unit(text, found):
    assert [(pytest.approx(figure.value), figure.unit) for figure in find_figures(text)] == found


def test_the_whole_of_two_units_stands_beside_its_parts():
    assert 250 in [figure.value for figure in find_figures("after 4 minutes 10 seconds")]
    assert 210 in [figure.value for figure in find_figures("the target is 3 minutes 30.")]


def test_what_a_figure_is_for_and_whether_it_is_denied():
    (rent,) = find_figures("890 euros a month")
    assert rent.per == "month"
    assert [figure.is_denied for figure in find_figures("Two keys, not one, were stolen")] == [False, True]


def test_may_is_a_month_only_with_a_capital():
    assert [month.number for month in find_months("It may rain in May and on 1 august")] == [5, 8]


@given(st.text(max_size=200))
def test_every_figure_stands_where_it_says(text):
    for figure in find_figures(text):
        assert figure.text == figure.span.of(text)
