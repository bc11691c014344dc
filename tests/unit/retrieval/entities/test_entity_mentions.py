"""The quick look at a sentence never hides one that names the thing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import WORD, fold_words, stem_word
from ascertain.retrieval.entities.mentions import (
    _may_name,  # pyright: ignore[reportPrivateUsage]
    _name_forms,  # pyright: ignore[reportPrivateUsage]
    names_one,  # pyright: ignore[reportPrivateUsage]
)


@settings(max_examples=100)
@given(st.text(alphabet=st.characters(categories=["Ll", "Lu", "Nd", "Zs", "Po"]), max_size=60), st.data())
def test_a_text_that_holds_a_name_is_looked_at(text, data):
    words = WORD.findall(text)
    if not words:
        return
    name = data.draw(st.sampled_from(words))
    if names_one(text, [name], ENGLISH):
        assert _may_name(_name_forms(name, None, ENGLISH).values())(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("starter", "Feed your starters daily."),
        ("happy", "Happier people bake."),
        ("lie", "He was lying."),
        ("fly", "It flies."),
        ("use", "Using it is easy."),
        ("sky", "Blue skies ahead."),
        ("inflation", "It inflates everything."),
        ("write-ahead logging", "Turn on Write-Ahead Logging now."),
        ("Spärck Jones", "Karen Sparck Jones wrote it."),
    ],
)
def test_other_forms_of_its_words_name_it_too(name, text):
    assert _may_name(_name_forms(name, None, ENGLISH).values())(text)
    assert names_one(text, [name], ENGLISH) is (
        next(stem_word(fold_words(w), ENGLISH) for w in WORD.findall(name))
        in {stem_word(fold_words(w), ENGLISH) for w in WORD.findall(text)}
    )
