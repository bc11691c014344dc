"""Questions and documents in several languages through the Python API: filtering by language, compounds."""

from pathlib import Path

import pytest
from small_knowledge import a_document, opened

from ascertain import Filter, Strategy

FENCES = {
    "zaun": ("de", "Der Zaun am Garten darf höchstens 1,20 Meter hoch sein. Das hat die Gemeinde beschlossen."),
    "fence": ("en", "The fence of the garden may be 1.20 metres high at most. The council has decided so."),
    "Schein": ("de", "Angeln darf man am Fluss nur mit einem Schein. Der Verein stellt ihn aus."),
    "plan": (None, "Garten Zaun 1,20"),
}


@pytest.fixture
def knowledge(tmp_path: Path):
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add_documents([a_document(name, text, language=code) for name, (code, text) in FENCES.items()])
        yield knowledge


def test_a_search_and_a_question_are_held_to_documents_in_a_language(knowledge):
    only = Filter(languages=("de",))
    found = {passage.chunk.title for passage in knowledge.search("garden Garten", k=10, filter=only).passages}
    assert "zaun" in found
    assert found <= {"zaun", "Schein"}
    answer = knowledge.ask("How high may the fence of the garden be?", filter=Filter(languages=("en",)))
    assert {citation.title for citation in answer.citations} == {"fence"}
    [told] = [each for each in answer.decisions if each.node == "languages"][:1]
    assert (told.outcome, told.reason) == ("en", "only documents in English")


def test_documents_are_listed_by_language(knowledge):
    assert [record.title for record in knowledge.documents(Filter(languages=("en", "fr")))] == ["fence"]


def test_a_compound_that_no_passage_has_is_searched_by_its_parts(knowledge):
    found = knowledge.search("Angelschein", strategy=Strategy.KEYWORD, filter=Filter()).passages
    assert found == ()
    asked = "Wer stellt den Angelschein aus?"
    assert knowledge.search(asked, strategy=Strategy.KEYWORD).passages[0].chunk.title == "Schein"
    answer = knowledge.ask(asked)
    assert any(each.outcome == "compound" and "Angeln Schein" in each.reason for each in answer.decisions)
    assert {citation.title for citation in answer.citations} == {"Schein"}


def test_a_german_question_is_not_worded_anew_in_english(knowledge):
    answer = knowledge.ask("Wer stellt den Angelschein aus?")
    assert not [each for each in answer.decisions if "wording" in each.reason and each.node == "search"]
