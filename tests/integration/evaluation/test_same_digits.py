"""Two runs of one evaluation, each in a process of its own, give the same figures to the last digit."""

import json
import os
import subprocess
import sys

import pytest

TEXTS = {
    "tea": ("Tea", "Tea is a drink made from the leaves of Camellia sinensis. It was first drunk in China."),
    "coffee": ("Coffee", "Coffee is brewed from roasted beans. Finland drinks the most coffee for each person."),
    "chess": ("Chess", "Chess is a board game for two players. Garry Kasparov became world champion in 1985."),
    "rain": ("Rain", "Rain is water that falls from clouds. Mawsynram in India is the wettest place on Earth."),
    "leaves": ("Leaves", "Leaves of the tea plant are picked by hand. Tea leaves are then dried."),
}
QUERIES = [
    {"_id": "q1", "text": "Which plant is tea made from?", "answer": "Camellia sinensis", "answerable": True},
    {"_id": "q2", "text": "When did Kasparov become world champion?", "answer": ["1985"], "answerable": True},
    {"_id": "q3", "text": "Which place on Earth is the wettest?", "answer": "Mawsynram"},
    {"_id": "q4", "text": "What is the boiling point of tungsten?", "answer": [], "answerable": False},
]
QRELS = "query-id\tcorpus-id\tscore\nq1\ttea\t2\nq1\tleaves\t1\nq2\tchess\t1\nq3\train\t1\n"
OF_TIME = {"seconds", "started"}


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data" / "tiny"
    folder.mkdir(parents=True)
    rows = [{"_id": name, "title": title, "text": text} for name, (title, text) in TEXTS.items()]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in QUERIES))
    (folder / "qrels.tsv").write_text(QRELS)
    return folder.parent


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(held) for key, held in value.items() if key not in OF_TIME}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def run_once(kind, data, kept, seed):
    """``seed`` is that of Python's hashes: sets of strings come in another order."""
    named = ["--data", str(data), "--set", "tiny", "--save", str(kept), "--json"]
    subprocess.run(
        [sys.executable, "-m", "ascertain", "eval", kind, *named],
        env={**os.environ, "PYTHONHASHSEED": seed},
        check=True,
        capture_output=True,
        timeout=200,
    )
    return without_times(json.loads(kept.read_text("utf-8")))


@pytest.mark.parametrize("kind", ["retrieval", "answers"])
def test_two_runs_give_the_same_figures_to_the_last_digit(kind, data, tmp_path):
    first, second = (run_once(kind, data, tmp_path / f"{seed}.json", seed) for seed in ("1", "2"))
    assert first["results"], first
    assert first == second
