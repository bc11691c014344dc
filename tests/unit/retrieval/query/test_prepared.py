from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.asking.passages import Filter
from ascertain.core.asking.runs import SystemClock
from ascertain.core.settings.profiles import load_profile
from ascertain.language.languages import ENGLISH
from ascertain.retrieval.query.prepared import MAX_TERMS, keep_rarest, prepare_question, terms_of


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("How does the halving work?", {"halving": 1.0, "work": 1.0}),
        ("who are you", {"who": 1.0, "are": 1.0, "you": 1.0}),
        ("Is the price of prices a price?", {"price": 3.0}),
        ("error TB-4031", {"error": 1.0, "tb": 1.0, "4031": 1.0, '"TB-4031"': 1.0}),
        ('what is "proof of work"', {"proof": 1.0, "work": 1.0, '"proof of work"': 1.0}),
        ("Müller’s café", {"muller's": 1.0, "cafe": 1.0}),
        ("???", {}),
        ("who wrote How To Do Nothing", {"wrote": 1.0, "nothing": 1.0, '"How To Do Nothing"': 1.0}),
        ("did The Who play in Leeds", {"play": 1.0, "leeds": 1.0, '"The Who"': 1.0}),
        ("How To Do Nothing", {"nothing": 1.0}),
        ("Where did Ada Stone work?", {"ada": 1.0, "stone": 1.0, "work": 1.0}),
    ],
)
def test_words_that_carry_meaning_are_looked_up(question, terms):
    assert terms_of(question, ENGLISH) == terms


def test_common_words_go_only_while_a_rarer_one_is_left():
    frequencies = {"data": 900, "halving": 3, "zzz": 0}
    terms = {"data": 1.0, "halving": 1.0, "zzz": 1.0}
    assert keep_rarest(terms, frequencies, 1000, 0.3, language=ENGLISH) == {"halving": 1.0}
    assert keep_rarest({"data": 1.0}, frequencies, 1000, 0.3, language=ENGLISH) == {"data": 1.0}
    assert keep_rarest({"zzz": 1.0}, frequencies, 1000, 0.3, language=ENGLISH) == {}


def test_the_subject_that_a_short_form_stands_for_is_never_dropped():
    asked = prepare_question("BTC news", ENGLISH, profiles=[load_profile("news")], clock=SystemClock(), filter=Filter())
    frequencies = {"bitcoin": 900, "btc": 1, "news": 20}
    assert "bitcoin" in keep_rarest(asked.terms, frequencies, 1000, 0.3, subjects=asked.subjects, language=ENGLISH)


def test_a_short_form_is_looked_up_by_all_names_of_what_it_stands_for():
    asked = prepare_question("eth news", ENGLISH, profiles=[load_profile("news")], clock=SystemClock(), filter=Filter())
    assert {"ethereum", "ether", "eth"} <= set(asked.terms)


@given(st.dictionaries(st.text(min_size=1, max_size=6), st.integers(1, 10), max_size=200))
def test_a_very_long_question_is_cut_to_its_rarest_words(frequencies):
    kept = keep_rarest(dict.fromkeys(frequencies, 1.0), frequencies, 10_000, 0.3, language=ENGLISH)
    assert len(kept) == min(len(frequencies), MAX_TERMS)
    assert max((frequencies[t] for t in kept), default=0) <= min(
        (frequencies[t] for t in frequencies.keys() - kept.keys()), default=10
    )


@given(st.text(max_size=300))
def test_any_text_gives_terms_with_positive_weights(text):
    assert all(weight > 0 and term.strip() for term, weight in terms_of(text, ENGLISH).items())
