from __future__ import annotations

import pytest

from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import stem_word
from ascertain.language.word_lists import load_phrases
from ascertain.models.entail.alignment import Relation, look_up_word, relate_words


@pytest.mark.parametrize(
    ("claimed", "evident", "expected"),
    [
        ("companies", "company", Relation.SAME),
        ("gave", "given", Relation.SAME),
        ("rejected", "accepted", Relation.OPPOSITE),
        ("increase", "decreased", Relation.OPPOSITE),
        ("rose", "fell", Relation.OPPOSITE),
        ("larger", "smaller", Relation.OPPOSITE),
        ("unhelpful", "helpful", Relation.OPPOSITE),
        ("connected", "disconnected", Relation.OPPOSITE),
        ("careful", "careless", Relation.OPPOSITE),
        ("start", "begin", Relation.SYNONYM),
        ("apple", "pear", Relation.SIBLING),
        ("month", "year", Relation.SIBLING),
        ("vehicle", "yellow", Relation.NONE),
        ("covered", "discovered", Relation.NONE),
        ("union", "ion", Relation.NONE),
        ("former", "form", Relation.NONE),
        ("qqxyz", "house", Relation.NONE),
    ],
)
def test_words_stand_to_each_other_the_same_way_from_either_side(claimed, evident, expected):
    assert relate_words(claimed, evident, ENGLISH) is expected
    assert relate_words(evident, claimed, ENGLISH) is expected


def test_an_unknown_word_has_no_relatives_but_those_of_its_form():
    unknown = look_up_word("qqxyz", ENGLISH)
    assert unknown.bases == {"qqxyz"}
    assert not unknown.synonyms
    assert not unknown.siblings
    assert "unqqxyz" in unknown.opposites


def test_no_group_of_the_data_says_that_opposites_mean_the_same():
    words = {word for pair in load_phrases("word_relations", "opposites") for word in pair.split() if word != "|"}
    for word in sorted(words):
        known = look_up_word(word, ENGLISH)
        assert not known.synonyms & known.opposites, word
        assert stem_word(word, ENGLISH) in known.bases


def test_each_word_stands_once_in_a_group():
    names = ("opposites", "synonyms", "kinds")
    joined = [group.replace("| ", "") for name in names for group in load_phrases("word_relations", name)]
    assert len(joined) == len(set(joined))
    for group in joined:
        assert len(group.split()) == len(set(group.split())), group
