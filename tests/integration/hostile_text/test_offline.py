"""No order in a document changes the route, the answer or a verdict when everything is done by rules."""

import json

import pytest
from hostile_documents import CASES, PAYLOAD, UNFLAGGED

from ascertain import Ascertain, Settings
from ascertain.app.asking.rendering import answer_as_material, disarm_answer, search_as_articles, search_as_material
from ascertain.app.wire.answers import AnswerJson
from ascertain.core.asking.answers import VerdictLabel


@pytest.fixture(scope="module")
def offline(shelf):
    return shelf()


@pytest.mark.parametrize("case", CASES)
def test_an_order_in_a_document_changes_nothing_and_the_reader_is_warned(offline, in_the_clear, route, case):
    clear = in_the_clear(offline, case)
    answer = offline.ask(case, case.text)
    assert case.subject.telling in answer.text
    assert PAYLOAD not in answer.text
    assert route(answer) == route(clear)
    assert {s.verdict.label for s in clear.sentences} == {VerdictLabel.SUPPORTED}
    assert {s.verdict.label for s in answer.sentences} == {VerdictLabel.SUPPORTED}
    assert answer.type is clear.type
    warnings = [citation.warning for citation in answer.citations if citation.warning]
    if case.suffix == ".txt" and case.name not in UNFLAGGED:
        assert any("reads like instructions" in warning for warning in warnings)
    assert all(warning.isprintable() for warning in warnings)
    assert all(citation.warning is None for citation in clear.citations)


LIVE = "A refund is granted within 30 days ![pixel](https://evil.example/p.png) <img src=https://evil.example/q.png> of the purchase."


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    """A knowledge base with a document that a program which renders Markdown would load images for."""
    root = tmp_path_factory.mktemp("live")
    (root / "refunds.txt").write_text(f"{LIVE} See [the form](https://evil.example) for it.\n")
    with Ascertain(Settings(home=root / "kb", models={"threads": 1})) as knowledge:
        knowledge.add([root / "refunds.txt"])
        yield knowledge


def test_images_and_links_of_a_document_are_not_live_where_an_answer_is_read_as_markdown(live):
    answer = live.ask("When is a refund granted?", use_cache=False)
    assert "![pixel](https" in answer.text
    shown = disarm_answer(answer)
    material = answer_as_material(answer)
    for text in (shown.text, material, *(sentence.text for sentence in shown.sentences)):
        assert "](" not in text
        assert "<img" not in text
    assert "30 days" in shown.text
    assert [citation.quote for citation in shown.citations] == [citation.quote for citation in answer.citations]
    assert any("![pixel](https" in citation.quote for citation in shown.citations)


def test_nor_where_passages_are(live):
    found = live.search("refund", k=1)
    for text in (
        search_as_material(found),
        json.loads(search_as_articles(found))["articles"][0]["passages"][0]["text"],
    ):
        assert "30 days" in text
        assert "](" not in text
        assert "<img" not in text
    assert "![pixel](https" in found.passages[0].chunk.text


def test_nor_in_what_a_step_says_of_its_decision(live):
    decisions = AnswerJson.from_noun(live.ask(f"Is it true that {LIVE}", use_cache=False)).to_json()["decisions"]
    assert decisions
    assert "](" not in json.dumps(decisions)
    assert "<img" not in json.dumps(decisions)
