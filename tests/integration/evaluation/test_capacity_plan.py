"""The plan of docs/scaling.md is arithmetic over the results files: what is said there follows from what was measured."""

import json

import pytest

from bench.setting import RESULTS
from bench.tables import capacity, search_cost


def results(name):
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


def a_store(dense=2.0, lexical=3.0, hybrid=9.0, few=1.0, many=3.0):
    def cell(milliseconds):
        return {"100 %": {"own_processor_ms": 1.0, "server_processor_ms": milliseconds}}

    return {
        "search": {"hybrid": cell(hybrid), "dense": cell(dense), "lexical": cell(lexical)},
        "load": {
            "chunks": 100_000,
            "words_at_a_fifth": {"chunks": 10_000, "own_processor_ms": 0.5, "server_processor_ms": few - 0.5},
        },
        "words": {"chunks": 100_000, "own_processor_ms": 0.5, "server_processor_ms": many - 0.5},
    }


def test_a_search_is_its_legs_and_the_rest():
    assert search_cost.hybrid_cost(a_store()) == {"dense": 2.0, "lexical": 3.0, "rest": 4.0}


def test_words_that_cost_ten_times_as_much_in_ten_times_as_many_chunks_grow_in_proportion():
    assert search_cost.growth_of_words(a_store(few=1.0, many=10.0)) == pytest.approx(1.0)


def test_words_that_became_cheaper_do_not_promise_to_go_on_so():
    assert search_cost.growth_of_words(a_store(few=3.0, many=2.0)) == 0


def test_growth_is_carried_on_to_other_sizes():
    store = a_store(few=1.0, many=10.0)
    assert search_cost.cost_at(1_000_000, store, every_word=True)["lexical"] == pytest.approx(30.0)
    assert search_cost.cost_at(1_000_000, store, every_word=True)["rest"] == 4.0


def test_words_cost_what_they_do_today_where_the_common_ones_are_left_out():
    assert search_cost.cost_at(1_000_000, a_store(few=1.0, many=10.0), every_word=False)["lexical"] == 3.0


def test_a_graph_costs_as_the_logarithm_of_its_size_and_in_proportion_to_its_breadth():
    found = search_cost.cost_at(100_000**2, a_store(), every_word=True)["dense"]
    assert found == pytest.approx(2.0 * 2 * search_cost.MOST_BREADTH / search_cost.BREADTH)


@pytest.mark.parametrize("name", capacity.PLANS)
def test_every_line_of_the_plan_says_what_it_rests_on(name):
    head, rows = capacity.PLANS[name](results)
    assert rows
    assert all(len(row) == len(head) and all(row) for row in rows)
    if "basis" in head:
        kinds = (capacity.MEASURED, capacity.PUBLISHED, capacity.EXTRAPOLATED, capacity.CHOSEN)
        assert [row for row in rows if not row[-1].startswith(kinds)] == []


def test_the_parts_on_disk_add_up():
    _, rows = capacity.disk_plan(results)
    parts = [float(row[1].replace(",", "")) for row in rows if not row[0].startswith("**")]
    whole = next(row for row in rows if row[0].startswith("**PostgreSQL"))
    assert sum(parts) == pytest.approx(float(whole[1].strip("*").replace(",", "")), rel=0.001)


def test_the_command_prints_the_plan(capsys):
    capacity.main()
    printed = capsys.readouterr().out
    assert [name for name in capacity.PLANS if name not in printed] == []
