"""The words of a query, and queries cut to a length."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.documents.sources.news.calling import query_words, shorten_query


@pytest.mark.parametrize(
    ("text", "phrases", "names", "others"),
    [
        ("What did Elon Musk say about Mars?", (), ("Elon Musk", "Mars"), ()),
        ('news about "rate cuts" in the euro area', ("rate cuts",), (), ("euro", "area")),
        ("how is btc doing", (), (), ("btc",)),
        ("GPT-5 and O'Reilly, 2024", (), ("GPT-5", "O'Reilly 2024"), ()),
        ("WHAT HAPPENED TO THE DOLLAR", (), (), ("DOLLAR",)),
        ("“Zürich” “Zürich” Zürich", ("Zürich",), ("Zürich",), ()),
        ("", (), (), ()),
        ('""', (), (), ()),
    ],
)
def test_words_are_told_apart(text, phrases, names, others):
    words = query_words(text)
    assert (words.phrases, words.names, words.others) == (phrases, names, others)


def test_names_and_quoted_words_stay_when_a_query_is_cut():
    text = (
        "please could you tell me what exactly it was that Orbital Foundry said on the “lunar south pole” of the Moon"
    )
    cut = shorten_query(text, 48)
    assert cut == 'exactly Orbital Foundry "lunar south pole" Moon'


def test_a_short_query_stays_as_it_is():
    assert shorten_query("  is it,\n really? ", 400) == "is it, really?"


@given(st.text(max_size=500), st.integers(1, 400))
def test_a_query_is_never_longer_than_its_limit(text, limit):
    assert len(shorten_query(text, limit)) <= limit


@given(st.lists(st.sampled_from(["Acme", "Moon", "profit", "the", "of", "7", "quarterly"]), max_size=80))
def test_a_cut_query_keeps_whole_words_in_their_order(words):
    kept = iter(words)
    assert all(word in kept for word in shorten_query(" ".join(words), 60).split())
