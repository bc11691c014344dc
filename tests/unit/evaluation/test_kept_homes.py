"""Indexes of evaluation sets are used again by their content."""

import os
import time
from dataclasses import replace

import pytest

from ascertain.core.settings import Settings
from ascertain.evaluation.sets import knowledge
from ascertain.evaluation.sets.datasets import CorpusText, EvaluationSet
from ascertain.evaluation.sets.knowledge import Listener, name_home, open_knowledge

DATA = EvaluationSet("tiny", (CorpusText("tea", "Tea", "Tea is made from leaves."),), (), {})


@pytest.fixture
def open_set(tmp_path):
    remarks = []

    def search(data=DATA, settings=None):
        remarks.clear()
        listener = Listener(lambda _: None, remarks.append)
        with open_knowledge(data, settings or Settings(), tmp_path, listener) as opened:
            return opened.app.search("tea").passages[0].chunk.text, list(remarks)

    return search


def test_the_index_of_an_earlier_run_is_used(open_set, tmp_path):
    assert open_set() == ("Tea is made from leaves.", [])
    text, remarks = open_set()
    assert text == "Tea is made from leaves."
    assert remarks == [f"tiny: the index of an earlier run is used, {tmp_path}/homes/{name_home(DATA, Settings())}"]


def test_another_text_is_indexed_anew(open_set):
    open_set()
    changed = replace(DATA, corpus=(CorpusText("tea", "Tea", "Tea is a drink."),))
    assert open_set(changed) == ("Tea is a drink.", [])
    assert open_set()[0] == "Tea is made from leaves."


@pytest.mark.parametrize(
    ("changes", "is_same"),
    [
        ({"retrieval": {"top_k": 3}}, True),
        ({"ingest": {"chunker": {"size": 300}}}, False),
        ({"profile": "news"}, False),
    ],
)
def test_only_settings_that_read_documents_ask_for_another(changes, is_same):
    assert (name_home(DATA, Settings.model_validate(changes)) == name_home(DATA, Settings())) is is_same


def test_other_code_that_reads_asks_for_another(monkeypatch):
    before = name_home(DATA, Settings())
    monkeypatch.setattr(knowledge, "_digest_code", lambda: "other")
    assert name_home(DATA, Settings()) != before


def test_what_could_not_be_ingested_is_told_again(open_set):
    long = "x" * 5
    data = replace(DATA, corpus=(*DATA.corpus, CorpusText("empty", "", " "), CorpusText("long", "", long)))
    first, second = open_set(data)[1], open_set(data)[1]
    assert second[1:] == first


def test_one_that_was_being_built_is_not_used(open_set, tmp_path):
    home = tmp_path / "homes" / name_home(DATA, Settings())
    home.mkdir(parents=True)
    (home / "half").touch()
    assert open_set() == ("Tea is made from leaves.", [])
    assert not (home / "half").exists()


def test_homes_that_nobody_uses_are_removed(open_set, tmp_path):
    open_set()
    (home,) = (tmp_path / "homes").iterdir()
    long_ago = time.time() - 15 * 86_400
    os.utime(home / "evaluation-failures.txt", (long_ago, long_ago))
    changed = replace(DATA, corpus=(CorpusText("tea", "Tea", "Tea is a drink."),))
    open_set(changed)
    assert [path.name for path in (tmp_path / "homes").iterdir()] == [name_home(changed, Settings())]
