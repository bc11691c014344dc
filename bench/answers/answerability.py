"""Questions that documents answer and questions that they do not, with everything a confidence could rest on.

Positive: questions marked answerable, and those of sets that mark none. Negative: questions marked
unanswerable, and answerable ones asked again with every text that answers them shut out, which leaves its
neighbours to be fooled by. Each is searched and composed as a user's question would be.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np

from ascertain.answering.composition import WritingRequest
from ascertain.answering.extractive import ExtractiveComposer
from ascertain.answering.judging.cascade import Readers
from ascertain.core.asking.passages import Filter, Passage
from ascertain.core.asking.plans import Complexity, Intent, Plan, QuestionType
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.settings import Settings
from ascertain.evaluation.sets.datasets import EvaluationSet, Query, read_set
from ascertain.evaluation.sets.knowledge import Knowledge, Listener, open_knowledge
from ascertain.language.languages import ENGLISH
from ascertain.models.registry import open_reader, open_second_reader
from ascertain.models.vectors.sentences import SentenceModel, SentenceModels
from ascertain.questions.conversation.rewriting import RuleRewriter
from ascertain.questions.reading.question import read_question
from ascertain.retrieval.judging import RuleRetrievalJudge, RuleSufficiency
from ascertain.retrieval.search.evidence import gather_evidence
from ascertain.retrieval.search.searcher import SearchResult
from bench.setting import data_folder, show_remark, show_status

PLAN = Plan(Intent.KNOWLEDGE, QuestionType.FACTUAL, Complexity.SIMPLE, "asked in a benchmark")
SETTINGS = Settings()
SAMPLE = {"xquad_en": 150}
"""Questions of the larger sets that are asked, evenly spread: each costs seconds where the cache is cold."""


@dataclass(frozen=True, slots=True)
class Case:
    """``given``: asked as the set says, of a question that it marks; ``whole``: likewise, of one without a
    mark; ``removed``: without the texts that answer. ``text`` is the question by itself, ``passages`` what an answer is written
    from, best first.
    """

    set: str
    question: str
    condition: str
    answerable: bool
    evidence: dict[str, float]
    quality: dict[str, float]
    quality_score: int
    issues: list[str]
    is_sufficient: bool
    top_similarity: float
    top_bm25: float
    text: str
    passages: list[str]


def read_cases(name: str, cache: Path, folder: Path, readers: Readers | None = None) -> list[Case]:
    """The cases of a set, taken from ``folder`` where an earlier run left them; ``readers`` read their passages too."""
    path = folder / f"{name}{'' if readers is None else '-read'}.jsonl"
    if not path.is_file():
        lines = [json.dumps(asdict(case)) for case in _collect(name, cache, readers)]
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", "utf-8")
    return [Case(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def _collect(name: str, cache: Path, readers: Readers | None) -> Iterator[Case]:
    data = read_set(data_folder() / name)
    with open_knowledge(data, SETTINGS, cache, Listener(show_status, show_remark)) as knowledge:
        queries = sample_queries(data.queries, SAMPLE.get(name, len(data.queries)))
        for done, query in enumerate(queries):
            show_status(f"{name}: {done} of {len(queries)}")
            for condition, filter, answerable in _conditions(data, knowledge, query):
                case = _ask(knowledge, query, filter, readers)
                if case is not None:
                    yield Case(name, query.id, condition, answerable, **case)


def sample_queries(queries: tuple[Query, ...], most: int) -> list[Query]:
    """At most ``most`` of them, evenly spread."""
    if len(queries) <= most:
        return list(queries)
    return [queries[int(i)] for i in np.linspace(0, len(queries) - 1, most)]


def _conditions(data: EvaluationSet, knowledge: Knowledge, query: Query) -> Iterator[tuple[str, Filter, bool]]:
    gold = {text for text, gain in data.judgements.get(query.id, {}).items() if gain > 0}
    without = Filter(document_ids=tuple(i for text, i in knowledge.document_ids.items() if text not in gold))
    if query.answerable is None and not any(other.answerable is not None for other in data.queries):
        yield "whole", knowledge.limits(query), True
        if gold:
            yield "removed", without, False
    elif query.answerable is not None:
        yield "given", knowledge.limits(query), query.answerable
        if query.answerable and gold and not query.documents:
            yield "removed", without, False


def find_passages(knowledge: Knowledge, query: Query, filter: Filter) -> tuple[str, SearchResult, tuple[Passage, ...]]:
    """The question by itself, what a search for it finds, and the passages that an answer is written from."""
    store, most = knowledge.app.container.store_for_vectors(), SETTINGS.answers.passages
    text = RuleRewriter().standalone(query.text, ENGLISH, query.history, Run(Budget(0, 0, float("inf"), 0))).text
    found = knowledge.app.search(text, k=2 * most, filter=filter)
    return text, found, tuple(gather_evidence(store, found.passages, most, SETTINGS.retrieval))


def _ask(knowledge: Knowledge, query: Query, filter: Filter, readers: Readers | None) -> dict[str, object] | None:
    store, answers = knowledge.app.container.store_for_vectors(), SETTINGS.answers
    run = Run(Budget(0, 0, float("inf"), 0))
    text, found, passages = find_passages(knowledge, query, filter)
    quality = RuleRetrievalJudge().judge(text, ENGLISH, PLAN, passages, run)
    composer = ExtractiveComposer(
        SentenceModels(SentenceModel(knowledge.app.embedder)), store.document, answers, readers
    )
    made = composer.compose(WritingRequest(read_question(text), passages, quality.score), run)
    if not made.evidence:
        return None
    sufficiency = RuleSufficiency(SETTINGS.workflow).check(text, PLAN, passages, filter, run, language=ENGLISH)
    return {
        "evidence": dict(made.evidence),
        "quality": dict(quality.signals),
        "quality_score": quality.score,
        "issues": [issue.value for issue in quality.issues],
        "is_sufficient": sufficiency.is_sufficient,
        "top_similarity": max((p.scores.get("dense", 0.0) for p in found.passages), default=0.0),
        "top_bm25": max((p.scores.get("lexical", 0.0) for p in found.passages), default=0.0),
        "text": text,
        "passages": [passage.chunk.text for passage in passages],
    }


@cache
def open_own_readers(second: Path | None = None) -> Readers:
    """The small reader of the default settings, and the large one in the file ``second``."""
    chosen = SETTINGS.models.model_copy(update={"second_reader": str(second) if second else "none"})
    readers = Readers.pair(open_reader(chosen), open_second_reader(chosen))
    assert readers is not None, "the default settings name no reader"
    return readers


def auroc(scores: np.ndarray, labels: np.ndarray) -> float:
    """Chance that a random positive scores above a random negative, ties counting half."""
    from scipy.stats import rankdata

    positive, negative = labels.sum(), (1 - labels).sum()
    ranks = rankdata(scores)[labels == 1].sum()
    return float((ranks - positive * (positive + 1) / 2) / (positive * negative))
