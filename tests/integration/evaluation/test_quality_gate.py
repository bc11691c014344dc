"""The gate of ``.ci/run``, with runs that are worse than the committed ones."""

from dataclasses import replace

import pytest

from ascertain.evaluation.runs import read_run
from bench.project import quality_gate


@pytest.fixture
def check(monkeypatch, tmp_path):
    def check_with(kind, change):
        committed = read_run(quality_gate.COMMITTED / f"{kind}.json")
        monkeypatch.setattr(quality_gate, "measure_golden", lambda *_: change(committed))
        return quality_gate.check_kind(kind, tmp_path)

    return check_with


def with_scores(run, count, **scores):
    """The run with other scores for the first ``count`` questions that have them."""
    left = count
    results = []
    for result in run.results:
        is_changed = left > 0 and set(scores) <= set(result.scores)
        left -= is_changed
        results.append(replace(result, scores={**result.scores, **scores}) if is_changed else result)
    return replace(run, results=tuple(results))


@pytest.mark.parametrize("kind", ["retrieval", "answers"])
def test_what_is_committed_passes(check, kind):
    assert check(kind, lambda run: run) == []


def test_questions_answered_wrongly_fail_and_are_named(check):
    failed = check("answers", lambda run: with_scores(run, 20, answer_in_text=0.0))
    assert failed[0].startswith("answers answer_in_text: ")
    assert any("(answer_in_text 1 -> 0)" in line for line in failed)


def test_what_lies_within_the_interval_passes(check):
    assert check("retrieval", lambda run: with_scores(run, 1, **{"nDCG@10": 0.9})) == []


def test_a_figure_below_its_interval_fails(check):
    failed = check("retrieval", lambda run: with_scores(run, 40, **{"nDCG@10": 0.5}))
    assert failed[0].startswith("retrieval nDCG@10: ")


def test_more_unsupported_sentences_fail_and_more_time_does_not(check):
    assert check("answers", lambda run: with_scores(run, 3, hallucination_rate=1.0))
    slower = lambda run: replace(run, results=tuple(replace(row, seconds=row.seconds + 9) for row in run.results))  # noqa: E731
    assert check("answers", slower) == []


def test_another_set_of_questions_asks_for_new_figures(check):
    failed = check("answers", lambda run: replace(run, results=run.results[:5]))
    assert len(failed) == 1
    assert failed[0].startswith("answers: only 5 of ")
