"""Two runs over the same questions: which figures moved, whether by more than chance, and which questions changed."""

from collections.abc import Mapping
from dataclasses import dataclass

from ascertain.app.wire.evaluation import ComparisonJson, MetricChangeJson, QuestionChangeJson
from ascertain.core.errors import UsageError
from ascertain.evaluation.measures.significance import (
    Interval,
    PairedTest,
    compare_pairs,
    correct_chances,
    estimate_intervals,
)
from ascertain.evaluation.runs import EvaluationRun, Result

SIGNIFICANT = 0.05
"""The chance, corrected for several figures, below which a difference is called one: the field's custom."""
LOWER_IS_BETTER = frozenset({"hallucination_rate", "dollars", "seconds", "false_answer", "false_decline", "wrong"})
NEITHER_IS_BETTER = frozenset({"confidence", "declined", "sentences", "words"})
"""Shown with the others, but neither a gain nor a loss."""
MAIN_SCORES = ("ok", "nDCG@10", "right", "answer_in_text", "answered_as_marked", "faithfulness")
"""Of which the first that a run has decides which questions changed."""


@dataclass(frozen=True, slots=True)
class MetricChange:
    """One figure of both runs. ``chance`` is the p of ``test`` corrected for all figures shown."""

    name: str
    test: PairedTest
    chance: float
    before_interval: Interval
    after_interval: Interval

    @property
    def verdict(self) -> str:
        """``better``, ``worse``, ``different`` where neither way is good, or ``same`` as far as can be seen."""
        if self.chance >= SIGNIFICANT or self.test.difference == 0:
            return "same"
        if self.name in NEITHER_IS_BETTER:
            return "different"
        return "better" if (self.test.difference > 0) is (self.name not in LOWER_IS_BETTER) else "worse"


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """A question whose ``main`` score is not the same in both runs."""

    before: Result
    after: Result
    before_score: float
    after_score: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """``before`` and ``after`` are names of the runs; ``main`` the score that ``changed`` is based on, the largest changes first.

    ``settings`` and ``versions`` are those that differ, with both values.
    """

    kind: str
    before: str
    after: str
    questions: int
    left_out: int
    main: str
    metrics: tuple[MetricChange, ...]
    changed: tuple[QuestionChange, ...]
    settings: Mapping[str, tuple[object, object]]
    versions: Mapping[str, tuple[object, object]]

    @property
    def main_change(self) -> MetricChange:
        """That of ``main``."""
        return next(change for change in self.metrics if change.name == self.main)


def compare_runs(before: EvaluationRun, after: EvaluationRun, seed: int = 0) -> Comparison:
    """Compare the questions that both have; UsageError where there is none, or the runs measured different things."""
    if before.kind != after.kind:
        raise UsageError(
            f"{before.name} measured {before.kind} and {after.name} {after.kind}; compare two runs of one kind"
        )
    first = {(result.set, result.id): result for result in before.results}
    pairs = [(first[key], result) for result in after.results if (key := (result.set, result.id)) in first]
    if not pairs:
        raise UsageError(f"{before.name} and {after.name} have no question in common; compare runs over one set")
    tests = _test_scores(pairs, seed)
    if not tests:
        raise UsageError(f"{before.name} and {after.name} have no score in common; compare two runs of one kind")
    corrected = correct_chances([test.p for test in tests.values()])
    intervals = [
        estimate_intervals([_all_scores(pair[side]) for pair in pairs if pair[side].scores], seed) for side in (0, 1)
    ]
    metrics = tuple(
        MetricChange(name, test, chance, intervals[0][name], intervals[1][name])
        for (name, test), chance in zip(tests.items(), corrected, strict=True)
    )
    main = next((name for name in MAIN_SCORES if name in tests), next(iter(tests)))
    return Comparison(
        kind=after.kind,
        before=before.name,
        after=after.name,
        questions=len(pairs),
        left_out=len(before.results) + len(after.results) - 2 * len(pairs),
        main=main,
        metrics=metrics,
        changed=tuple(_find_changes(pairs, main)),
        settings=_find_differences(
            {**before.settings, **{f"--{k}": v for k, v in before.options.items()}},
            {**after.settings, **{f"--{k}": v for k, v in after.options.items()}},
        ),
        versions=_find_differences(before.versions, after.versions),
    )


def describe_verdict(comparison: Comparison) -> str:
    """The comparison in a sentence or two, by the main score."""
    change = comparison.main_change
    low, high = change.test.interval
    figures = (
        f"{change.name} {change.test.before:.3f} → {change.test.after:.3f} "
        f"({change.test.difference:+.3f}, 95 % {low:+.3f} to {high:+.3f}, p = {change.test.p:.4f})"
    )
    moved = f"{change.test.better} of {change.test.questions} questions better, {change.test.worse} worse"
    match change.verdict:
        case "better":
            return f"{comparison.after} is better: {figures}; {moved}."
        case "worse":
            return f"{comparison.after} is worse: {figures}; {moved}."
        case _:
            return f"No difference that could not be chance: {figures}; {moved}."


def shape_comparison(comparison: Comparison) -> ComparisonJson:
    """The comparison as JSON."""
    metrics = [
        MetricChangeJson.model_validate(
            MetricChangeJson.read_attributes(
                change.test, name=change.name, corrected=change.chance, verdict=change.verdict
            )
        )
        for change in comparison.metrics
    ]
    changed = [
        QuestionChangeJson.model_validate(
            QuestionChangeJson.read_attributes(change.after, before=change.before_score, after=change.after_score)
        )
        for change in comparison.changed
    ]
    return ComparisonJson.model_validate(
        ComparisonJson.read_attributes(
            comparison,
            metrics=metrics,
            changed=changed,
            settings=dict(comparison.settings),
            versions=dict(comparison.versions),
        )
    )


def _test_scores(pairs: list[tuple[Result, Result]], seed: int) -> dict[str, PairedTest]:
    """A test for each score that some question has in both runs, over those questions; seconds among them."""
    tests: dict[str, PairedTest] = {}
    for name in dict.fromkeys(name for pair in pairs for name in _all_scores(pair[0])):
        held = [
            (one, other)
            for first, second in pairs
            if (one := _all_scores(first).get(name)) is not None
            and (other := _all_scores(second).get(name)) is not None
        ]
        if held:
            tests[name] = compare_pairs([one for one, _ in held], [other for _, other in held], seed)
    return tests


def _all_scores(result: Result) -> dict[str, float | None]:
    return {**result.scores, "seconds": result.seconds}


def _find_changes(pairs: list[tuple[Result, Result]], main: str) -> list[QuestionChange]:
    changes = [
        QuestionChange(first, second, one, other)
        for first, second in pairs
        if (one := first.scores.get(main)) is not None
        and (other := second.scores.get(main)) is not None
        and one != other
    ]
    return sorted(changes, key=lambda change: -abs(change.after_score - change.before_score))


def _find_differences(before: Mapping[str, object], after: Mapping[str, object]) -> dict[str, tuple[object, object]]:
    names = sorted({*before, *after})
    return {name: (before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)}
