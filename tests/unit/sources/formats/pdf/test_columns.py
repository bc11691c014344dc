import re

from hypothesis import given
from hypothesis import strategies as st

from ascertain.sources.formats.pdf.layout import in_reading_order, with_edges
from ascertain.sources.formats.pdf.lines import Line


def a_line(text, x0, y, x1=None, size=10.0):
    return Line(text, x0, x1 if x1 is not None else x0 + 5 * len(text), y, size, is_bold=False, is_mono=False)


def test_spanning_lines_cut_the_page_into_bands():
    side = "this is a line of a column"
    parts = [a_line("title over both columns " * 4, 50, 700)]
    for top in (600, 300):
        for n in range(5):
            parts += [a_line(f"{side} L{top}{n}", 50, top - 12 * n), a_line(f"{side} R{top}{n}", 330, top - 12 * n)]
    parts.append(a_line("a figure's caption over both columns " * 3, 50, 400))
    order = [line.text.split()[-1] for line in in_reading_order(parts)]
    lefts, rights = (
        [f"L{t}{n}" for t in (600, 300) for n in range(5)],
        [f"R{t}{n}" for t in (600, 300) for n in range(5)],
    )
    assert order == ["columns", *lefts[:5], *rights[:5], "columns", *lefts[5:], *rights[5:]]


numbers = st.floats(0, 800, allow_nan=False)


@given(
    st.lists(st.builds(lambda x, y, w: a_line("some words in a line of text", x, y, x + w), numbers, numbers, numbers))
)
def test_no_part_is_lost_wherever_it_stands(parts):
    ordered = with_edges(in_reading_order(parts))
    # where they make a table, cells have marks between them, and empty ones one of their own
    words = [word for word in re.split(r"[ |–]+", " ".join(line.text for line in ordered)) if word]
    assert len("".join(words)) == len("".join(part.text for part in parts).replace(" ", ""))
    assert all(line.left <= line.x0 <= line.x1 <= line.right for line in ordered)
