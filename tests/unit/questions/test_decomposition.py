from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.asking.plans import SubQueryType
from ascertain.language.languages import ENGLISH
from ascertain.questions.decomposition import (
    MAX_CHARACTERS,
    MAX_SUB_QUERIES,
    decompose_question,
    needs_iteration,
    sub_query_type,
)


def texts(question):
    return [part.text for part in decompose_question(question, ENGLISH)]


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of France?",
        "how do I reset my password",
        "Who wrote Hamlet?",
        "error TB-4031",
        "When was the Eiffel Tower built?",
        "what is the life cycle of a centipede",
        "What are two ways to start, according to Anthropic's documentation?",
        # a mere figure is nothing to search for
        "was it 41 or 45 million that krellion has to pay?",
        "",
        "?",
    ],
)
def test_a_question_that_asks_one_thing_is_not_split(question):
    assert decompose_question(question, ENGLISH) == ()
    assert not needs_iteration(question, ENGLISH)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Which came first, Python or Perl?", ["Python", "Perl"]),
        ("Who is the oldest, Sid Haig or Vic Darchinyan?", ["Sid Haig", "Vic Darchinyan"]),
        (
            "Which plant is larger, the Pterocarya or the Cotula?",
            ["the Pterocarya plant larger", "the Cotula plant larger"],
        ),
        ("What is the difference between BM25 and TF-IDF?", ["BM25 difference", "TF-IDF difference"]),
        (
            "Between Iain Banks and Irwin Shaw, which writer has had a more diverse career?",
            ["Iain Banks writer diverse career", "Irwin Shaw writer diverse career"],
        ),
    ],
)
def test_a_comparison_asks_for_each_side(question, parts):
    assert texts(question) == parts
    assert {part.priority for part in decompose_question(question, ENGLISH)} == {1}


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("How do refunds work and how long do they take?", ["How do refunds work", "how long do they take"]),
        (
            "Armando Iannucci has an OBE. Does the director Puneet Sira have one?",
            ["Armando Iannucci has an OBE", "Does the director Puneet Sira have one"],
        ),
    ],
)
def test_joined_questions_are_taken_apart(question, parts):
    assert texts(question) == parts


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "Who is the sibling of the performer of Decade?",
            ["the performer of Decade", "Who is the sibling of the performer"],
        ),
        (
            "When was the astronomical clock built in the city where Karel Purkyně died?",
            ["the city where Karel Purkyně died", "When was the astronomical clock built in the city"],
        ),
        (
            "When did the country where the village of Clonbrook is located, become a member of CARICOM?",
            [
                "the village of Clonbrook",
                "the country where the village of Clonbrook is located",
                "When did the country, become a member of CARICOM",
            ],
        ),
        (
            "When did the country of Izgoy's performer invade Manchuria?",
            ["Izgoy's performer", "the country of Izgoy's performer", "When did the country invade Manchuria"],
        ),
    ],
)
def test_a_nested_description_is_asked_from_the_inside(question, parts):
    assert texts(question) == parts
    assert [part.priority for part in decompose_question(question, ENGLISH)] == list(range(1, len(parts) + 1))


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What is the sum of the digits of the year when the publisher of Qst was founded?", "the publisher of Qst"),
        ("What is the binary code of the last letter of the last name of the father-in-law of Ove Aunli in lowercase?",
         "the father-in-law of Ove Aunli"),
        ("How many fewer letters does the first name of Myra Bailey have compared to the first name of the paternal grandfather"
         " of Chiang Hsiao-Wu?", "the paternal grandfather of Chiang Hsiao-Wu"),
    ],
)  # fmt: skip
def test_what_is_only_calculated_is_not_looked_up(question, first):
    assert texts(question)[0] == first


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("How do I configure the store?", SubQueryType.METHODOLOGICAL),
        ("Why are refunds slow", SubQueryType.CONCEPTUAL),
        ("BM25 difference", SubQueryType.CONCEPTUAL),
        ("the performer of Decade", SubQueryType.FACTUAL),
    ],
)
def test_a_part_has_a_type(text, type):
    assert sub_query_type(text) is type


@pytest.mark.parametrize(
    "question",
    [
        "Toad Hall is a residential hall in a university located in what Australian city?",
        "What currency predated the Euro in the country Signmark is from?",
        "What do E. B. White and Dan Masterson have in common?",
        "Who is the sibling of the performer of Decade?",
    ],
)
def test_a_question_that_describes_what_it_does_not_name_needs_more_than_one_search(question):
    assert needs_iteration(question, ENGLISH)


def test_somebody_told_by_what_they_did_takes_a_document_of_its_own():
    assert needs_iteration('What did the individual who drew "the Lower Plan" base his politics on?', ENGLISH)
    assert not needs_iteration("Who drew the Lower Plan?", ENGLISH)


@given(st.text(max_size=300))
def test_any_text_has_few_parts_and_none_is_empty(text):
    parts = decompose_question(text, ENGLISH)
    assert len(parts) <= MAX_SUB_QUERIES
    assert all(part.text.strip() for part in parts)
    assert decompose_question(text, ENGLISH) == parts


def test_a_text_too_long_for_a_question_is_left_whole():
    question = "Who is the sibling of the performer of Decade? " * 30
    assert len(question) > MAX_CHARACTERS
    assert decompose_question(question, ENGLISH) == ()
    assert not needs_iteration(question, ENGLISH)
