"""Formulas of a PDF are read in one line, and what only stands above each other is not taken for one."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot, rc_context

from ascertain.documents.formats.pdf.formulas import write_formulas
from ascertain.documents.formats.pdf.words import Font, Word
from ascertain.documents.sources.files import read_path

PLAIN = Font(10, is_bold=False, is_mono=False, is_turned=False)
SMALL = Font(7, is_bold=False, is_mono=False, is_turned=False)


def word(text, x, y=0.0, font=PLAIN, width=None):
    return Word(text, x, x + (width or 0.5 * font.size * len(text)), y, font)


def texts(words):
    return [each.text for each in write_formulas(words)]


@pytest.fixture
def read_formula(tmp_path):
    """The paragraphs of a page with a formula in it, as matplotlib sets it in TeX's way."""

    def read(formula, fonts="stix"):
        path = tmp_path / "formula.pdf"
        with rc_context({"pdf.fonttype": 42, "mathtext.fontset": fonts}):
            page = pyplot.figure(figsize=(8.27, 11.69))
            page.text(
                0.12,
                0.87,
                "The loss is the mean over all of the observations in the set of training, that is",
                fontsize=11,
            )
            page.text(0.5, 0.8, f"${formula}$", fontsize=11, ha="center")
            page.text(
                0.12,
                0.75,
                "where each of the letters has the meaning that it had in the first of the sections.",
                fontsize=11,
            )
            page.savefig(path)
            pyplot.close(page)
        return next(iter(read_path(path))).text.split("\n\n")

    return read


@pytest.mark.parametrize(
    ("formula", "read"),
    [
        (r"y = \frac{a + b}{n}", "y = (a + b)/n"),
        (r"p = \frac{1}{2} + q", "p = 1/2 + q"),
        (r"L = \frac{1}{n}\sum_{i=1}^{n} x^2", "L = 1/n ∑_{i = 1}^{n} x²"),
        (r"s = \prod_{k=0}^{m} t", "s = ∏_{k = 0}^{m} t"),
        (r"E = mc^2", "E = mc²"),
    ],
)
@pytest.mark.parametrize("fonts", ["stix", "dejavuserif"])
def test_a_formula_is_a_paragraph_of_one_line(read_formula, formula, read, fonts):
    before, between, after = read_formula(formula, fonts)
    assert before.endswith("that is")
    assert between.replace(" ", "") == read.replace(" ", "")
    assert after.startswith("where each")


def test_the_parts_of_a_fraction_keep_what_is_raised_in_them():
    fraction = [word("a", 20, 6), word("2", 25, 9.6, SMALL), word("b", 22, -7)]
    assert texts([word("=", 12), *fraction, word("+", 32)]) == ["=", "a²/b", "+"]


def test_a_fraction_may_come_before_the_sign_as_well():
    assert texts([word("dy", 10, 6), word("dx", 10, -7), word("=", 22)]) == ["dy/dx", "="]


@pytest.mark.parametrize(
    "words",
    [
        [word("Group", 0), word("first", 40, 6), word("second", 38, -6), word("12", 90)],
        [word("the", 0, 12), word("end", 20, 12), word("of", 12, 0), word("=", 24, 0)],
        [word("=", 0), word("left", 20, 6), word("a far longer line", 30, -6)],
        [word("=", 0), word("x", 60, 6), word("y", 60, -6)],
        [word("open-", 0), word("a", 26, 6), word("b", 26, -6)],
    ],
    ids=["a cell of two lines beside others", "lines of prose", "not centred", "far from its sign", "a hyphen"],
)
def test_what_only_stands_above_each_other_stays_as_it_is(words):
    assert texts(words) == [each.text for each in words]


def test_words_beside_a_sum_that_are_as_large_are_no_limits():
    words = [word("∑", 10, font=PLAIN), word("n", 12, 12), word("x", 20)]
    assert texts(words) == ["∑", "n", "x"]


PLACED = st.builds(
    word,
    st.sampled_from(["a", "n", "12", "∑", "=", "+", "∏", "b", "-"]),
    st.floats(0, 60),
    st.sampled_from([-12.0, -7.0, -3.0, 0.0, 0.5, 3.0, 6.0, 12.0]),
    st.sampled_from([PLAIN, SMALL]),
)
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼ⁿ", "0123456789+-=n")


def test_an_operator_is_no_part_of_its_own_limit():
    font, small = (Font(size, is_bold=False, is_mono=False, is_turned=False, has_large_signs=False) for size in (10, 7))
    words = [Word("a", 0, 5, -12, font), Word("∑", 0, 5, -12, font), Word("a", 2, 5.5, -7, small)]
    assert "".join(texts(words)).count("∑") == 1


@given(st.lists(PLACED | st.just(Word(" ", 0, 0, 0, None)), max_size=14))
def test_no_letter_is_lost_and_none_comes_twice(words):
    def count(found):
        return Counter("".join(found).translate(RAISED)) - Counter()

    before, after = count(each.text for each in words), count(texts(words))
    for mark in " (){}_^/":
        del before[mark], after[mark]
    assert before == after
