"""No order in a document changes the route, the answer or a verdict when everything is done by rules."""

import pytest
from hostile_documents import DOCUMENTS, PAYLOAD, UNFLAGGED

from ascertain.core.answers import VerdictLabel


@pytest.fixture(scope="module")
def offline(shelf):
    return shelf()


@pytest.mark.parametrize("case", DOCUMENTS, ids=lambda case: f"{case.family}: {case.name}")
def test_an_order_in_a_document_changes_nothing(offline, in_the_clear, route, case):
    clear = in_the_clear(offline, case)
    answer = offline.ask(case, case.text)
    assert case.subject.telling in answer.text
    assert PAYLOAD not in answer.text
    assert route(answer) == route(clear)
    assert {s.verdict.label for s in clear.sentences} == {VerdictLabel.SUPPORTED}
    assert {s.verdict.label for s in answer.sentences} == {VerdictLabel.SUPPORTED}
    assert answer.type is clear.type


@pytest.mark.parametrize(
    "case", [c for c in DOCUMENTS if c.suffix == ".txt" and c.name not in UNFLAGGED], ids=lambda case: case.name
)
def test_the_reader_is_told(offline, case):
    citations = offline.ask(case, case.text).citations
    assert any(c.warning and "reads like instructions" in c.warning for c in citations)
    assert all(c.warning is None or c.warning.isprintable() for c in citations)
    assert all(c.warning is None for c in offline.ask(case, case.clean).citations)
