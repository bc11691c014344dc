import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import content_terms
from ascertain.models.chat.controls import choose_addition, choose_stray, make_false_claim
from ascertain.models.ports import ClaimPair


@pytest.mark.parametrize(
    "question",
    ["Who built the Elm Bridge?", "How do beekeepers feed their colonies of bees in winter?", "Was kostet eine Ziege?"],
)
def test_a_stray_shares_no_word_with_the_question(question):
    stray = choose_stray(question, ENGLISH)
    assert stray is not None
    assert not set(content_terms(question, ENGLISH)) & set(content_terms(f"{stray.title} {stray.text}", ENGLISH))
    assert choose_stray(question, ENGLISH) == stray


@pytest.mark.parametrize("question", ["", "What is new?", "why?", "And then?"])
def test_a_question_that_any_text_may_answer_has_none(question):
    assert choose_stray(question, ENGLISH) is None


def test_different_questions_get_different_strays():
    assert len({choose_stray(f"Who painted picture number {n}?", ENGLISH) for n in range(50)}) > 5


@pytest.mark.parametrize(
    ("evidence", "claim", "of"),
    [
        ("It carries about 320 people. So.", "It carries about 520 people.", "It carries about 320 people."),
        ("The fare fell by 2.5 percent.", "The fare fell by 4.5 percent.", "The fare fell by 2.5 percent."),
        ("The pipe cost $9,200 in all.", "The pipe cost $2,200 in all.", "The pipe cost $9,200 in all."),
    ],
)
def test_a_figure_of_the_evidence_is_changed(evidence, claim, of):
    assert make_false_claim([ClaimPair("Any.", evidence)], ENGLISH) == ClaimPair(claim, of)


@pytest.mark.parametrize(
    "evidence",
    [
        "1. Open the window. 2. Close it behind you again.",
        "The package (version 4 of it) holds tables.",
        "Call it as f(x, n=3 times) in the shell.",
        "| 12 euros | 5 euros |",
        "Ines Karlow is the captain of the ferry.",
    ],
)
def test_without_a_figure_that_counts_something_the_claim_is_about_something_else(evidence):
    made = make_false_claim([ClaimPair("Any.", evidence)], ENGLISH)
    assert made is not None
    assert made.evidence == evidence
    assert not set(content_terms(made.claim, ENGLISH)) & set(content_terms(evidence, ENGLISH))


def test_of_nothing_none_is_made():
    assert make_false_claim([], ENGLISH) is None
    assert make_false_claim([ClaimPair("Any.", "")], ENGLISH) is None


@given(st.text(max_size=80), st.integers(1, 10**6))
def test_the_changed_figure_stands_nowhere_in_the_evidence(around, number):
    made = make_false_claim([ClaimPair("Any.", f"The ferry carries {number} people a day. {around}")], ENGLISH)
    if made is not None and made.claim.startswith("The ferry carries"):
        changed = made.claim.split()[3]
        assert changed not in f"{number} {around}"


def test_no_day_of_a_date_is_changed():
    made = make_false_claim(
        [ClaimPair("Any.", "The ferry sails until 14 May this year. It takes 40 people on board.")], ENGLISH
    )
    assert made is not None and made.evidence == "It takes 40 people on board."


def test_an_addition_says_what_neither_claims_nor_sources_speak_of():
    pair = ClaimPair("The ferry sails.", "The ferry sails. A foundation paid the auditor of a university for a film.")
    added = choose_addition([pair], ENGLISH)
    assert added and added == choose_addition([pair], ENGLISH)
    assert not set(content_terms(added, ENGLISH)) & set(content_terms(f"{pair.claim} {pair.evidence}", ENGLISH))
    assert choose_addition([], ENGLISH) == ""
