from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_pdf import annotated_pdf

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import LeftOut
from ascertain.documents.formats.pdf.annotations import read_attachments
from ascertain.documents.formats.pdf.words import open_pdf
from ascertain.documents.sources.files import ReadOptions, read_path


def field(kind, name, rectangle, more):
    return f"/Subtype /Widget /FT /{kind} /T ({name}) /Rect [{rectangle}] /F 4 {more}"


def button(name, rectangle, state, more=""):
    # what it shows in each state is an empty form: what counts are their names
    return field("Btn", name, rectangle, f"/V /{state} /AS /{state} /AP << /N << /Yes 4 0 R /Off 4 0 R >> >> {more}")


LABELS = [
    (60, 700, 10, "plain", "Applicant name:"),
    (60, 670, 10, "plain", "Gear:"),
    (60, 640, 10, "plain", "Insured"),
    (260, 640, 10, "plain", "Has a crew"),
    (60, 560, 10, "plain", "To be handed in before the season starts, at the office in the harbour."),
]
FIELDS = [
    field("Tx", "applicant", "160 695 400 715", "/V (Torvald Eriksen)"),
    field("Ch", "gear", "160 665 300 685", "/V (gn) /Opt [[(gn) (Gillnet)] [(tr) (Trawl)]]"),
    button("ins", "110 637 122 649", "Yes"),
    button("crew", "240 637 252 649", "Off"),
    field("Tx", "office.use", "160 500 400 520", "/V (W-17)"),
    field("Tx", "empty", "160 460 400 480", "/V ()"),
    field("Tx", "secret", "160 420 400 440", "/V (hunter2) /Ff 8192"),
    field("Tx", "unseen", "160 380 400 400", "/V (draft)").replace("/F 4", "/F 2"),
]


def fields_of(document):
    return [(block.label, block.span.of(document.text)) for block in document.blocks_of(BlockKind.FIELD)]


def test_filled_fields_stand_behind_their_labels_in_reading_order(read_one):
    document = read_one("form.pdf", annotated_pdf(LABELS, fields=FIELDS))
    assert fields_of(document) == [
        ("Applicant name", "Applicant name: Torvald Eriksen"),
        ("Gear", "Gear: Gillnet"),
        ("Insured", "Insured: yes"),
        ("Has a crew", "Has a crew: no"),
        ("office.use", "office.use: W-17"),
    ]
    assert document.text.index("Has a crew") < document.text.index("To be handed in") < document.text.index("W-17")
    assert "hunter2" not in document.text
    assert "draft" not in document.text
    assert document.completeness.left_out == (LeftOut("hidden form fields", 1),)


def test_the_chosen_button_of_several_is_told_by_the_words_beside_it(read_one):
    lines = [(60, 700, 10, "plain", "Trip"), (160, 700, 10, "plain", "one day"), (260, 700, 10, "plain", "a week")]
    fields = [
        "/Subtype /Widget /FT /Btn /Ff 32768 /T (length) /V /week /AS /Off /Rect [145 697 157 709] /F 4 "
        "/AP << /N << /day 4 0 R /Off 4 0 R >> >>",
        "/Subtype /Widget /FT /Btn /Ff 32768 /T (length) /V /week /AS /week /Rect [245 697 257 709] /F 4 "
        "/AP << /N << /week 4 0 R /Off 4 0 R >> >>",
    ]
    document = read_one("trip.pdf", annotated_pdf(lines, fields=fields))
    assert ("length", "length: a week") in fields_of(document)
    assert "one day" in document.text


NOTES = [
    "/Subtype /FreeText /Rect [60 600 300 620] /Contents (Approved by the harbour master) /F 4",
    "/Subtype /Highlight /Rect [60 700 300 712] /Contents (Is this still so?) /T (Ada Berg) /F 4",
    "/Subtype /Text /Rect [500 700 520 720] /Contents (See rule 7) /F 4",
    "/Subtype /Link /Rect [60 700 300 712] /Contents (no words) /F 4",
    "/Subtype /Sound /Rect [60 700 300 712] /F 4",
]


def test_words_put_on_a_page_and_comments_are_stored(read_one):
    lines = [(60, 700, 10, "plain", "The quay is closed at night."), (60, 500, 10, "plain", "It opens at six.")]
    document = read_one("notes.pdf", annotated_pdf(lines, NOTES))
    assert document.text == (
        "The quay is closed at night.\n\nApproved by the harbour master\n\nIt opens at six.\n\n"
        "Comment by Ada Berg: Is this still so?\n\nComment: See rule 7"
    )
    assert [block.label for block in document.blocks_of(BlockKind.COMMENT)] == ["Ada Berg", None]
    assert document.completeness.left_out == (LeftOut("recordings", 1),)


def test_every_carrier_of_text_is_stored_once_or_named(write):
    lines = [
        (60, 760, 18, "bold", "w001"),
        (60, 730, 10, "plain", "w002 is a line of the text"),
        (60, 716, 10, "mono", "w003"),
        (60, 690, 10, "plain", "1. w004"),
        (60, 650, 10, "plain", "w005:"),
        (60, 600, 10, "plain", "w006"),
        (160, 600, 10, "plain", "w007"),
        (60, 586, 10, "plain", "w008"),
        (160, 586, 10, "plain", "w009"),
        (60, 560, 10, "plain", "Figure 1: w010"),
        (60, 100, 8, "plain", "[1] w011"),
        (300, 30, 8, "plain", "w012"),
    ]
    box = "/Rect [300 500 500 520] /F 4"
    notes = [
        f"/Subtype /FreeText {box} /Contents (w013)",
        f"/Subtype /FreeText {box} /RC (<body><p>w014</p></body>)",
        f"/Subtype /Highlight {box} /Contents (w015) /T (w016)",
        f"/Subtype /Text {box} /RC (<p>w017</p>)",
        f"/Subtype /Stamp {box} /Contents (w018)",
        f"/Subtype /Line {box} /Contents (w019)",
        f"/Subtype /Sound {box}",
        "/Subtype /Text /Rect [300 500 500 520] /F 2 /Contents (not shown)",
    ]
    fields = [
        field("Tx", "name", "160 645 300 660", "/V (w020)"),
        field("Ch", "w021", "300 460 400 480", "/V (w022) /Opt [(w022) (no)]"),
        field("Btn", "send", "300 400 400 420", "/Ff 65536 /MK << /CA (Send) >>"),
        field("Sig", "signed", "300 360 400 380", "/V << /Name (Ada) >>"),
    ]
    attached = [("a.csv", b"Item,Price\nw023,31\n"), ("w101.dwg", b"x")]
    path = write("all.pdf", annotated_pdf(lines, notes, fields=fields, attached=attached))
    document, table = read_path(path)
    stored = f"{document.text}\n{table.text}"
    for number in range(1, 24):
        assert stored.count(f"w{number:03d}") == 1, number
    assert "w005: w020" in document.text and "w021: w022" in document.text and "w006 w007\nw008 w009" in document.text
    assert "Comment by w016: w015\n\nComment: w017" in document.text
    assert {(loss.what, loss.count, loss.names) for loss in document.completeness.left_out} == {
        ("attachments", 1, ("w101.dwg",)),
        ("recordings", 1, ()),
        ("hidden comments", 1, ()),
        ("push buttons", 1, ()),
        ("signatures", 1, ()),
    }


def test_attached_files_are_documents_and_those_of_other_formats_are_named(write):
    lines = [(60, 700, 10, "plain", "See what is attached.")]
    attached = [("prices.csv", b"Item,Price\nFender,31\n"), ("hull.dwg", b"AC1015"), ("empty.txt", b"")]
    path = write("plan.pdf", annotated_pdf(lines, attached=attached))
    plan, prices = read_path(path)
    assert prices.source == f"{path}#prices.csv"
    assert "Fender" in prices.text
    assert plan.completeness.left_out == (LeftOut("attachments", 2, names=("hull.dwg", "empty.txt")),)


def test_attached_files_over_the_limit_are_named_and_not_read(tmp_path):
    data = annotated_pdf([], attached=[("a.txt", b"x" * 600), ("b.txt", b"y" * 600)])
    with open_pdf(data) as document:
        assert [(name, len(content)) for name, content in read_attachments(document, 1000)] == [
            ("a.txt", 600),
            ("b.txt", 0),
        ]


@pytest.mark.parametrize("text", ["(", "\\( \\) <<", "\x01", "x" * 3000])
def test_odd_words_in_fields_do_not_stop_a_file(write, text):
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    path = write("odd.pdf", annotated_pdf(LABELS, fields=[field("Tx", "a", "160 695 400 715", f"/V ({escaped})")]))
    (document,) = read_path(path, ReadOptions())
    assert "Applicant name:" in document.text


VALUES = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=8)


@given(st.lists(VALUES, min_size=1, max_size=5))
def test_no_two_fields_touch(tmp_path_factory, values):
    lines = [(60, 700 - 30 * number, 10, "plain", f"Label{number}:") for number in range(len(values))]
    fields = [
        field("Tx", f"f{number}", f"160 {695 - 30 * number} 400 {712 - 30 * number}", f"/V (v{value})")
        for number, value in enumerate(values)
    ]
    path = Path(tmp_path_factory.mktemp("fields")) / "a.pdf"
    path.write_bytes(annotated_pdf(lines, fields=fields))
    (document,) = read_path(path)
    assert document.text.split() == [word for n, value in enumerate(values) for word in (f"Label{n}:", f"v{value}")]
