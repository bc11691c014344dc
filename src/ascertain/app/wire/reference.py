"""Writes ``docs/json.md`` from the shapes: ``python -m ascertain.app.wire.reference FILE``."""

import json
import re
import sys
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Literal, cast

from ascertain.app.wire import (
    analysis,
    answers,
    conversations,
    documents,
    evaluation,
    graph,
    holdings,
    migration,
    research,
    service,
    sources,
)
from ascertain.app.wire.shape import Shape, find_nested_shapes, list_fields, make_example
from ascertain.core.asking.answers import Answer
from ascertain.core.asking.feedback import Drift, FeedbackSummary
from ascertain.core.documents.blocks import Place
from ascertain.core.documents.documents import DocumentRecord
from ascertain.core.documents.ingest import IngestReport, Transcribed
from ascertain.core.documents.sources import SourceRecord
from ascertain.core.graph.results import BuildEstimate, BuildReport, Decided, ExportReport, GraphStats, Merges
from ascertain.core.reports.research import ResearchSummary, RunComparison
from ascertain.core.serialisation import FieldDescription, Serialisable, read_docstring
from ascertain.core.service.migration import MigrationPlan
from ascertain.core.service.model_choice import ConfiguredModels, FoundServer, ModelTrial
from ascertain.core.service.service import ApiKey, AuditEntry, Job
from ascertain.core.service.status import SchemaChange

MOST_CHOICES = 20
"""Values of a field that are listed; more are a list of their own elsewhere."""
WIDTH = 110
"""Columns of an example."""

_INTRODUCTION = """\
# JSON output

*Written from the code by `make docs`; a test keeps it up to date.*

`--json` makes every command print JSON for programs: one object on one line of standard output (lists print
one array, `ask --batch` and `eval` one object a line; the examples here are broken into lines to be read).
Nothing else is written to standard output. Errors are one line on standard error, with exit code 2 for wrong
usage and 1 otherwise; standard output then stays empty. The service ([service.md](service.md)) answers with
the same shapes, MCP ([mcp.md](mcp.md)) with parts of them; the models are in `ascertain.app.wire`.

The fields below do not change; new ones are added only with a release note, so pass over those you do not
know. In all of them:

- dates are ISO 8601 with a time zone, or `null` when not known;
- a `span` is `[start, end)` in Unicode code points of the stored text of the document;
- scores of results and sentences lie in 0 to 1, those of confidence in 0 to 100.

A `place` says where in a document something stands:
"""

_BATCH = """\
A batch file has one `{"question": "...", "conversation_id": "..."}` a line, the second optional; a question
with one is a turn of that conversation, which is kept as by `ask --conversation`. The file is checked before
the first question is asked: a bad line ends the command with its number.
"""


@dataclass(frozen=True, slots=True)
class Printed:
    """What some commands print: a shape, or a list of it."""

    commands: str
    shape: type[Shape | Serialisable]
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """Some commands under one heading, and what else is to know of them."""

    title: str
    printed: tuple[Printed, ...]
    prose: str = ""


SECTIONS = (
    Section("Searching", (Printed("`search --json`", documents.SearchJson),)),
    Section("Asking", (Printed("`ask --json`, and each line of `ask --batch`", Answer),), _BATCH),
    Section(
        "Asking step by step",
        (
            Printed("`ask --stream --json`, one event a line, as it happens", answers.StepBegunJson),
            Printed("When that is over", answers.StepEndedJson),
            Printed("The text, once it is checked", answers.AnswerTextJson),
            Printed("Last", answers.AnswerDoneJson),
        ),
    ),
    Section("Analysing", (Printed("`analyze --json`", analysis.AnalysisJson),)),
    Section(
        "Conversations",
        (
            Printed("`conversations --json`, the last used first", conversations.ConversationSummaryJson, True),
            Printed("`conversations ID --json`", conversations.BriefConversationJson),
            Printed("`conversations ID --delete --json`, in turns", documents.DeletedJson),
        ),
    ),
    Section(
        "Research",
        (
            Printed(
                "`research --json`, `research --show ID --json`, `research --resume ID --json`",
                research.ResearchRunJson,
            ),
            Printed("`research --list --json`, the latest begun first", ResearchSummary, True),
            Printed("`research --compare ID ID --json`", RunComparison),
            Printed("`research --delete ID --json`", research.DeletedRunJson),
            Printed("`check --json`", research.CheckedClaimJson),
        ),
    ),
    Section(
        "Documents",
        (
            Printed("`documents --json`", DocumentRecord, True),
            Printed("`add --json`", IngestReport),
            Printed("`transcribe --json`", Transcribed, True),
            Printed("`delete --json`", documents.DeletedJson),
            Printed("`stats --json`", holdings.StatsJson),
        ),
    ),
    Section(
        "Sources",
        (
            Printed("`source list --json`", SourceRecord, True),
            Printed(
                "`source add --json`, `source sync --json` and `watch --json`, a source a line",
                sources.SyncedSourceJson,
            ),
            Printed("`source remove --json`", sources.RemovedSourceJson),
        ),
    ),
    Section(
        "What people thought of answers",
        (
            Printed("`feedback --json`", conversations.FeedbackJson),
            Printed("`stats --feedback --json`", FeedbackSummary),
            Printed("`stats --drift DAYS --json`", Drift),
        ),
    ),
    Section(
        "The service",
        (
            Printed("`serve --json`, once it has started", service.ServingJson),
            Printed("`jobs --json`", Job, True),
            Printed("`jobs --cancel ID --json`", service.CancelledJson),
            Printed("`jobs retry ID --json`", service.SubmittedJson),
            Printed("`keys --json`", ApiKey, True),
            Printed("`keys add --json`, `keys rotate --json`", service.NewKeyJson),
            Printed("`keys revoke --json`", service.RevokedJson),
            Printed("`audit --json`", AuditEntry, True),
        ),
    ),
    Section(
        "The knowledge graph",
        (
            Printed("`graph entity --json`", graph.NeighbourhoodJson),
            Printed("`graph entities --json`", graph.FoundEntitiesJson),
            Printed("`graph path --json`", graph.PathJson),
            Printed("`graph stats --json`", GraphStats),
            Printed("`graph build --json`", BuildReport),
            Printed("`graph build --estimate --json`", BuildEstimate),
            Printed("`graph export --json`", ExportReport),
            Printed("`graph merge --json` and `graph split --json`", Decided),
            Printed("The same with `--undo`", graph.UndoneJson),
            Printed("`graph merges --json`", Merges),
        ),
    ),
    Section(
        "Choosing models",
        (
            Printed("`models --json`", ConfiguredModels),
            Printed("`models find --json`", FoundServer, is_list=True),
            Printed("`models try --json`", ModelTrial, is_list=True),
        ),
    ),
    Section(
        "Keeping house",
        (
            Printed("`ask --kb A,B --json`", answers.NamedAnswerJson, True),
            Printed("`search --kb A,B --json`", documents.NamedSearchJson, True),
            Printed("`open DOCUMENT --json`", documents.OpenedJson),
            Printed("`kb list --json`", holdings.NamedHomeJson, True),
            Printed("`doctor --json`", holdings.HealthJson),
            Printed("`reindex --json`", holdings.ReindexedJson),
            Printed("`db create --json` and `db status --json`", SchemaChange),
            Printed("`migrate --json`", migration.MigrationJson),
            Printed("`migrate --dry-run --json`", MigrationPlan),
            Printed("`config show --json` has one of these under the dotted key of each setting", holdings.SettingJson),
            Printed("`config get --json`, and of a section by the dotted key of each setting", holdings.SettingJson),
            Printed("`config path --json`", holdings.SettingsFileJson),
            Printed("`config set --json`", holdings.ChangedSettingJson),
        ),
    ),
    Section(
        "Measuring and tuning",
        (
            Printed(
                "`eval retrieval`, `eval answers` and their like, also without `--json` where no terminal reads it, one line a set",
                evaluation.MeasuredJson,
            ),
            Printed("The file of `eval ... --save FILE`", evaluation.RunJson),
            Printed("`eval compare --json`", evaluation.ComparisonJson),
            Printed("`eval sweep --json`", evaluation.SweepJson, is_list=True),
            Printed("`eval tiers --json`, the first named first", evaluation.TierJson, is_list=True),
            Printed("`eval export --json`", evaluation.ExportedRunJson),
            Printed("`tune --json`", evaluation.TuningJson),
        ),
    ),
)


def write_reference() -> str:
    """The whole page, Markdown."""
    described: set[type[Any]] = {Place}
    place = [_write_block(make_example(Place)), *_write_fields(Place, "", set())]
    parts = [_INTRODUCTION, *place, ""]
    for section in SECTIONS:
        parts.append(f"## {section.title}\n")
        for printed in section.printed:
            parts += [*_write_shape(printed, described), ""]
        if section.prose:
            parts.append(section.prose)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).rstrip() + "\n"


def _write_shape(printed: Printed, described: set[type[Any]]) -> Iterator[str]:
    example = make_example(printed.shape)
    about = read_docstring(printed.shape)
    array = ", an array" if printed.is_list else ""
    yield f"{printed.commands}{array}: {about[0].lower()}{about[1:]}\n"
    yield _write_block([example] if printed.is_list else example)
    if printed.shape not in described:
        described.add(printed.shape)
        yield from _write_fields(printed.shape, "", described)


def _write_block(example: object) -> str:
    return f"```json\n{write_example(example)}\n```\n"


def write_example(value: object, indent: int = 0) -> str:
    """JSON on one line where that fits, else one level broken into lines."""
    line = json.dumps(value, ensure_ascii=False)
    if indent + len(line) <= WIDTH or not isinstance(value, (dict, list)) or not value:
        return line
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value).items()
        lines = [f"{inner}{json.dumps(key)}: {write_example(each, indent + 2)}" for key, each in pairs]
        return "{\n" + ",\n".join(lines) + f"\n{' ' * indent}}}"
    items = [f"{inner}{write_example(each, indent + 2)}" for each in cast("list[object]", value)]
    return "[\n" + ",\n".join(items) + f"\n{' ' * indent}]"


def _write_fields(shape: type[Any], path: str, described: set[type[Any]]) -> Iterator[str]:
    known = {name for base in shape.__mro__[1:] if base in described for name in base.__annotations__}
    for field in list_fields(shape):
        if field.attribute in known:
            continue
        where = f"{path}{field.name}"
        nested = find_nested_shapes(field.annotation)
        about = _describe_field(field, nested)
        if about:
            yield f"- `{where}`: {about}"
        for each in nested:
            if each not in described:
                described.add(each)
                yield from _write_fields(each, f"{where}.", described)


def _describe_field(field: FieldDescription, nested: list[type[Any]]) -> str:
    choices = _list_choices(field.annotation)
    listed = f"{', '.join(choices[:-1])} or {choices[-1]}." if 1 < len(choices) <= MOST_CHOICES else ""
    about = field.description or "".join(read_docstring(shape) for shape in nested if shape is not Place)
    return " ".join(part for part in (listed, about) if part)


def _list_choices(annotation: Any) -> list[str]:
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [f"`{each.value}`" for each in annotation]
    parts = typing.get_args(annotation)
    if typing.get_origin(annotation) is Literal:
        return [f"`{part}`" for part in parts]
    return [choice for part in parts for choice in _list_choices(part)]


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(write_reference(), encoding="utf-8")
