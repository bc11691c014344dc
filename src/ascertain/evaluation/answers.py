"""Answers measured on a labelled set: ask as a user would, compare with the expected answer and check every quote."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from ascertain.core.answers import Answer, AnswerType, Citation
from ascertain.core.errors import UsageError
from ascertain.core.passages import Strategy
from ascertain.evaluation.abstention import AbstentionCase, abstention_metrics
from ascertain.evaluation.datasets import EvaluationSet, Query
from ascertain.evaluation.knowledge import Knowledge, Listener
from ascertain.evaluation.matching import contains_any
from ascertain.evaluation.rows import row


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question, what was answered and how long it took."""

    query: Query
    answer: Answer
    seconds: float

    @property
    def abstained(self) -> bool:
        """Whether the system declined to answer."""
        return self.answer.type is AnswerType.REJECTION


def measure_answers(
    data: EvaluationSet, knowledge: Knowledge, strategy: Strategy | None, listener: Listener
) -> dict[str, object]:
    """The row of one set, as ``docs/benchmarks.md`` describes it.

    Queries about whose answer nothing is known are left out, and a remark says how many. Raises UsageError when none
    is left.
    """
    asked = [query for query in data.queries if query.answers or query.answerable is not None]
    if not asked:
        raise UsageError(
            f"{data.name}: no query has 'answer' or 'answerable'; measure it with `ascertain eval retrieval`"
        )
    if len(asked) < len(data.queries):
        listener.remark(
            f"{data.name}: {len(data.queries) - len(asked)} queries without a known answer are left out"
        )
    outcomes: list[Outcome] = []
    for done, query in enumerate(asked):
        if done % 10 == 0:
            listener.progress(f"{data.name}: asking {done:,} of {len(asked):,}")
        outcomes.append(_ask(query, knowledge, strategy))
    metrics = answer_metrics(outcomes, knowledge)
    return row(data, len(asked), metrics, knowledge.index_seconds, [outcome.seconds for outcome in outcomes])


def answer_metrics(outcomes: Sequence[Outcome], knowledge: Knowledge) -> dict[str, float | None]:
    """Every measure that these questions allow; None where there is nothing to divide by.

    ``answer_in_text`` is over the questions with an expected answer, where declining counts as a miss;
    ``mean_sentences`` over the answers given; ``citations_exact`` over all citations; the abstention measures appear
    only when some question is marked answerable or not.
    """
    expected = [outcome for outcome in outcomes if outcome.query.answers]
    given = [outcome for outcome in outcomes if not outcome.abstained]
    citations = [citation for outcome in outcomes for citation in outcome.answer.citations]
    metrics: dict[str, float | None] = {}
    if expected:
        metrics["answer_in_text"] = _share([_is_right(outcome) for outcome in expected])
    metrics["mean_sentences"] = (
        sum(len(outcome.answer.sentences) for outcome in given) / len(given) if given else None
    )
    metrics["citations_exact"] = _share([is_exact(citation, knowledge) for citation in citations])
    cases = [
        AbstentionCase(outcome.query.answerable, outcome.abstained, outcome.answer.confidence.score)
        for outcome in outcomes
        if outcome.query.answerable is not None
    ]
    return metrics | (abstention_metrics(cases) if cases else {})


def is_exact(citation: Citation, knowledge: Knowledge) -> bool:
    """Whether the quote is, character for character, what stands at its span in the text that was handed in."""
    text = knowledge.texts.get(citation.document_id)
    return text is not None and bool(citation.quote) and citation.span.of(text) == citation.quote


def _ask(query: Query, knowledge: Knowledge, strategy: Strategy | None) -> Outcome:
    started = time.perf_counter()
    answer = knowledge.app.ask(
        query.text,
        strategy=strategy,
        filter=knowledge.limits(query),
        history=query.history,
        use_cache=False,
    )
    return Outcome(query, answer, time.perf_counter() - started)


def _is_right(outcome: Outcome) -> bool:
    return not outcome.abstained and contains_any(outcome.answer.text, outcome.query.answers)


def _share(flags: Sequence[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None
