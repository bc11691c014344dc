from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.settings import ModelSettings
from ascertain.models.registry import open_embedder
from ascertain.questions.conversation.acts import Act, RequestedAct, choose_act_reader, read_act


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
        ("Are you really sure about this?", Act.DOUBT),
        ("Please give me a bit more detail on that", Act.EXPAND),
        ("In which of the documents did you find that?", Act.CITE),
        ("Too long, just the gist", Act.SHORTEN),
        ("What was the very first question I asked you?", Act.RECALL_FIRST),
        ("Great, thanks a lot for your help!", Act.THANK),
        ("Brilliant, thank you!", Act.THANK),
        ("Bye for now!", Act.LEAVE),
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
        ("¿en español, por favor?", "es"),
        ("And what would that be in Italian?", "it"),
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
        "How do I list them?",
        "What was it before?",
        "What did he say?",
        "Is that in the French version?",
        "Thanks, and who pays for water?",
        "Thanks, and the price",
        "",
        "?!",
        "more " * 40,
    ],
)
def test_whatever_asks_something_else_stays_a_question(message: str) -> None:
    assert read_act(message) is None


@pytest.fixture(scope="module")
def read():
    return choose_act_reader(open_embedder(ModelSettings()))


@pytest.mark.parametrize(
    ("message", "act"),
    [
        ("Can I have that as a bulleted list?", Act.LIST),
        ("I want to hear more about this", Act.EXPAND),
        ("That's it for today, bye", Act.LEAVE),
        ("Which file is this information from?", Act.CITE),
        ("Are you 100% sure about that?", Act.DOUBT),
        ("Give me an overview of what we've discussed", Act.RECAP),
    ],
)
def test_what_no_example_says_is_read_by_its_meaning(read, message: str, act: Act) -> None:
    assert read_act(message) is None
    assert read(message) == RequestedAct(act)


@pytest.mark.parametrize(
    "message",
    [
        "How does it work?",
        "What did he say?",
        "How many sources are there?",
        "Who wrote it?",
        "Is it allowed?",
        "Until when?",
        "Why that number?",
        "And who pays?",
        # what is asked of documents
        "Summarize the articles",
        "summarise the second one",
        "sum up the news",
    ],
)
def test_a_follow_up_is_no_act_by_its_meaning(read, message: str) -> None:
    assert read(message) is None


def test_another_embedding_model_is_not_asked_for_a_meaning() -> None:
    another = SimpleNamespace(name="another-model")
    assert choose_act_reader(another) is read_act  # pyright: ignore[reportArgumentType]


@given(st.text(max_size=200))
def test_any_text_can_be_read(message: str) -> None:
    read_act(message)
