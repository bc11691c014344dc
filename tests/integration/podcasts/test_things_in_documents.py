"""What documents say of a thing, what they name it with, and how two things hang together; each step with its sentence."""

from contextlib import contextmanager

import pytest
from small_knowledge import WordHashes

from ascertain import Ascertain
from ascertain.core.asking.answers import Answer
from ascertain.core.settings import Settings

FILES = {
    "harbour.txt": (
        "Veltrix Systems opened a yard in Oakford in 2021. The yard of Veltrix Systems builds ferries for Norland Lines.\n\n"
        "A crane fell there in March and nobody was hurt."
    ),
    "ferries.txt": (
        "Norland Lines ordered six ferries from Veltrix Systems. Maria Lindqvist, who runs Norland Lines, wants them by June.\n\n"
        "The ferries run on batteries."
    ),
    "batteries.txt": (
        "Quantal Energy makes the batteries that Norland Lines uses. Its founder Peter Aas studied in Oakford.\n\n"
        "The price of lithium fell again."
    ),
    "weather.txt": "It rained in the hills for a week. Rivers rose, and the meadows were under water until Sunday.",
}


@pytest.fixture(scope="module")
def paper_with_graph(tmp_path_factory):
    with _paper(tmp_path_factory.mktemp("articles"), build=True, use="auto") as knowledge:
        yield knowledge


@pytest.fixture(scope="module")
def paper_without_graph(tmp_path_factory):
    with _paper(tmp_path_factory.mktemp("articles"), build=False, use="never") as knowledge:
        yield knowledge


@pytest.fixture(params=["paper_with_graph", "paper_without_graph"])
def paper(request):
    return request.getfixturevalue(request.param)


@contextmanager
def _paper(folder, **graph):
    """A knowledge base of four articles."""
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    settings = Settings.model_validate({"home": folder / "home", "profile": "news", "graph": graph})
    with Ascertain(settings, embedder=WordHashes()) as knowledge:
        knowledge.add([folder / name for name in FILES])
        yield knowledge


def ask(knowledge: Ascertain, question: str) -> Answer:
    return knowledge.ask(question, use_cache=False)


def labels(answer: Answer) -> list[str]:
    lines = answer.text.split("\n")
    return [line for at, line in enumerate(lines) if line and (at == 0 or not lines[at - 1]) and line[0] != "("]


def test_what_is_known_of_a_thing_is_told_by_document(paper):
    answer = ask(paper, "What do we know about Norland Lines?")
    assert {citation.title for citation in answer.citations} == {"Harbour", "Ferries", "Batteries"}
    assert all("Norland Lines" in sentence.text for sentence in answer.sentences)
    assert len({sentence.text for sentence in answer.sentences}) == len(answer.sentences)


def test_what_a_thing_is_named_with(paper):
    answer = ask(paper, "What is mentioned together with Norland Lines?")
    named = ", ".join(labels(answer))
    assert {"Veltrix Systems", "Maria Lindqvist", "Quantal Energy"} <= set(named.split(", "))
    assert "Peter Aas" not in named
    for sentence in answer.sentences:
        assert "Norland Lines" in sentence.text


def test_things_of_a_kind_that_a_thing_is_named_with(paper_with_graph):
    answer = ask(paper_with_graph, "Which companies are mentioned together with Norland Lines?")
    named = set(", ".join(labels(answer)).split(", "))
    assert {"Veltrix Systems", "Quantal Energy"} <= named
    assert "Maria Lindqvist" not in named


def test_two_things_in_one_sentence_are_told_by_it(paper):
    answer = ask(paper, "How are Veltrix Systems and Norland Lines connected?")
    assert labels(answer) == ["Veltrix Systems — Norland Lines"]
    assert {sentence.text for sentence in answer.sentences} == {
        "The yard of Veltrix Systems builds ferries for Norland Lines.",
        "Norland Lines ordered six ferries from Veltrix Systems.",
    }


def test_each_step_between_two_things_has_its_sentence(paper):
    answer = ask(paper, "How are Veltrix Systems and Quantal Energy connected?")
    assert labels(answer) == ["Veltrix Systems — Norland Lines", "Norland Lines — Quantal Energy"]
    first, second = answer.sentences
    assert "Veltrix Systems" in first.text
    assert "Norland Lines" in first.text
    assert second.text == "Quantal Energy makes the batteries that Norland Lines uses."
    assert answer.confidence.score < 90


def test_which_documents_mention_a_thing(paper):
    answer = ask(paper, "Which articles mention Oakford?")
    assert labels(answer) == ["Batteries", "Harbour"]


def test_what_is_not_connected_is_not_said_to_be(paper):
    answer = ask(paper, "How are Sunday and Quantal Energy connected?")
    assert not any("—" in label for label in labels(answer))


def test_facts_of_the_graph_say_where_they_come_from(paper_with_graph):
    answer = ask(paper_with_graph, "How are Veltrix Systems and Quantal Energy connected?")
    assert {citation.origin for citation in answer.citations} == {"graph"}
    assert "“Norland Lines” and “Quantal Energy”" in answer.citations[1].explanation
