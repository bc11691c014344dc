"""What differs between two versions of a document, through the whole product."""

import pytest

from ascertain import Ascertain
from ascertain.core.settings import Settings

OLD = """# Travel policy 2023

Private cars are paid 0.21 euros a kilometre.

The hotel limit is 110 euros everywhere.

Receipts are handed in within 60 days.
"""
NEW = """# Travel policy 2025

Private cars are paid 0.28 euros a kilometre.

Receipts are handed in within 60 days.

Flights need the approval of the head of the department.
"""


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory):
    folder = tmp_path_factory.mktemp("policies")
    (folder / "travel-2023.md").write_text(OLD)
    (folder / "travel-2025.md").write_text(NEW)
    (folder / "menu.md").write_text("# Menu\n\nThe soup of the day costs four euros.\n")
    with Ascertain(Settings(home=folder / "kb")) as knowledge:
        knowledge.add([folder / "travel-2023.md", folder / "travel-2025.md", folder / "menu.md"])
        yield knowledge


@pytest.mark.parametrize(
    "question",
    [
        "What changed between the 2023 and the 2025 travel policy?",
        "Compare the travel policy 2023 with the travel policy 2025",
        "What is new in the travel policy 2025 compared to the travel policy 2023?",
        "How does the 2025 travel policy differ from the 2023 travel policy?",
    ],
)
def test_two_versions_are_compared_sentence_by_sentence(knowledge, question):
    answer = knowledge.ask(question, use_cache=False)
    assert "differ in 3 places" in answer.text
    old, new, gone, added = (sentence.text for sentence in answer.sentences)
    assert "0.21" in old and "0.28" in new
    assert gone == "The hotel limit is 110 euros everywhere."
    assert added == "Flights need the approval of the head of the department."
    assert "60 days" not in answer.text
    sources = {citation.title for citation in answer.citations}
    assert sources == {"Travel policy 2023", "Travel policy 2025"}


def test_only_what_is_asked_about_is_compared(knowledge):
    answer = knowledge.ask("How did the hotel limit change from the 2023 to the 2025 travel policy?", use_cache=False)
    assert [sentence.text for sentence in answer.sentences] == ["The hotel limit is 110 euros everywhere."]


def test_a_version_that_is_not_there_is_not_made_up(knowledge):
    answer = knowledge.ask("What changed between the 2019 and the 2025 travel policy?", use_cache=False)
    assert "differ in" not in answer.text
