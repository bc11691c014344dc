import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.documents.formats.pdf.direction import runs_right_to_left
from ascertain.documents.formats.pdf.layout import in_reading_order
from ascertain.documents.formats.pdf.lines import find_fragments
from ascertain.documents.formats.pdf.words import Font, Word

FONT = Font(10.0, is_bold=False, is_mono=False, is_turned=False)


def printed(*rows, gap=3.0):
    """The words of lines from left to right, as they stand on the page."""
    words = []
    for number, row in enumerate(rows):
        x = 60.0
        for text in row.split(" "):
            words += [Word(" ", 0, 0, 0, None)] if words else []
            words.append(Word(text, x, x + 5.0 * len(text), 700.0 - 14 * number, FONT))
            x += 5.0 * len(text) + gap
    return words


def read(*rows, **how):
    return [line.text for line in in_reading_order(find_fragments(printed(*rows, **how)))]


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("4471 הוא הספק של הזהות מספר", "מספר הזהות של הספק הוא 4471"),
        ("בערב מחר Port Bergen לנמל מגיעים", "מגיעים לנמל Port Bergen מחר בערב"),
        ("סוף page 12 התחלה", "התחלה page 12 סוף"),
        ("The word שלום עולם means peace", "The word עולם שלום means peace"),
        ("رقم 31 السعر", "السعر 31 رقم"),
        ("The harbour opens at six", "The harbour opens at six"),
    ],
)
def test_words_are_read_in_their_order(shown, expected):
    assert read(shown) == [expected]


def test_each_line_is_read_by_itself():
    assert read("הנמל של דוח", "חיפה בעיר המחסן") == ["דוח של הנמל", "המחסן בעיר חיפה"]


def test_the_columns_of_a_table_run_from_the_right():
    rows = (("מחיר", "פריט", "כמות"), ("31", "חבל", "4"), ("12", "עוגן", "7"))
    words = [
        Word(text, 60.0 + 80 * column, 75.0 + 80 * column, 700.0 - 14 * row, FONT)
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
    ]
    read_lines = [line.text for line in in_reading_order(find_fragments(words))]
    assert read_lines == ["כמות | פריט | מחיר", "4 | חבל | 31", "7 | עוגן | 12"]


def test_forms_of_letters_within_words_are_plain_letters():
    assert read("ﻻ ﺳﻼﻡ") == ["سلام لا"]


@pytest.mark.parametrize(("text", "expected"), [("", False), ("12", False), ("漢字", False), ("שלום", True), ("שלום harbours", False)])  # fmt: skip
def test_the_way_of_a_text(text, expected):
    assert runs_right_to_left(text) is expected


WORDS = st.text(st.sampled_from("אבגדabc12"), min_size=1, max_size=4)


@given(st.lists(WORDS, min_size=1, max_size=12))
def test_no_word_is_lost(words):
    assert sorted(" ".join(read(" ".join(words))).split()) == sorted(words)
