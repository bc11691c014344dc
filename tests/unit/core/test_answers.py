import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.asking.answers import Citation, TaskUsage, Usage, carry_span, find_answering_words, safe_link
from ascertain.core.asking.runs import Task
from ascertain.core.documents.blocks import Place, Span

SPACES = st.text(alphabet=" \n\t\u00a0", min_size=1, max_size=3)
WORDS = st.lists(st.text(alphabet="abé1🦓.", min_size=1, max_size=4), min_size=1, max_size=8)


def a_citation(quote, words, start=100):
    at = start + quote.index(words)
    span = Span(start, start + len(quote))
    return Citation(1, "d1", "", None, None, quote, span, Place(), answer=Span(at, at + len(words)))


@given(WORDS, st.data())
def test_words_are_found_again_in_other_white_space(words, data):
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first + 1, len(words)))
    text, shown = (_join_words(words, data) for _ in range(2))
    assert carry_span(text[0], Span(text[1][first].start, text[1][last - 1].end), shown[0]) == Span(
        shown[1][first].start, shown[1][last - 1].end
    )


def _join_words(words, data):
    text, places = "", []
    for word in words:
        text += data.draw(SPACES) if text else ""
        places.append(Span(len(text), len(text) + len(word)))
        text += word
    return text, places


@given(st.text(max_size=12), st.text(max_size=12), st.data())
def test_what_is_found_reads_the_same(text, shown, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = carry_span(text, Span(start, end), shown)
    if found is not None:
        assert "".join(found.of(shown).split()) == "".join(text[start:end].split()) != ""


@pytest.mark.parametrize(
    ("quote", "words", "sentence", "marked"),
    [
        ("It was built\n in 1912.", "in 1912", "It was built in 1912.", (13, 20)),
        ("Built 1912, opened 1912.", "1912", "Built 1912, opened 1912.", (6, 10)),
        # a row is told with its columns
        ("| Elm | 1912 |", "1912", "Bridge: Elm; Built: 1912", (20, 24)),
        ("| Elm | 12 |", "12", "Bridge: Elm; Built: 1912", None),
        ("| Elm | 1912 | 1912 |", "1912", "Bridge: Elm; Built: 1912; Opened: 1912", None),
        ("It was built in 1912.", "1912", "The bridge is old.", None),
        ("It was built in 1912.", "1912", "", None),
    ],
)
def test_words_that_answer_are_found_in_the_sentence_or_left(quote, words, sentence, marked):
    found = find_answering_words(sentence, [a_citation(quote, words)])
    assert found == (marked and Span(*marked))


def test_the_citation_that_has_words_marks_the_sentence():
    silent = Citation(1, "d1", "", None, None, "| Built |", Span(0, 9), Place())
    assert find_answering_words("Built: 1912", [silent, a_citation("| 1912 |", "1912")]) == Span(7, 11)
    assert find_answering_words("Built: 1912", [silent]) is None


def test_what_costs_nothing_is_written_alike_whether_a_model_was_asked_or_not():
    unasked, free = Usage.of(()), Usage.of((TaskUsage(Task.WRITE, 1, 10, 5),))
    assert json.dumps([unasked.cost_usd, free.cost_usd]) == "[0.0, 0.0]"


@pytest.mark.parametrize(
    ("address", "is_safe"),
    [
        ("https://example.org/a", True),
        ("http://example.org", True),
        ("javascript:alert(1)", False),
        ("javascript://example.org/%0aalert(1)", False),
        ("file://server/share", False),
        ("data://text/html,x", False),
        ("https:example.org", False),
        ("http://[", False),
        ("", False),
        (None, False),
    ],
)
def test_only_addresses_of_the_web_are_links(address, is_safe):
    assert safe_link(address) == (address if is_safe else None)
