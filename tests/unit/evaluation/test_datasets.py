import json

import pytest

from ascertain.core.asking.requests import Turn
from ascertain.core.documents.blocks import Span
from ascertain.core.errors import SourceError, UsageError
from ascertain.evaluation.sets.datasets import CorpusText, Query, read_set

TEXT = {"_id": "d1", "title": "Tea", "text": "Tea is a drink."}
QUERY = {"_id": "q1", "text": "What is tea?"}


def a_set(tmp_path, corpus=(TEXT,), queries=(QUERY,), qrels="query-id\tcorpus-id\tscore\nq1\td1\t1\n"):
    folder = tmp_path / "tiny"
    folder.mkdir()
    for name, rows in (("corpus", corpus), ("queries", queries)):
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    if qrels is not None:
        (folder / "qrels.tsv").write_text(qrels, "utf-8")
    return folder


def test_reads_a_corpus_its_queries_and_judgements(tmp_path):
    data = read_set(a_set(tmp_path))
    assert data.name == "tiny"
    assert data.corpus == (CorpusText("d1", "Tea", "Tea is a drink."),)
    assert data.queries == (Query("q1", "What is tea?"),)
    assert data.judgements == {"q1": {"d1": 1}}
    assert data.notes == ()


def test_reads_everything_a_query_may_say(tmp_path):
    query = QUERY | {
        "answer": ["a drink"],
        "answer_aliases": ["drink"],
        "answerable": True,
        "docids": ["d1"],
        "history": [{"speaker": "user", "text": "Hi"}, {"speaker": "agent", "text": "Hello"}],
        "doc": "d1",
        "spans": [[7, 14]],
        "type": "ignored",
    }
    (read,) = read_set(a_set(tmp_path, queries=[query])).queries
    assert read == Query(
        id="q1",
        text="What is tea?",
        answers=("a drink", "drink"),
        answerable=True,
        documents=("d1",),
        history=(Turn("user", "Hi"), Turn("assistant", "Hello")),
        gold_document="d1",
        gold=(Span(7, 14),),
    )


def test_takes_an_answer_that_is_one_string(tmp_path):
    (read,) = read_set(a_set(tmp_path, queries=[QUERY | {"answer": "a drink"}])).queries
    assert read.answers == ("a drink",)


@pytest.mark.parametrize("qrels", ["q1\td1\t2\n", "q1\t0\td1\t2\n", "a\tb\tc\r\nq1\td1\t2\r\n"])
def test_accepts_judgements_with_and_without_header_and_in_trec_form(tmp_path, qrels):
    assert read_set(a_set(tmp_path, qrels=qrels)).judgements == {"q1": {"d1": 2}}


def test_keeps_line_separators_inside_json_strings(tmp_path):
    text = "one\u2028two\x85three"
    row = '{"_id": "d1", "title": "", "text": "' + text + '"}'
    assert read_set(a_set(tmp_path, corpus=[row])).corpus[0].text == text


def test_remarks_on_judgements_that_name_nothing(tmp_path):
    notes = read_set(a_set(tmp_path, qrels="q1\tgone\t1\nq9\td1\t1\n")).notes
    assert any("1 queries that queries.jsonl does not have" in note for note in notes)
    assert any("1 times that corpus.jsonl does not have" in note for note in notes)


def test_a_set_without_judgements_has_none(tmp_path):
    assert read_set(a_set(tmp_path, qrels=None)).judgements == {}


@pytest.mark.parametrize(
    ("files", "where", "reason"),
    [
        ({"corpus": [TEXT, "{broken"]}, "corpus.jsonl:2", "not JSON"),
        ({"corpus": ["[1]"]}, "corpus.jsonl:1", "expected a JSON object, found list"),
        ({"corpus": [{"_id": "d1"}]}, "corpus.jsonl:1", "'text' must be a string, and is missing"),
        ({"corpus": [TEXT | {"title": 3}]}, "corpus.jsonl:1", "'title' must be a string"),
        ({"corpus": [TEXT, TEXT]}, "corpus.jsonl:2", "'d1' was used before"),
        ({"queries": [QUERY | {"text": " "}]}, "queries.jsonl:1", "'text' is empty"),
        ({"queries": [QUERY | {"docids": ["d9"]}]}, "queries.jsonl:1", "'d9' is not in corpus.jsonl"),
        ({"queries": [QUERY | {"docids": [1]}]}, "queries.jsonl:1", "'docids' must be a string or a list"),
        ({"queries": [QUERY | {"answerable": "yes"}]}, "queries.jsonl:1", "'answerable' must be true, false"),
        ({"queries": [QUERY | {"history": ["hi"]}]}, "queries.jsonl:1", "'history' must be a list"),
        ({"queries": [QUERY | {"history": "hi"}]}, "queries.jsonl:1", "'history' must be a list"),
        ({"queries": [QUERY | {"doc": "d1", "spans": [[3]]}]}, "queries.jsonl:1", "'spans' must be a list"),
        ({"queries": [QUERY | {"doc": "d1", "spans": [[3, 99]]}]}, "queries.jsonl:1", "outside its document"),
        ({"qrels": "q1\td1\t1\nq1 d1 1\n"}, "qrels.tsv:2", "tab-separated"),
        ({"qrels": "q1\td1\t1\nq1\td1\thigh\n"}, "qrels.tsv:2", "'high' is not a whole number"),
    ],
)
def test_malformed_data_is_named_by_file_and_line(tmp_path, files, where, reason):
    folder = a_set(tmp_path, **files)
    with pytest.raises(SourceError) as caught:
        read_set(folder)
    message = str(caught.value)
    assert f"{folder}/{where}: " in message
    assert reason in message
    assert "\n" not in message


@pytest.mark.parametrize("missing", ["corpus.jsonl", "queries.jsonl"])
def test_a_missing_file_is_named(tmp_path, missing):
    folder = a_set(tmp_path)
    (folder / missing).unlink()
    with pytest.raises(UsageError, match=missing):
        read_set(folder)


@pytest.mark.parametrize("empty", ["corpus.jsonl", "queries.jsonl"])
def test_an_empty_file_is_named(tmp_path, empty):
    folder = a_set(tmp_path)
    (folder / empty).write_text("\n")
    with pytest.raises(SourceError, match=f"{empty}: empty"):
        read_set(folder)


def test_a_file_that_is_not_utf_8_is_named(tmp_path):
    folder = a_set(tmp_path)
    (folder / "corpus.jsonl").write_bytes(b'{"_id": "d1", "text": "caf\xe9"}\n')
    with pytest.raises(SourceError, match=r"corpus\.jsonl: not UTF-8"):
        read_set(folder)
