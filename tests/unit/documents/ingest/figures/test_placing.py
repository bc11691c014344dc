"""Descriptions go between the blocks of a document, whose own words stay as they are."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.documents.blocks import LAYOUT, BlockKind, Figure, Place, Span
from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.core.settings import ChunkerSettings
from ascertain.documents.formats.drafts.draft import Draft
from ascertain.documents.ingest.chunking.chunks import chunk_document
from ascertain.documents.ingest.figures.placing import Description, insert_descriptions
from ascertain.testing.documents import check_document

FIGURE = Figure("a" * 64, "seer")


def a_document(draft: Draft) -> Document:
    text, blocks = draft.finish()
    return Document("d", text, "Report", DocumentKind.PROSE, "/report.docx", blocks=blocks)


def a_description(position: int, text: str = "A chart with three bars.", place: Place = Place(), figure=FIGURE):
    return Description(position, place, figure, text)


def own_words(document: Document) -> list[str]:
    return [
        block.span.of(document.text)
        for block in document.tree.content()
        if block.kind is not BlockKind.FIGURE and block.kind is not BlockKind.LIST
    ]


def test_a_description_stands_behind_the_block_with_its_mark():
    draft = Draft()
    draft.add("One thing.")
    position = draft.length
    draft.add("Another thing.")
    described = insert_descriptions(a_document(draft), [a_description(position)])
    assert described.text == ("One thing.\n\n[figure, described by seer] A chart with three bars.\n\nAnother thing.")
    (block,) = described.blocks_of(BlockKind.FIGURE)
    assert block.figure == FIGURE
    assert block.span.of(described.text) == "[figure, described by seer] A chart with three bars."


def test_a_position_inside_a_block_means_behind_it():
    draft = Draft()
    with draft.inside(BlockKind.LIST):
        for words in ("first", "second"):
            with draft.item():
                draft.add(words)
    described = insert_descriptions(a_document(draft), [a_description(7)])
    assert described.text.startswith("- first\n- second\n\n[figure")


def test_descriptions_of_one_place_keep_their_order():
    draft = Draft()
    draft.add("One thing.")
    given = [a_description(10, "First."), a_description(10, "Second.")]
    text = insert_descriptions(a_document(draft), given).text
    assert text.index("First.") < text.index("Second.")


def test_a_slide_without_words_has_its_own_place():
    draft = Draft()
    positions = []
    for number in (1, 2, 3):
        draft.part = f"slide {number}"
        draft.enter_section(f"Slide {number}", 1)
        positions.append(draft.length)
        if number != 2:
            draft.add(f"Words of slide {number}.")
    place = Place(part="slide 2", section=("Slide 2",))
    described = insert_descriptions(a_document(draft), [a_description(positions[1], place=place)])
    (block,) = described.blocks_of(BlockKind.FIGURE)
    assert described.place_of(block.span) == place
    after = described.text.index("Words of slide 3")
    assert described.place_of(Span(after, after + 5)).part == "slide 3"


def test_a_document_of_a_picture_alone_is_its_description():
    empty = Document("d", "", "a.png", DocumentKind.PROSE, "/a.png")
    described = insert_descriptions(empty, [a_description(0, place=Place(page=1))])
    assert described.text == "[figure, described by seer] A chart with three bars."
    assert described.place_of(Span(0, 5)).page == 1


def test_a_description_is_never_cut_in_two_where_it_fits():
    draft = Draft()
    for number in range(40):
        draft.add(f"Paragraph {number} says something about a lake and the boats on it, and it goes on for a while.")
    words = "A chart. " + "It has bars of many heights. " * 20
    described = insert_descriptions(a_document(draft), [a_description(1500, words.strip())])
    (block,) = described.blocks_of(BlockKind.FIGURE)
    chunks = chunk_document(described, ChunkerSettings())
    assert any(chunk.span.contains(block.span) for chunk in chunks if not chunk.is_parent)


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from(["One.", "Two words.", "Three\nlines\nof it."])),
        min_size=1,
        max_size=12,
    ),
    st.lists(st.integers(0, 300), min_size=1, max_size=5),
)
def test_the_documents_own_words_and_places_stay(pieces, positions):
    draft = Draft()
    for page, words in pieces:
        draft.page = page + 1
        draft.add(words)
    document = a_document(draft)
    described = insert_descriptions(document, [a_description(min(each, len(document.text))) for each in positions])
    check_document(described)
    assert own_words(described) == own_words(document)
    assert len(described.blocks_of(BlockKind.FIGURE)) == len(positions)
    places = [document.place_of(block.span) for block in document.tree.content()]
    assert places == [
        described.place_of(block.span) for block in described.tree.content() if block.kind is not BlockKind.FIGURE
    ]
    for kind in LAYOUT:
        own = described.blocks_of(kind)
        assert all(one.span.end <= other.span.start for one, other in pairwise(own))


def test_what_spans_a_description_is_known_to_be_none_of_the_documents_words():
    draft = Draft()
    draft.add("One thing.")
    draft.add("Another thing.")
    described = insert_descriptions(a_document(draft), [a_description(10)])
    (block,) = described.blocks_of(BlockKind.FIGURE)
    assert described.figure_in(Span(0, 10)) is None
    assert described.figure_in(Span(block.span.start + 30, block.span.end)) == FIGURE


@pytest.mark.parametrize("text", ["", "Some words."])
def test_without_descriptions_a_document_stays_as_it_is(text):
    document = replace(Document("d", text, "t", DocumentKind.PROSE, "/t"))
    assert insert_descriptions(document, []) == document
