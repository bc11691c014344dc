"""What a subject is called, and whether that is all it is called."""

import pytest

from ascertain.core.settings.profiles import load_profile
from ascertain.language.languages import ENGLISH
from ascertain.retrieval.search.subjects import read_subject_names

NEWS = [load_profile("news")]


@pytest.mark.parametrize(
    ("focus", "named"),
    [
        ("crypto", ["bitcoin", "ethereum", "stablecoin"]),
        ("crypt", ["bitcoin", "ether"]),
        ("eth", ["ethereum", "ether", "eth"]),
        ("ether", ["ethereum", "eth"]),
        ("BTC", ["bitcoin", "btc"]),
        ("the hacks", ["theft", "stolen", "exploit"]),
    ],
)
def test_a_subject_has_its_other_names_and_its_members(focus, named):
    assert set(named) <= set(read_subject_names(focus, NEWS, ENGLISH).names)


def test_all_names_are_known_of_the_vocabulary_and_of_the_graph_alone():
    assert read_subject_names("crypto", NEWS, ENGLISH).is_known
    assert read_subject_names("Quillmark", NEWS, ENGLISH, ("Quillmark", "Quillmark Ltd")).is_known
    assert not read_subject_names("Quillmark", NEWS, ENGLISH).is_known
    assert not read_subject_names("hacks", NEWS, ENGLISH).is_known


def test_names_are_found_as_whole_words_in_either_number():
    pattern = read_subject_names("eth", NEWS, ENGLISH).pattern
    assert pattern.search("Fund buys ETH")
    assert not pattern.search("the method of Elizabeth")
    assert read_subject_names("hacks", NEWS, ENGLISH).pattern.search("two thefts")
