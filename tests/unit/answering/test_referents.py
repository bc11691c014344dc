"""What the pronoun that opens a sentence stands for, and how it is shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.answering.units.referents import find_referent, insert_referent
from ascertain.core.asking.answers import AnswerSentence, Verdict, VerdictLabel
from ascertain.core.documents.blocks import Block, BlockKind, Place, Span


def span_of(text, sentence):
    start = text.index(sentence)
    return Span(start, start + len(sentence))


@pytest.mark.parametrize(
    ("text", "sentence", "referent"),
    [
        (
            "The Elm Bridge is a stone bridge in Oakford. It was built in 1912.",
            "It was built in 1912.",
            "the Elm Bridge",
        ),
        ("Event Hub is a broker. It's a small program.", "It's a small program.", "Event Hub"),
        ("Solana halted for five hours. It restarted on Friday.", "It restarted on Friday.", "Solana"),
        ("Wallets are programs. They hold keys.", "They hold keys.", "wallets"),
        ("The two attackers drained 40 million. They fled on 7 May.", "They fled on 7 May.", "the two attackers"),
        (
            "The first shout-out goes to Jakob Egger who is a developer. He's the author of Postico.",
            "He's the author of Postico.",
            "Jakob Egger",
        ),
        ("Gideon Marsh resigned on 28 May. He had led it since 2019.", "He had led it since 2019.", "Gideon Marsh"),
        # a chain of pronouns goes back to where it began
        ("The bridge is old. It is of stone. It was built in 1912.", "It was built in 1912.", "the bridge"),
    ],
)
def test_a_single_candidate_of_the_sentence_before_is_what_a_pronoun_stands_for(a_document, text, sentence, referent):
    assert find_referent(a_document(text), span_of(text, sentence)) == referent


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("The bank bought a bridge. It was built in 1912.", "It was built in 1912."),
        ("The bridge is old. It is clear that nobody cares.", "It is clear that nobody cares."),
        ("The bridge is old. It seems that it will fall.", "It seems that it will fall."),
        ("The bridges are old. It was built in 1912.", "It was built in 1912."),
        ("The bridge is old. They were built in 1912.", "They were built in 1912."),
        ("Ada Stone met Carl Reed. He was late.", "He was late."),
        ("The bridge is old.\n\nIt was built in 1912.", "It was built in 1912."),
        ("When it rains, the bridge is closed. It was built in 1912.", "It was built in 1912."),
        ("There is a bridge. It was built in 1912.", "It was built in 1912."),
        ("The bridge is old. This was seen in 1912.", "This was seen in 1912."),
        ("I think so. It was built in 1912.", "It was built in 1912."),
        ("The bridge is old.", "The bridge is old."),
        ("I like bridges.", "I like bridges."),
    ],
)
def test_a_pronoun_of_which_that_is_not_certain_stands_for_nothing(a_document, text, sentence):
    assert find_referent(a_document(text), span_of(text, sentence)) == ""


def test_the_speaker_of_a_turn_is_who_says_i(a_document):
    text = "Nora Jones: Yes, we did. September 2014 is when we launched it. I wrote it. He said “I did not.”"
    turn = Block(BlockKind.TURN, Span(0, len(text)), Place(speaker="Nora Jones"))
    document = a_document(text, blocks=(turn,))
    assert find_referent(document, span_of(text, "September 2014 is when we launched it.")) == "Nora Jones"
    assert find_referent(document, span_of(text, "I wrote it.")) == "Nora Jones"
    assert find_referent(document, span_of(text, "He said “I did not.”")) == ""


def test_a_speaker_who_says_the_name_is_not_told_again(a_document):
    text = "I am Nora Jones, and I built it."
    turn = Block(BlockKind.TURN, Span(0, len(text)), Place(speaker="Nora Jones"))
    assert find_referent(a_document(text, blocks=(turn,)), Span(0, len(text))) == ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It was built in 1912.", "It [the bridge] was built in 1912."),
        ("It's old.", "It's [the bridge] old."),
        ("“It will fall.”", "“It [the bridge] will fall.”"),
        ("That is when we met.", "That is when we [the bridge] met."),
        ("And it fell.", "And it [the bridge] fell."),
    ],
)
def test_the_referent_stands_behind_its_pronoun_in_brackets(text, shown):
    assert insert_referent(text, "the bridge") == shown
    assert a_sentence(shown, "the bridge").said == text


@given(st.text(), st.text(min_size=1))
def test_what_is_put_in_can_be_taken_out(rest, referent):
    shown = insert_referent(f"It {rest}", referent)
    assert a_sentence(shown, referent).said == f"It {rest}"


def a_sentence(text, referent):
    return AnswerSentence(text, Verdict(VerdictLabel.SUPPORTED, 1.0), (1,), referent)
