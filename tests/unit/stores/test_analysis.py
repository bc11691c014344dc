import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.stores.records.text_analysis import (
    MAX_TERMS,
    QueryTerm,
    build_analyzer,
    query_terms,
    space_text,
    weighted_terms,
)

ANALYZER = build_analyzer()


@pytest.mark.parametrize(
    ("term", "tokens"),
    [
        ("Running", [("run",)]),
        ("GPT-4", [("gpt", "4")]),
        ("Tyler's", [("tyler",)]),
        ("O'Brien’s", [("o", "brien")]),
        ("machine learning", [("machin",), ("learn",)]),
        ('"machine learning"', [("machin", "learn")]),
        ('"word"', [("word",)]),
        ("東京都", [("東京",), ("京都",)]),
        ("東", [("東",)]),
        ('"東京都"', [("東京", "京都")]),
        ("iPhone東京", [("東京",), ("iphon",)]),
        ("naïve", [("naiv",)]),
        ("--", []),
        ('""', []),
        ("", []),
    ],
)
def test_turns_a_term_into_units(term, tokens):
    assert query_terms(ANALYZER, term) == [QueryTerm(each) for each in tokens]


@given(st.text(st.characters(), max_size=80))
def test_takes_any_text(text):
    space_text(text).encode()
    assert all(term.tokens for term in query_terms(ANALYZER, text))


@given(st.text("東京都新宿区 abc,。", min_size=1, max_size=30))
def test_a_unit_of_a_text_is_among_the_tokens_of_the_text(text):
    tokens = set(ANALYZER.analyze(space_text(text)))
    assert {token for term in query_terms(ANALYZER, text) for token in term.tokens} <= tokens


def test_a_unit_asked_for_twice_gets_the_higher_weight():
    assert weighted_terms(ANALYZER, {"run": 1.0, "running": 2.0, "dog": 0.0}) == {QueryTerm(("run",)): 2.0}


def test_keeps_the_heaviest_of_too_many_words():
    weighted = weighted_terms(ANALYZER, {f"word{n}": float(n) for n in range(2 * MAX_TERMS)})
    assert len(weighted) == MAX_TERMS
    assert min(weighted.values()) == MAX_TERMS
