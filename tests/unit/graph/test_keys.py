import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.graph.keys import key_of, singular_form


@pytest.mark.parametrize(
    "ways",
    [
        ["The Beatles", "Beatles", "the BEATLES", "Beatles’"],
        ["Apple", "Apple Inc.", "Apple, Inc", "Apple's"],
        ["Purkyně’s", "PURKYNE"],
        ["U.S.", "US", "USA", "United States of America", "the United States"],
        ["language model", "language models", "a language model"],
        ["CNN", "CNNs", "C.N.N."],
        ["Jean-Luc Picard", "Jean Luc Picard"],
        ["Apple\u200b Pie", "Apple Pie"],
        ["Nintendo Co., Ltd.", "Nintendo"],
    ],
)
def test_ways_of_writing_one_name_have_one_key(ways):
    assert len({key_of(way) for way in ways}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Williams", "William"),
        ("us", "US"),
        ("C", "C++"),
        ("C++", "C#"),
        ("News Corp", "news"),
        ("node.js", "node"),
        ("GPT-3", "GPT-4"),
        ("東京", "京都"),
    ],
)
def test_what_tells_two_names_apart_stays(one, other):
    assert key_of(one) != key_of(other)


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("libraries", "library"),
        ("boxes", "box"),
        ("classes", "class"),
        ("nodes", "node"),
        ("species", "species"),
        ("status", "status"),
        ("bus", "bus"),
        ("analysis", "analysis"),
    ],
)
def test_common_nouns_are_compared_in_the_singular(plural, one):
    assert singular_form(plural) == one


@pytest.mark.parametrize("written", ["", " ", "—", "...", "'s", "\u200b"])
def test_what_has_no_letter_has_no_key(written):
    assert key_of(written) in {"", "s"}


@given(st.text())
def test_any_text_has_a_key_of_single_spaced_words(text):
    key = key_of(text)
    assert key == " ".join(key.split())


@given(st.text(alphabet="ABCD ÉÖ-", max_size=30))
def test_accents_and_case_never_change_the_key_of_a_longer_name(text):
    name = f"Xyz {text} Qrs"
    assert key_of(name) == key_of(name.upper()) == key_of(name.translate({ord("É"): "E", ord("Ö"): "O"}))
