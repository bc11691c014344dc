"""How well a model reads: where answers stand, whether there are any, what is claimed wrongly, and which passages come first.

    python -m bench.answers.reader [--model FILE] [--quick] [--cache DIR] [--cases DIR] [PART ...]

The parts, on development sets that no reader is trained on:

``spans``: xquad_en, the right passage given: exact match and F1 of the span as SQuAD counts them, and the share whose sentence
holds the answer, by the sentence the span stands in and by the sentence with the best span; beside the sentence that is chosen
today. ``answerability``: cases of ``bench/answers/answerability.py``, the best of the first passages by each score, beside the confidence of
today and one fitted on both, each fitted on the other sets. ``claims``: ``bench/claims/reader.py``. ``rerank``: nDCG@10 with
the first documents of each search ordered by ``(1 - w) · search score + w · relevance``.

``--quick`` asks a sample of each and prints only; without it the parts go into ``bench/results/reader.json``, which keeps those
that were not measured.
"""

from __future__ import annotations

import argparse
import json
import re
import string
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from ascertain.answering.evidence import read_evidence
from ascertain.answering.units.candidates import gather_candidates
from ascertain.core.asking.passages import Filter
from ascertain.evaluation.measures.metrics import ndcg_at
from ascertain.evaluation.sets.datasets import EvaluationSet, Query, read_set
from ascertain.evaluation.sets.knowledge import Knowledge, Listener, open_knowledge
from ascertain.language.languages import ENGLISH
from ascertain.language.sentences import split_sentences
from ascertain.models.logistic_model import compute_sigmoid
from ascertain.models.reader import BUILT_IN, Reader, Reading, score_sentences
from ascertain.models.vectors.sentences import SentenceModel
from ascertain.questions.reading.question import read_question
from bench.answers.answerability import SETTINGS, Case, auroc, find_passages, read_cases, sample_queries
from bench.claims.reader import measure_claims
from bench.fit.confidence import MODELS, SETS, belongs, fit, groups
from bench.retrieval.quality import REFERENCES
from bench.setting import RESULTS, circumstances, data_folder, save, show_remark, show_status

PARTS = ("spans", "answerability", "claims", "rerank")
SPANS = "xquad_en"
QUICK = {"spans": 200, "answerability": 100, "claims": 90, "rerank": 12}
"""Questions, cases or claims of a set."""
RERANKED_QUESTIONS = 150
"""Of a set, evenly spread: xquad_en has 1,190, and all of the others together 946."""
READ = 5
"""Passages read for a question, best first."""
REFUSED = 0.1
RERANKED = 20
SEARCHED = 50
WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0)
SCORES = ("answerable", "span", "relevance")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("parts", nargs="*", choices=[*PARTS, []], help="default: all")
    arguments.add_argument("--model", type=Path, default=BUILT_IN, help="the reader in ONNX form; the one that ships")
    arguments.add_argument("--quick", action="store_true", help="a sample, printed only")
    arguments.add_argument("--threads", type=int, default=0, help="of the reader; one a core by default")
    arguments.add_argument("--cache", type=Path, default=Path("/tmp/evalcache"), help="folder for document vectors")
    arguments.add_argument("--cases", type=Path, default=Path("/tmp/reader_cases"), help="what was searched, once")
    given = arguments.parse_args()
    reader = RememberingReader(Reader.load(given.model, given.threads))
    most = QUICK if given.quick else dict.fromkeys(PARTS, 10**9)
    measures: dict[str, Callable[[], dict]] = {
        "spans": lambda: measure_spans(reader, most["spans"], given.cache, given.cases),
        "answerability": lambda: measure_answerability(reader, most["answerability"], given.cache, given.cases),
        "claims": lambda: measure_claims(reader.reader, most["claims"], given.cases),
        "rerank": lambda: measure_rerank(reader, most["rerank"], given.cache, given.cases),
    }
    path = RESULTS / "reader.json"
    results = json.loads(path.read_text("utf-8")) if path.exists() else {}
    for part in given.parts or PARTS:
        reader.seconds, reader.windows = 0.0, 0
        started = time.perf_counter()
        results[part] = {"circumstances": circumstances(), "model": describe_model(given.model)} | measures[part]()
        results[part]["seconds"] = round(time.perf_counter() - started, 1)
        if reader.windows:
            results[part]["processor_milliseconds_a_window"] = round(1000 * reader.seconds / reader.windows, 1)
        print(json.dumps({part: results[part]}, indent=1), flush=True)
        if not given.quick:
            save("reader", {part: results[part] for part in PARTS if part in results})


def describe_model(path: Path) -> dict[str, object]:
    return {"file": path.name, "megabytes": round(path.stat().st_size / 1e6, 1)}


class RememberingReader:
    """A reader that reads a passage once for a question, and counts windows and processor time."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.seconds = 0.0
        self.windows = 0
        self._known: dict[tuple[str, str], Reading] = {}

    def read(self, question: str, passages: Sequence[str]) -> list[Reading]:
        return [self._read_passage(question, passage) for passage in passages]

    def _read_passage(self, question: str, passage: str) -> Reading:
        if (question, passage) not in self._known:
            started = time.process_time()
            (found,) = self.reader.read(question, [passage])
            self.seconds += time.process_time() - started
            self.windows += len(found.windows)
            self._known[question, passage] = found
        return self._known[question, passage]


def measure_spans(reader: RememberingReader, most: int, cache: Path, folder: Path) -> dict[str, object]:
    data = read_set(data_folder() / SPANS)
    today = read_choices(data, cache, folder)
    texts = {text.id: text.text for text in data.corpus}
    rows: list[dict[str, float]] = []
    queries = data.queries if most >= len(data.queries) else tuple(q for q in data.queries if q.id in today)
    for query in sample_queries(queries, most):
        text = texts[find_gold(data, query)]
        (reading,) = reader.read(query.text, [text])
        sentences = split_sentences(text)
        answer = reading.answer.of(text) if reading.answer else ""
        around = max(sentences, key=lambda one: one.overlap(reading.answer) if reading.answer else 0)
        best = sentences[int(np.argmax(score_sentences(reading, sentences)))]
        rows.append(
            {
                "exact_match": max(float(normalise(answer) == normalise(gold)) for gold in query.answers),
                "f1": max(compare_words(answer, gold) for gold in query.answers),
                "sentence_of_the_span": holds_answer(around.of(text), query),
                "sentence_with_the_best_span": holds_answer(best.of(text), query),
            }
        )
        if query.id in today:
            rows[-1]["sentence_asked_today"] = holds_answer(best.of(text), query)
            rows[-1]["sentence_of_today"] = holds_answer(today[query.id], query)
    names = dict.fromkeys(name for row in rows for name in row)
    means = {name: rounded(np.mean([row[name] for row in rows if name in row])) for name in names}
    return {"questions": len(rows), "chosen_today": sum("sentence_of_today" in row for row in rows)} | means


def find_gold(data: EvaluationSet, query: Query) -> str:
    return next(id for id, gain in data.judgements[query.id].items() if gain > 0)


def holds_answer(sentence: str, query: Query) -> float:
    """Whether the words of an answer stand in the sentence, one after the other."""
    return float(any(f" {normalise(gold)} " in f" {normalise(sentence)} " for gold in query.answers))


def normalise(answer: str) -> str:
    """As SQuAD's own script: small letters, no punctuation, no articles, single spaces."""
    plain = "".join(c for c in answer.lower() if c not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", plain).split())


def compare_words(answer: str, gold: str) -> float:
    """F1 of the words both have."""
    ours, theirs = normalise(answer).split(), normalise(gold).split()
    common = sum((Counter(ours) & Counter(theirs)).values())
    return 2 * common / (len(ours) + len(theirs)) if common else 0.0


def read_choices(data: EvaluationSet, cache: Path, folder: Path) -> dict[str, str]:
    """The sentence that is chosen today, by query id, of the right passage; of the questions that are sampled elsewhere too."""
    path = folder / f"{data.name}.sentences.json"
    if not path.is_file():
        with open_knowledge(data, SETTINGS, cache, Listener(show_status, show_remark)) as knowledge:
            found = {query.id: choose_sentence(data, knowledge, query) for query in sample_queries(data.queries, 400)}
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(found), "utf-8")
    return json.loads(path.read_text("utf-8"))


def choose_sentence(data: EvaluationSet, knowledge: Knowledge, query: Query) -> str:
    gold = Filter(document_ids=(knowledge.document_ids[find_gold(data, query)],))
    text, _, passages = find_passages(knowledge, query, gold)
    store = knowledge.app.container.store_for_vectors()
    candidates = gather_candidates(passages, store.document, ENGLISH).candidates
    if not candidates:
        return ""
    scores = read_evidence(read_question(text), candidates, passages, SentenceModel(knowledge.app.embedder)).scores
    chosen = candidates[int(np.argmax(scores))]
    return chosen.span.of(chosen.document.text)


def measure_answerability(reader: RememberingReader, most: int, cache: Path, folder: Path) -> dict[str, object]:
    cases = [case for name in SETS for case in sample_cases(read_cases(name, cache, folder), most)]
    read = np.array([read_case(reader, case, f"{done} of {len(cases)}") for done, case in enumerate(cases)])
    names = MODELS["confidence"]
    today = np.array([[case.evidence[name] for name in names] for case in cases])
    labels = np.array([case.answerable for case in cases])
    found: dict[str, object] = {}
    for name, condition in groups(cases):
        chosen = np.array([case.set == name and belongs(case, condition) for case in cases])
        scores = {score: read[chosen, column] for column, score in enumerate(SCORES)}
        for label, rows, columns in (
            ("reader_fitted_on_other_sets", read, SCORES),
            ("today_fitted_on_other_sets", today, names),
            ("both_fitted_on_other_sets", np.hstack([today, read]), (*names, *SCORES)),
        ):
            others = [i for i, case in enumerate(cases) if case.set != name]
            weights, bias = fit([cases[i] for i in others], rows[others], columns)
            scores[label] = rows[chosen] @ weights + bias
        found[f"{name}, {condition}"] = {
            "cases": int(chosen.sum()),
            "answerable_cases": int(labels[chosen].sum()),
            **{label: judge_scores(values, labels[chosen]) for label, values in scores.items()},
        }
    return {"passages_read": READ, "sets": found}


def sample_cases(cases: Sequence[Case], most: int) -> list[Case]:
    """At most ``most``, drawn by a fixed seed: evenly spread ones would be of one condition, since they take turns."""
    return [cases[i] for i in sorted(np.random.default_rng(0).permutation(len(cases))[:most])]


def read_case(reader: RememberingReader, case: Case, progress: str) -> list[float]:
    """The best of the first passages by each of ``SCORES``."""
    show_status(f"answerability: {progress}")
    readings = reader.read(case.text, case.passages[:READ])
    return [
        max(reading.answerable for reading in readings),
        max(reading.score for reading in readings),
        max(reading.relevance for reading in readings),
    ]


def judge_scores(scores: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    answered = scores >= np.quantile(scores[labels], REFUSED)
    return {
        "auroc": rounded(auroc(scores, labels.astype(int))),
        f"answers_unanswerable_at_{REFUSED:.0%}_refused".replace("%", "_percent"): rounded(answered[~labels].mean()),
    }


def measure_rerank(reader: RememberingReader, most: int, cache: Path, folder: Path) -> dict[str, object]:
    """Per set and weight; ``spread``: both scores are first brought to 0..1 among the documents of the question."""
    sets: dict[str, dict] = {}
    for name in REFERENCES:
        rows: list[list[float]] = []
        searches = read_searches(name, cache, folder)
        chosen = np.unique(np.linspace(0, len(searches) - 1, min(most, len(searches))))
        for done, search in enumerate(searches[int(i)] for i in chosen):
            show_status(f"{name}: {done} of {len(chosen)}")
            rows.append(rerank_search(reader, search))
        means = np.mean(rows, axis=0).reshape(2, -1)
        sets[name] = {
            "questions": len(rows),
            **{way: by_weight(100 * means[row]) for row, way in enumerate(("sigmoid", "spread"))},
        }
    summary: dict[str, dict] = {}
    for way in ("sigmoid", "spread"):
        table = np.array([list(row[way].values()) for row in sets.values()])
        summary[way] = {
            "mean": by_weight(table.mean(axis=0)),
            "worst_loss": by_weight((table - table[:, :1]).min(axis=0)),
        }
    return {"reranked": RERANKED, "measure": "nDCG@10 by weight", "sets": sets, "summary": summary}


def by_weight(values: np.ndarray) -> dict[str, float]:
    return {str(weight): round(float(value), 2) for weight, value in zip(WEIGHTS, values, strict=True)}


def rerank_search(reader: RememberingReader, search: Mapping) -> list[float]:
    """nDCG@10 by each weight, with the sigmoid of the relevance, then with both scores spread."""
    head, tail = search["found"][:RERANKED], search["found"][RERANKED:]
    scores = np.array([score for _, _, score in head])
    relevance = np.array([one.relevance for one in reader.read(search["question"], [text for _, text, _ in head])])
    rows: list[float] = []
    for searched, read in ((scores, compute_sigmoid(relevance)), (spread(scores), spread(relevance))):
        for weight in WEIGHTS:
            order = np.argsort(-((1 - weight) * searched + weight * read), kind="stable")
            ranking = [head[i][0] for i in order] + [id for id, _, _ in tail]
            rows.append(ndcg_at(ranking, search["gains"], 10))
    return rows


def spread(scores: np.ndarray) -> np.ndarray:
    return (scores - scores.min()) / (np.ptp(scores) or 1.0) if len(scores) else scores


def read_searches(name: str, cache: Path, folder: Path) -> list[dict]:
    """What each judged question finds: documents by their best passage, its text and score; kept in ``folder``."""
    path = folder / f"{name}.searches.jsonl"
    if not path.is_file():
        lines = [json.dumps(search) for search in search_set(name, cache)]
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", "utf-8")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def search_set(name: str, cache: Path) -> Iterator[dict]:
    data = read_set(data_folder() / name)
    judged = [query for query in data.queries if any(gain > 0 for gain in data.judgements.get(query.id, {}).values())]
    with open_knowledge(data, SETTINGS, cache, Listener(show_status, show_remark)) as knowledge:
        for query in sample_queries(tuple(judged), RERANKED_QUESTIONS):
            found: dict[str, list] = {}
            for passage in knowledge.app.search(query.text, k=SEARCHED, filter=knowledge.limits(query)).passages:
                id = knowledge.corpus_ids[passage.chunk.document_id]
                found.setdefault(id, [id, passage.chunk.text, passage.score])
            yield {"question": query.text, "gains": data.judgements[query.id], "found": list(found.values())}


def rounded(share: float) -> float:
    """Percent."""
    return round(100 * float(share), 1)


if __name__ == "__main__":
    main()
