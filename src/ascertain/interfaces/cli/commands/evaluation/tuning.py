"""``ascertain tune``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ascertain.interfaces.cli.commands.evaluation.measuring import select_settings, show_status
from ascertain.interfaces.cli.options import Invocation, SharedOptions, spread_options

if TYPE_CHECKING:
    from ascertain.app.choosing.settings_file import TomlValue
    from ascertain.evaluation.experiments.tuning import Behaviour, Tuning

Folder = Annotated[
    Path, typer.Option("--set", metavar="DIR", help="Labelled questions: corpus.jsonl, queries.jsonl and qrels.tsv.")
]
Risk = Annotated[
    float,
    typer.Option(
        "--risk", metavar="SHARE", min=0.001, max=0.9, help="Share of wrong among the answers given that you accept."
    ),
]
Certainty = Annotated[
    float, typer.Option("--certainty", metavar="SHARE", min=0.5, max=0.999, help="How certain the risk limit must be.")
]
Write = Annotated[bool, typer.Option("--write", help="Put the new values into ascertain.toml.")]
FitCache = Annotated[Path | None, typer.Option("--cache", metavar="DIR", help="Cache document vectors here.")]


@spread_options
def tune_settings(
    context: typer.Context,
    shared: SharedOptions,
    set: Folder,
    risk: Risk = 0.1,
    certainty: Certainty = 0.9,
    write: Write = False,
    cache: FitCache = None,
) -> None:
    """Fit weights and the threshold to your labelled questions.

    Without --write nothing is changed. "After" is cross-validated: measured on questions the values were not fitted on.

    \b
    Example:
      ascertain tune --set questions/ --risk 0.1 --write
    """
    from ascertain.evaluation.experiments.tuning import Aim
    from ascertain.evaluation.experiments.tuning import tune_settings as fit
    from ascertain.evaluation.sets.knowledge import Listener

    invocation = Invocation(context, shared)
    with show_status(invocation.err) as progress:
        listener = Listener(progress or (lambda _: None), partial(invocation.err.print, markup=False))
        tuning = fit(set, select_settings(invocation), Aim(risk, certainty), cache, listener)
    file = write_values(invocation, tuning.values) if write and tuning.values else None
    if invocation.as_json:
        from ascertain.app.wire.evaluation import TuningJson

        written = None if file is None else str(file)
        invocation.emit(TuningJson.model_validate(TuningJson.read_attributes(tuning, written=written)))
    else:
        for line in _tuning_lines(tuning, risk, certainty):
            typer.echo(line)
        typer.echo(_closing_line(tuning, file))


def write_values(invocation: Invocation, values: Mapping[str, TomlValue]) -> Path:
    """Write settings into the current file, or into a new one in the home; returns which."""
    from ascertain.app.choosing.settings_file import set_values
    from ascertain.core.settings.layers import CONFIG_NAME

    file, exists = invocation.settings_file()
    if not exists:
        file = invocation.settings().settings.home / CONFIG_NAME
    set_values(file, values)
    return file


def _tuning_lines(tuning: Tuning, risk: float, certainty: float) -> list[str]:
    lines: list[str] = []
    fusion, answers = tuning.fusion, tuning.answers
    if fusion:
        change = "new weights" if fusion.values else "the current weights are as good as any"
        scores = f"nDCG@10 {fusion.before:.3f} before, {fusion.after:.3f} after"
        lines.append(f"Retrieval, {fusion.questions} questions: {scores}; {change}.")
    if answers:
        lines.append(f"Answers, {answers.questions} questions, risk at most {risk:.0%} with {certainty:.0%} certainty:")
        lines.append(f"  before: {_describe_behaviour(answers.before)}")
        if answers.after is None or answers.bound is None:
            lines.append(
                "  no threshold meets this risk: even the most confident answers are wrong too often, or there are too few "
                "questions to tell. Raise --risk or label more."
            )
        else:
            lines.append(f"  after:  {_describe_behaviour(answers.after)}")
            lines.append(f"  on all questions together the risk is at most {answers.bound:.1%}")
    lines += [f"{key} = {value:g}" for key, value in tuning.values.items()]
    return lines


def _describe_behaviour(behaviour: Behaviour) -> str:
    risk = "none" if behaviour.risk is None else f"{behaviour.risk:.1%} of them wrong"
    error = behaviour.calibration_error
    off = "" if error is None else f"; confidence off by {100 * error:.0f} points"
    return f"{behaviour.coverage:.1%} answered, {risk}{off}"


def _closing_line(tuning: Tuning, file: Path | None) -> str:
    if file is not None:
        return f"Written to {file}."
    return "Nothing written; --write puts these values into ascertain.toml." if tuning.values else "Nothing to change."
