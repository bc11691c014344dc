import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.questions.acts import Act, RequestedAct, read_act


@pytest.mark.parametrize(
    ("message", "act"),
    [
        ("shorter please", Act.SHORTEN),
        ("Can you make that shorter?", Act.SHORTEN),
        ("Kürzer bitte", Act.SHORTEN),
        ("Tell me more", Act.EXPAND),
        ("more details, please", Act.EXPAND),
        ("give me bullet points", Act.LIST),
        ("Say that again", Act.REPEAT),
        ("Are you sure?", Act.DOUBT),
        ("¿Estás seguro?", Act.DOUBT),
        ("Really??", Act.DOUBT),
        ("Which source says that?", Act.CITE),
        ("Where does it say so?", Act.CITE),
        ("Wo steht das?", Act.CITE),
        ("What did I ask first?", Act.RECALL_FIRST),
        ("what was my last question", Act.RECALL_LAST),
        ("Which questions did I ask?", Act.RECALL_ALL),
        ("Summarise what we have so far", Act.RECAP),
        ("Could you please sum up our conversation?", Act.RECAP),
        ("What have we learned so far?", Act.RECAP),
        ("Fasse unser Gespräch zusammen, bitte", Act.RECAP),
        ("Qu'avons-nous appris ?", Act.RECAP),
        ("¿Qué hemos aprendido?", Act.RECAP),
        ("sum it up", Act.SHORTEN),
        ("ok, thank you very much!", Act.THANK),
        ("bye", Act.LEAVE),
    ],
)
def test_a_message_that_only_acts_on_the_conversation_is_read_as_such(message: str, act: Act) -> None:
    assert read_act(message) == RequestedAct(act)


@pytest.mark.parametrize(
    ("message", "language"),
    [
        ("in German please", "de"),
        ("Translate that into French", "fr"),
        ("auf Englisch bitte", "en"),
        ("can you say that in Spanish?", "es"),
    ],
)
def test_a_language_that_is_asked_for_is_read(message: str, language: str) -> None:
    assert read_act(message) == RequestedAct(Act.TRANSLATE, language)


@pytest.mark.parametrize(
    "message",
    [
        "Tell me more about whales",
        "What is the source of the Nile?",
        "Are you sure that the lease ends in May?",
        "Which source does the report name for the figures?",
        "in Paris?",
        "and in 2023?",
        "A shorter lease?",
        "What did I sign first?",
        "compare the two",
        "Summarise the conversation with the landlord",
        "What have we learned from the audit?",
        "Summarise the lease",
        "",
        "?!",
        "more " * 40,
    ],
)
def test_whatever_asks_something_else_stays_a_question(message: str) -> None:
    assert read_act(message) is None


@given(st.text(max_size=200))
def test_any_text_can_be_read(message: str) -> None:
    read_act(message)
