from ascertain.ui.pages.statistics import by_month, by_name, tabulate_satisfaction
from ascertain.wire.conversations import FeedbackSummaryJson
from ascertain.wire.documents import DocumentJson
from ascertain.wire.shape import make_example


def a_document(**fields):
    return DocumentJson.model_validate({**make_example(DocumentJson), **fields})


def test_counts_are_ordered_by_size_under_their_names():
    rows = by_name({"paper": 1, "article": 20, "prose": 0, "new": 1}, {"paper": "Papers", "article": "Articles"})
    assert rows == [
        {"name": "Articles", "documents": 20},
        {"name": "new", "documents": 1},
        {"name": "Papers", "documents": 1},
    ]


def test_documents_are_counted_by_month_and_kind():
    dated = [
        ("2024-12-05T00:00:00+00:00", "article"),
        ("2024-12-31", "article"),
        ("2024-01-02", "paper"),
        (None, "paper"),
        ("soon", "paper"),
    ]
    rows = by_month([a_document(published_at=moment, kind=kind) for moment, kind in dated])
    assert rows == [
        {"month": "2024-01-01", "kind": "Papers", "documents": 1},
        {"month": "2024-12-01", "kind": "Articles", "documents": 2},
    ]


def test_feedback_without_a_kind_is_named():
    row = {"question_kind": "", "strategy": "hybrid", "judged": 4, "up": 3, "share": 0.75, "low": 0.3, "high": 0.95}
    (shown,) = tabulate_satisfaction(FeedbackSummaryJson(judged=4, up=3, rows=[row]))
    assert (shown["question"], shown["share"], shown["judged"]) == ("other", 0.75, 4)


def test_no_feedback_makes_no_rows():
    assert tabulate_satisfaction(FeedbackSummaryJson(judged=0, up=0, rows=[])) == []
