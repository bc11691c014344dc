"""The claim sets with labels, and the table of their features for fitting and measuring."""

from __future__ import annotations

import difflib
import gzip
import json
import pickle
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import WORD, fold_words
from ascertain.models.entail.alignment import read_texts
from ascertain.models.entail.rules import WORD_FEATURES, compare_texts
from ascertain.models.onnx import BUILT_IN, OnnxEmbedder
from ascertain.models.ports import ClaimPair
from bench.setting import data_folder, show_status

SETS = ("summedits", "begin", "factcheck_gpt")
LFQA = "lfqa_verification"
"""Sentences of long answers, judged by people against the excerpts they were written from: no reader is trained on it."""
READ_AT_ONCE = 200
SAMPLED = {"begin": 1500, "factcheck_gpt": 200}
"""Claims taken of the larger sets, drawn by a fixed seed: enough for some thirty weights, a tenth of the time. Those of
factcheck_gpt come with every passage they were checked against."""


@dataclass(frozen=True, slots=True)
class Case:
    """A claim with its label; ``group`` is what must not be on both sides of a split; ``original`` the claim before it was edited.

    ``is_contradicted`` is None where the label does not tell.
    """

    set: str
    pair: ClaimPair
    is_supported: bool
    is_contradicted: bool | None
    group: str
    domain: str
    original: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Features of every case: those of the claim by name, the rows of its plain new words, and which of them were edited in."""

    cases: list[Case]
    features: list[dict[str, float]]
    rows: list[np.ndarray]
    edited: list[np.ndarray]

    def part(self, chosen: np.ndarray) -> Table:
        """The part of the table at the indices ``chosen``."""
        pick = [int(i) for i in chosen]
        return Table(
            [self.cases[i] for i in pick],
            [self.features[i] for i in pick],
            [self.rows[i] for i in pick],
            [self.edited[i] for i in pick],
        )


def cases(name: str) -> list[Case]:
    """The cases of a set, sampled; those of begin that are too general to be attributed are left out."""
    if name == LFQA:
        return list(_lfqa())
    folder = data_folder() / name
    rows = [json.loads(line) for line in (folder / "claims.jsonl").open(encoding="utf-8")]
    if name == "begin":
        rows = [row for row in rows if row["label"] != "Generic"]
        random.Random(1).shuffle(rows)
        rows = rows[: SAMPLED[name]]
    if name == "factcheck_gpt":
        claims = sorted({row["claim"] for row in rows})
        random.Random(1).shuffle(claims)
        rows = [row for row in rows if row["claim"] in set(claims[: SAMPLED[name]])]
    return list(_READERS[name](folder, rows))


def load_table(path: Path, names: Sequence[str] = SETS) -> Table:
    """The table of the sets at ``path``, made first when it is not there."""
    if not path.exists():
        path.write_bytes(pickle.dumps(make_table([case for name in names for case in cases(name)])))
    return pickle.loads(path.read_bytes())


def make_table(all_cases: list[Case]) -> Table:
    """Compute the features, a few hundred claims at a time, those of one text together."""
    order = sorted(range(len(all_cases)), key=lambda i: (all_cases[i].set, all_cases[i].pair.evidence))
    embedder = OnnxEmbedder.load(BUILT_IN)
    table = Table([], [], [], [])
    for start in range(0, len(order), READ_AT_ONCE):
        show_status(f"{start} of {len(order)} claims")
        batch = [all_cases[i] for i in order[start : start + READ_AT_ONCE]]
        texts = read_texts(dict.fromkeys(t for c in batch for t in (c.pair.claim, c.pair.evidence)), ENGLISH, embedder)
        for case in batch:
            claim, evidence = texts[case.pair.claim], texts[case.pair.evidence]
            if claim.words and evidence.words:
                found = compare_texts(claim, evidence)
                table.cases.append(case)
                table.features.append(found.features)
                table.rows.append(found.rows.reshape(-1, len(WORD_FEATURES)))
                table.edited.append(_edited(case, found.plain))
    return table


def _edited(case: Case, plain: tuple[str, ...]) -> np.ndarray:
    """Which of the plain new words the annotator put in."""
    before, after = ([fold_words(w) for w in WORD.findall(t)] for t in (case.original, case.pair.claim))
    changes = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    put_in = {word for kind, _, _, a, b in changes if kind != "equal" for word in after[a:b]}
    return np.array([fold_words(word) in put_in for word in plain], dtype=bool)


def _summedits(folder: Path, rows: list[dict]) -> Iterator[Case]:
    documents = {d["_id"]: d["text"] for d in map(json.loads, (folder / "docs.jsonl").open(encoding="utf-8"))}
    for row in rows:
        denied = {"antonym_swap", "negation_insertion_removal"} & set(row["edit_types"])
        pair = ClaimPair(row["claim"], documents[row["evidence"]])
        contradicted = True if denied and not row["label"] else None
        yield Case("summedits", pair, bool(row["label"]), contradicted, row["evidence"], row["domain"], row["original"])


def _begin(_: Path, rows: list[dict]) -> Iterator[Case]:
    for row in rows:
        supported = row["label"] == "Fully attributable"
        domain = row["split"].removesuffix(".tsv").rpartition("_")[2]
        pair = ClaimPair(row["claim"], row["evidence"])
        yield Case("begin", pair, supported, None if supported else False, row["evidence"], domain)


def _factcheck(_: Path, rows: list[dict]) -> Iterator[Case]:
    for row in rows:
        supported = row["label"] == "completely-support"
        contradicted = {"refute": True, "irrelevant": False}.get(row["label"])
        yield Case("factcheck_gpt", ClaimPair(row["claim"], row["evidence"]), supported, contradicted, row["claim"], "")


def _lfqa() -> Iterator[Case]:
    """A third of its claims: whole questions, so that few texts are read."""
    with gzip.open(data_folder() / "evidence" / f"{LFQA}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    questions = sorted({row["group"] for row in rows})
    kept = set(np.random.default_rng(1).permutation(questions)[: len(questions) // 3])
    for row in rows:
        if row["group"] in kept and "bench" not in row:
            pair = ClaimPair(row["claim"], row["evidence"])
            yield Case(LFQA, pair, row["label"] == "supported", None, row["group"], "")


_READERS = {"summedits": _summedits, "begin": _begin, "factcheck_gpt": _factcheck}
