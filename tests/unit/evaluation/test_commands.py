import json

import pytest

from ascertain.core.errors import SourceError, UsageError
from ascertain.core.settings import Settings
from ascertain.evaluation.commands import eval_answers, eval_retrieval


def unreachable(row):
    pytest.fail(f"nothing should have been measured: {row}")


@pytest.fixture(params=[eval_retrieval, eval_answers], ids=["retrieval", "answers"])
def measure(request):
    def run(data, sets, **more):
        request.param(data, sets, settings=Settings(), out=unreachable, **more)

    return run


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text(json.dumps({"_id": "d1", "text": "Tea."}) + "\n")
    (folder / "queries.jsonl").write_text(json.dumps({"_id": "q1", "text": "Tea?"}) + "\n")
    return tmp_path


def test_a_missing_data_folder_is_named(measure, tmp_path):
    with pytest.raises(UsageError, match="nowhere: no such folder"):
        measure(tmp_path / "nowhere", ["tiny"])


def test_an_unknown_set_is_answered_with_those_there_are(measure, data):
    with pytest.raises(UsageError, match=r"no evaluation set 'big' in .*Sets here: tiny"):
        measure(data, ["big"])


def test_asks_for_a_set_when_none_is_named(measure, data):
    with pytest.raises(UsageError, match=r"use --set NAME.*tiny"):
        measure(data, [])


def test_says_so_when_a_folder_holds_no_sets(measure, tmp_path):
    with pytest.raises(UsageError, match=r"has no folder with a queries\.jsonl"):
        measure(tmp_path, ["tiny"])


def test_an_unknown_strategy_is_answered_with_the_known_ones(measure, data):
    with pytest.raises(UsageError, match="choose from semantic, keyword, hybrid"):
        measure(data, ["tiny"], strategy="magic")


def test_every_set_is_read_before_the_first_is_measured(measure, data):
    broken = data / "broken"
    broken.mkdir()
    (broken / "corpus.jsonl").write_text("{")
    (broken / "queries.jsonl").write_text("{")
    with pytest.raises(SourceError, match=r"corpus\.jsonl:1"):
        measure(data, ["tiny", "broken"])
