"""Fits how much each sign counts for a document's type (``ingest.profiling.signs``).

    python -m bench.fit.document_types FOLDER [--write]

FOLDER holds the material as TYPE/COLLECTION/.../FILE: the folder ``train`` that ``gather_document_types.py`` writes. To it come the short texts
of ``document_types.toml``, but for those of part d. Softmax regression: a text's own words, headings and title count for their type before
anything is fitted (PRIOR), and weights are held back. Prints how often the type is found in collections left out (a fold of four at a time),
without ``--write`` nothing else; the short texts are left out by file.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import tomllib
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from ascertain.core.documents.profiling import DocumentType
from ascertain.documents.ingest.profiling.profile import SAMPLE_CHARACTERS, stratified_sample
from ascertain.documents.ingest.profiling.signs import MODEL, find_traits, list_signs
from ascertain.documents.sources.files import read_path
from bench.fit.weights_file import WEIGHTS
from bench.setting import ROOT, show_remark

TEXTS = ROOT / "bench" / "reading" / "document_types.toml"
TYPES = [kind.value for kind in DocumentType]
PRIOR = {"phrases": 2.0, "words": 2.0, "headings": 1.6, "title": 3.0}
"""Log-odds of each find for its own type; 1 and 1.5 in place of 2 found as many types, four of a hundred fewer at 1."""
READ_AS = {
    "kind paper": ("research_paper", 4.0),
    "kind article": ("news_article", 4.0),
    "kind transcript": ("transcript", 2.0),
    "structure turns": ("transcript", 2.0),
    "ending mail": ("letter", 4.0),
    "ending code": ("source_code", 4.0),
    "ending table": ("other", 4.0),
    "ending recording": ("transcript", 4.0),
}
"""What the format or a reader tells, with its log-odds; the material has little of it. Speakers are named in minutes too."""
STRENGTH = 0.03
"""0.01 to 0.05 find as many types in collections left out."""
SMALLEST_SPREAD = 0.1
"""A sign that is rare in the material is held back as if it spread so far."""
SHORT_TEXTS = 1.5
"""What the short texts count for together, where all other files count for 1: they are what people keep, the others are mostly software's."""
FOLDS = 4


@dataclass(frozen=True, slots=True)
class Example:
    """A file with the type that it has; those of one ``group`` are left out together."""

    type: str
    collection: str
    group: str
    signs: Mapping[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help="also write the weights")
    chosen = parser.parse_args()
    examples = read_folder(chosen.folder) + read_texts()
    show_remark(f"left out: {measure(examples)}")
    if chosen.write:
        show_remark(f"wrote {write_model(examples)}")


def read_folder(folder: Path) -> list[Example]:
    """Every file under TYPE/COLLECTION."""
    found: list[Example] = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        kind, collection = path.relative_to(folder).parts[:2]
        found += [Example(kind, collection, collection, signs) for signs in read_signs(path)]
    return found


def read_texts() -> list[Example]:
    """The short texts, each a group of its own."""
    found: list[Example] = []
    with tempfile.TemporaryDirectory() as scratch:
        for file in tomllib.loads(TEXTS.read_text("utf-8"))["file"]:
            if file["part"] != "d":
                path = Path(scratch) / file["name"]
                path.write_text(file["text"], "utf-8")
                found += [Example(file["type"], "", file["name"], signs) for signs in read_signs(path)]
    return found


def read_signs(path: Path) -> list[dict[str, float]]:
    """The signs of the first document in a file."""
    for document in read_path(path):
        sample = "\n".join(stratified_sample(document.text, SAMPLE_CHARACTERS))
        return [list_signs(find_traits(document, sample), document)]
    return []


def weigh(examples: Sequence[Example]) -> np.ndarray:
    """Of each collection the root of its number of files, of each type that of its collections' (to the 0.3rd power)."""
    files = Counter((each.type, each.collection) for each in examples)
    of_type: Counter[str] = Counter()
    for (kind, _), number in files.items():
        of_type[kind] += number**0.5  # pyright: ignore[reportArgumentType]
    amounts = np.array([files[e.type, e.collection] ** -0.5 / of_type[e.type] ** 0.3 for e in examples])
    short = np.array([not each.collection for each in examples])
    amounts[~short] /= amounts[~short].sum()
    amounts[short] *= SHORT_TEXTS / amounts[short].sum()
    return amounts / amounts.sum()


def expect(names: Sequence[str]) -> np.ndarray:
    """Weights before anything is fitted."""
    weights = np.zeros((len(names), len(TYPES)))
    for row, name in enumerate(names):
        sign, _, kind = name.partition(" ")
        if sign in PRIOR:
            weights[row, TYPES.index(kind)] = PRIOR[sign]
        if name in READ_AS:
            kind, odds = READ_AS[name]
            weights[row, TYPES.index(kind)] = odds
    return weights


def fit(examples: Sequence[Example]) -> tuple[np.ndarray, np.ndarray]:
    """Weights (a row a sign, a column a type) and biases."""
    names = list(examples[0].signs)
    rows = np.array([[each.signs[name] for name in names] for each in examples])
    amounts, prior = weigh(examples), expect(names)
    truth = np.eye(len(TYPES))[[TYPES.index(each.type) for each in examples]]
    spread = np.maximum(rows.std(axis=0), SMALLEST_SPREAD)
    columns, before = rows / spread, rows @ prior
    shape = (columns.shape[1] + 1, len(TYPES))

    def measure_loss(point: np.ndarray) -> tuple[float, np.ndarray]:
        moves = point.reshape(shape)
        odds = columns @ moves[:-1] + moves[-1] + before
        odds -= odds.max(axis=1, keepdims=True)
        chances = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
        missed = (chances - truth) * amounts[:, None]
        held = np.full(shape, STRENGTH)
        held[-1] /= 10
        slope = np.vstack([columns.T @ missed, missed.sum(axis=0)]) + held * moves
        loss = -(amounts * np.log((chances * truth).sum(axis=1) + 1e-12)).sum() + (held * moves**2).sum() / 2
        return float(loss), slope.ravel()

    found = minimize(measure_loss, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 200})
    moves = found.x.reshape(shape)
    return prior + moves[:-1] / spread[:, None], moves[-1]


def measure(examples: Sequence[Example]) -> dict[str, float]:
    """Share of the types found with the group of the text left out: of files, the mean over their collections, and of the short texts."""
    groups = sorted({each.group for each in examples})
    fold = {group: zlib.crc32(group.encode()) % FOLDS for group in groups}
    right: dict[str, list[bool]] = {}
    for number in range(FOLDS):
        weights, bias = fit([each for each in examples if fold[each.group] != number])
        for each in (each for each in examples if fold[each.group] == number):
            best = TYPES[int(np.argmax(np.array(list(each.signs.values())) @ weights + bias))]
            right.setdefault(each.collection, []).append(best == each.type)
    short = right.pop("")
    return {
        "files": round(float(np.mean([np.mean(each) for each in right.values()])), 3),
        "short texts": round(float(np.mean(short)), 3),
    }


def write_model(examples: Sequence[Example]) -> Path:
    """Fit to all and write the weights; those that move no sign of ordinary size by more than 0.02 are left out."""
    weights, bias = fit(examples)
    names = list(examples[0].signs)
    classes = {
        kind: {
            "bias": round(float(bias[column]), 3),
            "weights": {
                name: round(float(weights[row, column]), 2)
                for row, name in enumerate(names)
                if abs(weights[row, column]) >= 0.05
            },
        }
        for column, kind in enumerate(TYPES)
    }
    head = {
        "fitted_from": f"{len(examples)} files: bench/reading/gather_document_types.py and bench/reading/document_types.toml without part d",
        "fitted_by": "bench/fit/document_types.py",
        "date": datetime.now(UTC).date().isoformat(),
    }
    lines = ",\n".join(f"  {json.dumps(kind)}: {json.dumps(each)}" for kind, each in classes.items())
    path = WEIGHTS / f"{MODEL}.json"
    path.write_text(json.dumps(head, indent=1)[:-2] + f',\n "classes": {{\n{lines}\n }}\n}}\n', "utf-8")
    return path


if __name__ == "__main__":
    main()
