"""``ascertain eval``: mounts ``ascertain.evaluation``."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ascertain.cli.invocation import Invocation
from ascertain.cli.options import SharedOptions, grouped
from ascertain.core.passages import Strategy

if TYPE_CHECKING:
    from typing import Protocol

    from rich.console import Console

    from ascertain.core.settings import Settings

    class Measure(Protocol):
        """``evaluation.commands.eval_retrieval`` or ``eval_answers``."""

        def __call__(
            self,
            data: Path,
            sets: list[str],
            *,
            settings: Settings,
            out: Callable[[dict[str, object]], None],
            strategy: str | None,
            cache: Path | None,
            progress: Callable[[str], None] | None,
            remark: Callable[[str], None] | None,
        ) -> None:
            """Measure each set; ``out`` gets a row as soon as it is there."""
            ...


Data = Annotated[Path, typer.Option("--data", metavar="DIR", help="Folder of the evaluation sets.")]
Sets = Annotated[list[str], typer.Option("--set", metavar="NAME", help="A set in it; repeatable.")]
Legs = Annotated[
    Strategy | None,
    typer.Option("--strategy", help="Search by meaning, by words or both.  [default: hybrid]"),
]
Cache = Annotated[
    Path | None,
    typer.Option(
        "--cache", metavar="DIR", help="Keep document vectors here and take them from here next time."
    ),
]


def register(app: typer.Typer) -> None:
    """Mount the commands."""
    evaluation = typer.Typer(
        name="eval", help="Measure retrieval and answers on labelled sets.", rich_markup_mode=None
    )
    evaluation.command("retrieval")(retrieval)
    evaluation.command("answers")(answers)
    app.add_typer(evaluation)


@grouped
def retrieval(
    context: typer.Context,
    shared: SharedOptions,
    data: Data,
    sets: Sets,
    strategy: Legs = None,
    cache: Cache = None,
) -> None:
    """Measure retrieval: recall, nDCG, MRR and MAP of each set, one JSON object a line.

    A set is a folder with corpus.jsonl, queries.jsonl and qrels.tsv. It is indexed into a temporary home.

    \b
    Example:
      ascertain eval retrieval --data bench/ --set hotpot --set musique
    """
    from ascertain.evaluation.commands import eval_retrieval

    _measure(Invocation(context, shared), eval_retrieval, data, sets, strategy, cache)


@grouped
def answers(
    context: typer.Context,
    shared: SharedOptions,
    data: Data,
    sets: Sets,
    strategy: Legs = None,
    cache: Cache = None,
) -> None:
    """Measure answers: gold answers contained, exact citations, and abstention, one JSON object a line.

    \b
    Example:
      ascertain eval answers --data bench/ --set xquad_en
    """
    from ascertain.evaluation.commands import eval_answers

    _measure(Invocation(context, shared), eval_answers, data, sets, strategy, cache)


def _measure(
    invocation: Invocation,
    measure: Measure,
    data: Path,
    sets: list[str],
    strategy: Strategy | None,
    cache: Path | None,
) -> None:
    def remark(line: str) -> None:
        invocation.err.print(line, markup=False)

    settings = settings_for_a_set(invocation)
    chosen = strategy.value if strategy else None
    with show_status(invocation.err) as progress:
        measure(
            data,
            sets,
            settings=settings,
            out=invocation.emit,
            strategy=chosen,
            cache=cache,
            progress=progress,
            remark=remark,
        )


def settings_for_a_set(invocation: Invocation) -> Settings:
    """The settings in force for a knowledge base that is built to measure: in a folder, never on the server of the real one."""
    settings = invocation.settings().settings
    return settings.model_copy(update={"store": settings.store.in_folder()})


@contextmanager
def show_status(console: Console) -> Generator[Callable[[str], None] | None]:
    """A line that is written over and over, where somebody watches."""
    if not console.is_terminal:
        yield None
        return
    from rich.markup import escape

    with console.status("reading") as status:
        yield lambda line: status.update(escape(line))
