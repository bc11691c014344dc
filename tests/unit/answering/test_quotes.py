import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.answering.units.quotes import locate_quote, locate_reworded, locate_row, nearest_sentence
from ascertain.language.languages import ENGLISH

TEXT = (
    "The Elm Bridge, a “stone–built” landmark,\n  was opened in 1912 by Ada Stone. "
    "It can carry 40 tonnes <since 1950>. The start of works was delayed."
)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("was opened in 1912 by Ada Stone", "was opened in 1912 by Ada Stone"),
        ('a "stone-built" landmark, was opened in 1912', "a “stone–built” landmark,\n  was opened in 1912"),
        ("WAS OPENED in\n| 1912 by Ada Stone.", "was opened in 1912 by Ada Stone."),
        ("“was opened in 1912 by Ada Stone”", "was opened in 1912 by Ada Stone"),
        ("It can carry 40 tonnes ‹since 1950›", "It can carry 40 tonnes <since 1950>"),
        ("wa\u200bs opened in 1912 by Ada Stone", "was opened in 1912 by Ada Stone"),
        ("40 tonnes", "It can carry 40 tonnes <since 1950>."),
    ],
)
def test_finds_the_exact_characters(quote, found):
    [span] = locate_quote(quote, TEXT)
    assert span.of(TEXT) == found


def test_finds_the_parts_between_elisions():
    spans = locate_quote("was opened in 1912 ... start of works was delayed", TEXT)
    assert [span.of(TEXT) for span in spans] == ["was opened in 1912", "start of works was delayed"]


@pytest.mark.parametrize(
    "quote", ["", "...", "was opened in 1913", "1912 ... by Eve Mallory", "art of works was", "\u200b"]
)
def test_finds_nothing_that_is_not_there(quote):
    assert locate_quote(quote, TEXT) == ()


def test_the_nearest_sentence_shares_most_words():
    near = nearest_sentence("Ada Stone opened the bridge in 1912", TEXT, ENGLISH)
    assert near is not None
    assert near.of(TEXT).endswith("was opened in 1912 by Ada Stone.")
    assert nearest_sentence("Cakes are baked in ovens", TEXT, ENGLISH) is None
    assert nearest_sentence("delayed", TEXT, ENGLISH) is None


@given(st.text(min_size=1, max_size=200), st.data())
def test_a_quote_of_the_text_is_found_where_it_reads_the_same(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    for span in locate_quote(text[start:end], text):
        assert 0 <= span.start < span.end <= len(text)


LONG = (
    "On Monday the council of Oakford agreed to raise the toll by 38 cents from May on. Nothing else was on its list."
)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        (
            "the council of Oakford agreed to raise a toll by 38 cents from May on",
            "the council of Oakford agreed to raise",
        ),
        (
            "on Monday the council of Oakford has agreed to raise the toll by 38 cents",
            "On Monday the council of Oakford",
        ),
        (
            "The council of Oakford agreed to raising the toll by 38 cents from May on.",
            "council of Oakford agreed to raise",
        ),
    ],
)
def test_finds_words_that_were_copied_nearly(quote, found):
    assert locate_quote(quote, LONG) == ()
    [span] = locate_reworded(quote, LONG)
    assert found in span.of(LONG)
    assert "38 cents" in span.of(LONG)


@pytest.mark.parametrize(
    "quote",
    [
        "the council of Oakford agreed to raise the toll by 40 cents from May on",
        "the council of Elmford agreed to raise the toll by 38 cents from May on",
        "the council of Oakford agreed to raise the toll by 38 cents from June on",
        "the council refused to raise any toll at all by 38 cents",
        "agreed to raise a toll",
        "a quite different sentence that has nothing to do with what stands in there",
    ],
)
def test_another_figure_or_name_is_no_copy(quote):
    assert locate_reworded(quote, LONG) == ()


def test_of_an_elided_quote_the_part_that_is_there_counts():
    [span] = locate_quote("was opened in 1912 by Ada Stone ... who was much praised for it", TEXT)
    assert span.of(TEXT) == "was opened in 1912 by Ada Stone"


def test_a_part_behind_an_elision_is_looked_for_behind_the_first():
    text = "It rose in May. The price of oil fell in June, and it rose in May again."
    spans = locate_quote("The price of oil fell in June ... it rose in May", text)
    assert [span.of(text) for span in spans] == ["The price of oil fell in June", "it rose in May"]


ALLOWANCES = "Where | Full day | Half day\nNorland, Suland | 44 € | 22 €\nOstland | 52 € | 26 €\nWestland | 52 € | 24 €"


@pytest.mark.parametrize(
    ("quote", "row"),
    [
        ("Norland | 44€", "Norland, Suland | 44 € | 22 €"),
        ("| Norland, Suland | 44 € | 22 € |", "Norland, Suland | 44 € | 22 €"),
        ("Where: Ostland | Full day: 52 €", "Ostland | 52 € | 26 €"),
        ("Ostland | 26 €", "Ostland | 52 € | 26 €"),
    ],
)
def test_a_row_is_found_by_its_cells(quote, row):
    assert [span.of(ALLOWANCES) for span in locate_row(quote, ALLOWANCES)] == [row]


@pytest.mark.parametrize("quote", ["Norland", "Norland | 4 €", "Norland | 52 €", "52 € | 2", "Nor | 44 €", "| |", ""])
def test_cells_that_no_row_has_side_by_side_are_not_found(quote):
    assert locate_row(quote, ALLOWANCES) == ()


def test_cells_that_two_rows_have_are_no_sign_of_either():
    assert locate_row("52 € | 52 €", ALLOWANCES) == ()
    assert locate_row("land | 52 €", "Eastland | 52 €\nWestland | 52 €") == ()
