from __future__ import annotations

import pytest

from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, DocumentKind
from ascertain.language.languages import ENGLISH
from ascertain.language.names import words_of
from ascertain.retrieval.search.retriever import (
    Bridge,
    Question,
    Reading,
    contains_words,
    link_bridge,
    names_beyond,
    pad_words,
    still_open,
)


def a_chunk(title, text):
    return Chunk(
        id=title,
        document_id=title,
        index=0,
        span=Span(0, len(text)),
        text=text,
        heading=title,
        title=title,
        kind=DocumentKind.PROSE,
        source=title,
    )


QUESTION = Question(pad_words(words_of("Where was the singer of Hello Love born?")), ENGLISH, {"singer": 1.0, "hello": 3.0, "love": 2.0, "born": 2.0})  # fmt: skip
SONG = a_chunk("Hello Love (song)", "It is a single by Hank Snow, released in Nashville in 1974.")


def a_bridge(rarity, chunk=SONG, open=None):
    return Bridge(Reading.of(chunk, ENGLISH), 0.8, rarity, names_beyond(QUESTION, chunk), open or {})


def test_what_the_question_says_itself_leads_nowhere_new():
    assert list(names_beyond(QUESTION, SONG).values()) == ["Hank Snow", "Nashville"]


def test_what_a_passage_leaves_open_is_weighed_by_how_rare_it_is():
    assert still_open(QUESTION, Reading.of(SONG, ENGLISH)) == {
        "singer": pytest.approx(1 / 3),
        "born": pytest.approx(2 / 3),
    }


def test_a_passage_that_shares_no_name_is_not_led_to():
    other = Reading.of(a_chunk("Cats", "A cat purrs."), ENGLISH)
    assert link_bridge(a_bridge({("hank", "snow"): 1.0}), other, QUESTION) is None


def test_the_title_a_passage_names_is_followed():
    singer = Reading.of(a_chunk("Hank Snow", "He was born in Nova Scotia."), ENGLISH)
    found = link_bridge(a_bridge({("hank", "snow"): 1.0}), singer, QUESTION)
    assert found is not None
    assert found.name == "Hank Snow"


def test_a_rarer_name_leads_further():
    other = Reading.of(a_chunk("Records", "Hank Snow made many in Nashville."), ENGLISH)
    rare = link_bridge(a_bridge({("hank", "snow"): 0.9}), other, QUESTION)
    common = link_bridge(a_bridge({("nashville",): 0.3}), other, QUESTION)
    assert rare is not None and common is not None
    assert rare.strength > 3 * common.strength


def test_what_the_first_passage_leaves_open_counts_for_the_second():
    bridge = a_bridge({("hank", "snow"): 0.5}, open={"born": 1.0})
    tells = link_bridge(bridge, Reading.of(a_chunk("A", "Hank Snow was born there."), ENGLISH), QUESTION)
    silent = link_bridge(bridge, Reading.of(a_chunk("B", "Hank Snow sang there."), ENGLISH), QUESTION)
    assert tells is not None and silent is not None
    assert tells.strength > silent.strength


def test_a_title_of_one_word_must_be_written_as_a_name():
    story = a_chunk("A story", "In the rain it began.")
    assert link_bridge(a_bridge({}, story), Reading.of(a_chunk("Rain", "A novel."), ENGLISH), QUESTION) is None


def test_a_document_does_not_lead_to_itself():
    assert link_bridge(a_bridge({("hank", "snow"): 1.0}), Reading.of(SONG, ENGLISH), QUESTION) is None


def test_strength_is_at_most_one():
    bridge = a_bridge({("hank", "snow"): 1.0}, open={"born": 1.0})
    found = link_bridge(bridge, Reading.of(a_chunk("Hank Snow", "born"), ENGLISH), QUESTION)
    assert found is not None
    assert found.strength == 1.0


def test_words_are_found_whole():
    text = pad_words(words_of("the snowman"))
    assert not contains_words(text, ("snow",))
    assert contains_words(text, ("the", "snowman"))
    assert not contains_words(text, ())
