import json

import pytest

from ascertain.core.errors import SourceError
from ascertain.evaluation.claims import claim_metrics, read_claims
from ascertain.evaluation.runs import Result


def write_rows(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_labels_of_the_public_sets_are_understood_and_evidence_is_looked_up(tmp_path):
    labels = [1, 0, "completely-support", "refute", "Fully attributable", "Not fully attributable", "Generic", True]
    rows = [{"_id": str(n), "claim": "c", "evidence": "d1", "label": label} for n, label in enumerate(labels)]
    write_rows(tmp_path / "claims.jsonl", *rows)
    write_rows(tmp_path / "docs.jsonl", {"_id": "d1", "text": "The text."})
    claims = read_claims(tmp_path)
    assert [claim.is_supported for claim in claims] == [True, False, True, False, True, False, True]
    assert {claim.evidence for claim in claims} == {"The text."}


def test_a_malformed_claim_is_named_with_its_line(tmp_path):
    write_rows(tmp_path / "claims.jsonl", {"_id": "a", "claim": "c", "evidence": "e"})
    with pytest.raises(SourceError, match=r"claims\.jsonl:1: label: Field required"):
        read_claims(tmp_path)


def a_result(supported, found, support):
    facts = {"supported": supported, "found_supported": found, "support": support}
    return Result("s", "i", "c", 0.1, {"right": float(supported is found)}, facts)


def test_the_figures_of_some_claims():
    results = [
        a_result(True, True, 0.9),
        a_result(True, False, 0.4),
        a_result(False, False, 0.1),
        a_result(False, False, 0.2),
    ]
    assert claim_metrics(results) == pytest.approx(
        {
            "right": 0.75,
            "balanced_accuracy": 0.75,
            "auroc": 1.0,
            "alarm_precision": 2 / 3,
            "alarm_recall": 1.0,
            "alarm_f1": 0.8,
        }
    )


def test_figures_without_one_kind_of_claim_are_not_defined():
    assert claim_metrics([a_result(True, True, 0.9)]) == {
        "right": 1.0,
        **dict.fromkeys(("balanced_accuracy", "auroc", "alarm_precision", "alarm_recall", "alarm_f1")),
    }
