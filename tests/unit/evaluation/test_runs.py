import json
from datetime import UTC, datetime

import pytest

from ascertain.core.errors import UsageError
from ascertain.core.settings import Settings
from ascertain.evaluation.commands import make_listener, record_run
from ascertain.evaluation.comparison.differences import compare_runs, describe_verdict
from ascertain.evaluation.comparison.page import write_page
from ascertain.evaluation.runs import EvaluationRun, Journal, Result, find_part, read_run, save_run


def a_result(number, score=1.0, seconds=0.5, **facts):
    return Result("tiny", f"q{number}", f"Question {number}?", seconds, {"nDCG@10": score, "none": None}, facts)


def a_run(scores, name="run", kind="retrieval", settings=None, **facts):
    results = tuple(a_result(number, score, **facts) for number, score in enumerate(scores))
    versions = {"ascertain": "0.1.0"}
    return EvaluationRun(kind, datetime(2026, 1, 1, tzinfo=UTC), 1.0, versions, settings or {}, {}, (), results, name)


def test_a_run_is_read_as_it_was_saved(tmp_path):
    run = a_run([0.1 + 0.2, 1.0], settings={"retrieval.top_k": 10}, answer="Tëa")
    save_run(run, tmp_path / "runs" / "run.json")
    assert read_run(tmp_path / "runs" / "run.json") == run
    assert len((tmp_path / "runs" / "run.json").read_text("utf-8").splitlines()) > len(run.results)


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"format": 1}'])
def test_a_file_that_is_no_run_is_named(tmp_path, content):
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(UsageError, match=r"x\.json: not a run; give a file that `ascertain eval"):
        read_run(tmp_path / "x.json")
    with pytest.raises(UsageError, match=r"gone\.json: No such file"):
        read_run(tmp_path / "gone.json")


def test_a_run_of_a_later_version_is_refused(tmp_path):
    save_run(a_run([1.0]), tmp_path / "run.json")
    held = json.loads((tmp_path / "run.json").read_text())
    (tmp_path / "run.json").write_text(json.dumps(held | {"format": 99}))
    with pytest.raises(UsageError, match="written by a later version"):
        read_run(tmp_path / "run.json")


def ask_some(journal, count, asked):
    def make(number):
        asked.append(number)
        return a_result(number)

    for number in range(count):
        journal.measure("tiny", f"q{number}", lambda number=number: make(number))


def test_a_run_that_was_stopped_goes_on_after_its_last_question(tmp_path):
    asked, remarks, save = [], [], tmp_path / "run.json"

    def stop(journal, out):
        ask_some(journal, 3, asked)
        raise KeyboardInterrupt

    def go_on(journal, out):
        ask_some(journal, 5, asked)

    listener = make_listener(remark=remarks.append)
    options = {"every": 1}
    with pytest.raises(KeyboardInterrupt):
        record_run("retrieval", Settings(), options, stop, out=list, listener=listener, save=save)
    with find_part(save).open("a") as part:
        part.write('{"set": "tiny", "id": "q3", "quest')  # stopped while it wrote
    record_run("retrieval", Settings(), options, go_on, out=list, listener=listener, save=save)
    assert asked == [0, 1, 2, 3, 4]
    assert remarks == [f"{save}: resuming after 3 questions of the stopped run"]
    assert [result.id for result in read_run(save).results] == ["q0", "q1", "q2", "q3", "q4"]
    assert not find_part(save).exists()


def test_an_unfinished_run_of_other_settings_is_not_gone_on_with(tmp_path):
    asked = []
    ask_some(Journal(tmp_path / "p", {"settings": {"k": 5}}), 2, asked)
    ask_some(Journal(tmp_path / "p", {"settings": {"k": 6}}), 2, asked)
    assert asked == [0, 1, 0, 1]


def test_a_clear_gain_is_told_with_the_questions_and_settings_that_changed():
    before = a_run([0.0] * 10 + [1.0], "keyword", settings={"retrieval.strategy": "keyword"})
    after = a_run([1.0] * 10 + [0.5], "hybrid", settings={"retrieval.strategy": "hybrid"})
    found = compare_runs(before, after)
    assert describe_verdict(found).startswith("hybrid is better: nDCG@10 0.091 → 0.955 (+0.864, ")
    assert describe_verdict(found).endswith("10 of 11 questions better, 1 worse.")
    assert found.settings == {"retrieval.strategy": ("keyword", "hybrid")}
    assert [change.after.id for change in found.changed][-1] == "q10"
    assert [change.name for change in found.metrics] == ["nDCG@10", "seconds"]


def test_a_gain_that_may_be_chance_is_called_so():
    found = compare_runs(a_run([0.0, 1.0, 1.0], "a"), a_run([1.0, 1.0, 1.0], "b"))
    assert describe_verdict(found).startswith("No difference that could not be chance: nDCG@10 0.667 → 1.000")


def test_questions_of_one_run_only_are_left_out():
    found = compare_runs(a_run([1.0, 1.0, 1.0]), a_run([1.0]))
    assert (found.questions, found.left_out, found.changed) == (1, 2, ())


@pytest.mark.parametrize(
    ("other", "message"),
    [(a_run([1.0], kind="answers"), "compare two runs of one kind"), (a_run([]), "have no question in common")],
)
def test_runs_that_cannot_be_compared_are_told(other, message):
    with pytest.raises(UsageError, match=message):
        compare_runs(a_run([1.0]), other)


def test_the_page_stands_alone_and_says_what_the_documents_say_as_text():
    before = a_run([0.0, 1.0], "<before>", answer="<script>alert(1)</script>", found=["d1", "<b>"])
    page = write_page(compare_runs(before, a_run([1.0, 1.0], "after", answer="Tea & milk")))
    assert "<script" not in page and "http" not in page and "src=" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "Tea &amp; milk" in page and "Question 0?" in page and "Question 1?" not in page
    assert page.count("<svg") == page.count("</svg>") == 5


def test_the_page_of_equal_runs_says_that_nothing_changed():
    page = write_page(compare_runs(a_run([1.0], "a"), a_run([1.0], "b")))
    assert "None changed." in page and "Neither a setting nor a version." in page
