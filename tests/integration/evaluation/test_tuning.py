"""Tuning on a small labelled set, with the real embedding model and the real workflow."""

import json

import pytest

from ascertain.core.errors import UsageError
from ascertain.core.settings import Settings
from ascertain.evaluation.experiments.tuning import Aim, tune_settings, with_values
from ascertain.evaluation.sets.knowledge import Listener

SILENT = Listener(lambda _: None, lambda _: None)
TOWNS = (
    "Oakford Ashton Birchley Cedarham Elmstead Firwood Hazelton Ivybridge Juniper Larchfield Maplewood Nettleham "
    "Olivet Pinecrest Quinceton Rowanbury"
).split()


def a_set(folder, towns=TOWNS, labels=True):
    folder.mkdir()
    corpus = [
        {"_id": town, "title": town, "text": f"The bridge of {town} was built in {1900 + i} by the town itself."}
        for i, town in enumerate(towns)
    ]
    known = [
        {"_id": f"k{i}", "text": f"When was the bridge of {town} built?", "answer": str(1900 + i)}
        for i, town in enumerate(towns)
    ]
    unknown = [
        {"_id": f"u{town}", "text": f"Which composer wrote an opera about {town} in Vienna?", "answerable": False}
        for town in towns
    ]
    queries = [*known, *unknown] if labels else [{"_id": q["_id"], "text": q["text"]} for q in known]
    for name, rows in (("corpus", corpus), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "qrels.tsv").write_text("".join(f"k{i}\t{town}\t1\n" for i, town in enumerate(towns)))
    return folder


def test_a_threshold_that_keeps_the_risk_is_found_and_reported(tmp_path):
    remarks = []
    listener = Listener(lambda _: None, remarks.append)
    tuning = tune_settings(a_set(tmp_path / "towns"), Settings(), Aim(0.2, 0.9), None, listener)
    assert tuning.fusion is None
    assert any("16 questions have relevant texts" in line for line in remarks)
    assert tuning.answers is not None and tuning.answers.after is not None
    assert tuning.answers.after.risk is not None and tuning.answers.after.risk <= 0.2
    assert tuning.answers.after.coverage >= 0.4
    assert set(tuning.values) == {
        "answers.rejection_threshold",
        "answers.calibration_slope",
        "answers.calibration_intercept",
    }
    changed = with_values(Settings(), tuning.values)
    assert changed.answers.rejection_threshold == tuning.values["answers.rejection_threshold"]


def test_too_few_labels_are_told_with_what_is_needed(tmp_path):
    with pytest.raises(UsageError, match=r"towns: 16 questions with relevant texts .* tuning needs 30"):
        tune_settings(a_set(tmp_path / "towns", labels=False), Settings(), Aim(0.1, 0.9), None, SILENT)


def test_fusion_is_left_alone_where_nothing_is_gained(tmp_path):
    towns = [f"{town}{end}" for town in TOWNS for end in ("", " Hill")]
    tuning = tune_settings(a_set(tmp_path / "towns", towns, labels=False), Settings(), Aim(0.1, 0.9), None, SILENT)
    assert tuning.answers is None
    assert tuning.fusion is not None
    assert (tuning.fusion.questions, tuning.fusion.values) == (32, {})
    assert tuning.fusion.before == tuning.fusion.after > 0.9
