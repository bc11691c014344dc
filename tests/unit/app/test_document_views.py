"""Looking at what a citation points to."""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_knowledge import WordHashes, a_document, opened

from ascertain import Ascertain
from ascertain.app.adding.uploads import Upload, add_uploads, keep_upload
from ascertain.app.documents.reading import MAX_CONTEXT_CHARACTERS, text_window
from ascertain.app.documents.views import page_image
from ascertain.core.documents.documents import Document
from ascertain.core.errors import UsageError

sys.path.insert(0, str(Path(__file__).parents[2] / "servers"))

from PIL import Image, ImageDraw, ImageFont
from small_pdf import small_pdf

TEXT = "The harbour bridge is closed for repairs. They take six weeks. Until then a ferry sails every hour."


class OneDocument:
    """A knowledge base of one document, where all that counts is its text."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def document(self, document_id: str) -> Document | None:
        return self._document if document_id == self._document.id else None


def window(text: str, start: int, end: int, context: int):
    document = a_document("notes", text)
    return text_window(OneDocument(document), document.id, start, end, context)


def test_shows_the_quote_in_the_words_around_it() -> None:
    start = TEXT.index("six weeks")
    found = window(TEXT, start, start + 9, 12)
    assert found.text == "repairs. They take six weeks. Until then"
    assert TEXT[found.start : found.end] == found.text
    assert TEXT[found.quote_start : found.quote_end] == "six weeks"
    assert found.characters == len(TEXT)


@pytest.mark.parametrize(
    ("start", "end", "quote"),
    [
        (-5, 3, "The"),
        (len(TEXT) - 5, len(TEXT) + 50, "hour."),
        (len(TEXT) + 10, len(TEXT) + 20, ""),
        (-20, -10, ""),
        (10, 10, ""),
    ],
)
def test_what_lies_outside_of_the_document_is_cut_off(start: int, end: int, quote: str) -> None:
    found = window(TEXT, start, end, 20)
    assert TEXT[found.quote_start : found.quote_end] == quote
    assert found.start <= found.quote_start <= found.quote_end <= found.end


@pytest.mark.parametrize(("start", "end", "context"), [(5, 4, 10), (0, 1, -1)])
def test_refuses_a_span_that_is_none(start: int, end: int, context: int) -> None:
    with pytest.raises(UsageError, match="start <= end, context >= 0"):
        window(TEXT, start, end, context)


def test_a_window_has_an_end_however_much_is_asked_for() -> None:
    found = window("word " * 100_000, 200_000, 200_010, 10**9)
    assert len(found.text) <= 2 * MAX_CONTEXT_CHARACTERS + 10 + 80


@pytest.mark.parametrize(
    "character", ["e\u0301", "👍🏽", "👩‍👩‍👧‍👦", "🇩🇪", "❤️", "\u1112\u1161\u11ab", "நி", "\ud83d\udc4d"]
)
@pytest.mark.parametrize("context", range(1, 9))
def test_a_character_that_is_several_code_points_is_never_cut(character: str, context: int) -> None:
    text = character * 12 + "quote" + character * 12
    found = window(text, text.index("quote"), text.index("quote") + 5, context)
    before, _, after = found.text.partition("quote")
    assert len(before) % len(character) == len(after) % len(character) == 0


@given(st.text(max_size=200), st.integers(-10, 210), st.integers(0, 60), st.integers(0, 100))
def test_a_window_is_a_stretch_of_the_text_that_holds_the_quote(
    text: str, start: int, length: int, context: int
) -> None:
    found = window(text, start, start + length, context)
    assert text[found.start : found.end] == found.text
    assert 0 <= found.start <= found.quote_start <= found.quote_end <= found.end <= len(text)
    assert found.quote_start - found.start >= min(context, found.quote_start)
    assert found.end - found.quote_end >= min(context, len(text) - found.quote_end)


def test_a_long_stretch_of_marks_is_not_searched_for_ever() -> None:
    text = "a" + "\u0301" * 100_000
    found = window(text, 50_000, 50_001, 10)
    assert len(found.text) < 300


def test_an_unknown_document_is_said_to_be_none(tmp_path: Path) -> None:
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add_documents([a_document("notes", TEXT)])
        with pytest.raises(UsageError, match="no document 'nope'"):
            text_window(knowledge, "nope", 0, 1, 10)
        with pytest.raises(UsageError, match="no document 'nope'"):
            page_image(knowledge, "nope", 1)


def test_a_quote_of_a_transcript_has_its_speaker_and_time(tmp_path: Path) -> None:
    talk = tmp_path / "talk.vtt"
    talk.write_text(
        "WEBVTT\n\n00:01.000 --> 00:04.000\n<v Ada>We begin with the engine.\n\n"
        "00:10.000 --> 00:14.000\n<v Grace>And then we compile it.\n"
    )
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add([talk])
        record = knowledge.documents()[0]
        document = knowledge.document(record.id)
        assert document is not None
        start = document.text.index("compile")
        found = text_window(knowledge, record.id, start, start + 7, 5)
    assert (found.place.speaker, found.place.start_time, found.place.end_time) == ("Grace", 10.0, 14.0)


PAGES = [
    [
        (50, 700, 12, "plain", "The harbour bridge is closed for repairs."),
        (50, 680, 12, "plain", "They take six weeks."),
    ],
    [
        (50, 700, 12, "plain", "Until then a ferry sails every hour."),
        (50, 400, 12, "plain", "It carries bicycles too."),
    ],
]


def pixels(png: bytes) -> np.ndarray:
    """What an ordinary reader of PNG files sees."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    position, data, size = 8, b"", (0, 0)
    while position < len(png):
        (length,) = struct.unpack(">I", png[position : position + 4])
        kind, content = png[position + 4 : position + 8], png[position + 8 : position + 8 + length]
        (checksum,) = struct.unpack(">I", png[position + 8 + length : position + 12 + length])
        assert checksum == zlib.crc32(kind + content)
        if kind == b"IHDR":
            size = struct.unpack(">II", content[:8])
        elif kind == b"IDAT":
            data += content
        position += 12 + length
    rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(size[1], 1 + 3 * size[0])
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(size[1], size[0], 3)


def marks(png: bytes) -> tuple[float, float, float, float] | None:
    """Left, top, right and bottom of what is marked, as shares of the page; None when nothing is."""
    shown = pixels(png).astype(int)
    yellow = (shown[:, :, 0] - shown[:, :, 2]) > 100
    if not yellow.any():
        return None
    down, across = np.nonzero(yellow)
    height, width = yellow.shape
    return across.min() / width, down.min() / height, (across.max() + 1) / width, (down.max() + 1) / height


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    path = tmp_path / "bridge.pdf"
    path.write_bytes(small_pdf(PAGES))
    return path


@pytest.fixture
def knowledge(tmp_path: Path, pdf: Path):
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add([pdf])
        yield knowledge


def span(knowledge: Ascertain, quote: str, record: int = 0) -> tuple[str, tuple[int, int]]:
    identity = knowledge.documents()[record].id
    document = knowledge.document(identity)
    assert document is not None
    start = document.text.index(quote)
    return identity, (start, start + len(quote))


def test_a_page_is_drawn_with_the_quote_marked(knowledge: Ascertain) -> None:
    identity, quote = span(knowledge, "They take six weeks.")
    assert pixels(page_image(knowledge, identity, 1)).shape == (1667, 1250, 3)
    found = marks(page_image(knowledge, identity, 1, quote))
    assert found is not None
    left, top, right, bottom = found
    # the second line: 50 of 600 points from the left, its baseline 120 of 800 from the top
    assert 0.07 < left < 0.09
    assert 0.24 < right < 0.30
    assert 0.13 < top < 0.145
    assert 0.15 < bottom < 0.16


def test_a_quote_over_two_pages_is_marked_on_each(knowledge: Ascertain) -> None:
    identity, _ = span(knowledge, "They take")
    document = knowledge.document(identity)
    assert document is not None
    both = document.text.index("six weeks"), document.text.index("sails")
    assert marks(page_image(knowledge, identity, 1, both)) is not None
    assert marks(page_image(knowledge, identity, 2, both)) is not None
    only_first = document.text.index("six weeks"), document.text.index("Until")
    assert marks(page_image(knowledge, identity, 2, only_first)) is None


def test_a_page_that_is_turned_is_marked_in_the_right_place(tmp_path: Path) -> None:
    path = tmp_path / "turned.pdf"
    path.write_bytes(small_pdf(PAGES[:1], rotate=90))
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add([path])
        identity, quote = span(knowledge, "They take six weeks.")
        image = page_image(knowledge, identity, 1, quote)
    assert pixels(image).shape == (1250, 1667, 3)
    found = marks(image)
    assert found is not None
    left, top, right, bottom = found
    # turned clockwise: what was 120 points from the top is 120 of 800 from the right
    assert 0.84 < left < right < 0.87
    assert 0.07 < top < 0.09
    assert 0.24 < bottom < 0.30


def test_a_huge_page_is_drawn_small(tmp_path: Path) -> None:
    path = tmp_path / "poster.pdf"
    path.write_bytes(
        small_pdf([[(500, 9000, 200, "plain", "A poster as high as a house of many floors.")]], box="0 0 14400 14400")
    )
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add([path])
        identity, quote = span(knowledge, "as high as a house")
        image = page_image(knowledge, identity, 1, quote)
    assert pixels(image).shape == (2000, 2000, 3)
    assert marks(image) is not None


@pytest.mark.parametrize("page", [0, -1, 3])
def test_a_page_that_is_not_there_is_said_to_be_missing(knowledge: Ascertain, page: int) -> None:
    identity, _ = span(knowledge, "bridge")
    with pytest.raises(UsageError, match=f"no page {page}, it has 2"):
        page_image(knowledge, identity, page)


def test_a_text_file_has_no_pages(tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text(TEXT)
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add([note])
        with pytest.raises(UsageError, match="only PDF files and pictures have"):
            page_image(knowledge, knowledge.documents()[0].id, 1)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda path: path.unlink(), "no longer exists"),
        (
            lambda path: path.write_bytes(
                small_pdf([[(50, 700, 12, "plain", "Quite another text about bees and honey.")]] * 2)
            ),
            "has changed",
        ),
        (lambda path: path.write_bytes(b"%PDF-1.4 cut off"), "cannot be shown"),
        (lambda path: path.write_bytes(small_pdf(PAGES, encrypted=True)), "password"),
    ],
)
def test_a_file_that_is_not_what_was_read_is_never_shown(knowledge: Ascertain, pdf: Path, change, reason: str) -> None:
    identity, quote = span(knowledge, "bridge")
    change(pdf)
    with pytest.raises(UsageError, match=reason):
        page_image(knowledge, identity, 1, quote)


def test_an_upload_is_drawn_from_what_was_uploaded(tmp_path: Path) -> None:
    with opened(tmp_path / "kb", WordHashes()) as knowledge:
        knowledge.set_up()
        upload: Upload = keep_upload(
            knowledge.service.files,
            knowledge.tenant,
            "folder/bridge.pdf",
            [small_pdf(PAGES)],
            conversation_id=None,
            limit=knowledge.settings.ingest.max_file_bytes,
        )
        add_uploads(knowledge.container, knowledge.tenant, [upload], profile="docs")
        identity, quote = span(knowledge, "closed for repairs")
        assert marks(page_image(knowledge, identity, 1, quote)) is not None
        # a later file of this name that nobody has read yet is not what the document says
        keep_upload(
            knowledge.service.files,
            knowledge.tenant,
            "folder/bridge.pdf",
            [small_pdf(PAGES[1:])],
            conversation_id=None,
            limit=knowledge.settings.ingest.max_file_bytes,
        )
        assert marks(page_image(knowledge, identity, 1, quote)) is not None


def test_nobody_sees_a_page_of_another_tenant(knowledge: Ascertain) -> None:
    identity, quote = span(knowledge, "bridge")
    with pytest.raises(UsageError, match="no document"):
        page_image(knowledge.as_tenant("acme"), identity, 1, quote)
    with pytest.raises(UsageError, match="no document"):
        text_window(knowledge.as_tenant("acme"), identity, *quote, 10)


def test_a_quote_of_a_scan_is_marked_on_the_picture_that_it_was_read_from(tmp_path: Path) -> None:
    path = tmp_path / "scan.png"
    _draw_words(path, "The harbour bridge is closed for repairs.", "They take six weeks.")
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add([path])
        (record,) = knowledge.documents()
        document = knowledge.document(record.id)
        start = document.text.index("six weeks")
        plain, marked = (
            pixels(page_image(knowledge, document.id, 1, span)) for span in (None, (start, start + len("six weeks")))
        )
        rows, columns = np.nonzero((plain != marked).any(axis=2))
        assert 75 < rows.min() < rows.max() < 150
        assert 150 < columns.min() < 190
        assert 290 < columns.max() < 340
        _draw_words(path, "Another scan.", "It has other words on it, and more of them in a line than the first one.")
        with pytest.raises(UsageError, match="the file it was read from has changed since"):
            page_image(knowledge, document.id, 1)


def _draw_words(path: Path, *lines: str) -> None:
    image = Image.new("L", (1000, 200), 255)
    font = ImageFont.load_default(32)
    for number, line in enumerate(lines):
        ImageDraw.Draw(image).text((30, 20 + 70 * number), line, font=font, fill=0)
    image.save(path)
