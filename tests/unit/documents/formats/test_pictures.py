"""Pictures that may say something come out of real files with their places; icons, lines and logos do not."""

import hashlib

import numpy as np
import pytest
from illustrated_files import (
    PdfMaker,
    as_data_address,
    draw_chart,
    make_docx,
    make_epub,
    make_odt,
    make_page,
    make_pptx,
)
from PIL import Image, ImageDraw

from ascertain.documents.formats.drafts.pictures import LONGEST_SIDE, show_picture
from ascertain.documents.sources.files import ReadOptions, read_apart, read_illustrated

CHART = draw_chart()
WORDS = (
    "lakes rivers buoys winter sampled records weeks summer depth water fish boats shore wind rain first second measured"
).split()


def read(path):
    (found,) = read_illustrated(path, ReadOptions(reads_pictures=True))
    (plain,) = read_apart(path, ReadOptions())
    assert found.document == plain, "pictures change nothing of the text"
    return found


def before(found, picture):
    return found.document.text[: picture.position].rstrip().rpartition("\n")[2]


def test_word(tmp_path):
    found = read(make_docx(tmp_path / "a.docx", CHART))
    (picture,) = found.pictures
    assert picture.data == CHART
    assert picture.digest == hashlib.sha256(CHART).hexdigest()
    assert (picture.media_type, picture.size) == ("image/png", (400, 300))
    assert before(found, picture) == "Sales went well in the north, as everybody had hoped for."
    assert picture.place.section == ("Report",)


def test_slides(tmp_path):
    found = read(make_pptx(tmp_path / "a.pptx", [[], [CHART], []]))
    (picture,) = found.pictures
    assert picture.place.part == "slide 2"
    assert before(found, picture) == "Words of slide number 2"


def test_a_logo_on_many_slides_is_left_out_and_still_counted(tmp_path):
    logo = draw_chart("green", (200, 200))
    found = read(make_pptx(tmp_path / "a.pptx", [[logo], [logo, CHART], [logo]]))
    assert [picture.data for picture in found.pictures] == [CHART]
    (left_out,) = found.document.completeness.left_out
    assert (left_out.what, left_out.count) == ("pictures", 4)


def test_a_picture_that_is_shown_twice_is_described_once(tmp_path):
    assert len(read(make_docx(tmp_path / "a.docx", CHART, CHART)).pictures) == 1


@pytest.mark.parametrize("size", [(40, 40), (99, 400), (2000, 101)])
def test_icons_and_lines_are_left_out(tmp_path, size):
    assert read(make_docx(tmp_path / "a.docx", draw_chart(size=size))).pictures == ()


def test_a_page_with_the_picture_in_itself(tmp_path):
    found = read(make_page(tmp_path / "a.html", as_data_address(CHART)))
    (picture,) = found.pictures
    assert picture.data == CHART
    assert picture.caption == "Costs by year"
    assert before(found, picture) == "Before the picture there is text."


def test_a_page_with_the_picture_beside_it(tmp_path):
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "my chart.png").write_bytes(CHART)
    found = read(make_page(tmp_path / "a.html", "images/my%20chart.png"))
    assert [picture.data for picture in found.pictures] == [CHART]


@pytest.mark.parametrize(
    "source", ["../secret.png", "{folder}/secret.png", "file://{folder}/secret.png", "http://localhost/a.png"]
)
def test_a_page_has_no_business_with_other_files(tmp_path, source):
    (tmp_path / "secret.png").write_bytes(CHART)
    (tmp_path / "pages").mkdir()
    found = read(make_page(tmp_path / "pages" / "a.html", source.format(folder=tmp_path)))
    assert found.pictures == ()


def test_a_book(tmp_path):
    found = read(make_epub(tmp_path / "a.epub", CHART))
    (picture,) = found.pictures
    assert picture.caption == "A whale"
    assert picture.place.section[-1:] == ("Loomings",) or "Loomings" in picture.place.label


def test_a_text_of_opendocument(tmp_path):
    found = read(make_odt(tmp_path / "a.odt", CHART))
    (picture,) = found.pictures
    assert before(found, picture) == "The words before it."


def write_paragraph(maker, top, first):
    for line in range(4):
        words = WORDS[first + line :] + WORDS[: first + line]
        maker.write(72, top - 14 * line, " ".join(words[:9]) + ("." if line == 3 else ""))


def make_paper(path):
    """Three pages: a picture with a caption, a drawing with a caption, a picture without."""
    maker = PdfMaker()
    write_paragraph(maker, 700, 0)
    maker.place(72, 450, 300, 150, draw_chart("red"))
    maker.write(72, 430, "Figure 1: Buoys in the lake by year", 9)
    write_paragraph(maker, 390, 4)
    maker.turn_page()
    write_paragraph(maker, 700, 8)
    for number in range(10):
        maker.draw(100 + 25 * number, 450, 15, 30 + 10 * number)
    maker.write(90, 430, "Figure 2: Seas by depth, in metres", 9)
    maker.turn_page()
    write_paragraph(maker, 700, 12)
    maker.place(72, 300, 300, 150, draw_chart("green"))
    return maker.save(path)


def test_figures_of_a_pdf_are_cut_out_as_they_are_printed(tmp_path):
    found = read(make_paper(tmp_path / "a.pdf"))
    assert [(picture.place.page, picture.caption) for picture in found.pictures] == [
        (1, "Figure 1: Buoys in the lake by year"),
        (2, "Figure 2: Seas by depth, in metres"),
        (3, ""),
    ]
    assert before(found, found.pictures[0]) == "Figure 1: Buoys in the lake by year"
    (tmp_path / "cut.png").write_bytes(found.pictures[1].data)
    with Image.open(tmp_path / "cut.png") as cut:
        pixels = np.asarray(cut.convert("RGB"))
        assert 0.1 < ((pixels[:, :, 2] > 150) & (pixels[:, :, 0] < 100)).mean() < 0.6


def test_a_figure_of_a_pdf_is_known_again(tmp_path):
    first, second = (read(make_paper(tmp_path / name)) for name in ("a.pdf", "b.pdf"))
    assert [each.digest for each in first.pictures] == [each.digest for each in second.pictures]


def test_a_logo_on_each_page_of_a_pdf_is_left_out(tmp_path):
    maker = PdfMaker()
    for page in range(4):
        write_paragraph(maker, 600, 3 * page)
        maker.place(72, 700, 80, 60, draw_chart("green"))
        if page < 3:
            maker.turn_page()
    assert read(maker.save(tmp_path / "a.pdf")).pictures == ()


def test_a_picture_file_without_words_is_read_where_it_is_to_be_described(tmp_path):
    (tmp_path / "a.png").write_bytes(CHART)
    (found,) = read_illustrated(tmp_path / "a.png", ReadOptions(reads_pictures=True))
    assert found.document.text == ""
    assert [picture.data for picture in found.pictures] == [CHART]


class TestShowing:
    def test_a_large_one_is_made_smaller(self):
        shown = show_picture(draw_chart(size=(4000, 3000)))
        assert (shown.width, shown.height) == (LONGEST_SIDE, 1176)
        assert len(shown.data) < 1_000_000

    @pytest.mark.parametrize("kind", ["GIF", "BMP", "TIFF", "WEBP"])
    def test_other_formats_become_png(self, kind):
        shown = show_picture(draw_chart(kind=kind))
        assert shown.media_type == "image/png"
        assert shown.data.startswith(b"\x89PNG")

    def test_one_of_one_colour_says_nothing(self, tmp_path):
        Image.new("RGB", (400, 300), "white").save(tmp_path / "a.png")
        assert show_picture((tmp_path / "a.png").read_bytes()) is None

    def test_letters_on_nothing_stand_on_paper(self, tmp_path):
        image = Image.new("RGBA", (2000, 1500), (0, 0, 0, 0))
        ImageDraw.Draw(image).rectangle((500, 500, 900, 900), fill="black")
        image.save(tmp_path / "a.png")
        shown = show_picture((tmp_path / "a.png").read_bytes())
        (tmp_path / "b.png").write_bytes(shown.data)
        with Image.open(tmp_path / "b.png") as seen:
            assert seen.convert("RGB").getpixel((5, 5)) == (255, 255, 255)

    @pytest.mark.parametrize(
        "data", [b"", b"no picture", CHART[: len(CHART) // 2], b"<svg/>", b"\x89PNG\r\n\x1a\n" + bytes(100)]
    )
    def test_damage_is_a_picture_fewer(self, data):
        assert show_picture(data) is None
