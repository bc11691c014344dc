"""Which questions ask for a whole document, what of it, and what they call it."""

import pytest

from ascertain.core.asking.plans import Aspect
from ascertain.questions.kinds.documents import names_anything, names_document, read_document_question

OVERVIEW, D, T, R, P = Aspect.OVERVIEW, Aspect.DECISIONS, Aspect.TASKS, Aspect.RISKS, Aspect.PEOPLE


@pytest.mark.parametrize(
    ("question", "aspect", "name"),
    [
        ("Summarise the lease", OVERVIEW, "lease"),
        ("Could you please sum up the staff handbook for me?", OVERVIEW, "staff handbook"),
        ("What does “Expenses” say?", OVERVIEW, "Expenses"),
        ("What does the article “Tram drivers strike” report?", OVERVIEW, "Tram drivers strike"),
        ("tl;dr of the damp report", OVERVIEW, "damp report"),
        ("what's in the spring newsletter?", OVERVIEW, "spring newsletter"),
        ("What is chapter 8 about?", OVERVIEW, "chapter 8"),
        ("What was decided at the board meeting?", D, "board meeting"),
        ("Who has to do what by when according to the minutes?", T, "minutes"),
        ("List the action items of the board meeting", T, "board meeting"),
        ("What are the main risks in the 2026 plan?", R, "2026 plan"),
        ("Which deadlines does the contract set?", Aspect.DEADLINES, "contract"),
        ("Which points are still open in the minutes?", Aspect.OPEN_POINTS, "minutes"),
        ("Who attended the board meeting?", P, "board meeting"),
        ("Give me a timeline of the project", Aspect.TIMELINE, "project"),
        ("List all tools in the caretaker handbook", Aspect.LIST, "caretaker handbook"),
        ("What does the survey recommend?", Aspect.RECOMMENDATIONS, "survey"),
    ],
)
def test_what_is_asked_and_of_what(question, aspect, name):
    found = read_document_question(question)
    assert found is not None
    assert (found.aspect, found.name) == (aspect, name)


@pytest.mark.parametrize(
    "question",
    [
        "How much is the rent?",
        "What is the notice period in the lease?",
        "When does the tenancy begin?",
        "Who is the landlord?",
        "What does bind() return?",
        "How do I reset the password?",
        "Why was the price raised?",
        "Does the handbook allow dogs?",
        "What did they say about it?",
        "bitcoin price in June",
    ],
)
def test_a_fact_is_no_question_for_a_whole_document(question):
    assert read_document_question(question) is None


def test_the_party_of_an_obligation_and_the_thing_in_a_document_are_kept_apart_from_its_name():
    found = read_document_question("What are the obligations of the tenant in the tenancy agreement?")
    assert found is not None
    assert (found.name, found.focus) == ("tenancy agreement", "the tenant")
    steps = read_document_question("What are the steps in an emergency in the handbook?")
    assert steps is not None
    assert steps.name == "handbook"
    assert "emergency" in steps.focus


def test_names_that_say_which_document_and_names_that_do_not():
    assert names_document("lease for flat 12")
    assert not names_document("what the chair may do")
    assert names_anything("documents")
    assert not names_anything("lease documents")
