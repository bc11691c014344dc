from datetime import date

import pytest

from ascertain.core.documents import DocumentKind
from ascertain.ui.filters import KIND_NAMES, Selection, list_origins
from ascertain.wire.documents import DocumentJson
from ascertain.wire.shape import make_example


def test_every_kind_has_a_name():
    assert set(KIND_NAMES) == {kind.value for kind in DocumentKind}


@pytest.mark.parametrize(
    ("selection", "more"),
    [
        (Selection(), {"mode": "documents"}),
        (Selection(kinds=("paper",)), {"mode": "documents", "filter": {"kinds": ["paper"]}}),
        (
            Selection(since=date(2024, 12, 1), until=date(2024, 12, 31)),
            {"mode": "documents", "filter": {"published_from": "2024-12-01", "published_before": "2025-01-01"}},
        ),
        (
            Selection(sources=("/a/",), tags=("x",)),
            {"mode": "documents", "filter": {"sources": ["/a/"], "tags": ["x"]}},
        ),
        (Selection(languages=("de", "en")), {"mode": "documents", "filter": {"languages": ["de", "en"]}}),
        (Selection("news", kinds=("paper",)), {"mode": "news"}),
        (Selection("news", time_range="week"), {"mode": "news", "time_range": "week"}),
    ],
)
def test_request_holds_what_was_chosen(selection, more):
    assert selection.request("How?", "c1") == {"question": "How?", "conversation_id": "c1", **more}


def test_conditions_are_counted():
    assert Selection().conditions == 0
    assert Selection(kinds=("paper",), since=date(2024, 1, 1), until=date(2024, 2, 1)).conditions == 2
    assert Selection(languages=("de",)).conditions == 1
    assert Selection("news", kinds=("paper",), time_range="week").conditions == 1


def test_origins_are_folders_sites_and_uploads():
    sources = ["/kb/a.md", "/kb/b.jsonl#3", "https://example.org/x/y.html", "upload:may.pdf", "upload:reports/june.pdf"]
    documents = [DocumentJson.model_validate({**make_example(DocumentJson), "source": source}) for source in sources]
    assert list_origins(documents) == ["/kb/", "https://example.org/*", "upload:*"]
