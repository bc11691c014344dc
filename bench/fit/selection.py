"""Fits ``src/ascertain/models/weights/selection.json``: which sentences of the passages belong to an answer, where no reader reads them.

    python -m bench.fit.selection [--sets SET ...] [--cache DIR] [--cases DIR] [--most N] [--write]

Every question is searched and its candidate sentences are read as for an answer. Listwise softmax: of the
sentences of one question, those that hold the answer against all that were looked at,

    loss = - Σ_sets weight · mean over questions of log( Σ_holding exp(score) / Σ_all exp(score) )  +  a weak ridge

Questions with no holding sentence among those looked at, or with no other, teach nothing. What holds the
answer: on xquad_en, hotpot_train100 and musique_train100 a sentence of a relevant text that says it; on
clapnq_dev one that its annotators selected; on chunking_eval, without its two largest texts, one half of
which or more is marked. Reported: the shipped weights beside the fitted ones, how alike they are, and
the share of questions with a holding sentence first and among the first three, also with xquad_en left out.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from ascertain.answering.evidence import compare_candidates
from ascertain.answering.judging.features import SENTENCE_FEATURES, sentence_features
from ascertain.answering.units.candidates import Candidate, gather_candidates
from ascertain.evaluation.sets.datasets import EvaluationSet, Query, read_set
from ascertain.evaluation.sets.knowledge import Knowledge, Listener, open_knowledge
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import fold_words
from ascertain.models.vectors.sentences import SentenceModel
from ascertain.questions.reading.question import read_question
from bench.answers.answerability import SETTINGS, find_passages, sample_queries
from bench.fit.weights_file import read_weights, write_weights
from bench.setting import data_folder, show_remark, show_status

SETS = {"xquad_en": 2.0, "clapnq_dev": 1.0, "chunking_eval": 1.0, "hotpot_train100": 0.3, "musique_train100": 0.2}
MODELS = {"selection": SENTENCE_FEATURES}
LARGEST_TEXTS = 2
"""Texts of chunking_eval that are left out: each is longer than the three others together."""
RIDGE = 1e-3
MOST = 400
"""Questions of a set that are asked, evenly spread."""
SHOWN = 3
"""Sentences of an answer."""
_LETTERS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Case:
    """The sentences of one question: their features, shape (sentences, features), and which of them hold the
    answer.
    """

    rows: np.ndarray
    holding: np.ndarray


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    arguments.add_argument("--cache", type=Path, default=Path("/tmp/evalcache"), help="folder for vectors")
    arguments.add_argument("--cases", type=Path, default=Path("/tmp/selection"), help="features, computed once")
    arguments.add_argument("--most", type=int, default=MOST, help="questions of a set")
    arguments.add_argument("--write", action="store_true", help="replace the shipped weights")
    given = arguments.parse_args()
    cases = {name: read_cases(name, given.cache, given.cases, given.most) for name in given.sets}
    print(json.dumps({model: fit_model(model, names, cases, given.write) for model, names in MODELS.items()}, indent=1))


def fit_model(model: str, names: Sequence[str], cases: dict[str, list[Case]], is_written: bool) -> dict[str, object]:
    """Fit the weights of the first columns, and compare them with those that are shipped."""
    own = {name: [Case(case.rows[:, : len(names)], case.holding) for case in some] for name, some in cases.items()}
    fitted = fit_weights(own)
    left_out = fit_weights({name: some for name, some in own.items() if name != "xquad_en"})
    known = read_weights(model)
    shipped = np.array([known[name] for name in names])
    if is_written:
        write_weights(
            model,
            {name: round(float(w), 2) for name, w in zip(names, fitted, strict=True)},
            0.0,
            fitted_by="bench/fit/selection.py",
            fitted_from="listwise softmax on "
            + ", ".join(f"{name} ({w:g})" for name, w in SETS.items() if name in cases),
        )
    return compare_weights(names, own, shipped, fitted, left_out)


def read_cases(name: str, cache: Path, folder: Path, most: int) -> list[Case]:
    """The cases of a set, taken from ``folder`` where an earlier run left them."""
    path = folder / f"{name}-{most}.npz"
    if not path.is_file():
        found = list(collect_cases(name, cache, most))
        folder.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(
            path,
            rows=np.concatenate([case.rows for case in found]),
            holding=np.concatenate([case.holding for case in found]),
            ends=np.cumsum([len(case.holding) for case in found]),
        )
    data = np.load(path)
    parts = zip(*(np.split(data[key], data["ends"][:-1]) for key in ("rows", "holding")), strict=True)
    return [Case(rows, holding) for rows, holding in parts]


def collect_cases(name: str, cache: Path, most: int) -> Iterator[Case]:
    data, selected = read_data(name), read_selected(name)
    with open_knowledge(data, SETTINGS, cache, Listener(show_status, show_remark)) as knowledge:
        asked = sample_queries(data.queries, most)
        for done, query in enumerate(asked):
            show_status(f"{name}: {done} of {len(asked)}")
            case = read_sentences(data, knowledge, query, selected.get(query.id, ()))
            if case is not None and case.holding.any() and not case.holding.all():
                yield case


def read_data(name: str) -> EvaluationSet:
    data = read_set(data_folder() / name)
    if name != "chunking_eval":
        return data
    corpus = tuple(sorted(data.corpus, key=lambda text: len(text.text))[:-LARGEST_TEXTS])
    kept = {text.id for text in corpus}
    return replace(data, corpus=corpus, queries=tuple(q for q in data.queries if q.gold_document in kept))


def read_selected(name: str) -> dict[str, tuple[str, ...]]:
    """The sentences that annotators selected, letters and figures only, by query id; of sets that have such."""
    rows = map(json.loads, (data_folder() / name / "queries.jsonl").open(encoding="utf-8"))
    found = {row["_id"]: [s for one in row.get("selected", ()) for s in one] for row in rows}
    return {id: tuple(map(keep_letters, sentences)) for id, sentences in found.items() if sentences}


def read_sentences(data: EvaluationSet, knowledge: Knowledge, query: Query, selected: Sequence[str]) -> Case | None:
    """The sentences looked at for ``query``; None where none is, or where nobody said what answers it."""
    relevant = {id for id, gain in data.judgements.get(query.id, {}).items() if gain > 0}
    if not (query.answers or query.gold or selected) or query.answerable is False:
        return None
    text, _, passages = find_passages(knowledge, query, knowledge.limits(query))
    store = knowledge.app.container.store_for_vectors()
    candidates = gather_candidates(passages, store.document, ENGLISH).candidates
    if not candidates:
        return None
    question = read_question(text)
    model = SentenceModel(knowledge.app.embedder)
    titled = compare_candidates(question, candidates, passages, model, asked=model.embedder.embed_query(text)).titled
    features = sentence_features(question, candidates, passages, titled)
    looked_at = np.flatnonzero(~np.isnan(titled))
    holding = [holds_answer(candidates[i], query, selected, relevant, knowledge.corpus_ids) for i in looked_at]
    return Case(features[looked_at], np.array(holding, dtype=bool))


def holds_answer(candidate: Candidate, query: Query, selected: Sequence[str], relevant: set[str], corpus_ids) -> bool:
    text_id = corpus_ids[candidate.document.id]
    if query.gold:
        marked = sum(span.overlap(candidate.span) for span in query.gold)
        return text_id == query.gold_document and 2 * marked >= candidate.span.length
    if selected:
        written = keep_letters(candidate.text)
        return any(written in sentence or sentence in written for sentence in selected) and len(written) > 10
    words = f" {_LETTERS.sub(' ', fold_words(candidate.text))} "
    said = (_LETTERS.sub(" ", fold_words(answer)).strip() for answer in query.answers)
    return text_id in relevant and any(f" {answer} " in words for answer in said if answer)


def keep_letters(text: str) -> str:
    return _LETTERS.sub("", fold_words(text))


def fit_weights(cases: dict[str, list[Case]]) -> np.ndarray:
    """One weight a feature; a bias would be the same for every sentence of a question."""

    def measure_loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        loss, slope = RIDGE * float(weights @ weights) / 2, RIDGE * weights
        for name, own in cases.items():
            for case in own:
                share = SETS[name] / len(own)
                scores = case.rows @ weights
                all_odds = np.exp(scores - scores.max())
                expected = all_odds / all_odds.sum()
                held = np.where(case.holding, all_odds, 0.0)
                loss -= share * float(np.log(held.sum() / all_odds.sum()))
                slope = slope - share * case.rows.T @ (held / held.sum() - expected)
        return loss, slope

    start = np.zeros(next(iter(cases.values()))[0].rows.shape[1])
    return minimize(measure_loss, start, jac=True, method="L-BFGS-B").x


def compare_weights(
    names: Sequence[str], cases: dict[str, list[Case]], shipped: np.ndarray, fitted: np.ndarray, left_out: np.ndarray
) -> dict[str, object]:
    named = zip(names, shipped, fitted, left_out, strict=True)
    own = {"shipped": shipped, "fitted": fitted, "fitted_without_xquad_en": left_out}
    return {
        "weights": {
            name: {"shipped": float(a), "fitted": round(float(b), 2), "fitted_without_xquad_en": round(float(c), 2)}
            for name, a, b, c in named
        },
        "cosine_of_shipped_and_fitted": float(shipped @ fitted / np.linalg.norm(shipped) / np.linalg.norm(fitted)),
        "sets": {
            name: {
                "questions": len(some),
                "sentences": sum(len(case.holding) for case in some),
                **{f"found_in_{SHOWN}_{label}": count_found(some, weights) for label, weights in own.items()},
                **{f"first_{label}": count_found(some, weights, 1) for label, weights in own.items()},
            }
            for name, some in cases.items()
        },
    }


def count_found(cases: Sequence[Case], weights: np.ndarray, shown: int = SHOWN) -> float:
    """Share of questions with a holding sentence among the first ``shown``."""
    found = [case.holding[np.argsort(-(case.rows @ weights), kind="stable")[:shown]].any() for case in cases]
    return round(float(np.mean(found)), 4)


if __name__ == "__main__":
    main()
