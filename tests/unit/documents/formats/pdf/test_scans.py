"""Text on pictures and scanned pages: what is read, where it stands, and what is said without the extra."""

import io
import re
from dataclasses import replace
from difflib import SequenceMatcher

import numpy as np
import pypdfium2
import pytest
from PIL import Image, ImageDraw, ImageFont

from ascertain.core.documents.blocks import BlockKind, Span
from ascertain.core.documents.documents import LeftOut
from ascertain.core.errors import SourceError
from ascertain.core.system.extras import install_command
from ascertain.documents.formats import registry
from ascertain.documents.formats.pdf import reader, scans
from ascertain.documents.formats.pdf.scans import (
    boxes_on_picture,
    is_same_scan,
    picture_page,
    picture_pages,
    recognize_lines,
)
from ascertain.documents.formats.pdf.words import Unreadable
from ascertain.documents.sources.files import ReadOptions, discover_files, read_apart, read_path

SENTENCES = (
    "The committee met on 14 March 2024 and approved a budget of 3,250,000 euros.",
    "Minutes of the general assembly of the Quillon housing association.",
    "Retention of invoices: ten years, counted from the end of the year.",
    "The pump must not be run dry for longer than 90 seconds (see section 4.2).",
    "Contact: office@example.org, telephone +49 30 1234567.",
)
POINT = 200 / 72
"""Pixels of a scan at 200 dots an inch."""


def draw_lines(lines, size=(1654, 700), points=11, *, left=180, top=80, image=None):
    """Black type on white, as scanned."""
    image = image or Image.new("L", size, 255)
    font = ImageFont.load_default(points * POINT)
    for number, line in enumerate(lines):
        ImageDraw.Draw(image).text((left, top + number * 1.5 * points * POINT), line, font=font, fill=20)
    return image


def pdf_of(*pages):
    """A PDF of pictures (PIL images) and of files with a text layer (bytes), in this order."""
    whole = pypdfium2.PdfDocument.new()
    for page in pages:
        data = page
        if not isinstance(page, bytes):
            out = io.BytesIO()
            page.save(out, "PDF", resolution=200)
            data = out.getvalue()
        whole.import_pages(pypdfium2.PdfDocument(data))
    out = io.BytesIO()
    whole.save(out)
    return out.getvalue()


def likeness(found, wanted):
    """Share of the wanted characters that were found in their order."""
    found, wanted = " ".join(found.split()), " ".join(wanted.split())
    matches = SequenceMatcher(None, wanted, found, autojunk=False).get_matching_blocks()
    return sum(match.size for match in matches) / len(wanted)


def save_picture(tmp_path, name, image, **options):
    path = tmp_path / name
    image.save(path, **options)
    return path


@pytest.fixture
def read_one(check):
    def read(path, **options):
        (document,) = read_path(path, ReadOptions(**options))
        check(document)
        return document

    return read


@pytest.fixture
def without_extra(monkeypatch):
    monkeypatch.setattr(registry, "can_recognize", lambda: False)
    monkeypatch.setattr(reader, "can_recognize", lambda: False)


@pytest.mark.parametrize(
    "name",
    ["a.png", *(pytest.param(f"a.{suffix}", marks=pytest.mark.slow) for suffix in ("jpg", "tiff", "webp", "bmp"))],
)
def test_reads_the_sentences_on_a_clean_scan(tmp_path, name, read_one):
    document = read_one(save_picture(tmp_path, name, draw_lines(SENTENCES)))
    assert likeness(document.text, " ".join(SENTENCES)) >= 0.97


@pytest.mark.parametrize(
    "turns", [90, pytest.param(180, marks=pytest.mark.slow), pytest.param(270, marks=pytest.mark.slow)]
)
def test_a_page_that_was_scanned_on_its_head_or_side_is_turned(tmp_path, turns, read_one):
    image = draw_lines(SENTENCES)
    path = save_picture(tmp_path, "a.png", image.rotate(turns, expand=True))
    document = read_one(path)
    assert likeness(document.text, " ".join(SENTENCES)) >= 0.97
    (pixels,) = picture_pages(path)
    assert is_same_scan(document.blocks_of(BlockKind.LINE), pixels)


def test_each_line_has_its_box_on_the_picture(tmp_path, read_one):
    path = save_picture(tmp_path, "a.png", draw_lines(SENTENCES))
    document = read_one(path)
    lines = document.blocks_of(BlockKind.LINE)
    assert [line.span.of(document.text)[:12] for line in lines] == [sentence[:12] for sentence in SENTENCES]
    pixels = picture_page(path, 1)
    for line, number in zip(lines, range(len(SENTENCES)), strict=True):
        assert line.box is not None
        top = (80 + number * 1.5 * 11 * POINT) / 700
        assert line.box.top - 0.02 < top < line.box.bottom
        assert line.box.ink > 0.05
    start = document.text.index("3,250,000")
    (box,) = boxes_on_picture(lines, Span(start, start + 9), pixels)
    drawn = 180 + ImageFont.load_default(11 * POINT).getlength(SENTENCES[0][: SENTENCES[0].index("3,250")])
    scale = pixels.shape[1] / 1654
    assert abs(box.left - drawn * scale) < 40
    assert box.right - box.left < 250


def test_another_picture_is_told(tmp_path, read_one):
    document = read_one(save_picture(tmp_path, "a.png", draw_lines(SENTENCES)))
    lines = document.blocks_of(BlockKind.LINE)
    other = save_picture(tmp_path, "b.png", draw_lines(["Nothing but this line."], top=400))
    assert not is_same_scan(lines, picture_page(other, 1))


def test_a_scanned_file_is_read_page_by_page_in_a_process_of_its_own(tmp_path):
    path = tmp_path / "scan.pdf"
    path.write_bytes(pdf_of(draw_lines(SENTENCES[:3]), draw_lines(SENTENCES[3:])))
    # each page has the seconds of a file
    (document,) = read_apart(path, ReadOptions())
    assert likeness(document.text, " ".join(SENTENCES)) >= 0.97
    pages = document.blocks_of(BlockKind.PAGE)
    assert [page.place.page for page in pages] == [1, 2]
    assert likeness(pages[1].span.of(document.text), " ".join(SENTENCES[3:])) >= 0.97


def test_two_columns_of_a_scan_are_read_one_after_the_other(tmp_path, read_one):
    left = [f"The left column has its line {number} here." for number in range(6)]
    right = [f"The other column says {number} something." for number in range(6)]
    image = draw_lines(left, left=100)
    draw_lines(right, left=900, image=image)
    document = read_one(save_picture(tmp_path, "a.png", image))
    assert likeness(document.text, " ".join(left + right)) >= 0.97


def test_only_pages_without_text_are_recognised(tmp_path, a_pdf, monkeypatch, read_one):
    recognised = []
    plain = reader.recognize_lines
    monkeypatch.setattr(reader, "recognize_lines", lambda pixels: recognised.append(1) or plain(pixels))
    typed = a_pdf([[(60, 700, 10, "plain", "This page has a text layer of its own.")]])
    path = tmp_path / "mixed.pdf"
    path.write_bytes(pdf_of(typed, draw_lines(SENTENCES[:2]), typed))
    document = read_one(path)
    assert len(recognised) == 1
    pages = [page.span.of(document.text) for page in document.blocks_of(BlockKind.PAGE)]
    assert pages[0] == "This page has a text layer of its own."
    assert likeness(pages[1], " ".join(SENTENCES[:2])) >= 0.97


def test_a_mixed_file_without_the_extra_names_the_pages_that_were_left_out(tmp_path, a_pdf, without_extra, read_one):
    rows = []
    typed = a_pdf([[(60, 700, 10, "plain", "This page has a text layer of its own.")]])
    scan = draw_lines(SENTENCES[:1])
    path = tmp_path / "mixed.pdf"
    path.write_bytes(pdf_of(typed, scan, scan, typed, scan))
    document = read_one(path, on_bad_row=lambda source, reason: rows.append((source, reason)))
    assert "text layer" in document.text
    assert document.completeness.left_out == (LeftOut("pages that are pictures", 3, names=("2-3, 5",)),)
    (note,) = document.completeness.notes
    assert install_command("ocr") in note
    assert rows == []


def test_without_the_extra_a_scan_is_refused_with_the_command(tmp_path, without_extra, read_one):
    path = tmp_path / "scan.pdf"
    path.write_bytes(pdf_of(draw_lines(SENTENCES[:1])))
    with pytest.raises(
        SourceError, match=re.escape(f"scan.pdf: no text in it, only pictures; {install_command('ocr')}")
    ):
        read_one(path)
    picture = save_picture(tmp_path, "a.png", draw_lines(SENTENCES[:1]))
    with pytest.raises(SourceError, match=re.escape(f"a.png: a picture; {install_command('ocr')}")):
        read_one(picture)
    assert discover_files([tmp_path]).skipped == ((picture, "unsupported suffix '.png'"),)


def test_a_picture_without_text_is_told(tmp_path, read_one):
    path = save_picture(tmp_path, "a.png", Image.new("RGB", (400, 300), (90, 140, 60)))
    with pytest.raises(SourceError, match=r"a\.png: no text was recognised on it"):
        read_one(path)


def test_a_page_without_anything_on_it_is_not_recognised(tmp_path, a_pdf, monkeypatch, read_one):
    monkeypatch.setattr(reader, "recognize_lines", lambda pixels: pytest.fail("nothing to recognise"))
    path = tmp_path / "empty.pdf"
    path.write_bytes(a_pdf([[]]))
    with pytest.raises(SourceError, match=r"empty\.pdf: no text in it"):
        read_one(path)


def test_the_seconds_are_counted_for_each_page(tmp_path, monkeypatch, read_one):
    told = []
    monkeypatch.setattr(reader, "recognize_lines", lambda pixels: [])
    path = tmp_path / "scan.tiff"
    pages = [draw_lines(SENTENCES[:1], size=(600, 200))] * 3
    pages[0].save(path, save_all=True, append_images=pages[1:])
    with pytest.raises(SourceError, match="no text was recognised"):
        read_one(path, on_piece=lambda: told.append(1))
    assert len(told) == 3


def test_a_file_of_too_many_scans_is_refused(tmp_path, monkeypatch, read_one):
    monkeypatch.setattr(reader, "MAX_SCANS", 2)
    monkeypatch.setattr(reader, "recognize_lines", lambda pixels: [])
    path = tmp_path / "scan.tiff"
    pages = [Image.new("L", (60, 20), 255)] * 3
    pages[0].save(path, save_all=True, append_images=pages[1:])
    with pytest.raises(SourceError, match="more than 2 pages to be recognised; split it"):
        read_one(path)


def test_a_picture_of_too_many_pixels_is_refused_before_it_is_unpacked(tmp_path):
    path = save_picture(tmp_path, "a.png", Image.new("1", (20_000, 6_000), 1))
    with pytest.raises(Unreadable, match="20,000 x 6,000 pixels, over the limit"):
        list(picture_pages(path))


def test_letters_on_nothing_are_letters_on_paper(tmp_path):
    image = draw_lines(SENTENCES[:1], size=(1654, 200))
    clear = Image.new("RGBA", image.size, (0, 0, 0, 0))
    clear.putalpha(image.point(lambda value: 255 - value))
    (pixels,) = picture_pages(save_picture(tmp_path, "a.png", clear))
    assert pixels.max() == 255
    assert np.median(pixels) == 255


def test_sixteen_bits_of_grey_are_as_light_as_eight(tmp_path):
    grey = np.asarray(draw_lines(SENTENCES[:1], size=(600, 200)))
    path = save_picture(tmp_path, "a.png", Image.fromarray(grey.astype(np.uint16) * 257))
    (pixels,) = picture_pages(path)
    assert np.array_equal(pixels[:, :, 0], grey)


def test_boxes_are_part_of_what_a_document_is(tmp_path, read_one):
    document = read_one(save_picture(tmp_path, "a.png", draw_lines(SENTENCES[:1], size=(1654, 200))))
    assert document.content_hash != replace(document, blocks=document.blocks[:1]).content_hash


@pytest.mark.slow
@pytest.mark.parametrize("points", [8, 9, 10, 12])
def test_small_print_is_read(tmp_path, points, read_one):
    document = read_one(save_picture(tmp_path, "a.png", draw_lines(SENTENCES * 8, (1654, 2339), points)))
    assert likeness(document.text, " ".join(SENTENCES * 8)) >= 0.97


@pytest.mark.parametrize(("points", "wanted"), [(11, [True]), (4, [True, False])])
def test_lines_are_looked_for_in_a_smaller_picture_unless_they_are_low(points, wanted, monkeypatch):
    looked = []
    load = scans._load_recognizer

    def note(is_sparing):
        looked.append(is_sparing)
        return load(is_sparing)

    monkeypatch.setattr(scans, "_load_recognizer", note)
    lines = recognize_lines(np.asarray(draw_lines(SENTENCES, (2000, 1400), points).convert("RGB")))
    assert likeness(" ".join(line.text for line in lines), " ".join(SENTENCES)) > 0.95
    assert looked == wanted


def test_lines_that_were_missed_beside_large_type_are_looked_for_again(monkeypatch):
    picture = draw_lines(SENTENCES[:1], points=14)
    small = draw_lines(SENTENCES[1:], points=4, top=300, image=picture)
    lines = recognize_lines(np.asarray(small.convert("RGB")))
    assert likeness(" ".join(line.text for line in lines), " ".join(SENTENCES)) > 0.9
