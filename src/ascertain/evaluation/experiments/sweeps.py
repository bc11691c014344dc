"""A sweep: one set of questions measured under every combination of some settings, and which of them are worth having.

A combination is worth using when no other is at least as good and as quick, and one of both more so (the Pareto front). Every
combination is a run in a folder, so that a stopped sweep resumes, one more value costs only its own runs, and any two can be
compared with ``eval compare``. The best of many is partly the luckiest: the value of choosing it is measured on questions that it was not
chosen on.
"""

import multiprocessing
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import yaml

from ascertain.core.errors import UsageError
from ascertain.core.settings import Settings
from ascertain.evaluation.commands import Order, make_listener, run_order
from ascertain.evaluation.comparison.differences import MAIN_SCORES
from ascertain.evaluation.experiments.tuning import FEWEST, FOLDS, WORTH_IT, held_out_mean
from ascertain.evaluation.measures.metrics import find_percentile
from ascertain.evaluation.measures.significance import Interval, estimate_intervals
from ascertain.evaluation.runs import EvaluationRun, average_scores, list_settings, list_versions, plain_value, read_run
from ascertain.evaluation.sets.knowledge import READING, Listener, keep_home

Values = Mapping[str, object]
"""Settings by dotted key."""
MOST = 200
"""Combinations of one sweep; more are a slip of the keyboard."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A combination: the mean of the ``main`` score with its interval, the median seconds of a question, and its run."""

    values: Values
    main: str
    mean: float
    interval: Interval
    seconds: float
    run: Path
    is_worth_having: bool = False

    @property
    def name(self) -> str:
        """The values in a line."""
        return name_values(self.values)


def list_variations(vary: Sequence[str]) -> list[Values]:
    """Every combination of ``KEY=VALUE,VALUE`` lines, in their order; UsageError for a line that is none, or too many."""
    axes: dict[str, list[object]] = {}
    for line in vary:
        key, sign, given = line.partition("=")
        values = [yaml.safe_load(part) for part in given.split(",") if part.strip()]
        if not sign or not key.strip() or not values:
            raise UsageError(f"--vary {line!r} names no values; write it as --vary retrieval.top_k=5,10,20")
        axes[key.strip()] = values
    if not axes:
        raise UsageError("nothing to vary; name a setting and its values: --vary retrieval.top_k=5,10,20")
    variations: list[Values] = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    if len(variations) > MOST:
        raise UsageError(f"{len(variations)} combinations are more than {MOST}; vary fewer settings at once")
    return variations


def name_values(values: Values) -> str:
    """``top_k=5 strategy=keyword``: the last part of each key."""
    return " ".join(f"{key.rpartition('.')[2]}={value}" for key, value in values.items())


@dataclass(frozen=True, slots=True)
class Measuring:
    """How combinations are measured: each a run in ``folder``, up to ``workers`` at once.

    With ``documents`` each has a knowledge base of that folder, shared by those that read documents alike; without, settings by
    which documents are read are refused. Times are those of a busy machine where there are several workers.
    """

    order: Order
    folder: Path
    listener: Listener
    documents: Path | None = None
    workers: int = 1

    def measure_all(self, named: Mapping[str, Settings]) -> dict[str, EvaluationRun]:
        """The run of each by its name; those that are there already, finished and made in the same way, are read."""
        options, versions = self.order.describe_options(), list_versions()
        paths = {name: self.folder / f"{re.sub(r'[^A-Za-z0-9=._-]+', '_', name)}.json" for name in named}
        missing = {
            name: settings
            for name, settings in named.items()
            if not _is_finished(paths[name], options, versions, settings)
        }
        measure = partial(_measure_combination, self.order, self.documents, self.folder)
        if self.workers > 1 and len(missing) > 1:
            self._measure_together(measure, missing, paths)
        else:
            for number, (name, settings) in enumerate(missing.items(), start=1):
                self.listener.remark(f"{number} of {len(missing)}: {name}")
                measure(settings, paths[name], self.listener)
        return {name: read_run(path) for name, path in paths.items()}

    def find_path(self, run: EvaluationRun) -> Path:
        """Where a run of ``measure_all`` is."""
        return self.folder / f"{run.name}.json"

    def _measure_together(
        self, measure: Callable[[Settings, Path], None], missing: Mapping[str, Settings], paths: Mapping[str, Path]
    ) -> None:
        # spawned: a fork would copy the locks of libraries whose threads are running
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(min(self.workers, len(missing)), mp_context=context) as pool:
            waiting = {name: pool.submit(measure, settings, paths[name]) for name, settings in missing.items()}
            for number, (name, done) in enumerate(waiting.items(), start=1):
                done.result()
                self.listener.remark(f"{number} of {len(missing)} done: {name}")


def _measure_combination(  # noqa: PLR0917
    order: Order, documents: Path | None, folder: Path, settings: Settings, path: Path, listener: Listener | None = None
) -> None:
    feedback = listener or make_listener()
    if documents is not None:
        home = keep_home(documents, "documents", folder / "homes", settings, listener=feedback)
        settings = settings.model_copy(update={"home": home})
    run_order(order, settings, _refuse_corpus, _ignore_row, listener=feedback, save=path)


WORKER_BYTES = 1_200_000_000
"""Memory reserved for a process that reads documents or answers: a guess, not measured yet."""


def count_workers(wanted: int, meminfo: Path = Path("/proc/meminfo")) -> int:
    """As many of ``wanted`` as memory allows, at least one; all if the system does not report free memory."""
    try:
        match = re.search(r"^MemAvailable:\s+(\d+) kB", meminfo.read_text("utf-8"), re.MULTILINE)
    except OSError:
        match = None
    return wanted if match is None else max(1, min(wanted, int(match[1]) * 1024 // WORKER_BYTES))


def sweep_settings(
    measuring: Measuring, variations: Sequence[Values], settings_with: Callable[[Values], Settings]
) -> list[Tried]:
    """Measure each combination; the best first. ``settings_with`` gives the settings in force but for some values."""
    refuse_reading(variations, measuring.documents)
    runs = measuring.measure_all({name_values(values): settings_with(values) for values in variations})
    tried = [
        _judge_run(values, run, measuring.find_path(run)) for values, run in zip(variations, runs.values(), strict=True)
    ]
    return sorted(mark_front(tried), key=lambda one: (-one.mean, one.seconds))


def refuse_reading(variations: Sequence[Values], documents: Path | None) -> None:
    """Raise UsageError where a setting decides how documents are read and there are none to read."""
    reading = sorted({key for values in variations for key in values if key.startswith(READING)})
    if reading and documents is None:
        raise UsageError(
            f"{', '.join(reading)}: decides how documents are read; name their folder with --documents DIR"
        )


@dataclass(frozen=True, slots=True)
class Gain:
    """The value of choosing the best combination, on questions that it was not chosen on: the figure under the present settings
    ``before`` and under those chosen on the other questions ``after``.
    """

    questions: int
    before: float
    after: float

    @property
    def is_worth_it(self) -> bool:
        """Whether to use the best: there are enough questions to tell, and it gains more than noise."""
        return self.questions >= FEWEST and self.after >= self.before + WORTH_IT


def measure_gain(measuring: Measuring, tried: Sequence[Tried], present: Settings) -> Gain:
    """Compare what was tried with the ``present`` settings, cross-validated."""
    (run,) = measuring.measure_all({"as-it-is": present}).values()
    main = tried[0].main
    columns = [list_scores(run, main), *(list_scores(read_run(one.run), main) for one in tried)]
    shared = [key for key in columns[0] if all(key in column for column in columns)]
    if not shared:
        return Gain(0, 0.0, 0.0)
    table = np.array([[column[key] for column in columns] for key in shared])
    return Gain(len(shared), float(table[:, 0].mean()), held_out_mean(table, FOLDS))


def list_scores(run: EvaluationRun, main: str) -> dict[tuple[str, str], float]:
    """The main score of each question that has it."""
    return {(r.set, r.id): score for r in run.results if (score := r.scores.get(main)) is not None}


def mark_front(tried: Sequence[Tried]) -> list[Tried]:
    """The same, each with whether it is worth using."""

    def is_beaten(one: Tried) -> bool:
        return any(
            other.mean >= one.mean
            and other.seconds <= one.seconds
            and (other.mean, other.seconds) != (one.mean, one.seconds)
            for other in tried
        )

    return [
        Tried(one.values, one.main, one.mean, one.interval, one.seconds, one.run, not is_beaten(one)) for one in tried
    ]


def _is_finished(path: Path, options: Mapping[str, object], versions: Mapping[str, str], settings: Settings) -> bool:
    """Whether the run exists, of the same questions, under the same settings and by the same program."""
    if not path.exists():
        return False
    run = read_run(path)
    return (run.options, run.versions, run.settings) == (plain_value(options), versions, list_settings(settings))


def _judge_run(values: Values, run: EvaluationRun, path: Path) -> Tried:
    main = find_main_score(run)
    interval = estimate_intervals([{main: result.scores.get(main)} for result in run.results])[main]
    mean = average_scores(run.results, main)
    assert mean is not None  # find_main_score chose one that some question has
    return Tried(values, main, mean, interval, find_percentile([r.seconds for r in run.results], 0.5), path)


def find_main_score(run: EvaluationRun) -> str:
    """The first of ``MAIN_SCORES`` that the run has, else the first of its own."""
    held = dict.fromkeys(n for result in run.results for n, score in result.scores.items() if score is not None)
    return next((name for name in MAIN_SCORES if name in held), next(iter(held)))


def _ignore_row(_row: object) -> None:
    pass


def _refuse_corpus(corpus: str, *_: object) -> Settings:
    raise UsageError(f"{corpus}: a sweep measures golden sets and sets of --data, not asked")
