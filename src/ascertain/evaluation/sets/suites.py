"""A suite: what ``eval run`` measures, one entry after another, as YAML.

    measure:
      hybrid:                       # the name of the run
        kind: retrieval             # retrieval, answers, abstention, conversation, claims or asked
        golden: golden.jsonl
      by-words:
        kind: retrieval
        golden: golden.jsonl
        strategy: keyword
      asked:
        kind: asked
        data: asked/dev

Paths are read from the folder of the file.
"""

from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ascertain.core.asking.passages import Strategy
from ascertain.core.errors import UsageError
from ascertain.evaluation.commands import KINDS, Order
from ascertain.evaluation.golden.questions import DEMO

Kind = Literal["retrieval", "answers", "abstention", "conversation", "claims", "asked"]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Kind
    data: Path | None = None
    sets: tuple[str, ...] = ()
    golden: Path | None = None
    strategy: Strategy | None = None
    every: int = Field(default=1, ge=1)
    corpora: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    by: Literal["corpus", "type", "tag"] = "corpus"
    judge: Literal["strings", "model"] = "strings"


Name = Annotated[str, Field(pattern=r"^[\w.-]+$")]


class _Suite(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    measure: dict[Name, _Entry] = Field(min_length=1)


def read_suite(path: Path, every: int | None = None) -> dict[str, Order]:
    """The orders of a suite by name; ``every`` overrides theirs. UsageError names the fault of the file."""
    try:
        content = yaml.safe_load(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; eval run needs a YAML file") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: no YAML: {' '.join(str(error).split())}") from None
    try:
        suite = _Suite.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise UsageError(
            f"{path}: {place}: {first['msg']}; each entry of 'measure' has a kind ({', '.join(KINDS)})"
        ) from None
    return {name: _build_order(entry, path.parent, every) for name, entry in suite.measure.items()}


def _build_order(entry: _Entry, folder: Path, every: int | None) -> Order:
    return Order(
        entry.kind,
        None if entry.data is None else folder / entry.data,
        entry.sets,
        golden=_find_golden(entry.golden, folder),
        strategy=entry.strategy,
        every=every or entry.every,
        corpora=entry.corpora,
        types=entry.types,
        by=entry.by,
        judge=entry.judge,
    )


def _find_golden(named: Path | None, folder: Path) -> Path | None:
    """``demo`` is the golden set that is shipped, unless the folder has a file of that name."""
    if named is None or (str(named) == DEMO and not (folder / named).exists()):
        return named
    return folder / named
