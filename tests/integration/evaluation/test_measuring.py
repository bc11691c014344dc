"""A small set measured through the whole product: ingest, index, search, answer."""

import json

import pytest

from ascertain.core.errors import UsageError
from ascertain.core.settings import Settings
from ascertain.evaluation.commands import eval_answers, eval_retrieval

TEXTS = {
    "tea": ("Tea", "Tea is a drink made from the leaves of Camellia sinensis. It was first drunk in China."),
    "coffee": ("Coffee", "Coffee is brewed from roasted beans. Finland drinks the most coffee for each person."),
    "chess": ("Chess", "Chess is a board game for two players. Garry Kasparov became world champion in 1985."),
    "rain": ("Rain", "Rain is water that falls from clouds. Mawsynram in India is the wettest place on Earth."),
}
QUERIES = [
    {"_id": "q1", "text": "Which plant is tea made from?", "answer": "Camellia sinensis", "answerable": True},
    {"_id": "q2", "text": "When did Kasparov become world champion?", "answer": ["1985"], "answerable": True},
    {"_id": "q3", "text": "Which place on Earth is the wettest?", "answer": "Mawsynram", "docids": ["rain", "tea"]},
    {"_id": "q4", "text": "What is the boiling point of tungsten?", "answer": [], "answerable": False},
]
QRELS = "query-id\tcorpus-id\tscore\nq1\ttea\t2\nq1\tcoffee\t0\nq2\tchess\t1\nq3\train\t1\nq4\ttea\t0\n"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    root = tmp_path_factory.mktemp("data")
    folder = root / "tiny"
    folder.mkdir()
    rows = [{"_id": name, "title": title, "text": text} for name, (title, text) in TEXTS.items()]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in QUERIES))
    (folder / "qrels.tsv").write_text(QRELS)
    return root


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def measured(command, data, cache, name="tiny", **more):
    rows, remarks = [], []
    command(data, [name], settings=Settings(), out=rows.append, remark=remarks.append, cache=cache, **more)
    (row,) = rows
    return json.loads(json.dumps(row)), remarks


@pytest.mark.parametrize("strategy", [None, "semantic", "keyword", "hybrid"])
def test_measures_retrieval_in_the_documented_shape(data, cache, strategy):
    row, remarks = measured(eval_retrieval, data, cache, strategy=strategy)
    assert {name: row[name] for name in ("set", "documents", "queries")} == {
        "set": "tiny",
        "documents": 4,
        "queries": 3,
    }
    ideal = dict.fromkeys(("R@2", "R@5", "R@10", "nDCG@10", "MRR@10", "MAP@10", "Hit@1", "Hit@5", "Hit@10"), 1.0)
    assert row["metrics"] == pytest.approx(ideal | {"P@5": 0.2, "P@10": 0.1, "F1@5": 1 / 3, "F1@10": 2 / 11}, abs=1e-6)
    assert row["intervals"]["nDCG@10"] == [1.0, 1.0]
    assert set(row["seconds"]) == {"index", "query_p50", "query_p95"}
    assert remarks[-1] == "tiny: 1 queries without a relevant document are left out"


def test_measures_answers_in_the_documented_shape(data, cache):
    row, _ = measured(eval_answers, data, cache)
    assert set(row) == {"set", "documents", "queries", "metrics", "intervals", "seconds"}
    assert set(row["metrics"]) == {
        *("answer_in_text", "mean_sentences", "citations_exact"),
        *("abstention_recall", "abstention_precision", "false_abstention_rate", "auroc"),
        *("answer_f1", "completeness", "semantic_similarity", "groundedness", "hallucination_rate"),
        *("cited_relevant", "confidence", "dollars"),
        *("auroc_right", "calibration_error", "brier"),
    }
    assert row["metrics"]["completeness"] == row["metrics"]["groundedness"] == row["metrics"]["cited_relevant"] == 1.0
    assert row["metrics"]["hallucination_rate"] == row["metrics"]["dollars"] == 0.0
    assert row["queries"] == 4
    assert row["metrics"]["answer_in_text"] == 1.0
    assert row["metrics"]["citations_exact"] == 1.0
    assert 1 <= row["metrics"]["mean_sentences"] <= Settings().answers.max_sentences


def test_a_second_run_takes_its_vectors_from_the_cache(data, cache, tmp_path):
    fresh = measured(eval_retrieval, data, None)[0]["metrics"]
    assert measured(eval_retrieval, data, tmp_path)[0]["metrics"] == fresh
    assert measured(eval_retrieval, data, tmp_path)[0]["metrics"] == fresh


def test_a_set_without_relevant_documents_is_refused_for_retrieval(data, cache, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    for name in ("corpus.jsonl", "queries.jsonl"):
        (other / name).write_text((data / "tiny" / name).read_text())
    with pytest.raises(UsageError, match="no query has a relevant document"):
        measured(eval_retrieval, tmp_path, cache, "other")


def test_gold_spans_are_counted_over_the_whole_corpus(data, cache, tmp_path):
    text = TEXTS["tea"][1]
    start = text.index("It was")
    query = {"_id": "q1", "text": "Where was tea first drunk?", "doc": "tea", "spans": [[start, len(text)]]}
    folder = tmp_path / "spans"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text((data / "tiny" / "corpus.jsonl").read_text())
    (folder / "queries.jsonl").write_text(json.dumps(query) + "\n")
    (folder / "qrels.tsv").write_text("q1\ttea\t1\n")
    metrics = measured(eval_retrieval, tmp_path, cache, "spans")[0]["metrics"]
    assert (metrics["gold_characters@5"], metrics["gold_recall@5"]) == (1.0, 1.0)


def test_follow_ups_are_asked_with_their_conversation(data, cache, tmp_path):
    history = [{"speaker": "user", "text": "What is tea?"}, {"speaker": "agent", "text": "Tea is a drink."}]
    query = {"_id": "q1", "text": "Where was it first drunk?", "answer": "China", "history": history}
    folder = tmp_path / "talk"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text((data / "tiny" / "corpus.jsonl").read_text())
    (folder / "queries.jsonl").write_text(json.dumps(query) + "\n")
    row, _ = measured(eval_answers, tmp_path, cache, "talk")
    assert row["metrics"]["answer_in_text"] == 1.0
    assert "auroc" not in row["metrics"]
