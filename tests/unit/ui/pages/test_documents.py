from ascertain.core.documents import DocumentState
from ascertain.ui.pages.documents import DOCUMENT_STATES, document_row
from ascertain.wire.documents import DocumentJson
from ascertain.wire.shape import make_example


def a_document(**fields):
    usual = {
        "id": "d1",
        "title": "Refunds",
        "kind": "article",
        "source": "/kb/a.md",
        "state": "indexed",
        "reason": "",
        "chunks": 3,
    }
    more = {"author": None, "published_at": None, "tags": [], "completeness": None}
    return DocumentJson.model_validate({**make_example(DocumentJson), **usual, **more, **fields})


def test_every_state_has_a_word():
    assert set(DOCUMENT_STATES) == {state.value for state in DocumentState}


def test_document_is_listed_with_what_is_known_of_it():
    row = document_row(a_document(author="Ana", published_at="2024-12-05T00:00:00+00:00", tags=["shelf"]))
    assert row["facts"] == ["Article", "Ana", "5 December 2024", "3 passages", "shelf"]
    assert row["badges"] == [{"text": "ready", "tone": "good"}]


def test_failed_document_says_why():
    row = document_row(a_document(title="", state="failed", reason="no text", chunks=0))
    assert (row["title"], row["note"], row["facts"]) == ("/kb/a.md", "no text", ["Article"])


def test_a_document_that_was_read_in_part_says_what_is_missing():
    reading = {"words": 80, "share": 0.8, "left_out": [], "notes": ["guessed"], "label": "80 % of 100 words; guessed"}
    assert document_row(a_document(completeness=reading))["note"] == "stored: 80 % of 100 words; guessed"
    assert document_row(a_document(completeness={**reading, "notes": []}))["note"] == ""
