"""Fits the judge of candidate sentences: ``src/ascertain/models/weights/judge{_by_words,,_twice}.json``.

    python -m bench.fit.judge --homes FOLDER --second READER.onnx [--cases FOLDER] [--write]

Questions of ``asked`` and ``wild`` dev that are looked up: neither to be declined, nor computed over tables, nor about whole documents. FOLDER
holds the homes that ``wild.py --homes`` and ``asked.py --homes`` built. Listwise softmax: of the sentences of one question, those that hold
most of what is wanted against all others,

    loss = - mean over questions of log( Σ_holding exp(score) / Σ_all exp(score) )  +  a ridge

Each of the ten collections is left out in turn; reported is how often the sentence that a step finds best holds what is wanted first, and how
often the three best hold all of it. What a step reads was chosen by the step before with the weights of all collections.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from ascertain import Ascertain
from ascertain.answering.extractive import keep_answering
from ascertain.answering.judging.cascade import FIRST_READ, FIRST_STEP, SECOND_READ, SECOND_STEP, THIRD_STEP
from ascertain.answering.judging.features import word_features
from ascertain.answering.judging.headings import is_heading
from ascertain.answering.judging.reading import ReadingBounds, read_passages, reader_features
from ascertain.answering.judging.signals import score_signals
from ascertain.answering.units.candidates import Candidate, gather_candidates, quote_whole
from ascertain.core.asking.passages import Passage
from ascertain.evaluation.asked import AskedQuestion, meet_expectations, read_asked
from ascertain.language.languages import ENGLISH
from ascertain.models.reader import BUILT_IN, Reader
from ascertain.models.vectors.sentences import SentenceModel
from ascertain.questions.reading.question import Question, read_question
from bench.fit.weights_file import write_weights
from bench.setting import data_folder, save, show_status

SETS = ("asked", "wild")
LEFT_ASIDE = frozenset({"computed", "document"})
"""Tags of questions that no sentence answers."""
SEARCHED = 20
"""Passages of a search, as ``retrieval.k`` has them for an answer offline."""
RIDGE = 1.0
"""For a hundred questions. From .1 to 10 the share of right first sentences differs by .4 points."""
STEPS = (("judge_by_words", FIRST_STEP), ("judge", SECOND_STEP), ("judge_twice", THIRD_STEP))


@dataclass(slots=True)
class Case:
    """A question with its candidates: ``held`` is the share of what is wanted that each holds, by what would be shown of it."""

    collection: str
    asked: AskedQuestion
    question: Question
    candidates: Sequence[Candidate]
    passages: Sequence[Passage]
    shown: list[str] = field(default_factory=list)
    held: np.ndarray = field(default_factory=lambda: np.empty(0))
    barred: np.ndarray = field(default_factory=lambda: np.empty(0))
    signals: np.ndarray = field(default_factory=lambda: np.empty(0))
    columns: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))


def main() -> None:
    """Fit, report and, where asked to, write."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--homes", type=Path, required=True)
    arguments.add_argument("--first", type=Path, default=BUILT_IN, help="the small reader")
    arguments.add_argument("--second", type=Path, required=True, help="the large reader")
    arguments.add_argument(
        "--cases", type=Path, default=Path("/tmp/judge_cases.pickle"), help="candidates, gathered once"
    )
    arguments.add_argument("--also", type=Path, nargs="*", default=[], help="folders of further sets in the same form")
    arguments.add_argument("--write", action="store_true", help="replace the shipped weights")
    given = arguments.parse_args()
    cases = load_cases(given.cases, given.homes, given.also)
    readers = (None, (Reader.load(given.first), FIRST_READ), (Reader.load(given.second), SECOND_READ))
    report: dict[str, object] = {"questions": len(cases)}
    scores: list[np.ndarray] = []
    for (name, features), reading in zip(STEPS, readers, strict=True):
        if reading is not None:
            add_reading(cases, scores, *reading)
        weights = fit_weights(cases)
        scores = [score_case(case, weights) for case in cases]
        report[name] = measure_left_out(cases)
        print(name, json.dumps(report[name]))
        if given.write:
            shown = {feature: round(float(weight), 2) for feature, weight in zip(features, weights, strict=True)}
            write_weights(
                name, shown, 0.0, fitted_by="bench/fit/judge.py", fitted_from="listwise softmax on asked and wild, dev"
            )
    save("judge_fit", report)


def load_cases(path: Path, homes: Path, also: Sequence[Path]) -> list[Case]:
    """The cases, from ``path`` where an earlier run left them."""
    if not path.is_file():
        folders = {name: data_folder() / name / "dev" for name in SETS} | {each.parent.name: each for each in also}
        cases = list(collect_cases(folders, homes))
        path.write_bytes(pickle.dumps(cases))
    return pickle.loads(path.read_bytes())


def collect_cases(folders: Mapping[str, Path], homes: Path) -> Iterator[Case]:
    """Every question of the sets in ``folders`` that is looked up, with the candidates of its search."""
    for name, folder in folders.items():
        asked = [q for q in read_asked(folder) if is_looked_up(q)]
        for corpus in sorted({question.corpus for question in asked}):
            home = next(path for path in homes.glob(f"dev-{corpus}-*") if path.is_dir())
            with Ascertain.open(str(home)) as knowledge:
                for question in asked:
                    if question.corpus == corpus:
                        show_status(f"{name} {corpus}: {question.id}")
                        yield from gather_case(knowledge, f"{name} {corpus}", question)


def is_looked_up(question: AskedQuestion) -> bool:
    """Whether a sentence of the documents may hold what is wanted."""
    is_answered = question.expect == "answer" and bool(question.must) and question.where != "citation"
    return is_answered and not LEFT_ASIDE.intersection(question.tags)


def gather_case(knowledge: Ascertain, collection: str, asked: AskedQuestion) -> Iterator[Case]:
    """The case of a question, none where nothing is found."""
    store = knowledge.container.store_for_vectors()
    passages = knowledge.search(asked.question, k=SEARCHED).passages
    question = read_question(asked.question)
    gathered = keep_answering(question, gather_candidates(passages, store.document, ENGLISH))
    if not gathered.candidates:
        return
    case = Case(collection, asked, question, gathered.candidates, passages)
    case.shown = [quote_whole(each, question).text for each in case.candidates]
    case.held = np.array([meet_expectations(asked, text) for text in case.shown])
    case.barred = np.array([is_heading(each) for each in case.candidates])
    model = SentenceModel(knowledge.embedder)
    case.signals = score_signals(question, case.candidates, model.embedder.embed_query(question.text), model)
    case.columns = word_features(question, case.candidates, passages)
    yield case


def add_reading(cases: Sequence[Case], scores: Sequence[np.ndarray], reader: Reader, bounds: ReadingBounds) -> None:
    """Add to the columns of every case what ``reader`` says of the best by ``scores``."""
    for done, (case, before) in enumerate(zip(cases, scores, strict=True)):
        show_status(f"reading: {done} of {len(cases)}")
        notes = read_passages(case.question, case.candidates, case.passages, reader, scores=before, bounds=bounds)
        case.columns = np.hstack([case.columns, reader_features(notes)])


def score_case(case: Case, weights: np.ndarray) -> np.ndarray:
    """Log-odds of its candidates, with what the question names."""
    return np.where(case.barred, -np.inf, case.columns @ weights + case.signals)


def fit_weights(cases: Sequence[Case]) -> np.ndarray:
    """One weight a feature; a bias would be the same for every sentence of a question."""
    taught: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for case in cases:
        open_to = ~case.barred
        holding = (case.held >= case.held.max()) & open_to
        if case.held.max() > 0 and holding.any() and not holding[open_to].all():
            taught.append((case.columns[open_to], case.signals[open_to], holding[open_to]))
    ridge = RIDGE * len(taught) / 100

    def measure_loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        loss, slope = ridge * float(weights @ weights) / 2, ridge * weights
        for rows, own, holding in taught:
            scores = rows @ weights + own
            odds = np.exp(scores - scores.max())
            held = np.where(holding, odds, 0.0)
            loss -= float(np.log(held.sum() / odds.sum()))
            slope = slope - rows.T @ (held / held.sum() - odds / odds.sum())
        return loss, slope

    return minimize(measure_loss, np.zeros(cases[0].columns.shape[1]), jac=True, method="L-BFGS-B").x


def measure_left_out(cases: Sequence[Case]) -> dict[str, object]:
    """Shares in percent, by collection and of all, each collection scored by weights of the others."""
    found: dict[str, list[tuple[bool, bool]]] = {}
    for collection in sorted({case.collection for case in cases}):
        weights = fit_weights([case for case in cases if case.collection != collection])
        for case in cases:
            if case.collection == collection:
                found.setdefault(collection, []).append(rate_choice(case, score_case(case, weights)))
    every = [each for some in found.values() for each in some]
    return {
        "first": round(100 * float(np.mean([first for first, _ in every])), 1),
        "three": round(100 * float(np.mean([three for _, three in every])), 1),
        "first by collection": {
            name: round(100 * float(np.mean([first for first, _ in some])), 1) for name, some in found.items()
        },
    }


def rate_choice(case: Case, scores: np.ndarray) -> tuple[bool, bool]:
    """Whether the best sentence holds what is wanted first, and whether the best three hold all."""
    best = [int(i) for i in np.argsort(-scores, kind="stable")[:3]]
    wanted = case.asked.model_copy(update={"must": case.asked.first or case.asked.must})
    is_first = meet_expectations(wanted, case.shown[best[0]]) >= 1
    return is_first, meet_expectations(case.asked, "\n".join(case.shown[i] for i in best)) >= 1


if __name__ == "__main__":
    main()
