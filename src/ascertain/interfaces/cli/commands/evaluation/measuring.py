"""``ascertain eval``: the commands that measure."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from ascertain.core.asking.passages import Strategy
from ascertain.core.errors import UsageError
from ascertain.interfaces.cli.options import Invocation, SharedOptions, spread_options
from ascertain.interfaces.cli.printing import print_table

if TYPE_CHECKING:
    from ascertain.app.wire.shape import JsonObject
    from ascertain.core.settings import Settings
    from ascertain.evaluation.commands import Order
    from ascertain.evaluation.sets.knowledge import Listener

Grouping = Literal["corpus", "type", "tag"]
JudgeKind = Literal["strings", "model"]


@dataclass(frozen=True, slots=True)
class QuestionOptions:
    """Where the questions come from."""

    golden: Annotated[
        Path | None,
        typer.Option(
            "--golden",
            metavar="FILE",
            help="A golden set, asked of the documents of --home; demo is the one that ships.",
        ),
    ] = None
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="Folder of the evaluation sets.  [default: a cache of yours]"),
    ] = None
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME", help="A set in it, or a public benchmark, which is downloaded; repeatable."
        ),
    ] = None
    strategy: Annotated[
        Strategy | None, typer.Option("--strategy", help="Search by meaning, by words or both.  [default: hybrid]")
    ] = None
    cache: Annotated[
        Path | None, typer.Option("--cache", metavar="DIR", help="Cache document vectors here for the next time.")
    ] = None


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How many questions are asked, and where the run is saved."""

    every: Annotated[
        int, typer.Option("--every", metavar="N", min=1, help="Ask every N-th question only, for a quick look.")
    ] = 1
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FILE", help="Save the run, for `eval compare`; a stopped run resumes from it."),
    ] = None


@spread_options
def measure_retrieval(context: typer.Context, shared: SharedOptions, source: QuestionOptions, run: RunOptions) -> None:
    """Measure retrieval: recall, precision, hit rate, nDCG, MRR and MAP of each set.

    One JSON object a line, or a table in a terminal.
    A set is a folder with corpus.jsonl, queries.jsonl and qrels.tsv, or a public benchmark by name: beir:NAME, hotpotqa, 2wiki,
    musique, squad, multihop-rag; :500 after the name, except for BEIR, takes 500 of its questions. It is indexed into a temporary home.

    \b
    Examples:
      ascertain eval retrieval --data bench/ --set hotpot --set musique
      ascertain eval retrieval --data bench/ --set hotpot --every 10 --save hybrid.json
      ascertain eval retrieval --set beir:scifact
      ascertain eval retrieval --golden demo
      ascertain eval retrieval --golden golden.jsonl --strategy keyword --save keyword.json
    """
    _measure_questions(Invocation(context, shared), "retrieval", source, run)


@spread_options
def measure_answers(context: typer.Context, shared: SharedOptions, source: QuestionOptions, run: RunOptions) -> None:
    """Measure answers: expected words contained, completeness, groundedness, exact citations, confidence, cost.

    One JSON object a line for each set, or a table in a terminal.

    \b
    Examples:
      ascertain eval answers --data bench/ --set xquad_en
      ascertain eval answers --data bench/ --set xquad_en --every 20 --save before.json
      ascertain eval answers --golden golden.jsonl --save before.json
    """
    _measure_questions(Invocation(context, shared), "answers", source, run)


@spread_options
def measure_abstention(context: typer.Context, shared: SharedOptions, source: QuestionOptions, run: RunOptions) -> None:
    """Measure whether unanswerable questions are declined, on questions marked answerable or not.

    \b
    Example:
      ascertain eval abstention --data bench/ --set nomiracl_en --every 5
    """
    _measure_questions(Invocation(context, shared), "abstention", source, run)


@spread_options
def measure_conversation(
    context: typer.Context, shared: SharedOptions, source: QuestionOptions, run: RunOptions
) -> None:
    """Measure answers to follow-ups: questions with earlier turns, asked with these.

    \b
    Example:
      ascertain eval conversation --data bench/ --set mtrag_un --every 5
    """
    _measure_questions(Invocation(context, shared), "conversation", source, run)


def _measure_questions(invocation: Invocation, kind: str, source: QuestionOptions, run: RunOptions) -> None:
    from ascertain.evaluation.commands import Order

    if source.golden is not None and source.data is not None:
        raise UsageError("give either --golden FILE or --data DIR with --set NAME")
    order = Order(
        kind,
        source.data,
        tuple(source.sets or ()),
        golden=source.golden,
        strategy=source.strategy,
        every=run.every,
        cache=source.cache,
    )
    _carry_out(invocation, order, run.save)


@spread_options
def measure_claims(
    context: typer.Context,
    shared: SharedOptions,
    run: RunOptions,
    sets: Annotated[list[str], typer.Option("--set", metavar="NAME", help="A set in it, or ragtruth; repeatable.")],
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="Folder of the sets of claims.  [default: a cache of yours]"),
    ] = None,
) -> None:
    """Measure the check of claims on claims that people judged.

    A set is a folder with claims.jsonl: _id, claim, evidence and label a line.

    \b
    Example:
      ascertain eval claims --data bench/ --set summedits --every 10
      ascertain eval claims --set ragtruth:200
    """
    from ascertain.evaluation.commands import Order

    _carry_out(Invocation(context, shared), Order("claims", data, tuple(sets), every=run.every), run.save)


@spread_options
def measure_asked(
    context: typer.Context,
    shared: SharedOptions,
    run: RunOptions,
    data: Annotated[Path, typer.Option("--data", metavar="DIR", help="Folder with questions.jsonl and corpora/.")],
    corpus: Annotated[
        list[str] | None, typer.Option("--corpus", metavar="NAME", help="Only questions on this corpus; repeatable.")
    ] = None,
    type: Annotated[
        list[str] | None, typer.Option("--type", metavar="TYPE", help="Only of this type or tag; repeatable.")
    ] = None,
    by: Annotated[Grouping, typer.Option("--by", help="Print a row for each corpus, type or tag.")] = "corpus",
    homes: Annotated[
        Path | None,
        typer.Option("--homes", metavar="DIR", help="Store the knowledge bases here.  [default: the temporary folder]"),
    ] = None,
    answers: Annotated[
        Path | None, typer.Option("--answers", metavar="FILE", help="Ask no questions: score the answers in this file.")
    ] = None,
    judge: Annotated[
        JudgeKind,
        typer.Option("--judge", help="Who judges answers: the strings alone, or also the configured chat model."),
    ] = "strings",
) -> None:
    """Measure answers to questions as people ask them: right, said first, short, from the right source and day.

    Each corpus is read once and cached by the content of its files, with the profile of its name if there is one, else
    with docs. docs/evaluation.md describes the format. Other inflections, numbers, units and dates count as the strings they
    stand for. With --judge model its verdicts are a separate figure, with its agreement with the strings (Cohen's kappa), and
    each question on which they differ is named.

    \b
    Examples:
      ascertain eval asked --data asked/dev
      ascertain eval asked --data asked/dev --corpus news --by type --save news.json
      ascertain eval asked --data asked/dev --answers answers.jsonl --judge model
    """
    from ascertain.evaluation.commands import Order

    order = Order(
        "asked",
        data,
        every=run.every,
        corpora=tuple(corpus or ()),
        types=tuple(type or ()),
        by=by,
        answers=answers,
        homes=homes,
        judge=judge,
    )
    _carry_out(Invocation(context, shared), order, run.save)


@spread_options
def run_suite(
    context: typer.Context,
    shared: SharedOptions,
    suite: Annotated[Path, typer.Argument(metavar="SUITE", help="A YAML file that lists what to measure.")],
    save: Annotated[
        Path | None, typer.Option("--save", metavar="DIR", help="Save each run there, as NAME.json.")
    ] = None,
    every: Annotated[
        int | None, typer.Option("--every", metavar="N", min=1, help="Ask every N-th question only, in all of them.")
    ] = None,
) -> None:
    """Measure everything in a suite, one after another.

    With --save a stopped suite resumes; finished parts are not measured again.

    \b
    Examples:
      ascertain eval run suite.yaml --save before/
      ascertain eval run suite.yaml --every 10
    """
    from ascertain.evaluation.sets.suites import read_suite

    invocation = Invocation(context, shared)
    for name, order in read_suite(suite, every).items():
        kept = None if save is None else save / f"{name}.json"
        if kept is not None and kept.exists():
            invocation.err.print(f"{name}: {kept} exists; delete it to measure again", markup=False)
            continue
        invocation.err.print(f"{name}: {order.kind}", markup=False)
        _carry_out(invocation, order, kept)


def _carry_out(invocation: Invocation, order: Order, save: Path | None) -> None:
    """Measure and print; say where the run is, and how to use it."""
    from ascertain.evaluation.commands import run_order

    settings = invocation.settings().settings
    with listen_in(invocation) as listener:
        show = partial(print_row, invocation)
        run_order(order, settings, partial(_settings_of_corpus, invocation), show, listener=listener, save=save)
    if save is not None:
        invocation.err.print(f"Saved in {save}; compare with: ascertain eval compare {save} OTHER", markup=False)


def _settings_of_corpus(invocation: Invocation, corpus: str, home: Path, now: datetime | None) -> Settings:
    """The settings for a corpus: with the profile of its name, or that for documentation, unless one is set."""
    from ascertain.core.settings.profiles import profile_names

    profile = corpus if corpus in profile_names() else "docs"
    given: dict[str, object] = {"home": home, "now": now, "cache.answers": False, "profile": profile}
    settings = invocation.settings(given).settings
    return settings.model_copy(update={"store": settings.store.in_folder()})


def print_row(invocation: Invocation, row: JsonObject) -> None:
    """A set's row on standard output: a table in a terminal, else JSON."""
    if invocation.as_json or not invocation.out.is_terminal:
        invocation.emit(row)
        return
    from ascertain.app.wire.evaluation import MeasuredJson

    measured = MeasuredJson.model_validate(row)
    invocation.out.print(f"{measured.set}: {measured.queries:,} questions", style="bold", markup=False)
    intervals = {name: f"{low:.3f} to {high:.3f}" for name, (low, high) in measured.intervals.items()}
    figures = ((n, "–" if v is None else f"{v:.3f}", intervals.get(n, "")) for n, v in measured.metrics.items())
    print_table(invocation.out, ("figure", "mean", "95 %"), figures)


def select_settings(invocation: Invocation) -> Settings:
    """The current settings, but for a knowledge base in a folder, never on the server of the real one."""
    settings = invocation.settings().settings
    return settings.model_copy(update={"store": settings.store.in_folder()})


@contextmanager
def listen_in(invocation: Invocation) -> Generator[Listener]:
    """Progress of a measurement, on standard error."""
    from ascertain.evaluation.commands import make_listener

    with show_status(invocation.err) as progress:
        yield make_listener(progress, partial(invocation.err.print, markup=False))


@contextmanager
def show_status(console: Console) -> Generator[Callable[[str], None] | None]:
    """A line that is rewritten, in a terminal."""
    if not console.is_terminal:
        yield None
        return
    from rich.markup import escape

    with console.status("reading") as status:
        yield lambda line: status.update(escape(line))
