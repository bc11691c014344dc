"""``ascertain ask``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ascertain.cli.filters import build_filter, parse_moment
from ascertain.cli.invocation import Invocation
from ascertain.cli.options import FilterOptions, RetrievalOptions, SharedOptions, grouped
from ascertain.core.errors import UsageError

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain
    from ascertain.core.filters import Filter


def register(app: typer.Typer) -> None:
    """Mount the command."""
    app.command("ask")(ask)


@grouped
def ask(
    context: typer.Context,
    shared: SharedOptions,
    filters: FilterOptions,
    retrieval: RetrievalOptions,
    question: Annotated[str | None, typer.Argument(metavar="QUESTION", help="What to answer.")] = None,
    batch: Annotated[
        Path | None,
        typer.Option(
            "--batch",
            metavar="FILE",
            help='Answer each line {"question": ..., "conversation_id"?: ...} of FILE ("-" for standard input) '
            "by one JSON object a line, in the same order.",
        ),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Also print every decision taken.")] = False,
) -> None:
    """Answer a question from the documents.

    The answer is made of quoted sentences with numbered citations. When nothing fits, it says what was searched.

    \b
    Examples:
      ascertain ask "how do refunds work?"
      ascertain ask "how is btc doing today?" --profile news --as-of 2024-12-05
      ascertain ask "what does the contract say on liability?" --source contracts/
      ascertain ask --batch questions.jsonl > answers.jsonl
    """
    invocation = Invocation(context, shared)
    selection = build_filter(filters)
    as_of = parse_moment(retrieval.as_of, "--as-of") if retrieval.as_of is not None else None
    if (question is None) == (batch is None):
        raise UsageError('give either a question or --batch FILE: ascertain ask "how do refunds work?"')
    with invocation.open(as_of) as knowledge:
        if batch is not None:
            _ask_batch(invocation, knowledge, batch, selection, retrieval)
        elif question is not None:
            _ask_one(invocation, knowledge, question, selection, retrieval, explain)


def _ask_one(
    invocation: Invocation,
    knowledge: Ascertain,
    question: str,
    selection: Filter,
    retrieval: RetrievalOptions,
    explain: bool,
) -> None:
    answer = knowledge.ask(
        question,
        strategy=retrieval.strategy,
        filter=selection,
        days_back=retrieval.days_back,
        conversation_id=selection.conversation_id,
    )
    if invocation.as_json:
        from ascertain.app.json_shapes import answer_shape

        invocation.emit(answer_shape(answer))
        return
    from ascertain.cli.answers import print_answer

    print_answer(invocation.out, answer, knowledge.document, explain)


def _ask_batch(
    invocation: Invocation, knowledge: Ascertain, file: Path, selection: Filter, retrieval: RetrievalOptions
) -> None:
    from ascertain.app.json_shapes import answer_shape
    from ascertain.cli.batch import answer_all, read_questions
    from ascertain.cli.progress import counted_progress

    questions = read_questions(file, knowledge.check_question)
    # in a terminal the answers themselves are the progress; a bar would garble them
    with counted_progress(invocation.err, "asking", wanted=not invocation.out.is_terminal) as progress:
        task = progress.add_task("", total=len(questions)) if progress else None
        for answer in answer_all(
            knowledge, questions, strategy=retrieval.strategy, filter=selection, days_back=retrieval.days_back
        ):
            invocation.emit(answer_shape(answer))
            if progress and task is not None:
                progress.advance(task)
