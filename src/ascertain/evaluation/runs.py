"""The results of one run of ``eval``, question by question, so that it can be inspected, resumed and compared.

A run is stored as one JSON file. While it is made, every result is a line of ``FILE.part`` as soon as it is ready: a run that
was stopped resumes after the last one when it is started again in the same way.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from typing import Any, TypeVar, cast

from pydantic import ValidationError

from ascertain.app.container.store_addresses import settings_without_secrets
from ascertain.app.wire.evaluation import MeasuredJson, ResultJson, RunJson
from ascertain.core.errors import UsageError
from ascertain.core.settings import Settings
from ascertain.evaluation.measures.significance import Interval, estimate_intervals

T = TypeVar("T")
Scores = Mapping[str, float | None]

FORMAT = 1
"""Of the file; a run of a later one is not read."""
PACKAGES = ("ascertain", "faiss-cpu", "numpy", "onnxruntime", "tantivy", "tokenizers")
"""Whose versions can change a figure."""
_NOT_COMPARED = {"home", "now"}
"""Settings that say where and when, not how."""


@dataclass(frozen=True, slots=True)
class Result:
    """One question of a run.

    ``scores`` are what means are taken of and what runs are compared by, None where one does not apply; ``facts`` what else
    there is to know of it, as JSON: what was answered or found, and counts.
    """

    set: str
    id: str
    question: str
    seconds: float
    scores: Scores
    facts: Mapping[str, object] = field(default_factory=dict[str, object])

    def read_number(self, name: str) -> float | None:
        """The fact ``name`` where it is a number."""
        value = self.facts.get(name)
        return float(value) if isinstance(value, int | float) else None


class Journal:
    """The results of a run as they come; with a file, those of an earlier, unfinished one too."""

    def __init__(self, path: Path | None = None, identity: Mapping[str, object] | None = None) -> None:
        """``identity`` says what is measured and how: results of an earlier journal with another identity are dropped."""
        self._path = path
        self._results: dict[tuple[str, str], Result] = {}
        self.resumed = 0
        if path is None:
            return
        head = json.dumps(plain_value(identity or {}), sort_keys=True)
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        if lines and lines[0] == head:
            self._read_lines(lines[1:])
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = "".join(_write_line(result) for result in self._results.values())
        path.write_text(head + "\n" + kept, "utf-8")

    def measure(self, set: str, id: str, make: Callable[[], Result]) -> Result:
        """The result of a question: the existing one, or that of ``make``, which is stored."""
        known = self._results.get((set, id))
        if known is not None:
            return known
        result = make()
        self._results[set, id] = result
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(_write_line(result))
        return result

    @property
    def results(self) -> list[Result]:
        """All, in the order they came."""
        return list(self._results.values())

    def close(self) -> None:
        """The run is finished: remove the journal."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _read_lines(self, lines: Iterable[str]) -> None:
        for line in lines:
            try:
                result = _build_result(ResultJson.model_validate_json(line))
            except ValidationError:
                break  # the line that was being written when the run was stopped
            self._results[result.set, result.id] = result
        self.resumed = len(self._results)


@dataclass(frozen=True, slots=True)
class EvaluationRun:
    """A run that is finished. ``options`` are those of the command, ``settings`` those in force by dotted key."""

    kind: str
    started: datetime
    seconds: float
    versions: Mapping[str, str]
    settings: Mapping[str, object]
    options: Mapping[str, object]
    sets: tuple[MeasuredJson, ...]
    results: tuple[Result, ...]
    name: str = ""


def describe_run(
    kind: str,
    settings: Settings,
    options: Mapping[str, object],
    sets: Sequence[MeasuredJson],
    *,
    results: Sequence[Result],
) -> EvaluationRun:
    """The run of these results, as of now."""
    seconds = sum(result.seconds for result in results) + sum(row.seconds.index for row in sets)
    return EvaluationRun(
        kind=kind,
        started=datetime.now(UTC),
        seconds=seconds,
        versions=list_versions(),
        settings=list_settings(settings),
        options=dict(options),
        sets=tuple(sets),
        results=tuple(results),
    )


def list_versions() -> dict[str, str]:
    """Of Python and of the packages that can change a figure."""
    versions = {"python": python_version()}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def list_settings(settings: Settings) -> dict[str, object]:
    """The settings that can change a figure, by dotted key and as JSON; no passwords."""
    held = settings_without_secrets(settings)
    return {key: plain_value(value) for key, value in held.items() if key not in _NOT_COMPARED}


def save_run(run: EvaluationRun, path: Path) -> None:
    """Write the run as JSON, one result a line."""
    body = RunJson(
        format=FORMAT,
        kind=run.kind,
        started=run.started.isoformat(timespec="seconds"),
        seconds=round(run.seconds, 3),
        versions=dict(run.versions),
        settings=dict(run.settings),
        options={key: plain_value(value) for key, value in run.options.items()},
        sets=list(run.sets),
        results=[],
    ).to_json()
    results = ",\n  ".join(_write_line(result).rstrip() for result in run.results)
    text = json.dumps(body, ensure_ascii=False, indent=1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace('"results": []', f'"results": [\n  {results}\n ]') + "\n", "utf-8")


def read_run(path: Path) -> EvaluationRun:
    """A run that ``save_run`` wrote; UsageError for any other file."""
    try:
        held = RunJson.model_validate_json(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; give a file that `ascertain eval ... --save FILE` wrote") from None
    except (ValidationError, UnicodeDecodeError):
        raise UsageError(f"{path}: not a run; give a file that `ascertain eval ... --save FILE` wrote") from None
    if held.format > FORMAT:
        raise UsageError(f"{path}: written by a later version (format {held.format}); upgrade Ascertain to read it")
    return EvaluationRun(
        kind=held.kind,
        started=datetime.fromisoformat(held.started),
        seconds=held.seconds,
        versions=held.versions,
        settings=held.settings,
        options=held.options,
        sets=tuple(held.sets),
        results=tuple(_build_result(row) for row in held.results),
        name=path.stem,
    )


def find_part(path: Path) -> Path:
    """Where an unfinished run of ``path`` is stored."""
    return path.with_name(path.name + ".part")


def choose_every(items: Sequence[T], every: int) -> list[T]:
    """Every so many-th item, the first among them: the same ones each time."""
    return list(items[::every])


def measure_intervals(results: Sequence[Result], metrics: Mapping[str, float | None]) -> dict[str, Interval]:
    """The interval of every metric that is the mean of a score of the same name."""
    named = [{name: result.scores.get(name) for name in metrics} for result in results]
    return estimate_intervals(named) if named else {}


def average_scores(results: Sequence[Result], name: str) -> float | None:
    """The mean of one score over the results that have it; None when none has."""
    held = [score for result in results if (score := result.scores.get(name)) is not None]
    return sum(held) / len(held) if held else None


def _write_line(result: Result) -> str:
    held = {"set": result.set, "id": result.id, "question": result.question, "seconds": round(result.seconds, 4)}
    row = held | {"scores": dict(result.scores), "facts": plain_value(result.facts)}
    return json.dumps(row, ensure_ascii=False) + "\n"


def _build_result(row: ResultJson) -> Result:
    return Result(row.set, row.id, row.question, row.seconds, row.scores, row.facts)


def plain_value(value: object) -> Any:
    """``value`` as JSON has it: paths, dates and enums as text."""
    if isinstance(value, Mapping):
        return {str(key): plain_value(held) for key, held in cast("Mapping[object, object]", value).items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain_value(held) for held in cast("Iterable[object]", value)]
    return value if value is None or isinstance(value, bool | int | float) else str(value)
