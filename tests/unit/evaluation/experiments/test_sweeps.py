from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.errors import UsageError
from ascertain.core.settings import Settings
from ascertain.evaluation.commands import Order, make_listener
from ascertain.evaluation.comparison.page import write_sweep_page
from ascertain.evaluation.experiments.sweeps import (
    WORKER_BYTES,
    Gain,
    Measuring,
    Tried,
    count_workers,
    list_variations,
    mark_front,
    name_values,
    sweep_settings,
)


def a_tried(mean, seconds):
    return Tried({"retrieval.top_k": 5}, "nDCG@10", mean, (mean, mean), seconds, Path("x.json"))


def test_every_combination_of_the_values_is_listed():
    assert list_variations(["retrieval.top_k=5,10", "retrieval.strategy=keyword"]) == [
        {"retrieval.top_k": 5, "retrieval.strategy": "keyword"},
        {"retrieval.top_k": 10, "retrieval.strategy": "keyword"},
    ]
    assert name_values({"retrieval.top_k": 5, "retrieval.hyde": True}) == "top_k=5 hyde=True"


@pytest.mark.parametrize(
    ("vary", "message"),
    [
        ([], "nothing to vary"),
        (["retrieval.top_k"], "names no values; write it as --vary"),
        (["=5"], "names no values"),
        (["a=1,2,3,4,5,6", "b=1,2,3,4,5,6", "c=1,2,3,4,5,6"], "216 combinations are more than 200"),
    ],
)
def test_what_cannot_be_varied_is_told(vary, message):
    with pytest.raises(UsageError, match=message):
        list_variations(vary)


def test_how_documents_are_read_needs_the_documents(tmp_path):
    measuring = Measuring(Order("retrieval", golden=Path("demo")), tmp_path, make_listener())
    with pytest.raises(UsageError, match=r"ingest\.chunker\.size: decides how documents are read; name their folder"):
        sweep_settings(measuring, [{"ingest.chunker.size": 600}], lambda _: Settings())


@given(points=st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), min_size=1, max_size=12))
def test_what_is_worth_having_is_beaten_by_nothing_and_beats_the_rest(points):
    marked = mark_front([a_tried(mean, seconds) for mean, seconds in points])
    worth = [one for one in marked if one.is_worth_having]
    assert worth
    for one in marked:
        beaten = any(
            o.mean >= one.mean and o.seconds <= one.seconds and (o.mean, o.seconds) != (one.mean, one.seconds)
            for o in worth
        )
        assert beaten is not one.is_worth_having


def test_the_page_shows_each_combination():
    page = write_sweep_page(mark_front([a_tried(0.8, 0.1), a_tried(0.7, 0.2)]))
    assert page.count("<circle") == 2 and page.count("worth having") == 1 and "http" not in page


@pytest.mark.parametrize(("available", "wanted", "workers"), [(0.5, 4, 1), (2.5, 4, 2), (100, 4, 4), (100, 1, 1)])
def test_as_many_measure_at_once_as_memory_allows(tmp_path, available, wanted, workers):
    meminfo = tmp_path / "meminfo"
    meminfo.write_text(f"MemTotal: 1 kB\nMemAvailable:   {int(available * WORKER_BYTES / 1024)} kB\n")
    assert count_workers(wanted, meminfo) == workers
    assert count_workers(wanted, tmp_path / "none") == wanted


@pytest.mark.parametrize(
    ("gain", "is_worth_it"), [(Gain(100, 0.5, 0.6), True), (Gain(100, 0.5, 0.501), False), (Gain(20, 0.5, 0.9), False)]
)
def test_the_best_is_kept_only_where_it_gains_on_questions_it_was_not_chosen_on(gain, is_worth_it):
    assert gain.is_worth_it is is_worth_it
