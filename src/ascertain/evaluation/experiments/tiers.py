"""Tiers of chat models on the same questions: their quality, cost and time.

A tier is worth using when no other is at least as good, as cheap and as quick, and one of these more so.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from ascertain.core.asking.runs import Task
from ascertain.core.errors import UsageError
from ascertain.core.settings import Settings
from ascertain.evaluation.experiments.sweeps import Measuring, Values, find_main_score, list_scores
from ascertain.evaluation.measures.metrics import find_percentile
from ascertain.evaluation.measures.significance import Interval, compare_pairs, correct_chances, estimate_intervals
from ascertain.evaluation.runs import EvaluationRun, Result, average_scores
from ascertain.models.chat.structured import model_names

OFFLINE = "offline"
TIERS = (OFFLINE, "budget", "balanced", "premium")
"""What is compared, from the cheapest on; offline is no tier but answering without a chat model."""
FIGURES = ("answer_in_text", "answered_as_marked", "groundedness", "hallucination_rate", "completeness")
"""Shown for each tier if the questions allow it."""

Prices = Mapping[str, tuple[float, float]]
"""Dollars for a million tokens, in and out, by the name of the model."""


@dataclass(frozen=True, slots=True)
class TierResult:
    """The results of a tier. ``figures`` are means with their intervals; ``dollars``, ``calls`` and ``tokens`` are of a question.

    ``chance`` is the p of the difference of ``main`` to the first tier, corrected for the number of tiers; None for that one.
    """

    tier: str
    models: Mapping[str, str]
    questions: int
    main: str
    figures: Mapping[str, tuple[float, Interval]]
    dollars: float
    calls: float
    tokens: float
    seconds: float
    seconds_p95: float
    chance: float | None
    run: Path
    is_worth_having: bool = False

    @property
    def mean(self) -> float:
        """Of the main score."""
        return self.figures[self.main][0]


def name_tier(tier: str) -> Values:
    """The settings of a tier, by dotted key."""
    if tier == OFFLINE:
        return {"models.chat.model": "", "models.chat.tier": "none"}
    return {"models.chat.tier": tier}


def measure_tiers(
    measuring: Measuring, tiers: Sequence[str], settings_with: Callable[[Values], Settings], prices: Prices
) -> list[TierResult]:
    """Ask the same questions of each tier; UsageError where a tier but offline has no chat model.

    ``prices`` override the price of the settings, which is one for all models.
    """
    for tier in tiers:
        if tier not in TIERS:
            raise UsageError(f"no tier {tier!r}; choose from {', '.join(TIERS)}")
    settings = {tier: settings_with(name_tier(tier)) for tier in tiers}
    models = {tier: model_names(held.models.chat) for tier, held in settings.items()}
    for tier in tiers:
        if tier != OFFLINE and not models[tier]:
            raise UsageError(
                f"{tier}: no chat model is set; set models.chat.model, models.chat.{tier}.write and its like, or a provider's key"
            )
    _check_prices(prices, models)
    for tier, other in _list_alike(models):
        measuring.listener.remark(f"{other} and {tier} name the same models: what they differ in is chance")
    runs = measuring.measure_all(settings)
    main = find_main_score(next(iter(runs.values())))
    first = list_scores(runs[tiers[0]], main)
    chances = iter(correct_chances([_compare_scores(first, list_scores(runs[tier], main)) for tier in tiers[1:]]))
    results = [
        _summarise_tier(tier, settings[tier], runs[tier], main, prices=prices, path=measuring.find_path(runs[tier]))
        for tier in tiers
    ]
    results = [results[0], *(replace(result, chance=next(chances)) for result in results[1:])]
    return mark_worth(results)


def mark_worth(results: Sequence[TierResult]) -> list[TierResult]:
    """The same tiers, ``is_worth_having`` set where no other is at least as good, as cheap and as quick, and one of these more so."""
    return [replace(one, is_worth_having=not _is_beaten(one, results)) for one in results]


def _check_prices(prices: Prices, models: Mapping[str, Mapping[Task, str]]) -> None:
    known = sorted({name for named in models.values() for name in named.values()})
    for name in prices:
        if name not in known:
            raise UsageError(f"--price names {name!r}, which no tier uses; they use {', '.join(known) or 'none'}")


def _list_alike(models: Mapping[str, Mapping[Task, str]]) -> Iterator[tuple[str, str]]:
    tiers = list(models)
    for place, tier in enumerate(tiers):
        for other in tiers[:place]:
            if models[tier] and models[tier] == models[other]:
                yield tier, other
                break


def _compare_scores(first: Mapping[tuple[str, str], float], other: Mapping[tuple[str, str], float]) -> float:
    shared = [key for key in first if key in other]
    return compare_pairs([first[key] for key in shared], [other[key] for key in shared]).p if shared else 1.0


def _summarise_tier(
    tier: str, settings: Settings, run: EvaluationRun, main: str, *, prices: Prices, path: Path
) -> TierResult:
    names = [name for name in dict.fromkeys((main, *FIGURES)) if average_scores(run.results, name) is not None]
    intervals = estimate_intervals([{name: result.scores.get(name) for name in names} for result in run.results])
    seconds = [result.seconds for result in run.results]
    count = len(run.results)
    return TierResult(
        tier=tier,
        models={task.value: name for task, name in model_names(settings.models.chat).items()},
        questions=count,
        main=main,
        figures={name: (average_scores(run.results, name) or 0.0, intervals[name]) for name in names},
        dollars=sum(_price_result(result, settings, prices) for result in run.results) / count,
        calls=sum(result.read_number("calls") or 0 for result in run.results) / count,
        tokens=sum(result.read_number("tokens") or 0 for result in run.results) / count,
        seconds=find_percentile(seconds, 0.5),
        seconds_p95=find_percentile(seconds, 0.95),
        chance=None,
        run=path,
    )


def _price_result(result: Result, settings: Settings, prices: Prices) -> float:
    """Dollars of a question, each task at the price of its model."""
    chat = settings.models.chat
    own = (chat.input_usd_per_million, chat.output_usd_per_million)
    models = {task.value: name for task, name in model_names(chat).items()}
    tasks = cast("Mapping[str, Sequence[int]]", result.facts.get("tasks") or {})
    total = 0.0
    for task, (_, read, written) in tasks.items():
        price = prices.get(models.get(task, ""), own)
        total += (read * price[0] + written * price[1]) / 1e6
    return total


def _is_beaten(one: TierResult, others: Sequence[TierResult]) -> bool:
    """Whether another is at least as good, as cheap and as quick, and one of these more so."""

    def weigh(tier: TierResult) -> tuple[float, float, float]:
        return -tier.mean, tier.dollars, tier.seconds

    mine = weigh(one)
    return any(
        weigh(other) != mine and all(a <= b for a, b in zip(weigh(other), mine, strict=True)) for other in others
    )


def read_prices(lines: Sequence[str]) -> Prices:
    """``MODEL=IN,OUT`` lines as prices; UsageError for a line that is none."""
    prices: dict[str, tuple[float, float]] = {}
    for line in lines:
        name, _, given = line.rpartition("=")
        try:
            read, written = (float(part) for part in given.split(","))
        except ValueError:
            read = written = -1.0
        if not name or min(read, written) < 0:
            raise UsageError(f"--price {line!r} has no price; write it as --price openai:gpt-5-mini=0.25,2")
        prices[name] = (read, written)
    return prices
