import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.documents.blocks import LAYOUT, BlockKind, Place
from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.documents.formats.drafts.draft import Draft, lowered, raised, struck
from ascertain.testing.documents import check_layout, check_tree


def test_regions_cover_exactly_what_was_added_under_them():
    draft = Draft()
    draft.page = 1
    draft.add("Intro.")
    draft.heading("One", 1)
    draft.add("Text that goes")
    draft.page = 2
    draft.add("on.", " ")
    draft.heading("Deeper", 2)
    draft.heading("Two", 1)
    text, blocks = draft.finish()
    assert text == "Intro.\n\nOne\n\nText that goes on.\n\nDeeper\n\nTwo"
    found = {
        (block.kind, block.place.page or block.place.section): block.span.of(text)
        for block in blocks
        if block.kind in LAYOUT
    }
    assert found == {
        (BlockKind.PAGE, 1): "Intro.\n\nOne\n\nText that goes",
        (BlockKind.PAGE, 2): "on.\n\nDeeper\n\nTwo",
        (BlockKind.SECTION, ("One",)): "One\n\nText that goes on.",
        (BlockKind.SECTION, ("One", "Deeper")): "Deeper",
        (BlockKind.SECTION, ("Two",)): "Two",
    }


def test_text_outside_any_section_ends_the_one_before_it():
    draft = Draft()
    draft.section = ("A",)
    draft.add("a")
    draft.section = ()
    draft.add("aside")
    draft.section = ("A",)
    draft.add("b")
    text, blocks = draft.finish()
    assert [block.span.of(text) for block in blocks if block.kind is BlockKind.SECTION] == ["a", "b"]


def test_equal_turns_stay_apart():
    draft = Draft()
    for words in ("x", "y"):
        draft.turn(Place(speaker="A"))
        draft.add(words)
    assert len(draft.finish()[1]) == 2


pieces = st.one_of(
    st.tuples(st.just("add"), st.text(), st.sampled_from(["\n\n", "\n", " ", ""])),
    st.tuples(st.just("heading"), st.text(), st.integers(1, 4)),
    st.tuples(st.just("page"), st.integers(1, 3)),
    st.tuples(st.just("turn"), st.sampled_from("AB")),
)


@given(st.lists(pieces))
def test_regions_never_overlap_and_stay_inside(steps):
    draft = Draft()
    for step in steps:
        if step[0] == "add":
            draft.add(step[1], step[2])
        elif step[0] == "heading":
            draft.heading(step[1], step[2])
        elif step[0] == "page":
            draft.page = step[1]
        else:
            draft.turn(Place(speaker=step[1]))
    text, blocks = draft.finish()
    if text.strip():
        check_layout(document := Document("d", text, "T", DocumentKind.PROSE, "d.txt", blocks=blocks))
        check_tree(document)


@pytest.mark.parametrize(
    ("text", "above", "below"),
    [
        ("26", "²⁶", "₂₆"),
        ("-1", "⁻¹", "₋₁"),
        ("n", "ⁿ", "ₙ"),
        ("st", "st", "_(st)"),
        ("a+b", "^(a+b)", "_(a+b)"),
        ("1.5", "^(1.5)", "_(1.5)"),
        ("*", "*", "*"),
        ("[3]", "[3]", "_([3])"),
        ("TM", "™", "_(TM)"),
        ("", "", ""),
    ],
)
def test_small_signs_stand_raised_and_lowered(text, above, below):
    assert (raised(text), lowered(text)) == (above, below)


@pytest.mark.parametrize(("text", "shown"), [("old", "~~old~~"), (" old fee ", " ~~old fee~~ "), (" ", " "), ("", "")])
def test_struck_text_stands_between_tildes(text, shown):
    assert struck(text) == shown
