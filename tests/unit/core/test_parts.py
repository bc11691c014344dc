"""Parts of documents in places: kept by stores, told in words, and without effect on documents that have none."""

from dataclasses import replace

import pytest

from ascertain.core.documents.blocks import Block, BlockKind, Place, Span
from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.stores.records.rows import blocks_json, read_document

TEXT = "Anvil | 19\nRope | 2"
PAGED = Document(
    id="d",
    text=TEXT,
    title="Prices",
    kind=DocumentKind.PROSE,
    source="/prices.xlsx",
    blocks=(Block(BlockKind.PAGE, Span(0, 10), Place(page=3)),),
)
ROWS = replace(
    PAGED,
    blocks=(
        Block(BlockKind.PART, Span(0, 10), Place(part="A2:B2")),
        Block(BlockKind.PART, Span(11, 19), Place(part="A3:B3")),
        Block(BlockKind.SECTION, Span(0, 19), Place(section=("sheet Prices",))),
    ),
)


def test_another_part_is_another_content():
    first, second, section = ROWS.blocks
    moved = replace(ROWS, blocks=(first, replace(second, place=Place(part="A9:B9")), section))
    assert moved.content_hash != ROWS.content_hash


@pytest.mark.parametrize("document", [PAGED, ROWS])
def test_stores_keep_parts(document):
    row = ("d", TEXT, "Prices", "prose", "/prices.xlsx", None, None, None, None, "[]", "docs", None, "default")
    stored = read_document((*row, blocks_json(document.blocks), None, None, None, None, None))
    assert stored == document


def test_a_citation_tells_the_part_in_words_and_in_json():
    place = ROWS.place_of(Span(11, 15))
    assert place.label == "sheet Prices, A3:B3"
    written = place.to_json()
    assert (written["part"], written["label"]) == ("A3:B3", "sheet Prices, A3:B3")
    assert Place.from_json(written) == place
