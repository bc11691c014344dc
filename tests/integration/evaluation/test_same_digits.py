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
    {
        "_id": "q5",
        "text": "Where was it first drunk?",
        "answer": "China",
        "answerable": True,
        "history": [
            {"speaker": "user", "text": "What is tea?"},
            {"speaker": "assistant", "text": "Tea is a drink made from leaves."},
        ],
    },
]
CLAIMS = [
    {"_id": "c1", "claim": "Tea is made from leaves.", "evidence": TEXTS["tea"][1], "label": 1},
    {"_id": "c2", "claim": "Tea was first drunk in India.", "evidence": TEXTS["tea"][1], "label": 0},
    {"_id": "c3", "claim": "Kasparov became champion in 1985.", "evidence": TEXTS["chess"][1], "label": 1},
]
ASKED = [
    {
        "id": "a1",
        "question": "Which plant is tea made from?",
        "corpus": "drinks",
        "type": "fact",
        "expect": "answer",
        "must": [["Camellia"]],
    },
    {"id": "a2", "question": "Who won the election?", "corpus": "drinks", "type": "fact", "expect": "decline"},
]
QRELS = "query-id\tcorpus-id\tscore\nq1\ttea\t2\nq1\tleaves\t1\nq2\tchess\t1\nq3\train\t1\nq5\ttea\t1\n"
OF_TIME = {"seconds", "started"}


@pytest.fixture
def folder(tmp_path):
    """A set of questions, one of claims and one of questions as people ask them."""
    rows = [{"_id": name, "title": title, "text": text} for name, (title, text) in TEXTS.items()]
    write_rows(tmp_path / "data/tiny/corpus.jsonl", rows)
    write_rows(tmp_path / "data/tiny/queries.jsonl", QUERIES)
    (tmp_path / "data/tiny/qrels.tsv").write_text(QRELS)
    write_rows(tmp_path / "data/few/claims.jsonl", CLAIMS)
    write_rows(tmp_path / "asked/questions.jsonl", ASKED)
    for name, (title, text) in TEXTS.items():
        document = tmp_path / "asked/corpora/drinks" / f"{name}.md"
        document.parent.mkdir(parents=True, exist_ok=True)
        document.write_text(f"# {title}\n\n{text}\n")
    suite = "measure:\n  words: {kind: retrieval, data: data, sets: [tiny], strategy: keyword}\n"
    (tmp_path / "suite.yaml").write_text(suite)
    return tmp_path


def write_rows(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(held) for key, held in value.items() if key not in OF_TIME}
    return [without_times(item) for item in value] if isinstance(value, list) else value


SETS = ("--data", "data", "--set", "tiny")
RUNS = {
    "retrieval": (*SETS, "--save", "{seed}.json"),
    "answers": (*SETS, "--save", "{seed}.json"),
    "abstention": (*SETS, "--save", "{seed}.json"),
    "conversation": (*SETS, "--save", "{seed}.json"),
    "claims": ("--data", "data", "--set", "few", "--save", "{seed}.json"),
    "asked": ("--data", "asked", "--homes", "homes-{seed}", "--save", "{seed}.json"),
    "run": ("suite.yaml", "--save", "{seed}"),
}


IN_TURN = """
import json, sys
from typer.testing import CliRunner
from ascertain.interfaces.cli.application import app
for words in json.loads(sys.argv[1]):
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, (words, done.output, done.exception)
"""


def run_all(folder, seed):
    """What each run keeps; ``seed`` is that of Python's hashes: sets of strings come in another order."""
    commands = [["eval", kind, *(part.format(seed=f"{kind}-{seed}") for part in parts)] for kind, parts in RUNS.items()]
    subprocess.run(
        [sys.executable, "-c", IN_TURN, json.dumps(commands)],
        env={**os.environ, "PYTHONHASHSEED": seed},
        cwd=folder,
        check=True,
        timeout=200,
    )
    return {kind: kept_runs(folder, kind, seed) for kind in RUNS}


def kept_runs(folder, kind, seed):
    place = folder / f"{kind}-{seed}"
    kept = sorted(place.glob("*.json")) if kind == "run" else [place.with_name(f"{place.name}.json")]
    return [without_times(json.loads(path.read_text("utf-8"))) for path in kept]


def test_two_runs_give_the_same_figures_to_the_last_digit(folder):
    first, second = (run_all(folder, seed) for seed in ("1", "2"))
    for kind in RUNS:
        assert first[kind]
        assert all(run["results"] for run in first[kind])
        assert json.dumps(first[kind]).replace("asked-1", "asked-2") == json.dumps(second[kind]), kind
