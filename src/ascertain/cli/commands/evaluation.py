"""``ascertain eval`` and ``ascertain tune``."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from ascertain.cli.options import Invocation, SharedOptions, spread_options
from ascertain.core.passages import Strategy

if TYPE_CHECKING:
    from ascertain.core.settings import Settings
    from ascertain.evaluation.tuning import Behaviour, Tuning


Data = Annotated[Path, typer.Option("--data", metavar="DIR", help="Folder of the evaluation sets.")]
Sets = Annotated[list[str], typer.Option("--set", metavar="NAME", help="A set in it; repeatable.")]
Legs = Annotated[
    Strategy | None, typer.Option("--strategy", help="Search by meaning, by words or both.  [default: hybrid]")
]
Cache = Annotated[
    Path | None,
    typer.Option("--cache", metavar="DIR", help="Keep document vectors here and take them from here next time."),
]
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
    float,
    typer.Option("--certainty", metavar="SHARE", min=0.5, max=0.999, help="How sure to be that the risk is kept."),
]
Write = Annotated[bool, typer.Option("--write", help="Put the new values into ascertain.toml.")]
FitCache = Annotated[
    Path | None, typer.Option("--cache", metavar="DIR", help="Keep document vectors here and take them from here.")
]


@spread_options
def measure_retrieval(
    context: typer.Context, shared: SharedOptions, data: Data, sets: Sets, strategy: Legs = None, cache: Cache = None
) -> None:
    """Measure retrieval: recall, nDCG, MRR and MAP of each set, one JSON object a line.

    A set is a folder with corpus.jsonl, queries.jsonl and qrels.tsv. It is indexed into a temporary home.

    \b
    Example:
      ascertain eval retrieval --data bench/ --set hotpot --set musique
    """
    _measure_sets(Invocation(context, shared), "retrieval", data, sets, strategy, cache)


@spread_options
def measure_answers(
    context: typer.Context, shared: SharedOptions, data: Data, sets: Sets, strategy: Legs = None, cache: Cache = None
) -> None:
    """Measure answers: gold answers contained, exact citations, and abstention, one JSON object a line.

    \b
    Example:
      ascertain eval answers --data bench/ --set xquad_en
    """
    _measure_sets(Invocation(context, shared), "answers", data, sets, strategy, cache)


def _measure_sets(
    invocation: Invocation,
    what: Literal["retrieval", "answers"],
    data: Path,
    sets: list[str],
    strategy: Strategy | None,
    cache: Path | None,
) -> None:
    from ascertain.evaluation.commands import eval_answers, eval_retrieval

    measure = eval_retrieval if what == "retrieval" else eval_answers
    with _show_status(invocation.err) as progress:
        measure(
            data,
            sets,
            settings=_set_settings(invocation),
            out=invocation.emit,
            strategy=strategy.value if strategy else None,
            cache=cache,
            progress=progress,
            remark=partial(invocation.err.print, markup=False),
        )


def _set_settings(invocation: Invocation) -> Settings:
    """The settings in force, but for a knowledge base in a folder, never on the server of the real one."""
    settings = invocation.settings().settings
    return settings.model_copy(update={"store": settings.store.in_folder()})


@contextmanager
def _show_status(console: Console) -> Generator[Callable[[str], None] | None]:
    """A line that is written over and over, where somebody watches."""
    if not console.is_terminal:
        yield None
        return
    from rich.markup import escape

    with console.status("reading") as status:
        yield lambda line: status.update(escape(line))


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
    """Fit fusion weights and the rejection threshold to your own labelled questions.

    Without --write nothing is changed. "After" is cross-validated: measured on questions the values were not fitted on.

    \b
    Example:
      ascertain tune --set questions/ --risk 0.1 --write
    """
    from ascertain.evaluation.knowledge import Listener
    from ascertain.evaluation.tuning import Aim
    from ascertain.evaluation.tuning import tune_settings as fit

    invocation = Invocation(context, shared)
    with _show_status(invocation.err) as progress:
        listener = Listener(progress or (lambda _: None), partial(invocation.err.print, markup=False))
        tuning = fit(set, _set_settings(invocation), Aim(risk, certainty), cache, listener)
    file = _write_values(invocation, tuning) if write and tuning.values else None
    if invocation.as_json:
        from ascertain.wire.evaluation import TuningJson

        written = None if file is None else str(file)
        invocation.emit(TuningJson.model_validate(TuningJson.read_attributes(tuning, written=written)))
    else:
        for line in _tuning_lines(tuning, risk, certainty):
            typer.echo(line)
        typer.echo(_closing_line(tuning, file))


def _write_values(invocation: Invocation, tuning: Tuning) -> Path:
    from ascertain.app.settings_file import set_values
    from ascertain.core.settings.layers import CONFIG_NAME

    file, exists = invocation.settings_file()
    if not exists:
        file = invocation.settings().settings.home / CONFIG_NAME
    set_values(file, tuning.values)
    return file


def _tuning_lines(tuning: Tuning, risk: float, certainty: float) -> list[str]:
    lines: list[str] = []
    fusion, answers = tuning.fusion, tuning.answers
    if fusion:
        change = "new weights" if fusion.values else "the present weights are as good as any"
        scores = f"nDCG@10 {fusion.before:.3f} before, {fusion.after:.3f} after"
        lines.append(f"Retrieval, {fusion.questions} questions: {scores}; {change}.")
    if answers:
        lines.append(f"Answers, {answers.questions} questions, risk at most {risk:.0%} with {certainty:.0%} certainty:")
        lines.append(f"  before: {_describe_behaviour(answers.before)}")
        if answers.after is None or answers.bound is None:
            lines.append(
                "  no threshold keeps this risk: even the surest answers are wrong too often, or there are too few "
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
