from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.documents import Place, RegionKind
from ascertain.sources.formats.draft import Draft


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
    text, regions = draft.finish()
    assert text == "Intro.\n\nOne\n\nText that goes on.\n\nDeeper\n\nTwo"
    found = {(region.kind, region.place.page or region.place.section): region.span.of(text) for region in regions}
    assert found == {
        (RegionKind.PAGE, 1): "Intro.\n\nOne\n\nText that goes",
        (RegionKind.PAGE, 2): "on.\n\nDeeper\n\nTwo",
        (RegionKind.SECTION, ("One",)): "One\n\nText that goes on.",
        (RegionKind.SECTION, ("One", "Deeper")): "Deeper",
        (RegionKind.SECTION, ("Two",)): "Two",
    }


def test_text_outside_any_section_ends_the_one_before_it():
    draft = Draft()
    draft.section = ("A",)
    draft.add("a")
    draft.section = ()
    draft.add("aside")
    draft.section = ("A",)
    draft.add("b")
    text, regions = draft.finish()
    assert [region.span.of(text) for region in regions] == ["a", "b"]


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
    text, regions = draft.finish()
    for kind in RegionKind:
        end = 0
        for region in (region for region in regions if region.kind is kind):
            assert end <= region.span.start < region.span.end <= len(text)
            end = region.span.end
