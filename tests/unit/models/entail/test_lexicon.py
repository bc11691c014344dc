from __future__ import annotations

import pytest

from ascertain.models.entail.lexicon import Relation, entry, relation


@pytest.mark.parametrize(
    ("claimed", "evident", "expected"),
    [
        ("companies", "company", Relation.SAME),
        ("rejected", "accepted", Relation.OPPOSITE),
        ("increase", "decreased", Relation.OPPOSITE),
        ("start", "begin", Relation.SYNONYM),
        ("vehicle", "yellow", Relation.NONE),
        ("apple", "pear", Relation.SIBLING),
        ("house", "with", Relation.GRAMMAR),
        ("qqxyz", "house", Relation.NONE),
    ],
)
def test_words_stand_to_each_other(claimed, evident, expected):
    assert relation(claimed, evident) is expected


def test_a_broader_word_is_told_from_a_narrower_one():
    assert relation("canine", "dog") is Relation.BROADER
    assert relation("dog", "canine") is Relation.NARROWER


def test_an_unknown_word_has_an_empty_entry():
    assert not entry("qqxyz").is_known
    assert entry("qqxyz").bases == {"qqxyz"}
