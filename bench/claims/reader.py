"""Claims by the reader, by the rules of today and by both, for ``bench/answers/reader.py``.

The sets of ``bench/claims/data.py``, summedits by its domains, and lfqa_verification: sentences of answers that people judged against
the excerpts they were written from. What is fitted, and every threshold, is fixed on the other sets and domains.
"""

from __future__ import annotations

import difflib
import pickle
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from ascertain.language.tokens import WORD, fold_words
from ascertain.models.entail.rules import CLAIM_READER_FEATURES, measure_reading
from ascertain.models.ports import ClaimPair
from ascertain.models.reader import Reader
from bench.claims.data import LFQA, SETS, Case, Table, make_table
from bench.claims.data import cases as read_cases
from bench.claims.models import (
    balanced_accuracy,
    chances,
    choose_threshold,
    claim_columns,
    fit_claims,
    fit_with_reader,
    fit_words,
    name_group,
)
from bench.claims.quality import auroc, rounded
from bench.setting import show_status

LARGEST = 300
"""Claims of a set or domain: an AUROC is within 3 points, the mean of the seven within 1.5, and a run takes two minutes."""
PRECISION = 0.9
COPIED = 0.5
"""A claim is a paraphrase where no run of its words that the evidence has is longer than this share of it."""


def measure_claims(reader: Reader, most: int, folder: Path) -> dict[str, object]:
    """By set or domain, way and measure; ``paraphrases`` are true ones of lfqa_verification that are called supported."""
    table = load_claims(folder)
    table = table.part(choose_claims(table.cases, most))
    group = np.array([name_group(case) for case in table.cases])
    labels = np.array([case.is_supported for case in table.cases])
    read = read_claims(reader, table.cases)
    ways: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "reader": lambda fitted: read[:, 0],
        "rules": lambda fitted: predict_by_rules(table, fitted),
        "both": lambda fitted: predict_by_both(table, read, fitted),
    }
    found: dict[str, dict[str, object]] = {}
    for name in sorted(set(group)):
        measured = group == name
        found[name] = {"claims": int(measured.sum()), "supported": int(labels[measured].sum())}
        for way, predict in ways.items():
            scores = predict(~measured)
            threshold = choose_threshold(scores, labels, group, ~measured)
            found[name][way] = {
                "balanced_accuracy": rounded(balanced_accuracy(labels[measured], scores[measured] >= threshold)),
                "auroc": rounded(auroc(scores[measured], labels[measured])),
            }
            if name == LFQA:
                found[name][way] |= measure_paraphrases(table.part(np.flatnonzero(measured)), scores[measured])
    means = {
        way: {measure: average_sets(found, way, measure) for measure in ("balanced_accuracy", "auroc")} for way in ways
    }
    return {"sets": found, "means": means, "refuted_or_irrelevant_auroc": measure_refutations(table, read[:, 1])}


def average_sets(found: Mapping[str, Mapping], way: str, measure: str) -> float:
    """The mean over the sets, each alike however many domains it has."""
    values: defaultdict[str, list[float]] = defaultdict(list)
    for name, row in found.items():
        values[name.split()[0]].append(row[way][measure])
    return round(float(np.mean([np.mean(each) for each in values.values()])), 1)


def load_claims(folder: Path) -> Table:
    """At most ``LARGEST`` claims of each set or domain with the features of the rules, computed once."""
    path = folder / f"claims_{LARGEST}.pkl"
    if not path.exists():
        every = [case for name in (*SETS, LFQA) for case in read_cases(name)]
        chosen = choose_claims(every, LARGEST)
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(make_table([every[i] for i in chosen])))
    return pickle.loads(path.read_bytes())


def choose_claims(cases: Sequence[Case], most: int) -> np.ndarray:
    """The places of at most so many of each set or domain, drawn by a fixed seed."""
    group = np.array([name_group(case) for case in cases])
    random = np.random.default_rng(2)
    chosen = [random.permutation(np.flatnonzero(group == name))[:most] for name in sorted(set(group))]
    return np.sort(np.concatenate(chosen))


def read_claims(reader: Reader, cases: Sequence[Case]) -> np.ndarray:
    """What the reader makes of each claim, columns as in ``CLAIM_READER_FEATURES``."""
    rows: list[list[float]] = []
    for done, case in enumerate(cases):
        show_status(f"claims: {done} of {len(cases)}")
        reading = measure_reading(reader.check(case.pair.claim, [case.pair.evidence])[0])
        rows.append([reading[name] for name in CLAIM_READER_FEATURES])
    return np.array(rows)


def predict_by_rules(table: Table, fitted: np.ndarray) -> np.ndarray:
    part = table.part(np.flatnonzero(fitted))
    words = fit_words(part)
    return chances(fit_claims(part, words), claim_columns(table, words))


def predict_by_both(table: Table, read: np.ndarray, fitted: np.ndarray) -> np.ndarray:
    part = table.part(np.flatnonzero(fitted))
    words = fit_words(part)
    return chances(fit_with_reader(part, words, read[fitted]), np.hstack([claim_columns(table, words), read]))


def measure_paraphrases(table: Table, scores: np.ndarray) -> dict[str, object]:
    """Shares called supported at the lowest threshold at which so many of all that are called so are."""
    labels = np.array([case.is_supported for case in table.cases])
    order = np.argsort(-scores, kind="stable")
    precision = np.cumsum(labels[order]) / np.arange(1, len(order) + 1)
    precise = np.flatnonzero(precision >= PRECISION)
    called = np.zeros(len(labels), dtype=bool)
    if len(precise):
        called = scores >= scores[order][precise[-1]]
    reworded = labels & np.array([share_copied(case.pair) < COPIED for case in table.cases])
    return {
        "supported_at_90_percent_precision": rounded(called[labels].mean()),
        "paraphrases": int(reworded.sum()),
        "paraphrases_at_90_percent_precision": rounded(called[reworded].mean()),
    }


def share_copied(pair: ClaimPair) -> float:
    """The longest run of the claim's words that stands in the evidence, as a share of the claim."""
    claim, evidence = ([fold_words(word) for word in WORD.findall(text)] for text in (pair.claim, pair.evidence))
    run = difflib.SequenceMatcher(None, claim, evidence, autojunk=False).find_longest_match()
    return run.size / max(len(claim), 1)


def measure_refutations(table: Table, refuted: np.ndarray) -> float:
    """Refuted against irrelevant claims of factcheck_gpt by the chance of a refutation."""
    known = [i for i, c in enumerate(table.cases) if c.set == "factcheck_gpt" and c.is_contradicted is not None]
    return rounded(auroc(refuted[known], np.array([bool(table.cases[i].is_contradicted) for i in known])))
