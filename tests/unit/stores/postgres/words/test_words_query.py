"""Conditions on candidates, checked by evaluating them on every combination of words."""

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascertain.stores.postgres.words.search import (
    Statistics,
    Unit,
    length_norm,
    likely_score,
    match_any_unit,
    reaching_query,
    weigh_units,
)
from ascertain.stores.postgres.words.texts import SHORT, STRONG
from ascertain.stores.records.text_analysis import QueryTerm, compute_idf


def statistics(chunks=1000, average=100.0, **frequencies):
    return Statistics(chunks, average, 4.0, frequencies, {})


def unit(name, weight, share=0.1, title_weight=0.0):
    return Unit(QueryTerm((name,)), weight, title_weight, share)


def meets(condition, lexemes):
    """Whether a chunk with these lexemes meets a condition of quoted words, &, | and brackets."""
    as_python = re.sub(r"'([^']+)'", lambda match: str(match[1] in lexemes), condition)
    return eval(as_python.replace("&", " and ").replace("|", " or "))


def states(units, average):
    """Each way a chunk can contain the units: its lexemes and the greatest score it can have."""
    once = 1 / (1 + length_norm(SHORT, average))
    for levels in itertools.product((0, 1, 2), repeat=len(units)):
        lexemes, score = set(), 0.0
        for each, level in zip(units, levels, strict=True):
            (token,) = each.term.tokens
            if level:
                lexemes.add(token)
                score += each.weight * (once if level == 1 else 1)
            if level == 2:
                lexemes.add(token + STRONG)
        yield lexemes, score


@settings(deadline=None)
@given(
    weights=st.lists(st.floats(0.5, 20), min_size=1, max_size=5), share=st.floats(0.01, 1), average=st.floats(5, 400)
)
def test_no_chunk_that_reaches_the_score_is_shut_out(weights, share, average):
    units = [unit(f"w{number}", weight) for number, weight in enumerate(weights)]
    floor = share * sum(weights)
    condition = reaching_query(units, statistics(average=average), floor)
    for lexemes, score in states(units, average):
        if score >= floor:
            assert meets(condition, lexemes)


def test_chunks_that_cannot_reach_the_score_are_shut_out():
    units = [unit("rare", 10.0), unit("common", 2.0)]
    condition = reaching_query(units, statistics(), 5.0)
    assert meets(condition, {"rare"})
    assert not meets(condition, {"common", "common" + STRONG})


def test_without_a_score_to_reach_any_word_will_do():
    units = [unit("one", 1.0), unit("two", 2.0)]
    assert reaching_query(units, statistics(), 0) == match_any_unit(units)


def test_a_condition_on_many_words_stays_short():
    units = [unit(f"w{number}", 5 + number % 7) for number in range(256)]
    assert len(reaching_query(units, statistics(), 20.0)) < 10_000


@given(
    shares=st.lists(st.floats(0.001, 0.9), min_size=1, max_size=12), wanted=st.floats(0.5, 500), more=st.floats(1, 20)
)
def test_more_wanted_chunks_make_a_lower_guess(shares, wanted, more):
    units = [unit(f"w{number}", 1 / share, share) for number, share in enumerate(shares)]
    assert likely_score(units, 1000, wanted * more) <= likely_score(units, 1000, wanted)


def test_a_score_that_nothing_reaches_is_not_guessed():
    assert likely_score([unit("w", 3.0, 0.001)], 1000, 5) == 0


def test_rare_words_weigh_more_and_unknown_ones_drop_out():
    terms = {QueryTerm((name,)): 1.0 for name in ("rare", "common", "unknown")}
    units = {each.term.tokens[0]: each for each in weigh_units(terms, statistics(rare=2, common=900), 0)}
    assert units.keys() == {"rare", "common"}
    assert units["rare"].weight > units["common"].weight
    assert units["rare"].weight == pytest.approx(2.2 * compute_idf(1000, 2))


def test_a_phrase_is_as_telling_as_its_words_together():
    terms = {QueryTerm(("proof", "work")): 1.0}
    (phrase,) = weigh_units(terms, statistics(proof=10, work=100), 0)
    together = compute_idf(1000, 10) + compute_idf(1000, 100)
    assert phrase.weight == pytest.approx(2.2 * together)
    assert phrase.in_text == "('proof':BC <-> 'work':BC)"
    assert phrase.anywhere == "('proof' & 'work')"


def test_titles_count_only_when_asked_for():
    known = Statistics(10, 5.0, 2.0, {"a": 1}, {"a": 3, "b": 2})
    terms = {QueryTerm(("a",)): 1.0, QueryTerm(("b",)): 1.0}
    assert [each.title_weight for each in weigh_units(terms, known, 0)] == [0]
    boosted = weigh_units(terms, known, 0.5)
    assert [each.weight > 0 for each in boosted] == [True, False]
    assert all(each.title_weight > 0 for each in boosted)
