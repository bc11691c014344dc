"""The tree of a document's blocks: found by place, with parents and children, and stored as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.documents.blocks import Block, BlockIndex, BlockKind, LineBox, Place, Span
from ascertain.core.documents.documents import Completeness, LeftOut
from ascertain.documents.formats.drafts.draft import Draft
from ascertain.stores.records.rows import _completeness_json, _read_blocks, _read_completeness, blocks_json  # pyright: ignore[reportPrivateUsage]


def a_manual() -> tuple[str, BlockIndex]:
    draft = Draft()
    draft.heading("Pump", 1)
    draft.add("Do this:")
    with draft.inside(BlockKind.LIST):
        with draft.item("1."):
            draft.add("Open the valve.")
            with draft.inside(BlockKind.LIST), draft.item("(a)"):
                draft.add("Turn left.")
        with draft.item("2."):
            draft.add("Start.")
    draft.add_table([["", "2025", "2025"], ["Town", "Units", "Revenue"], ["Narvik", "3", "290"]], header_rows=2)
    text, blocks = draft.finish()
    return text, BlockIndex(blocks)


def test_text_is_laid_out_as_a_reader_expects_it():
    text, _ = a_manual()
    assert text == (
        "Pump\n\nDo this:\n\n1. Open the valve.\n  (a) Turn left.\n2. Start.\n\n"
        "Town | 2025 Units | 2025 Revenue\nNarvik | 3 | 290"
    )


def test_a_place_knows_the_blocks_around_it():
    text, tree = a_manual()
    around = tree.around(text.index("left"))
    assert [block.kind for block in around] == [BlockKind.LIST, BlockKind.ITEM, BlockKind.LIST, BlockKind.ITEM]
    assert [block.label for block in around if block.label] == ["1.", "(a)"]
    assert [child.label for child in tree.children_of(around[0])] == ["1.", "2."]
    assert tree.place_at(text.index("left")).section == ("Pump",)
    assert tree.around(len(text)) == ()


blocks = st.builds(
    Block,
    st.sampled_from(BlockKind),
    st.builds(Span, st.integers(0, 9), st.integers(10, 20)),
    st.sampled_from([Place(), Place(page=3), Place(speaker="Ada", start_time=1.0, end_time=2.0, part="cue 1")]),
    st.integers(0, 5),
    st.integers(0, 6),
    st.none() | st.text(max_size=5),
    st.integers(0, 2),
    st.booleans(),
    st.none() | st.just(LineBox(0.1, 0.2, 0.3, 0.4, 0.5)),
)


@given(st.lists(blocks, max_size=5))
def test_stores_keep_every_field_of_a_block(given_blocks):
    assert _read_blocks(blocks_json(given_blocks)) == tuple(given_blocks)


def test_stores_keep_what_a_reading_left_out():
    reading = Completeness(
        300,
        (
            LeftOut("pictures", 2, 0, ("a.png", "b.png")),
            LeftOut("form fields", 1, 14),
            LeftOut("deleted passages", 1, 5, is_shown=False),
        ),
        ("guessed",),
    )
    assert _read_completeness(_completeness_json(reading)) == reading
    assert reading.label == (
        "95.5 % of 314 words; left out: 2 pictures (a.png, b.png), 1 form field (14 words), 1 deleted passage (5 words); guessed"
    )
    assert Completeness(10_000, (LeftOut("pictures", 1, 1),)).label.startswith("99.9 % of")
    assert Completeness(1).label == "100 % of 1 word"
    assert (
        Completeness(98, (LeftOut("x", 1, 2),)).is_complete,
        Completeness(97, (LeftOut("x", 1, 3),)).is_complete,
    ) == (True, False)


@pytest.mark.parametrize(
    ("what", "one", "two"),
    [
        ("deleted passages", "1 deleted passage", "2 deleted passages"),
        ("formulas without a saved value", "1 formula without a saved value", "2 formulas without a saved value"),
        ("fields of the front matter", "1 field of the front matter", "2 fields of the front matter"),
        ("missing entries", "1 missing entry", "2 missing entries"),
    ],
)
def test_what_is_left_out_is_named_in_the_right_number(what, one, two):
    assert (LeftOut(what).label, LeftOut(what, 2).label) == (one, two)


@pytest.mark.parametrize(
    ("other", "is_inside"), [((3, 7), True), ((3, 5), True), ((5, 7), True), ((3, 8), False), ((2, 7), False)]
)
def test_a_span_holds_what_reaches_to_its_ends_and_no_further(other, is_inside):
    assert Span(3, 7).contains(Span(*other)) is is_inside
