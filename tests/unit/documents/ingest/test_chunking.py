from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ascertain.core.documents.blocks import Block, BlockKind, Place, Span
from ascertain.core.documents.documents import Chunk, Document, DocumentKind
from ascertain.core.settings import ChunkerSettings
from ascertain.documents.formats.drafts.draft import Draft
from ascertain.documents.ingest.chunking.chunks import LONGEST_HEADING, chunk_document, heading_of
from ascertain.documents.ingest.chunking.packing import MINIMUM, OVERLAP
from tests.growth import assert_linear

SENTENCE = "The {n} fox of the wood saw a hen near the old mill and thought about its supper. "


def prose(sentences: int) -> str:
    return "".join(SENTENCE.format(n=n) for n in range(sentences))


def a_document(text: str, kind: DocumentKind = DocumentKind.PROSE, blocks: tuple[Block, ...] = ()) -> Document:
    return Document(id="d", text=text, title="Foxes", kind=kind, source="foxes.md", blocks=blocks, tags=("hen",))


def a_transcript(*turns: tuple[str, str]) -> Document:
    text = ""
    blocks: list[Block] = []
    for number, (speaker, words) in enumerate(turns):
        text += f"{speaker}: "
        start = len(text)
        text += words
        place = Place(speaker=speaker, start_time=10.0 * number, end_time=10.0 * number + 9)
        blocks.append(Block(BlockKind.TURN, Span(start, len(text)), place))
        text += "\n\n"
    return a_document(text, DocumentKind.TRANSCRIPT, tuple(blocks))


def searchable(chunks: list[Chunk]) -> list[Chunk]:
    return [chunk for chunk in chunks if not chunk.is_parent]


def parents(chunks: list[Chunk]) -> list[Chunk]:
    return [chunk for chunk in chunks if chunk.is_parent]


def test_short_text_is_one_chunk_without_a_parent() -> None:
    chunks = chunk_document(a_document("  One thing.  "), ChunkerSettings())
    assert [chunk.text for chunk in chunks] == ["One thing."]
    assert chunks[0].parent_id is None
    assert (chunks[0].index, chunks[0].tags, chunks[0].heading) == (0, ("hen",), "Foxes")


def test_empty_text_has_no_chunks() -> None:
    assert chunk_document(a_document(" \n "), ChunkerSettings()) == []


def test_prose_is_cut_at_sentences_and_overlaps_by_whole_sentences() -> None:
    chunks = searchable(chunk_document(a_document(prose(40)), ChunkerSettings()))
    assert len(chunks) > 3
    for chunk in chunks:
        assert chunk.text.startswith("The ")
        assert chunk.text.endswith("supper.")
    for before, after in pairwise(chunks):
        assert 0 < before.overlap_next == after.overlap_previous <= 150
        assert before.span.end - after.span.start == before.overlap_next


def test_prose_prefers_the_end_of_a_paragraph_when_the_chunk_is_well_filled() -> None:
    text = prose(9).strip() + "\n\n" + prose(9).strip()
    first = chunk_document(a_document(text), ChunkerSettings())[0]
    assert first.text == prose(9).strip()


def test_chunks_carry_the_section_where_they_begin_and_do_not_overlap_across_sections() -> None:
    one, two = prose(9).strip(), prose(9).strip()
    text = f"One\n\n{one}\n\nTwo\n\n{two}"
    start = text.index("Two")
    blocks = (
        Block(BlockKind.SECTION, Span(5, 5 + len(one)), Place(section=("Foxes", "One"))),
        Block(BlockKind.SECTION, Span(start + 5, len(text)), Place(section=("Foxes", "Two"))),
    )
    chunks = searchable(chunk_document(a_document(text, blocks=blocks), ChunkerSettings()))
    assert [chunk.heading for chunk in chunks] == ["Foxes › One", "Foxes › Two"]
    assert chunks[1].text.startswith("Two")
    assert chunks[1].place.section == ("Foxes", "Two")


def test_small_sections_share_a_chunk() -> None:
    text = "A one.\n\nB two.\n\nC three."
    blocks = tuple(
        Block(BlockKind.SECTION, Span(text.index(name), text.index(name) + 6), Place(section=(name,))) for name in "ABC"
    )
    assert len(chunk_document(a_document(text, blocks=blocks), ChunkerSettings())) == 1


@pytest.mark.parametrize("number", ["", "1 ", "2. ", "IV. ", "## "])
def test_papers_without_regions_are_cut_at_the_sections_their_lines_name(number: str) -> None:
    body = prose(3).strip()
    names = ["Abstract", "Introduction", "Methods", "Results and Discussion", "Conclusions", "References"]
    text = "A paper on foxes and hens\n" + "\n".join(f"{number}{name}\n{body}" for name in names)
    chunks = searchable(chunk_document(a_document(text, DocumentKind.PAPER), ChunkerSettings()))
    assert chunks[0].text.startswith(f"A paper on foxes and hens\n{number}Abstract")
    found = [chunk.place.section[0] for chunk in chunks if chunk.place.section]
    assert found == [name.capitalize() for name in names[1:]]
    for chunk in chunks[1:]:
        assert chunk.text.startswith(f"{number}{chunk.place.section[0][:3]}")


def test_paper_chunks_never_cross_main_sections_and_rests_are_not_left_over() -> None:
    settings = ChunkerSettings()
    bodies = {name: f"{name}\n{prose(count)}" for name, count in (("Methods", 13), ("Results", 12), ("Discussion", 25))}
    text = "\n\n".join(bodies.values())
    chunks = searchable(chunk_document(a_document(text, DocumentKind.PAPER), settings))
    for chunk in chunks:
        assert sum(name in chunk.text for name in bodies) <= 1
        assert MINIMUM <= chunk.span.length <= settings.size
    inside = [(a, b) for a, b in pairwise(chunks) if a.place.section == b.place.section]
    assert inside
    assert all(0 < a.overlap_next <= 200 for a, b in inside)


def test_a_main_section_too_short_to_stand_alone_joins_the_next() -> None:
    text = f"Abstract\nShort.\nIntroduction\n{prose(3)}\nConclusion\nDone."
    chunks = chunk_document(a_document(text, DocumentKind.PAPER), ChunkerSettings())
    assert len(chunks) == 1


def test_short_turns_share_a_chunk_and_are_never_split() -> None:
    turns = [(f"Speaker {n % 2}", prose(3).strip()) for n in range(12)]
    document = a_transcript(*turns)
    chunks = searchable(chunk_document(document, ChunkerSettings()))
    assert len(chunks) > 2
    for block in document.blocks:
        assert any(chunk.span.contains(block.span) for chunk in chunks)
        for chunk in chunks:
            shared = chunk.span.overlap(block.span)
            assert shared in {0, block.span.length}
    assert chunks[0].place == Place(speaker="Speaker 0", start_time=0.0, end_time=document.blocks[2].place.end_time)


def test_a_turn_longer_than_a_chunk_is_split_at_sentences_and_keeps_its_speaker() -> None:
    chunks = searchable(chunk_document(a_transcript(("Ann", "Why?"), ("Bob", prose(30))), ChunkerSettings()))
    assert len(chunks) > 2
    assert chunks[0].text.startswith("Ann: Why?\n\nBob: The 0 fox")
    assert all(chunk.place.speaker == "Bob" and chunk.place.start_time == 10.0 for chunk in chunks[1:])


def test_a_long_document_has_parents_that_hold_the_starts_of_their_chunks() -> None:
    chunks = chunk_document(a_document(prose(200)), ChunkerSettings())
    by_id = {parent.id: parent for parent in parents(chunks)}
    assert len(by_id) == 5
    for chunk in searchable(chunks):
        assert chunk.parent_id is not None
        parent = by_id[chunk.parent_id]
        assert parent.span.start <= chunk.span.start < parent.span.end
    assert all(parent.index == -1 for parent in by_id.values())


@pytest.mark.parametrize(
    ("title", "section", "expected"),
    [
        ("Foxes", (), "Foxes"),
        ("Foxes", ("Foxes", "Food"), "Foxes › Food"),
        ("Foxes", ("Food", "Hens"), "Foxes › Food › Hens"),
        ("", ("Food",), "Food"),
        ("", (), ""),
        ("A\nB", (), "A B"),
    ],
)
def test_heading_joins_title_and_path(title: str, section: tuple[str, ...], expected: str) -> None:
    assert heading_of(title, section) == expected


def test_an_endless_heading_is_cut() -> None:
    assert len(heading_of("x" * 500, ("y",))) == LONGEST_HEADING


pieces = st.sampled_from(
    [
        "word ",
        "fox. ",
        "The hen ran! ",
        "\n",
        "\n\n",
        "x" * 150,
        "Methods\n",
        "Results\n",
        "- item\n",
        "狐。",
        "   ",
        "e.g. ",
        "\u00a0",
        "\t",
    ]
)
texts = st.lists(pieces, max_size=150).map("".join)
sizes = st.builds(
    ChunkerSettings, size=st.integers(100, 400), overlap=st.integers(0, 99), parent_size=st.integers(500, 900)
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text = draw(texts)
    points = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12, unique=True)))
    kind = draw(st.sampled_from(DocumentKind))
    blocks: list[Block] = []
    for number, (start, end) in enumerate(pairwise(points)):
        if draw(st.booleans()):
            if kind is DocumentKind.TRANSCRIPT:
                blocks.append(
                    Block(BlockKind.TURN, Span(start, end), Place(speaker=f"S{number % 3}", start_time=number))
                )
            else:
                blocks.append(
                    Block(BlockKind.SECTION, Span(start, end), Place(section=(f"H{number % 4}", f"{number}")))
                )
    return a_document(text, kind, tuple(blocks))


def assert_covered(text: str, spans: list[Span]) -> None:
    end = 0
    for span in spans:
        assert not text[end : max(end, span.start)].strip()
        end = max(end, span.end)
    assert not text[end:].strip()


@given(documents(), sizes)
def test_chunks_are_exact_slices_within_size_that_cover_the_text(document: Document, settings: ChunkerSettings) -> None:
    chunks = chunk_document(document, settings)
    plain, whole = searchable(chunks), parents(chunks)
    for chunk in chunks:
        assert chunk.span.of(document.text) == chunk.text == chunk.text.strip() != ""
        assert chunk.span.length <= (settings.parent_size if chunk.is_parent else settings.size)
    assert_covered(document.text, [chunk.span for chunk in plain])
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert [chunk.index for chunk in plain] == list(range(len(plain)))
    for before, after in pairwise(plain):
        assert before.span.start < after.span.start
        assert before.span.end < after.span.end
    overlap = settings.size * OVERLAP if document.kind is DocumentKind.PAPER else settings.overlap
    assert all(chunk.overlap_previous <= overlap for chunk in plain)
    if len(plain) > 1:
        assert_covered(document.text, [chunk.span for chunk in whole])
        assert all(a.span.end <= b.span.start for a, b in pairwise(whole))
        ids = {chunk.id for chunk in whole}
        assert all(chunk.parent_id in ids for chunk in plain)
    else:
        assert not whole


@given(documents())
def test_the_place_of_a_chunk_is_that_of_its_first_character(document: Document) -> None:
    for chunk in searchable(chunk_document(document, ChunkerSettings(size=100, overlap=30))):
        place = document.place_of(chunk.span)
        if document.kind is DocumentKind.TRANSCRIPT:
            if place.speaker:
                assert (chunk.place.speaker, chunk.place.start_time) == (place.speaker, place.start_time)
        elif place.section:
            assert chunk.place.section == place.section


LABELLED = a_document(
    "N" * 50 + " " + "word " * 19 + "end. ", DocumentKind.TRANSCRIPT, (Block(BlockKind.TURN, Span(51, 150), Place()),)
)
FOLLOWED = a_document(
    "One. " * 19 + "Two. " + "aside " * 40,
    DocumentKind.TRANSCRIPT,
    (Block(BlockKind.TURN, Span(0, 99), Place()), Block(BlockKind.TURN, Span(335, 340), Place())),
)


@given(documents(), sizes)
@example(LABELLED, ChunkerSettings(size=100, overlap=0, parent_size=500))
@example(FOLLOWED, ChunkerSettings(size=100, overlap=0, parent_size=500))
def test_turns_no_longer_than_a_chunk_stay_whole(document: Document, settings: ChunkerSettings) -> None:
    chunks = searchable(chunk_document(document, settings))
    for turn in document.blocks_of(BlockKind.TURN):
        if turn.span.length <= settings.size and turn.span.of(document.text).strip():
            trimmed = turn.span.of(document.text).strip()
            assert any(trimmed in chunk.text for chunk in chunks if chunk.span.overlap(turn.span))


def test_a_chunk_that_begins_among_the_rows_of_a_table_is_found_by_its_header() -> None:
    rows = "\n".join(f"BR-{number} | brake lever of bike {number} | {number} | C1" for number in range(60))
    text = f"Stock in June.\n\nsku | name | qty | shelf\n{rows}\n\nCounted by Jannis."
    first, *others = searchable(chunk_document(a_document(text), ChunkerSettings(size=500, overlap=50)))
    assert "sku | name | qty | shelf" in first.text
    assert "shelf" not in first.heading
    assert len(others) > 3
    assert all(chunk.heading.endswith("\nsku | name | qty | shelf") for chunk in others[:-1])
    assert all(chunk.text.startswith("BR-") for chunk in others[:-1])


@pytest.mark.parametrize("piece", ["1,234.56 | ", "a\n", "a"], ids=["row", "lines", "word"])
def test_cutting_takes_time_by_the_length_of_the_text_and_not_by_its_square(piece: str) -> None:
    # looked at anew for each chunk, one line of 330,000 characters took two minutes; it takes a quarter of a second
    assert_linear(lambda length: chunk_document(a_document(piece * (length // len(piece))), ChunkerSettings()), 150_000)


def a_read_document(draft: Draft) -> Document:
    text, blocks = draft.finish()
    return a_document(text, blocks=blocks)


def test_furniture_is_in_no_chunk_and_no_chunk_goes_across_it() -> None:
    draft = Draft()
    draft.add("Home | Products | About us", kind=BlockKind.FURNITURE)
    draft.add("Foxes sleep in dens.")
    draft.add("Back to the top", kind=BlockKind.FURNITURE)
    draft.add("Hens sleep in barns.")
    chunks = chunk_document(a_read_document(draft), ChunkerSettings())
    assert [chunk.text for chunk in searchable(chunks)] == ["Foxes sleep in dens.", "Hens sleep in barns."]
    assert [chunk.text for chunk in parents(chunks)] == ["Foxes sleep in dens.", "Hens sleep in barns."]


def test_items_definitions_and_code_are_whole_in_one_chunk() -> None:
    draft = Draft()
    with draft.inside(BlockKind.LIST):
        for number in range(1, 9):
            with draft.item(f"{number}."):
                draft.add(f"Feed hen {number} in the morning. Give her water too. Count the eggs that she has laid.")
    draft.add("if hungry:\n    eat. now. here.\n" * 4, kind=BlockKind.CODE)
    document = a_read_document(draft)
    chunks = searchable(chunk_document(document, ChunkerSettings(size=200, overlap=0)))
    for block in document.tree.content():
        if block.kind in (BlockKind.ITEM, BlockKind.CODE):
            assert sum(chunk.span.contains(block.span) for chunk in chunks) == 1, block


def test_a_heading_stays_with_what_it_heads_and_a_lead_with_its_list() -> None:
    draft = Draft()
    draft.add("x" * 20 + " " + "A fox saw a hen. " * 8)
    draft.heading("Steps", 2)
    draft.add("Do these things:")
    with draft.inside(BlockKind.LIST):
        for number in range(1, 4):
            with draft.item(f"{number}."):
                draft.add("Look for the hen.")
    chunks = searchable(chunk_document(a_read_document(draft), ChunkerSettings(size=220, overlap=0)))
    assert any("Steps\n\nDo these things:\n\n1. Look" in chunk.text for chunk in chunks)
