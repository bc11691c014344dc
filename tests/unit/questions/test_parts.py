import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.language.languages import ENGLISH
from ascertain.questions.parts import list_parts, list_sides


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Who wrote SQLite and who designed DNS?", ("Who wrote SQLite?", "Who designed DNS?")),
        (
            "How long is a token valid, and how many requests are allowed?",
            ("How long is a token valid?", "How many requests are allowed?"),
        ),
        (
            "What is the deposit? When does the lease end? And who pays for repairs?",
            ("What is the deposit?", "When does the lease end?", "Who pays for repairs?"),
        ),
        (
            "When is the exam, how long does it last, and can it be repeated?",
            ("When is the exam?", "How long does it last?", "Can it be repeated?"),
        ),
    ],
)
def test_questions_in_one_breath_are_told_apart(question: str, parts: tuple[str, ...]) -> None:
    assert list_parts(question, ENGLISH) == parts


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote SQLite?",
        "Who wants a second night baker and why?",
        "What does the report require us to do and by when?",
        "What do Ada and Ben say about what they sell?",
        "Which is older, the lease or the handbook?",
        "I read the lease. What is the deposit?",
        "Does the manual say how and where to install it?",
        "What happens if the disk is full and is not replaced?",
        "",
    ],
)
def test_one_question_stays_whole(question: str) -> None:
    assert list_parts(question, ENGLISH) == ()


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("What is the difference between BM25 and HNSW?", ("BM25", "HNSW")),
        ("What's the difference between critical and grave bugs?", ("critical bugs", "grave bugs")),
        ("Compare the lease with the handbook", ("lease", "handbook")),
        ("How do Depends and Pre-Depends differ?", ("Depends", "Pre-Depends")),
        ("How does a viewer differ from an operator?", ("viewer", "operator")),
        ("Is A or B faster?", ()),
        ("How do A and B differ in price?", ()),
    ],
)
def test_a_bare_comparison_names_its_sides(question: str, sides: tuple[str, ...]) -> None:
    assert list_sides(question) == sides


@given(st.text(max_size=700))
def test_any_text_can_be_taken_apart(question: str) -> None:
    assert all(part.endswith("?") for part in list_parts(question, ENGLISH))
    list_sides(question)
