import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.answering.units.candidates import gather_candidates
from ascertain.core.documents.blocks import Block, BlockKind, Place, Span
from ascertain.language.languages import ENGLISH
from ascertain.language.sentences import is_fragment
from ascertain.language.tables import label_row

PROSE = st.lists(
    st.sampled_from(
        [
            "Bridges carry roads.",
            "It rained\nall day!",
            "# Heading",
            "Dr. Oak met Ms. Elm.",
            "a,b\tc",
            "\na | b\n",
            "It is this:\n\nx = 1\n\n",
            "«Où?»",
            "\n\n",
            "🚀 up.",
            "x" * 900,
        ]
    ),
    min_size=1,
    max_size=30,
).map(" ".join)


@given(text=PROSE, data=st.data())
def test_candidates_are_exact_whole_and_touch_their_passage(a_document, a_passage, text, data):
    document = a_document(text)
    start = data.draw(st.integers(0, len(text) - 1))
    passage = a_passage(document, Span(start, data.draw(st.integers(start + 1, len(text)))))
    gathered = gather_candidates([passage], {"d1": document}.get, ENGLISH)
    spans = [candidate.span for candidate in gathered.candidates]
    assert spans == sorted(set(spans))
    for candidate in gathered.candidates:
        if candidate.header is None:
            assert candidate.text == " ".join(candidate.span.of(text).split())
        else:
            assert candidate.text == label_row(candidate.header.of(text), candidate.span.of(text))
        assert candidate.span.overlap(passage.chunk.span) > 0


def test_a_sentence_cut_by_the_passage_is_seen_whole(a_document, a_passage):
    document = a_document("First one here. The middle sentence is cut. Last one here.")
    passage = a_passage(document, Span(20, 30))
    assert [c.text for c in gather_candidates([passage], {"d1": document}.get, ENGLISH).candidates] == [
        "The middle sentence is cut."
    ]


def test_overlapping_passages_give_each_sentence_once_under_the_better(a_document, a_passage):
    document = a_document("One is here. Two is here. Three is here.")
    passages = [a_passage(document, Span(13, 40)), a_passage(document, Span(0, 25))]
    found = gather_candidates(passages, {"d1": document}.get, ENGLISH).candidates
    assert {c.text: c.passage for c in found} == {"Two is here.": 0, "Three is here.": 0, "One is here.": 1}


def test_no_sentence_crosses_from_one_speaker_to_the_next(a_document, a_passage):
    text = "and so we moved on\nto the next thing entirely"
    blocks = (
        Block(BlockKind.TURN, Span(0, 18), Place(speaker="Ada")),
        Block(BlockKind.TURN, Span(19, len(text)), Place(speaker="Bob")),
    )
    document = a_document(text, blocks=blocks)
    found = gather_candidates([a_passage(document)], {"d1": document}.get, ENGLISH).candidates
    assert [c.text for c in found] == ["and so we moved on", "to the next thing entirely"]


def test_the_name_that_opens_a_turn_is_not_part_of_what_was_said(a_document, a_passage):
    text = "Ada: The bridge opened in 1912."
    turn = Block(BlockKind.TURN, Span(0, len(text)), Place(speaker="Ada"))
    document = a_document(text, blocks=(turn,))
    found = gather_candidates([a_passage(document)], {"d1": document}.get, ENGLISH).candidates
    assert [c.text for c in found if not c.is_fragment] == ["The bridge opened in 1912."]
    assert document.place_of(found[-1].span).speaker == "Ada"


@pytest.mark.parametrize(("stored", "reason"), [(None, "no longer stored"), ("Something else now.", "has changed")])
def test_a_passage_that_does_not_match_its_document_is_skipped_with_a_reason(a_document, a_passage, stored, reason):
    passage = a_passage(a_document("What stood here before."))
    gathered = gather_candidates([passage], lambda _: a_document(stored) if stored else None, ENGLISH)
    assert gathered.candidates == ()
    assert [(d.outcome, reason in d.reason) for d in gathered.decisions] == [("passage skipped", True)]


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("## Results and discussion of it all", True),
        ("| a | b | c | d |", True),
        ("Related work on bridges", True),
        ("https://example.org/a/b/c?d=1&e=2 (1) [2] {3}", True),
        ("1.2 3.4 5.6 7.8 9.0", True),
        ("The bridge opened in 1912.", False),
        ("“Is it open?” she asked the guard.", False),
        ("a long line of a chat that ends without any stop because people there never write one", False),
    ],
)
def test_tells_sentences_from_scraps(text, fragment):
    assert is_fragment(text) is fragment


def test_of_long_code_each_paragraph_and_of_a_longer_one_each_line_is_a_unit(a_document, a_passage):
    options = "\n".join(f"    --option-{number}    sets what is number {number} of them all" for number in range(40))
    text = f"Summary of options\n\n    $ tool --first\n    $ tool --second\n\n{options}"
    code = Span(text.index("    $"), len(text))
    document = a_document(text, blocks=(Block(BlockKind.CODE, code),))

    found = [each.text for each in gather_candidates([a_passage(document)], lambda _: document, ENGLISH).candidates]

    assert "$ tool --first $ tool --second" in found
    assert "--option-7 sets what is number 7 of them all" in found
