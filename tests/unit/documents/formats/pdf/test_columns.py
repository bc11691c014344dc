import re

from hypothesis import given
from hypothesis import strategies as st

from ascertain.documents.formats.pdf.layout import in_reading_order, with_edges
from ascertain.documents.formats.pdf.lines import Line


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


AXES = [
    *((60, 700 - 12 * n, 10, "plain", "A paragraph of many words runs on over its lines from edge to edge of the page") for n in range(3)),
    *((100 + 60 * n, 500, 8, "plain", f"{n}0") for n in range(5)),
    *((80, 520 + 40 * n, 8, "plain", f"0.{n}", "sideways") for n in range(3)),
    (65, 540, 8, "plain", "Height in metres", "sideways"),
    (200, 480, 8, "plain", "Time in days"),
    *((60, 400 - 12 * n, 10, "plain", "Another one stands below the figure and fills the rest of the whole page here") for n in range(3)),
]  # fmt: skip


def test_labels_set_sideways_stand_beside_what_they_are_written_next_to(read_one, a_pdf):
    text = read_one("a.pdf", a_pdf([AXES])).text
    order = ["A paragraph", "00 10 20 30 40", "0.0", "0.1", "0.2", "Height in metres", "Time in days", "Another one"]
    assert [text.index(words) for words in order] == sorted(text.index(words) for words in order)


def test_what_stands_sideways_on_the_margin_interrupts_nothing(read_one, a_pdf):
    stamp = (20, 300, 8, "plain", "Printed in May", "sideways")
    lines = [line for line in AXES if len(line) == 5]
    text = read_one("a.pdf", a_pdf([[*lines[:2], stamp, *lines[2:]]])).text
    assert text.endswith("Printed in May")
    assert text.count("edge of the page A paragraph") == 2


def test_a_label_written_amid_a_paragraph_does_not_cut_it(read_one, a_pdf):
    label = (300, 690, 8, "plain", "Height", "sideways")
    text = read_one("a.pdf", a_pdf([[*AXES[:2], label, *(line for line in AXES[2:] if len(line) == 5)]])).text
    assert text.count("edge of the page A paragraph") == 2
    assert text.index("Height") < text.index("Time in days")


def test_a_drawing_of_many_labels_keeps_them_all(read_one, a_pdf):
    lines = [(60 + n % 50 * 10, 20 + n // 50 * 10, 4, "plain", f"w{n}", *(["sideways"] * (n % 2))) for n in range(1000)]
    text = read_one("a.pdf", a_pdf([lines])).text
    assert all(f"w{n}" in text for n in range(1000))
