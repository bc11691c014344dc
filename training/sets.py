"""The labelled sets that a reader is trained on: which of them, under which licence, and how many rows of each.

Sets are JSON lines, gzipped, in one folder with an ``index.jsonl`` that states the licence of each (docs/reader.md).
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OPEN_UPSTREAM = "none stated (upstream open or mixed, see licence)"
LICENCES = {
    "permissive": ("permissive", "permissive, Wikipedia text (CC BY-SA)"),
    "share-alike": ("permissive", "permissive, Wikipedia text (CC BY-SA)", "share-alike", OPEN_UPSTREAM),
    "all": None,
}
"""Classes of the index that each choice admits. Shipped weights rest on ``share-alike``: neither on sets for
non-commercial use only, nor on those of which nothing is stated, nor on news texts without a licence.
"""

HELD_OUT = frozenset({"lfqa_verification"})
"""Never trained on: what the result is measured with (docs/reader.md), beside whatever shares text with the dev sets."""

CLAIM_ROWS = {
    "snli_dev_test": 6_000,
    "snli_counterfactual": 6_000,
    "mnli_dev_matched": 9_800,
    "lingnli_baseline": 10_000,
    "lingnli_on_side": 10_000,
    "lingnli_in_loop": 10_000,
    "conjnli_dev": 700,
    "conjnli_adv_train": 5_000,
    "negation_nli": 4_500,
    "med": 2_000,
    "breaking_nli": 1_500,
    "dnc_recast": 3_000,
    "folio": 600,
    "fever_symmetric": 1_400,
    "fever_dev": 12_400,
    "foolmetwice": 2_500,
    "check_covid": 1_500,
    "ex_fever_test": 1_500,
    "scitab": 1_300,
    "liar_plus": 500,
    "dialfact_small": 300,
    "creak": 2_000,
    "student_answers": 2_000,
    "q2_wow": 1_100,
    "faithdial_audit": 2_100,
    "wice_train_partial": 400,
    "gensearch_highlights": 300,
    "evidence_inference": 6_500,
}
"""Most rows of each set of claims: the whole of those near to answers over documents, small doses of the stilted ones."""

QUESTION_ROWS = {
    "squad1_a": 12_000,
    "squad1_b": 8_000,
    "squad2_dev_half": 6_100,
    "squadshifts_new_wiki": 7_700,
    "squadshifts_amazon_reviews": 5_000,
    "squadshifts_reddit": 6_000,
    "qnli_dev": 3_000,
    "boolq": 3_000,
    "quoref_contrast": 1_100,
    "qed_dev": 1_400,
    "nq_open_oracle": 2_600,
    "selqa_ass": 8_000,
    "mediqa_qa": 1_500,
    "pubmedqa_l": 500,
    "covidqa": 1_400,
    "medquad": 1_000,
    "condaqa": 2_500,
    "strategyqa_facts": 700,
    "ramdocs": 2_400,
    "feedbackqa": 4_000,
}
"""Most rows of each set of questions with passages."""


@dataclass(frozen=True, slots=True)
class Source:
    """One set as the index describes it."""

    name: str
    kind: str
    licence_class: str
    path: Path


def list_sources(folder: Path, licences: str) -> list[Source]:
    """The sets of ``folder`` that ``licences`` (a key of ``LICENCES``) admits and that are trained on."""
    admitted = LICENCES[licences]
    found = []
    for line in (folder / "index.jsonl").read_text().splitlines():
        row = json.loads(line)
        name, licence = row["set"], row["licence_class"]
        wanted = name in CLAIM_ROWS or name in QUESTION_ROWS or licences == "all"
        if wanted and name not in HELD_OUT and (admitted is None or licence in admitted):
            found.append(Source(name, row["kind"], licence, folder / f"{name}.jsonl.gz"))
    return found


def read_rows(source: Source, seed: int) -> list[dict[str, Any]]:
    """Rows of one set, at random, without those that share text with a dev set."""
    rows = [row for row in _lines_of(source.path) if not row.get("bench")]
    random.Random(f"{seed} {source.name}").shuffle(rows)
    most = (CLAIM_ROWS | QUESTION_ROWS).get(source.name, len(rows))
    return rows[:most]


def _lines_of(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
