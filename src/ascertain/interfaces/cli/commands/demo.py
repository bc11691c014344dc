"""``ascertain demo``."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from ascertain.core.service.status import format_count
from ascertain.interfaces.cli.commands.documents.documents import print_failures
from ascertain.interfaces.cli.options import Invocation, SharedOptions, spread_options
from ascertain.interfaces.cli.printing import ingest_progress

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain
    from ascertain.app.demo import Demo


@spread_options
def run_demo(
    context: typer.Context,
    shared: SharedOptions,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the knowledge base in ./demo.kb, for more questions.")
    ] = False,
) -> None:
    """Build a small knowledge base and ask it.

    Six questions show what it can do; one of them cannot be answered.

    Everything is in the package; nothing is downloaded. Without --home or --keep it is deleted at the end.

    \b
    Examples:
      ascertain demo
      ascertain demo --home demo.kb
    """
    from ascertain.app.ascertain import Ascertain
    from ascertain.app.demo import read_demo

    invocation = Invocation(context, shared)
    corpus = read_demo()
    kept = invocation.options.home or (Path("demo.kb") if keep else None)
    with ExitStack() as stack:
        home = kept or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ascertain-demo-")))
        settings = invocation.settings({"home": home, "now": corpus.now}).settings
        if kept is None:
            settings = settings.model_copy(update={"store": settings.store.in_folder()})
        knowledge = stack.enter_context(Ascertain(settings))
        _build_corpus(invocation, knowledge, corpus)
        _ask_questions(invocation, knowledge, corpus)
    if not invocation.as_json:
        _print_next(invocation.out, kept, corpus)


def _build_corpus(invocation: Invocation, knowledge: Ascertain, corpus: Demo) -> None:
    from ascertain.app.demo import add_demo

    if not invocation.as_json:
        invocation.out.print(
            f"Reading the demo's documents. It pretends that today is {corpus.now:%-d %B %Y}.", markup=False
        )
    with ingest_progress(invocation.err) as listener:
        reports = add_demo(knowledge, corpus, listener)
    if not invocation.as_json:
        stats = knowledge.stats()
        seconds = sum(report.seconds for report in reports)
        invocation.out.print(
            f"{format_count(stats.documents, 'document')}, {format_count(stats.chunks, 'chunk')}, {seconds:.1f} s.",
            markup=False,
        )
    failures = [failure for report in reports for failure in report.failures]
    print_failures(invocation.err if invocation.as_json else invocation.out, failures)


def _ask_questions(invocation: Invocation, knowledge: Ascertain, corpus: Demo) -> None:

    from ascertain.interfaces.cli.answers import print_answer

    for number, question in enumerate(corpus.questions, 1):
        answer = knowledge.ask(question.text)
        if invocation.as_json:
            invocation.emit(answer)
            continue
        out = invocation.out
        out.print()
        out.print(Text(f"{number}. {question.text}", style="bold"))
        out.print(Text(question.shows, style="italic dim"))
        out.print()
        print_answer(out, answer, knowledge.document)


def _print_next(console: Console, kept: Path | None, corpus: Demo) -> None:
    day = f"{corpus.now:%Y-%m-%dT%H:%M}"
    if kept is not None:
        commands = (
            f'ascertain ask "what drives gas fees?" --home {kept} --as-of {day}',
            f'ascertain search "halving" --home {kept} --kind article',
            f"ascertain documents --home {kept}",
        )
    else:
        commands = (
            "ascertain demo --keep                       # the same, for more questions",
            "ascertain add PATH                          # your own files and folders",
            'ascertain ask "your question"',
        )
    console.print("\nNext:", style="bold")
    for command in commands:
        console.print(f"  {command}", markup=False)
