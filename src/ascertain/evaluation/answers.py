"""Answers measured on a labelled set: ask as a user would, compare with the expected answer and check every quote."""

import re
import time
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ascertain.core.answers import Answer, AnswerType, Citation
from ascertain.core.errors import UsageError
from ascertain.core.passages import Strategy
from ascertain.evaluation.datasets import EvaluationSet, Query
from ascertain.evaluation.knowledge import Knowledge, Listener
from ascertain.evaluation.retrieval import build_row
from ascertain.wire.shape import JsonObject

# Questions are marked answerable or not, and abstaining is the positive class, as in NoMIRACL (Thakur et al., 2023):
# recall over the unanswerable questions, precision over the abstentions. AUROC asks only of the confidence score
# whether it is higher for answerable questions: the chance that a random answerable question scores above a random
# unanswerable one, ties counting half (the Mann-Whitney U statistic over n·m).


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


def compute_auroc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """Area under the ROC curve of a score that should be higher for ``positive``; None when either is empty."""
    if not positive or not negative:
        return None
    scored = sorted([(score, True) for score in positive] + [(score, False) for score in negative])
    below = 0
    wins = 0.0
    start = 0
    while start < len(scored):
        end = start
        while end < len(scored) and scored[end][0] == scored[start][0]:
            end += 1
        ups = sum(is_positive for _, is_positive in scored[start:end])
        downs = end - start - ups
        wins += ups * (below + downs / 2)
        below += downs
        start = end
    return wins / (len(positive) * len(negative))


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
) -> JsonObject:
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
        listener.remark(f"{data.name}: {len(data.queries) - len(asked)} queries without a known answer are left out")
    outcomes: list[Outcome] = []
    for done, query in enumerate(asked):
        if done % 10 == 0:
            listener.progress(f"{data.name}: asking {done:,} of {len(asked):,}")
        outcomes.append(_ask_query(query, knowledge, strategy))
    metrics = answer_metrics(outcomes, knowledge)
    return build_row(data, len(asked), metrics, knowledge.index_seconds, [outcome.seconds for outcome in outcomes])


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
        metrics["answer_in_text"] = _share_true([_is_right(outcome) for outcome in expected])
    metrics["mean_sentences"] = sum(len(outcome.answer.sentences) for outcome in given) / len(given) if given else None
    metrics["citations_exact"] = _share_true([is_exact(citation, knowledge) for citation in citations])
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


def _ask_query(query: Query, knowledge: Knowledge, strategy: Strategy | None) -> Outcome:
    started = time.perf_counter()
    answer = knowledge.app.ask(
        query.text, strategy=strategy, filter=knowledge.limits(query), history=query.history, use_cache=False
    )
    return Outcome(query, answer, time.perf_counter() - started)


def _is_right(outcome: Outcome) -> bool:
    return not outcome.abstained and contains_any(outcome.answer.text, outcome.query.answers)


def _share_true(flags: Sequence[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None
