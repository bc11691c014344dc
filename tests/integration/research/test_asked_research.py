"""A question that orders research is answered by its agents, over the documents that it may see."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ascertain import Ascertain, Document
from ascertain.core.documents import DocumentKind
from ascertain.core.passages import Filter, Level
from ascertain.core.settings import Settings

TEXTS = {
    "works": (
        "Notes of the works. The Northgate bridge was opened in 1932. It was built by Harrow and Sons at a cost of 4.2 million pounds.",
        datetime(2020, 5, 1, tzinfo=UTC),
    ),
    "archive": (
        "Notes of the archive. The Northgate bridge was opened in 1934, said the archivist. The river was low in that summer.",
        datetime(2024, 5, 1, tzinfo=UTC),
    ),
    "kitchen": ("A soup needs an onion, salt and an hour of patience.", datetime(2024, 5, 2, tzinfo=UTC)),
}
ORDER = "Write a detailed report on when the Northgate bridge was opened and what it cost"
OLD, NEW = "opened in 1932", "opened in 1934"


@pytest.fixture
def knowledge(tmp_path):
    with Ascertain(Settings(home=tmp_path / "kb")) as opened:
        opened.add_documents(
            [
                Document(name, text, name, DocumentKind.PROSE, f"{name}.md", published_at=when)
                for name, (text, when) in TEXTS.items()
            ]
        )
        yield opened


def nodes(answer):
    return [each.node for each in answer.decisions]


def test_the_findings_stand_under_their_sub_questions_with_their_quotations(knowledge):
    answer = knowledge.ask(ORDER)
    first, second = (answer.text.index(part) for part in ("when the Northgate bridge was opened\n", "what it cost\n"))
    assert first < answer.text.index(OLD) < second < answer.text.index("4.2 million pounds")
    assert "strategy" not in nodes(answer)
    assert [citation.number for citation in answer.citations] == list(range(1, len(answer.citations) + 1))
    for citation in answer.citations:
        text, _ = TEXTS[citation.document_id]
        assert text[citation.span.start : citation.span.end] == citation.quote
    assert all(sentence.citations for sentence in answer.sentences)
    assert answer.text.endswith("or POST /v1/research.")
    assert answer.text.count("ascertain research") == 1


def test_where_sources_deny_each_other_the_answer_says_so_and_is_not_sure(knowledge):
    answer = knowledge.ask(ORDER)
    disagreement = next(line for line in answer.text.split("\n") if line.startswith("Sources disagree: "))
    assert OLD in disagreement
    assert NEW in disagreement
    assert answer.confidence.level is not Level.HIGH


@pytest.mark.parametrize(
    ("asked", "told", "hidden"),
    [
        ({"filter": Filter(document_ids=("archive",))}, NEW, OLD),
        ({"filter": Filter(published_before=datetime(2021, 1, 1, tzinfo=UTC))}, OLD, NEW),
    ],
)
def test_a_filter_holds_for_every_agent(knowledge, asked, told, hidden):
    answer = knowledge.ask("Research when the Northgate bridge was opened", **asked)
    assert told in answer.text
    assert hidden not in answer.text
    assert "Sources disagree" not in answer.text


def test_what_the_documents_do_not_say_is_named(knowledge):
    answer = knowledge.ask("Write a report on when the Northgate bridge was opened and what a giraffe eats")
    assert OLD in answer.text
    assert "The documents do not say: what a giraffe eats" in answer.text


def test_nothing_of_it_is_kept(knowledge):
    before = len(knowledge.documents())
    knowledge.ask(ORDER)
    assert knowledge.research.list_runs() == []
    assert len(knowledge.documents()) == before


def test_where_nothing_is_found_it_is_searched_and_refused(knowledge):
    answer = knowledge.ask("Look into Norwegian salmon farming")
    assert answer.confidence.level is Level.NONE
    assert answer.text.startswith("I could not find an answer to this in 3 documents.")
    assert nodes(answer).index("research") < nodes(answer).index("strategy")
    assert "ascertain research 'Norwegian salmon farming'" in answer.text
