"""The word lists themselves: each says where it comes from and holds each word once."""

import tomllib
from importlib.resources import files

import pytest

from ascertain.language.word_lists import load_alternatives, load_phrases, load_word_set, load_words

LISTS = [
    pytest.param(table, id=f"{topic.name}:{name}")
    for topic in sorted(
        files("ascertain.language").joinpath("data", "en").iterdir(), key=lambda each: each.name
    )
    if topic.name.endswith(".toml")
    for name, table in tomllib.loads(topic.read_text("utf-8")).items()
]


@pytest.mark.parametrize("table", LISTS)
def test_a_list_says_where_it_comes_from_and_holds_each_word_once(table):
    assert len(table["source"].split()) > 2 or table["source"].startswith("ISO ")
    (content,) = set(table) - {"source"}
    listed = table[content].split() if content == "words" else list(table[content])
    if content == "phrases":
        lines = table[content].splitlines()
        listed = [line for line in lines if line.strip() and not line.startswith("#")]
    assert listed
    assert len(listed) == len(set(listed))


def test_words_and_phrases_are_alternatives_in_their_order():
    assert load_alternatives("quantities", "currency_codes") == "USD|EUR|GBP"
    assert load_alternatives("quantities", "percent") == "percent|per cent|percentage"
    assert load_word_set("quantities", "currency_codes") == set(load_words("quantities", "currency_codes"))


def test_comments_among_phrases_are_no_phrases():
    assert not [line for line in load_phrases("word_relations", "opposites") if "#" in line]
