"""``ascertain eval``, without the command line: plain functions that it mounts."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ascertain.core.errors import UsageError
from ascertain.core.passages import Strategy
from ascertain.core.settings import Settings
from ascertain.evaluation.answers import measure_answers
from ascertain.evaluation.datasets import EvaluationSet, read_set
from ascertain.evaluation.knowledge import Knowledge, Listener, Say, open_knowledge
from ascertain.evaluation.retrieval import measure_retrieval
from ascertain.wire.shape import JsonObject


def eval_retrieval(
    data: Path,
    sets: Sequence[str],
    *,
    settings: Settings,
    out: Callable[[JsonObject], None],
    strategy: str | None = None,
    cache: Path | None = None,
    progress: Say | None = None,
    remark: Say | None = None,
) -> None:
    """Measure retrieval on each set of ``data``, in order; ``out`` gets one JSON-ready row a set, as it is done.

    All sets are read before the first is measured, so that a malformed file is found at once. ``strategy`` is a
    ``Strategy`` value, None for the settings' own; ``cache`` a folder for document vectors (see ``open_knowledge``).
    ``progress`` gets short lines for a status display, ``remark`` what people should know beside the numbers.
    Raises UsageError for a set or strategy that does not exist and SourceError for malformed data.
    """
    legs = _read_strategy(strategy)
    listener = Listener(progress or _ignore_line, remark or _ignore_line)
    for chosen, knowledge in _open_sets(data, sets, settings, cache, listener):
        out(measure_retrieval(chosen, knowledge, legs, listener))


def eval_answers(
    data: Path,
    sets: Sequence[str],
    *,
    settings: Settings,
    out: Callable[[JsonObject], None],
    strategy: str | None = None,
    cache: Path | None = None,
    progress: Say | None = None,
    remark: Say | None = None,
) -> None:
    """Measure answers on each set of ``data``; arguments and errors as for ``eval_retrieval``."""
    legs = _read_strategy(strategy)
    listener = Listener(progress or _ignore_line, remark or _ignore_line)
    for chosen, knowledge in _open_sets(data, sets, settings, cache, listener):
        out(measure_answers(chosen, knowledge, legs, listener))


def _open_sets(
    data: Path, names: Sequence[str], settings: Settings, cache: Path | None, listener: Listener
) -> Iterator[tuple[EvaluationSet, Knowledge]]:
    for chosen in [read_set(folder) for folder in _find_folders(data, names)]:
        for line in chosen.notes:
            listener.remark(f"{chosen.name}: {line}")
        with open_knowledge(chosen, settings, cache, listener) as knowledge:
            yield chosen, knowledge


def _find_folders(data: Path, names: Sequence[str]) -> list[Path]:
    """The folder of each named set; UsageError names the sets there are."""
    if not data.is_dir():
        raise UsageError(f"{data}: no such folder; --data names the folder that holds the evaluation sets")
    there = sorted(path.parent.name for path in data.glob("*/queries.jsonl"))
    known = ", ".join(there) or f"none: {data} has no folder with a queries.jsonl"
    if not names:
        raise UsageError(f"no set named; use --set NAME, once for each. Sets here: {known}")
    for name in names:
        if name not in there:
            raise UsageError(f"no evaluation set {name!r} in {data}. Sets here: {known}")
    return [data / name for name in dict.fromkeys(names)]


def _read_strategy(name: str | None) -> Strategy | None:
    if name is None:
        return None
    try:
        return Strategy(name)
    except ValueError:
        raise UsageError(f"no strategy {name!r}; choose from {', '.join(Strategy)}") from None


def _ignore_line(_line: str) -> None:
    pass
