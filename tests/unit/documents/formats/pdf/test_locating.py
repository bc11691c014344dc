"""Finding a quote among the characters of a page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.documents.formats.pdf.pictures import is_same_page, locate_characters

PAGE = "The harbour bridge is closed for repairs. They take six weeks. Until then a ferry sails every hour."


def characters(text):
    return list(enumerate(text))


def found(quote, page, before=""):
    """What of the page is marked, with a bar where something is left out."""
    numbers = locate_characters(quote, before, characters(page))
    pieces = []
    for previous, number in zip([None, *numbers], numbers, strict=False):
        gap = page[previous + 1 : number] if previous is not None else ""
        pieces.append(("|" if any(c.isalnum() for c in gap) else "") + page[number])
    return "".join(pieces)


@pytest.mark.parametrize(
    ("quote", "page", "marked"),
    [
        ("six weeks", PAGE, "sixweeks"),
        ("an example of it", "here is an exam-\nple of it, twice", "anexampleofit"),
        ("an efficient file", "an e\ufb03cient \ufb01le", "ane\ufb03cient\ufb01le"),
        ("naïve café", "na\u0131\u0308ve cafe\u0301 and more", "na\u0131vecafe"),
        ("THE RESULTS are clear", "The results are clear", "Theresultsareclear"),
        ("left column goes on here", "left column other stuff between goes on here", "leftcolumn|goesonhere"),
        ("第一章 開始", "目次 第一章開始 終", "第一章開始"),
        ("nothing of this is there at all", PAGE, ""),
        ("∑ = +", PAGE, ""),
        ("", PAGE, ""),
    ],
)
def test_marks_the_letters_of_the_quote(quote, page, marked):
    assert found(quote, page) == marked


def test_of_equal_words_those_with_the_right_words_before_them_are_marked():
    page = "We like the model. They like the model. You hate the model."
    for before, place in (("We like the model. They like ", 1), ("They like the model. You hate ", 2), ("We like ", 0)):
        numbers = locate_characters("the model", before, characters(page))
        starts = [start for start in range(len(page)) if page.startswith("the model", start)]
        assert numbers[0] == starts[place]


def test_half_a_quote_is_no_quote():
    assert (
        locate_characters("closed for repairs and nobody knows until when it will open again", "", characters(PAGE))
        == []
    )


def test_a_page_is_the_same_in_another_order_and_no_other():
    other_order = (
        "Until then a ferry sails every hour. The harbour bridge is closed for re-\npairs. They take six weeks. 17"
    )
    assert is_same_page(PAGE, characters(other_order))
    assert not is_same_page(
        PAGE, characters("Quite another text about bees and honey and how they are kept by people.")
    )
    assert not is_same_page(PAGE, [])
    assert not is_same_page("17", characters("17"))


@given(st.text(max_size=300), st.data())
def test_whatever_stands_on_a_page_is_found_there(page, data):
    start = data.draw(st.integers(0, len(page)))
    end = data.draw(st.integers(start, len(page)))
    numbers = locate_characters(page[start:end], page[:start], characters(page))
    assert numbers == sorted(set(numbers))
    assert all(0 <= number < len(page) for number in numbers)
    if sum(letter.isalnum() for letter in page[start:end]) > 0:
        letters = "".join(page[number] for number in numbers).casefold()
        assert letters or not any(c.isalnum() for c in page[start:end].casefold())
