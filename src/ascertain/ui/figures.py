"""Numbers of the knowledge base as tables that charts are drawn from: pure functions over the service's JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from ascertain.ui.filters import KIND_NAMES
from ascertain.ui.wording import moment_of
from ascertain.wire.conversations import FeedbackSummaryJson
from ascertain.wire.documents import DocumentJson

Table = list[dict[str, object]]


def by_name(counts: Mapping[str, int], names: Mapping[str, str]) -> Table:
    """Counts under readable names, the largest first."""
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return [{"name": names.get(name, name), "documents": number} for name, number in ordered if number]


def by_month(documents: Iterable[DocumentJson]) -> Table:
    """Documents by the month they were published in and their kind; those without a date are left out."""
    months: Counter[tuple[str, str]] = Counter()
    for document in documents:
        moment = moment_of(document.published_at)
        if moment is not None:
            months[f"{moment:%Y-%m}-01", KIND_NAMES.get(document.kind, document.kind)] += 1
    return [
        {"month": month, "kind": kind, "documents": number}
        for (month, kind), number in sorted(months.items())
    ]


def satisfaction(summary: FeedbackSummaryJson) -> Table:
    """Opinions by kind of question and strategy, with the share of thumbs up and its interval."""
    return [
        {
            "question": (row.question_kind or "other").replace("_", " "),
            "strategy": row.strategy,
            "judged": row.judged,
            "share": row.share,
            "low": row.low,
            "high": row.high,
        }
        for row in summary.rows
    ]
