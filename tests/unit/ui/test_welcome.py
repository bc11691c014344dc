import string

from hypothesis import given
from hypothesis import strategies as st

from ascertain.ui.filters import KIND_NAMES
from ascertain.ui.states import EXAMPLES, WORDINGS, escape_markdown, example_questions
from ascertain.wire.documents import DocumentJson
from ascertain.wire.shape import make_example


def a_document(title, kind="prose", state="indexed"):
    given = {"title": title, "kind": kind, "state": state}
    return DocumentJson.model_validate({**make_example(DocumentJson), **given})


def test_every_kind_has_a_question():
    assert set(WORDINGS) == set(KIND_NAMES)


def test_questions_are_of_as_many_kinds_as_there_are():
    documents = [a_document(f"Text {n}") for n in range(9)] + [
        a_document("Bread", "transcript"),
        a_document("BERT", "paper"),
    ]
    assert example_questions(documents) == [
        "What does “Text 0” say?",
        "What is said in “Bread”?",
        "What does the paper “BERT” show?",
        "What does “Text 1” say?",
    ]


def test_title_that_is_a_question_is_asked_as_it_is():
    assert example_questions([a_document("How do refunds work?")]) == ["How do refunds work?"]


def test_documents_that_cannot_be_asked_about_give_no_questions():
    documents = [a_document("Broken", state="failed"), a_document("x"), a_document("long " * 40), a_document("")]
    assert example_questions(documents) == []


@given(st.lists(st.builds(a_document, st.text(max_size=90), st.sampled_from(sorted(WORDINGS)))))
def test_questions_are_few_and_different(documents):
    questions = example_questions(documents)
    assert len(questions) == len(set(questions)) <= EXAMPLES


@given(st.text(alphabet=string.printable))
def test_label_holds_no_mark_of_markdown_that_is_not_escaped(text):
    label = escape_markdown(text)
    assert label.replace("\\", "") == text.replace("\\", "")
    unescaped = [
        mark for before, mark in zip(" " + label, label, strict=False) if mark in "*_`[]<>:#$" and before != "\\"
    ]
    assert unescaped == []
