"""Whether passages can hold an answer at all, decided before one is written (RE-8).

After "Sufficient Context" (Joren et al., ICLR 2025, arXiv 2411.06037), by rules: enough passages and text, near enough,
with the question's names and its time in them. What is missing is named and steers the next search.
"""

from __future__ import annotations

from collections.abc import Sequence

from ascertain.core.filters import Filter
from ascertain.core.judgements import Gap, GapKind, Sufficiency
from ascertain.core.passages import Passage
from ascertain.core.plans import Plan
from ascertain.core.runs import Run
from ascertain.core.settings import WorkflowSettings
from ascertain.retrieval.question_words import QuestionWords, absent, question_words, stems_of

PLAIN_SIMILARITY = 0.6
"""A passage this near the question answers it plainly, however little else there is."""
ENOUGH_PASSAGES, ENOUGH_CHARACTERS = 2, 200
"""What sufficient evidence has at least (RE-8)."""
CONCEPTS_COVERED = 0.5
"""Share of the question's words that one passage should hold; below it what is absent is a gap in concepts."""


class RuleSufficiency:
    """Counts, measures and looks for names; needs no model."""

    def __init__(self, settings: WorkflowSettings) -> None:
        self._settings = settings

    def check(
        self, question: str, plan: Plan, passages: Sequence[Passage], filter: Filter, run: Run
    ) -> Sufficiency:
        """What is missing, named; ``run`` is not spent from.

        The bounds on number, length and mean are for evidence that is thin as a whole: one passage that plainly answers
        (near in meaning, or with every word of the question) is enough, so that a home of one short note works.
        """
        words = question_words(question)
        held = [stems_of(passage) for passage in passages]
        signals = _signals(words, held, passages, max(ENOUGH_PASSAGES, 1))
        gaps = [
            *self._amounts(signals),
            *_names(words, held),
            *_times(words, held, passages, filter),
            *_concepts(words, held, plan, signals.get("top_similarity", 0.0)),
        ]
        reason = "; ".join(gap.what for gap in gaps) or f"{len(passages)} passages, near enough and complete"
        return Sufficiency(not gaps, tuple(gaps), reason, signals)

    def _amounts(self, signals: dict[str, float]) -> list[Gap]:
        limits = self._settings
        if not signals["passages"]:
            return [Gap(GapKind.AMOUNT, "no passage was found")]
        top = signals.get("top_similarity")
        if top is not None and top >= PLAIN_SIMILARITY:
            return []
        if signals["coverage"] >= 1.0 and (top is None or top >= limits.min_top_similarity):
            return []
        lacking: list[str] = []
        if signals["passages"] < ENOUGH_PASSAGES:
            lacking.append(f"{signals['passages']:.0f} of {ENOUGH_PASSAGES} passages")
        if signals["characters"] < ENOUGH_CHARACTERS:
            lacking.append(f"{signals['characters']:.0f} of {ENOUGH_CHARACTERS} characters")
        if top is not None and top < limits.min_top_similarity:
            lacking.append(f"the best passage is {top:.2f} near, not {limits.min_top_similarity:.2f}")
        mean = signals.get("mean_similarity")
        if mean is not None and mean < limits.min_mean_similarity:
            lacking.append(
                f"the best passages are {mean:.2f} near on average, not {limits.min_mean_similarity:.2f}"
            )
        return [Gap(GapKind.AMOUNT, what) for what in lacking]


def _signals(
    words: QuestionWords, held: Sequence[frozenset[str]], passages: Sequence[Passage], least: int
) -> dict[str, float]:
    """The mean is over the best ``least`` passages: further ones are there to choose from, not to answer."""
    similarities = sorted((p.scores["dense"] for p in passages if "dense" in p.scores), reverse=True)
    signals = {
        "passages": float(len(passages)),
        "characters": float(sum(len(passage.chunk.text) for passage in passages)),
        "coverage": max((words.coverage(stems) for stems in held), default=0.0),
    }
    if similarities:
        best = similarities[:least]
        signals |= {"top_similarity": similarities[0], "mean_similarity": sum(best) / len(best)}
    return signals


def _names(words: QuestionWords, held: Sequence[frozenset[str]]) -> list[Gap]:
    return [Gap(GapKind.NAME, name) for name in absent(words.names, held)] if held else []


def _times(
    words: QuestionWords, held: Sequence[frozenset[str]], passages: Sequence[Passage], filter: Filter
) -> list[Gap]:
    """Years that are neither said in a passage nor the year of one, and a period that no passage is dated within."""
    if not held:
        return []
    dated = {str(date.year) for passage in passages if (date := passage.chunk.published_at) is not None}
    gaps = [Gap(GapKind.TIME, year) for year in absent(words.years, held) if year not in dated]
    if filter.has_dates and not any(_is_within(passage, filter) for passage in passages):
        gaps.append(Gap(GapKind.TIME, "documents of the time asked about"))
    return gaps


def _is_within(passage: Passage, filter: Filter) -> bool:
    date = passage.chunk.published_at
    if date is None:
        return False
    from_ok = filter.published_from is None or date >= filter.published_from
    return from_ok and (filter.published_before is None or date < filter.published_before)


def _concepts(
    words: QuestionWords, held: Sequence[frozenset[str]], plan: Plan, top_similarity: float
) -> list[Gap]:
    """Words that may well be said in others are no gap where a passage is plainly near in meaning."""
    if not held:
        return []
    gaps: list[Gap] = []
    covered = max(words.coverage(stems) for stems in held)
    if covered < CONCEPTS_COVERED and top_similarity < PLAIN_SIMILARITY:
        gaps += [Gap(GapKind.CONCEPT, word) for word in absent(words.others, held)]
    for part in plan.sub_queries:
        asked = question_words(part.text)
        if max(asked.coverage(stems) for stems in held) < CONCEPTS_COVERED:
            gaps.append(Gap(GapKind.CONCEPT, part.text))
    return gaps
