"""Answers measured on a labelled set: ask as a user would, compare with the expected answer and check every quote."""

import re
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ascertain.app.wire.shape import JsonObject
from ascertain.core.asking.answers import Answer, AnswerType, Citation
from ascertain.core.asking.passages import Passage, Strategy
from ascertain.core.asking.requests import Done, NodeFinished
from ascertain.core.errors import UsageError
from ascertain.evaluation.measures.calibration import Judged, brier_score, calibration_error, compute_auroc
from ascertain.evaluation.measures.significance import Interval, estimate_interval_of
from ascertain.evaluation.retrieval import build_row
from ascertain.evaluation.runs import Journal, Result, average_scores, choose_every
from ascertain.evaluation.sets.datasets import EvaluationSet, Query
from ascertain.evaluation.sets.knowledge import Knowledge, Listener
from ascertain.models.ports import Embedder

# Questions are marked answerable or not, and abstaining is the positive class, as in NoMIRACL (Thakur et al., 2023):
# recall over the unanswerable questions, precision over the abstentions.


@dataclass(frozen=True, slots=True)
class AbstentionCase:
    """One question: whether the documents answer it, whether the system declined, and the confidence it gave."""

    answerable: bool
    abstained: bool
    confidence: float


def abstention_metrics(cases: Sequence[AbstentionCase]) -> dict[str, float | None]:
    """The four measures, each in 0..1, or None where it is undefined (nothing to divide by)."""
    unanswerable = [case for case in cases if not case.answerable]
    answerable = [case for case in cases if case.answerable]
    right = sum(case.abstained for case in unanswerable)
    wrong = sum(case.abstained for case in answerable)
    return {
        "abstention_recall": _share_of(right, len(unanswerable)),
        "abstention_precision": _share_of(right, right + wrong),
        "false_abstention_rate": _share_of(wrong, len(answerable)),
        "auroc": compute_auroc([case.confidence for case in answerable], [case.confidence for case in unanswerable]),
    }


def _share_of(part: int, whole: int) -> float | None:
    return part / whole if whole else None


# To look for the expected answer in one, both are normalised as in the SQuAD evaluation script (Rajpurkar et al.,
# 2016): lower case, no punctuation, no articles, single spaces. Two deliberate differences: punctuation becomes a
# space, so that ``Japan's`` still holds ``Japan``; and the expected words must stand there as whole words, so that
# ``4`` is not found inside ``1994``.

_ARTICLES = frozenset({"a", "an", "the"})
_NOT_WORD = re.compile(r"[^\w]|_")


def normalise_answer(text: str) -> str:
    """Lower-case words without punctuation and articles, one space apart."""
    plain = _NOT_WORD.sub(" ", unicodedata.normalize("NFKC", text).lower())
    return " ".join(word for word in plain.split() if word not in _ARTICLES)


def contains_any(text: str, expected: Iterable[str]) -> bool:
    """Whether ``text`` holds any of ``expected`` as a run of whole words; those that normalise to nothing never match."""
    held = f" {normalise_answer(text)} "
    wanted = (normalise_answer(answer) for answer in expected)
    return any(answer and f" {answer} " in held for answer in wanted)


def measure_overlap(text: str, expected: Iterable[str]) -> tuple[float, float]:
    """Words of ``text`` and of the expected answer that it is nearest to: the share of the expected words that it has, and
    their F1, as in the SQuAD evaluation script; (0, 0) when nothing expected has a word.
    """
    held = Counter(normalise_answer(text).split())
    found = [(0.0, 0.0)]
    for answer in expected:
        wanted = Counter(normalise_answer(answer).split())
        shared = (held & wanted).total()
        if shared:
            found.append((shared / wanted.total(), 2 * shared / (held.total() + wanted.total())))
    return max(share for share, _ in found), max(f1 for _, f1 in found)


MEANS = (
    *("answer_f1", "completeness", "semantic_similarity", "groundedness", "hallucination_rate"),
    *("cited_relevant", "confidence", "dollars"),
)
"""Metrics that are the mean of the score of the same name."""


def measure_answers(
    data: EvaluationSet,
    knowledge: Knowledge,
    strategy: Strategy | None,
    listener: Listener,
    *,
    journal: Journal | None = None,
    every: int = 1,
) -> JsonObject:
    """The row of one set, as ``docs/benchmarks.md`` describes it.

    Queries about whose answer nothing is known are left out, and a remark says how many; of the others every ``every``-th is
    asked. Raises UsageError when none is left.
    """
    kept = journal or Journal()
    asked = [query for query in data.queries if query.answers or query.answerable is not None]
    if not asked:
        raise UsageError(
            f"{data.name}: no query has 'answer' or 'answerable'; measure it with `ascertain eval retrieval`"
        )
    if len(asked) < len(data.queries):
        listener.remark(f"{data.name}: {len(data.queries) - len(asked)} queries without a known answer are left out")
    chosen = choose_every(asked, every)
    results: list[Result] = []
    for done, query in enumerate(chosen):
        if done % 10 == 0:
            listener.progress(f"{data.name}: asking {done:,} of {len(chosen):,}")
        results.append(kept.measure(data.name, query.id, partial(_ask_query, query, data, knowledge, strategy)))
    metrics = answer_metrics(results)
    return build_row(
        data, results, metrics, knowledge.index_seconds, intervals=answer_intervals(results, metrics)
    ).to_json()


def answer_metrics(results: Sequence[Result]) -> dict[str, float | None]:
    """Every measure that these questions allow; None where there is nothing to divide by.

    ``answer_in_text`` is over the questions with an expected answer, where declining counts as a miss;
    ``mean_sentences`` over the answers given; ``citations_exact`` over all citations; the abstention measures appear
    only when some question is marked answerable or not, calibration only where answers are expected.
    """
    given = [result for result in results if not result.facts["declined"]]
    expected = [result for result in results if result.scores["answer_in_text"] is not None]
    citations = sum(int(result.read_number("citations") or 0) for result in results)
    exact = sum(int(result.read_number("exact_citations") or 0) for result in results)
    metrics: dict[str, float | None] = {}
    if expected:
        metrics["answer_in_text"] = average_scores(results, "answer_in_text")
    metrics["mean_sentences"] = average_scores(given, "sentences")
    metrics["citations_exact"] = exact / citations if citations else None
    cases = _list_cases(results)
    metrics |= abstention_metrics(cases) if cases else {}
    metrics |= {name: average_scores(results, name) for name in MEANS if expected or name not in _EXPECTING}
    if expected:
        judged = _list_judged(results)
        metrics |= {
            "auroc_right": _separation(judged),
            "calibration_error": calibration_error(judged),
            "brier": brier_score(judged),
        }
    return metrics


_EXPECTING = frozenset({"answer_f1", "completeness", "semantic_similarity"})
"""Measures that need an expected answer."""


def answer_intervals(results: Sequence[Result], metrics: Mapping[str, float | None]) -> dict[str, Interval]:
    """Of the measures that are no means of scores."""
    figures: dict[str, Callable[[Sequence[Result]], float | None]] = {
        "mean_sentences": lambda drawn: average_scores([r for r in drawn if not r.facts["declined"]], "sentences"),
        "auroc_right": lambda drawn: _separation(_list_judged(drawn)),
        "calibration_error": lambda drawn: calibration_error(_list_judged(drawn)),
    }
    for name in ("abstention_recall", "abstention_precision", "false_abstention_rate", "auroc"):
        figures[name] = partial(_abstention_figure, name)
    found = {n: estimate_interval_of(results, f) for n, f in figures.items() if metrics.get(n) is not None}
    return {name: interval for name, interval in found.items() if interval is not None}


def _abstention_figure(name: str, results: Sequence[Result]) -> float | None:
    return abstention_metrics(_list_cases(results))[name]


def _list_cases(results: Sequence[Result]) -> list[AbstentionCase]:
    marked = [result for result in results if result.facts.get("answerable") is not None]
    return [
        AbstentionCase(bool(r.facts["answerable"]), bool(r.facts["declined"]), r.read_number("confidence") or 0.0)
        for r in marked
    ]


def _list_judged(results: Sequence[Result]) -> list[Judged]:
    """The answers given to questions whose answer is known."""
    given = [r for r in results if r.scores["answer_in_text"] is not None and not r.facts["declined"]]
    return [Judged((r.read_number("confidence") or 0.0) / 100, r.scores["answer_in_text"] == 1) for r in given]


def _separation(judged: Sequence[Judged]) -> float | None:
    return compute_auroc([j.confidence for j in judged if j.right], [j.confidence for j in judged if not j.right])


def is_exact(citation: Citation, knowledge: Knowledge) -> bool:
    """Whether the quote is, character for character, what stands at its span in the text that was handed in."""
    text = knowledge.texts.get(citation.document_id)
    return text is not None and bool(citation.quote) and citation.span.of(text) == citation.quote


def _ask_query(query: Query, data: EvaluationSet, knowledge: Knowledge, strategy: Strategy | None) -> Result:
    started = time.perf_counter()
    answer, passages = _ask_app(query, knowledge, strategy)
    seconds = time.perf_counter() - started
    gains = data.judgements.get(query.id, {})
    scores = score_answer(query, answer, knowledge.app.embedder)
    cited = [knowledge.corpus_ids.get(citation.document_id, "") for citation in answer.citations]
    if any(gain > 0 for gain in gains.values()) and not scores["declined"]:
        scores["cited_relevant"] = float(any(gains.get(document, 0) > 0 for document in cited))
    facts: dict[str, object] = {
        "answer": answer.text,
        "type": answer.type.value,
        "declined": answer.type is AnswerType.REJECTION,
        "answerable": query.answerable,
        "expected": list(query.answers),
        "confidence": answer.confidence.score,
        "citations": len(answer.citations),
        "exact_citations": sum(is_exact(citation, knowledge) for citation in answer.citations),
        "cited": list(dict.fromkeys(cited)),
        "attempts": answer.attempts,
        "calls": answer.usage.calls,
        "tokens": answer.usage.input_tokens + answer.usage.output_tokens,
        "tasks": {task.task: [task.calls, task.input_tokens, task.output_tokens] for task in answer.usage.tasks},
        "contexts": [passage.chunk.text for passage in passages],
        "reference": read_reference(query, knowledge),
    }
    return Result(data.name, query.id, query.text, seconds, scores, facts)


def _ask_app(query: Query, knowledge: Knowledge, strategy: Strategy | None) -> tuple[Answer, tuple[Passage, ...]]:
    """The answer, and the passages of the last search, as many as an answer is written from."""
    events = knowledge.app.ask_stream(
        query.text, strategy=strategy, filter=knowledge.limits(query), history=query.history, use_cache=False
    )
    passages: tuple[Passage, ...] = ()
    answer: Answer | None = None
    for event in events:
        if isinstance(event, NodeFinished) and event.passages:
            passages = event.passages
        elif isinstance(event, Done):
            answer = event.answer
    assert answer is not None  # the last event of every stream
    return answer, passages[: knowledge.app.settings.answers.passages]


def read_reference(query: Query, knowledge: Knowledge) -> str:
    """What a right answer says: the words of the document that answer, where they are known, else what is expected."""
    text = knowledge.texts.get(knowledge.document_ids.get(query.gold_document or "", ""))
    if text is not None and query.gold:
        return " ".join(span.of(text) for span in query.gold)
    return query.answers[0] if query.answers else ""


def score_answer(query: Query, answer: Answer, embedder: Embedder) -> dict[str, float | None]:
    """What is true of one answer by itself, by name; None where a measure does not apply.

    Whether a sentence is founded is what the product's own check of claims said of it.
    """
    declined = answer.type is AnswerType.REJECTION
    scores: dict[str, float | None] = {
        "answer_in_text": None,
        "declined": float(declined),
        "sentences": None if declined else float(len(answer.sentences)),
        "groundedness": None if declined else answer.groundedness,
        "confidence": float(answer.confidence.score),
        "dollars": answer.usage.cost_usd,
    }
    if query.answers:
        scores["answer_in_text"] = float(not declined and contains_any(answer.text, query.answers))
        share, f1 = (0.0, 0.0) if declined else measure_overlap(answer.text, query.answers)
        scores |= {"completeness": share, "answer_f1": f1}
    if not declined and answer.sentences:
        unfounded = sum(not sentence.verdict.label.is_sound for sentence in answer.sentences)
        scores["hallucination_rate"] = unfounded / len(answer.sentences)
        if query.answers:
            scores["semantic_similarity"] = _measure_similarity(answer.text, query.answers, embedder)
    if query.answerable is not None:
        scores["answered_as_marked"] = float(declined is not query.answerable)
    return scores


def _measure_similarity(text: str, expected: Sequence[str], embedder: Embedder) -> float:
    """The cosine of the answer and the nearest of those expected."""
    vectors = embedder.embed_documents([text, *expected])
    return float((vectors[1:] @ vectors[0]).max())
