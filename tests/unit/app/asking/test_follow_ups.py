"""Where a question of a conversation is looked up, through the whole product with its own models."""

from datetime import UTC, datetime

import pytest
from small_knowledge import a_document

from ascertain import Ascertain
from ascertain.core.asking.answers import Answer, AnswerType
from ascertain.core.asking.passages import Filter
from ascertain.core.settings import Settings

SKERRA = (
    "Skerra Light\n\nSkerra Light was designed by Alison Drummond and lit in 1897. The tower is 41 metres high.\n\n"
    "The light gives two white flashes every thirty seconds.\n\nWork began in the spring of 1892. It cost 71,400 pounds."
)
GANNET = (
    "Gannet Point lighthouse\n\nGannet Point lighthouse was built by Robert Mair in 1831. The tower is 14 metres high.\n\n"
    "Its light is red, one long flash every ten seconds.\n\nAdmission is 6 pounds for adults and free for children under twelve."
)
LEASE = "Lease of the shop\n\nThe deposit is 4,500 euros. The tenant pays for the electric light in the shop."


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory):
    with Ascertain(Settings(home=tmp_path_factory.mktemp("kb") / "kb")) as knowledge:
        documents = (("skerra.md", SKERRA), ("gannet.md", GANNET), ("lease.md", LEASE))
        knowledge.add_documents([a_document(name, text) for name, text in documents])
        yield knowledge


def hold(knowledge, name: str, *messages: str, **options) -> Answer:
    """The answer to the last of ``messages``, said one after another."""
    return [knowledge.ask(each, conversation_id=name, use_cache=False, **options) for each in messages][-1]


def list_sources(answer: Answer) -> set[str]:
    return {citation.title for citation in answer.citations}


@pytest.mark.parametrize(
    ("opening", "source", "flashes"),
    [
        ("Who designed Skerra Light?", "skerra.md", "two white flashes"),
        ("Who built Gannet Point lighthouse?", "gannet.md", "one long flash"),
    ],
)
def test_a_question_that_names_nothing_is_answered_from_the_document_that_was_quoted(
    knowledge, opening: str, source: str, flashes: str
):
    answer = hold(knowledge, source, opening, "How does the light flash?")
    assert flashes in answer.text
    assert list_sources(answer) == {source}
    assert answer.type is AnswerType.FOLLOWUP_ANSWER


def test_what_was_quoted_last_counts_past_a_question_without_an_answer(knowledge):
    turns = ("Who built Gannet Point lighthouse?", "Who painted the Mona Lisa?", "How high is the tower?")
    answer = hold(knowledge, "gap", *turns)
    assert "14 metres" in answer.text


def test_a_question_that_names_its_own_thing_is_looked_up_everywhere(knowledge):
    answer = hold(knowledge, "named", "Who designed Skerra Light?", "How high is the tower of Gannet Point lighthouse?")
    assert "14 metres" in answer.text
    assert list_sources(answer) == {"gannet.md"}


def test_what_the_quoted_document_does_not_say_is_looked_up_everywhere(knowledge):
    answer = hold(knowledge, "elsewhere", "Who designed Skerra Light?", "How much is the deposit?")
    assert "4,500 euros" in answer.text
    assert "lease.md" in list_sources(answer)
    assert any(decision.node == "reread" for decision in answer.decisions)


def test_a_refusal_is_of_all_documents(knowledge):
    answer = hold(knowledge, "nowhere", "Who designed Skerra Light?", "Who sells the tickets for the opera?")
    assert answer.type is AnswerType.REJECTION
    assert "3 documents" in answer.text


def test_a_filter_by_document_is_kept_to(knowledge):
    gannet = next(each.id for each in knowledge.documents() if each.title == "gannet.md")
    hold(knowledge, "filtered", "Who designed Skerra Light?")
    answer = hold(knowledge, "filtered", "How high is the tower?", filter=Filter(document_ids=(gannet,)))
    assert list_sources(answer) <= {"gannet.md"}


def test_what_is_put_behind_a_question_asks_the_last_one_more_closely(knowledge):
    answer = hold(knowledge, "closer", "When did work begin on Skerra Light?", "Since when?")
    assert "1892" in answer.text


def test_another_day_is_looked_up_in_the_documents_of_that_day(knowledge):
    fifth, fourth = datetime(2024, 12, 5, tzinfo=UTC), datetime(2024, 12, 4, tzinfo=UTC)
    knowledge.add_documents(
        [
            a_document(
                "rates.md", "The central bank lowered its rate to 3 percent on 5 December 2024.", published_at=fifth
            ),
            a_document("strike.md", "The dock workers began their strike on 4 December 2024.", published_at=fourth),
        ]
    )
    answer = hold(knowledge, "days", "What happened on 5 December 2024?", "and the day before?")
    assert "dock workers" in answer.text
