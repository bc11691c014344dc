"""What a reader makes of a family of sets that it did not see, and what each choice of licences costs.

    python training/leave_out.py --sets FOLDER --tokenizer FILE --encoder model.safetensors --out leave_out.json
                                [--work FOLDER] [--steps 200] [--threads 1]

One short training each: on all sets that the shipped weights rest on, on all but one family, and on the sets that the
other choices of licence admit. All are started from the same encoder, take the same number of steps, and are measured on
the same pairs, which none of them saw: up to ``MEASURED`` of each family, and of the sets that only ``--licences all``
admits. Figures are those of a small budget: they compare, and say little of the shipped weights. Goes on where it was
stopped.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from encoder import Reader, load_encoder
from pairs import (
    PASSAGES,
    SUPPORT,
    UNKNOWN,
    Pair,
    add_near_misses,
    encode_pairs,
    load_tokenizer,
    make_claim_pairs,
    make_claims,
    make_question_pairs,
)
from sets import LICENCES, list_sources, read_rows
from train_reader import Pairs, Plan, train

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "inference": (
        *("snli_dev_test", "snli_counterfactual", "mnli_dev_matched", "lingnli_baseline", "lingnli_on_side"),
        *("lingnli_in_loop", "conjnli_dev", "conjnli_adv_train", "negation_nli", "med", "breaking_nli", "dnc_recast"),
        "folio",
    ),
    "facts": (
        *("fever_symmetric", "fever_dev", "foolmetwice", "check_covid", "ex_fever_test", "scitab", "liar_plus"),
        "creak",
    ),
    "dialogue and documents": (
        *("dialfact_small", "q2_wow", "faithdial_audit", "wice_train_partial", "gensearch_highlights"),
        *("student_answers", "evidence_inference"),
    ),
    "claims made by rules": ("made",),
    "SQuAD": (
        *("squad1_a", "squad1_b", "squad2_dev_half", "squadshifts_new_wiki", "squadshifts_amazon_reviews"),
        *("squadshifts_reddit", "qnli_dev", "quoref_contrast"),
    ),
    "web questions": ("boolq", "qed_dev", "nq_open_oracle", "ramdocs"),
    "medicine and others": (
        *("mediqa_qa", "pubmedqa_l", "covidqa", "medquad", "selqa_ass", "condaqa", "strategyqa_facts", "feedbackqa"),
    ),
}
"""The sets of ``sets.py`` by where they come from and how they were made."""

OTHERS = "sets of no such licence"
"""Measured too: what is trained on by the choice ``all`` alone."""
MEASURED = 600
"""Pairs of a family that are measured: an AUROC is within 3 points."""
HELD_BACK = 0.1
"""Share of the rows of each set that is never trained on here."""
MOST_OTHER_ROWS = 6_000
"""Rows of a set that ``sets.py`` sets no number for: about those of the larger ones that it does."""
MADE_CLAIMS = 14_000
SHIPPED = "share-alike"
LEAST_TOKENS = 60
"""Fewer than a pair has in the mean, so that a sample of pairs is enough for all steps."""
RATE, HEAD_RATE = 1.5e-4, 6e-4
"""As of ``train_reader.py``."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Pairs to train on and pairs to measure with, by family, and the licence class of each set."""

    trained: dict[str, list[Pair]]
    measured: dict[str, list[Pair]]
    admitted: dict[str, frozenset[str]]


def collect_corpus(folder: Path, seed: int) -> Corpus:
    """The pairs of all sets, each row on one side only."""
    chance = random.Random(seed)
    trained: dict[str, list[Pair]] = {}
    held: dict[str, list[Pair]] = {}
    questions: dict[bool, list[Pair]] = {True: [], False: []}
    for source in list_sources(folder, "all"):
        rows = read_rows(source, seed)[:MOST_OTHER_ROWS]
        # rows of one group, a premise or a document, stand on one side
        groups = sorted({str(row.get("group")) for row in rows})
        kept_back = set(chance.sample(groups, max(1, round(len(groups) * HELD_BACK))))
        for is_held, side in ((True, held), (False, trained)):
            part = [row for row in rows if (str(row.get("group")) in kept_back) == is_held]
            if source.kind == "qa":
                questions[is_held] += make_question_pairs(source.name, part, chance)
            else:
                side.setdefault(find_family(source.name), []).extend(make_claim_pairs(source.name, part))
    for is_held, side in ((True, held), (False, trained)):
        found = questions[is_held] + add_near_misses(questions[is_held], chance)
        for pair in found:
            side.setdefault(find_family(pair.source), []).append(pair)
        passages = sorted({pair.second for pair in found if pair.source in PASSAGES})
        chance.shuffle(passages)
        side["claims made by rules"] = make_claims(passages, MADE_CLAIMS, chance)
    measured = {name: chance.sample(pairs, min(MEASURED, len(pairs))) for name, pairs in held.items()}
    admitted = {
        choice: frozenset(source.name for source in list_sources(folder, choice)) | {"made"} for choice in LICENCES
    }
    return Corpus(trained, measured, admitted)


def find_family(source: str) -> str:
    """The family of a set, or of what was made from it."""
    name = strip_source(source)
    return next((family for family, names in FAMILIES.items() if name in names), OTHERS)


def strip_source(source: str) -> str:
    """The set that a pair comes from: ``near squad1_a`` is of squad1_a, all that rules make of claims is ``made``."""
    return "made" if source.startswith("made ") else source.removeprefix("near ")


def plan_runs() -> dict[str, Callable[[str, Pair, Corpus], bool]]:
    """By name of the run: which pairs of a family it is trained on."""

    def admits(choice: str) -> Callable[[str, Pair, Corpus], bool]:
        return lambda _, pair, corpus: strip_source(pair.source) in corpus.admitted[choice]

    def admits_but(family: str) -> Callable[[str, Pair, Corpus], bool]:
        return lambda name, pair, corpus: name != family and strip_source(pair.source) in corpus.admitted[SHIPPED]

    runs = {f"licences {choice}": admits(choice) for choice in (SHIPPED, "all", "permissive")}
    return runs | {f"without {family}": admits_but(family) for family in FAMILIES}


def measure_pairs(reader: Reader, columns: Mapping[str, np.ndarray], path: Path) -> dict[str, float]:
    """AUROC of what a family tells, in percent: whether a claim is supported, whether a passage answers; and the share
    of answers whose span is found to the token.
    """
    np.savez(path, **columns)
    pairs = Pairs(path, 0)
    every = np.arange(len(columns["length"]))
    claimed: list[tuple[float, bool]] = []
    answered: list[tuple[float, bool]] = []
    exact: list[bool] = []
    reader.eval()
    with torch.no_grad():
        for batch in pairs.plan_batches(every, 4096, 0):
            given = pairs.collate(batch)
            with torch.autocast("cpu", torch.bfloat16):
                outputs = reader(given["input_ids"], given["attention_mask"], given["token_type_ids"])
            span, answerable, _, support = (output.float() for output in outputs)
            for row in range(len(batch)):
                label = int(given["support"][row])
                if label != UNKNOWN:
                    chance = float(support[row].softmax(-1)[SUPPORT["supported"]])
                    claimed.append((chance, label == SUPPORT["supported"]))
                elif int(given["answerable"][row]) != UNKNOWN:
                    answered.append((float(answerable[row]), int(given["answerable"][row]) == 1))
                if int(given["start"][row]) > 0:
                    found = (span[row, 1:].argmax(0) + 1).tolist()
                    exact.append(found == [int(given["start"][row]), int(given["end"][row])])
    told = {"claims": compute_auroc(claimed), "answerable": compute_auroc(answered)}
    told["span"] = round(100 * float(np.mean(exact)), 1) if len(exact) >= 50 else None
    return {name: value for name, value in told.items() if value is not None}


def compute_auroc(scored: Sequence[tuple[float, bool]]) -> float | None:
    """In percent; None where fewer than 50 pairs are of either kind."""
    labels = np.array([label for _, label in scored], dtype=bool)
    if min(labels.sum(), (~labels).sum()) < 50:
        return None
    scores = np.array([score for score, _ in scored])
    ranks = np.empty(len(scores))
    ranks[np.argsort(scores, kind="stable")] = np.arange(1, len(scores) + 1)
    for value in np.unique(scores):  # ties share their mean rank
        ranks[scores == value] = ranks[scores == value].mean()
    positives = labels.sum()
    area = (ranks[labels].sum() - positives * (positives + 1) / 2) / (positives * (~labels).sum())
    return round(100 * float(area), 1)


def run_training(pairs: list[Pair], tokenizer: Any, given: argparse.Namespace, name: str) -> Reader:
    """A reader trained for ``given.steps`` steps on a sample of ``pairs``."""
    folder = given.work / name.replace(" ", "_")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "pairs.npz"
    if not path.exists():
        chance = random.Random(given.seed)
        sample = chance.sample(pairs, min(len(pairs), given.steps * given.tokens // LEAST_TOKENS))
        np.savez(path, **encode_pairs(sample, tokenizer, given.seed))
    torch.manual_seed(given.seed)
    reader = Reader()
    load_encoder(reader, given.encoder)
    encoded = Pairs(path, given.seed)
    batches = len(encoded.plan_batches(encoded.trained, given.tokens, given.seed))
    plan = Plan(given.tokens, RATE, HEAD_RATE, given.steps / batches, given.seed)
    train(reader, encoded, plan, out=folder, device="cpu", every=100)
    return reader


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=Path, required=True, help="folder of labelled sets with its index.jsonl")
    parser.add_argument("--tokenizer", type=Path, required=True, help="tokenizer.json of the encoder")
    parser.add_argument("--encoder", type=Path, required=True, help="model.safetensors of all-MiniLM-L6-v2")
    parser.add_argument("--out", type=Path, required=True, help="JSON file of the figures, written after each run")
    parser.add_argument("--work", type=Path, default=Path("leave_out"), help="folder for pairs and checkpoints")
    parser.add_argument("--steps", type=int, default=300, help="of each training")
    parser.add_argument("--tokens", type=int, default=4096, help="tokens a batch")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    given.work.mkdir(parents=True, exist_ok=True)
    tokenizer = load_tokenizer(given.tokenizer)
    corpus = collect_corpus(given.sets, given.seed)
    measured = {name: encode_pairs(pairs, tokenizer, given.seed) for name, pairs in sorted(corpus.measured.items())}
    runs = json.loads(given.out.read_text())["runs"] if given.out.exists() else {}
    for name, is_trained in plan_runs().items():
        if name in runs:
            continue
        print(name, flush=True)
        pairs = [pair for family, each in corpus.trained.items() for pair in each if is_trained(family, pair, corpus)]
        reader = run_training(pairs, tokenizer, given, name)
        families = {
            family: measure_pairs(reader, columns, given.work / "measured.npz") for family, columns in measured.items()
        }
        runs[name] = {"pairs": len(pairs), "families": families}
        told = {"steps": given.steps, "tokens": given.tokens, "seed": given.seed, "runs": runs}
        given.out.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
