"""``ascertain tune``: mounts ``ascertain.evaluation.tuning``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ascertain.cli.evaluation import settings_for_a_set, show_status
from ascertain.cli.invocation import Invocation
from ascertain.cli.options import SharedOptions, grouped

if TYPE_CHECKING:
    from ascertain.evaluation.tuning import Behaviour, Tuning

Folder = Annotated[
    Path,
    typer.Option(
        "--set", metavar="DIR", help="Labelled questions: corpus.jsonl, queries.jsonl and qrels.tsv."
    ),
]
Risk = Annotated[
    float,
    typer.Option(
        "--risk",
        metavar="SHARE",
        min=0.001,
        max=0.9,
        help="Share of wrong among the answers given that you accept.",
    ),
]
Certainty = Annotated[
    float,
    typer.Option(
        "--certainty", metavar="SHARE", min=0.5, max=0.999, help="How sure to be that the risk is kept."
    ),
]
Write = Annotated[bool, typer.Option("--write", help="Put the new values into ascertain.toml.")]
Cache = Annotated[
    Path | None,
    typer.Option("--cache", metavar="DIR", help="Keep document vectors here and take them from here."),
]


def register(app: typer.Typer) -> None:
    """Mount the command."""
    app.command("tune")(tune)


@grouped
def tune(
    context: typer.Context,
    shared: SharedOptions,
    set: Folder,
    risk: Risk = 0.1,
    certainty: Certainty = 0.9,
    write: Write = False,
    cache: Cache = None,
) -> None:
    """Fit fusion weights and the rejection threshold to your own labelled questions.

    Without --write nothing is changed. "After" is cross-validated: measured on questions the values were not fitted on.

    \b
    Example:
      ascertain tune --set questions/ --risk 0.1 --write
    """
    from ascertain.evaluation.knowledge import Listener
    from ascertain.evaluation.tuning import Aim
    from ascertain.evaluation.tuning import tune as fit

    invocation = Invocation(context, shared)

    def remark(line: str) -> None:
        invocation.err.print(line, markup=False)

    settings = settings_for_a_set(invocation)
    with show_status(invocation.err) as progress:
        listener = Listener(progress or (lambda _: None), remark)
        tuning = fit(set, settings, Aim(risk, certainty), cache, listener)
    file = _write(invocation, tuning) if write and tuning.values else None
    if invocation.as_json:
        invocation.emit(_shape(tuning, file))
    else:
        for line in _lines(tuning, risk, certainty):
            typer.echo(line)
        typer.echo(_closing(tuning, file))


def _write(invocation: Invocation, tuning: Tuning) -> Path:
    from ascertain.app.settings_file import set_values
    from ascertain.core.settings.layers import CONFIG_NAME

    file, exists = invocation.settings_file()
    if not exists:
        file = invocation.settings().settings.home / CONFIG_NAME
    set_values(file, tuning.values)
    return file


def _shape(tuning: Tuning, file: Path | None) -> dict[str, object]:
    from dataclasses import asdict

    return {**asdict(tuning), "values": tuning.values, "written": None if file is None else str(file)}


def _lines(tuning: Tuning, risk: float, certainty: float) -> list[str]:
    lines: list[str] = []
    fusion, answers = tuning.fusion, tuning.answers
    if fusion:
        change = "new weights" if fusion.values else "the present weights are as good as any"
        lines.append(
            f"Retrieval, {fusion.questions} questions: nDCG@10 {fusion.before:.3f} before, {fusion.after:.3f} after; {change}."
        )
    if answers:
        lines.append(
            f"Answers, {answers.questions} questions, risk at most {risk:.0%} with {certainty:.0%} certainty:"
        )
        lines.append(f"  before: {_told(answers.before)}")
        if answers.after is None or answers.bound is None:
            lines.append(
                "  no threshold keeps this risk: even the surest answers are wrong too often, or there are too few "
                "questions to tell. Raise --risk or label more."
            )
        else:
            lines.append(f"  after:  {_told(answers.after)}")
            lines.append(f"  on all questions together the risk is at most {answers.bound:.1%}")
    lines += [f"{key} = {value:g}" for key, value in tuning.values.items()]
    return lines


def _told(behaviour: Behaviour) -> str:
    risk = "none" if behaviour.risk is None else f"{behaviour.risk:.1%} of them wrong"
    error = behaviour.calibration_error
    off = "" if error is None else f"; confidence off by {100 * error:.0f} points"
    return f"{behaviour.coverage:.1%} answered, {risk}{off}"


def _closing(tuning: Tuning, file: Path | None) -> str:
    if file is not None:
        return f"Written to {file}."
    return (
        "Nothing written; --write puts these values into ascertain.toml."
        if tuning.values
        else "Nothing to change."
    )
