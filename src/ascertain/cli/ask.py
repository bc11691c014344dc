"""``ascertain ask``."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ascertain.cli.filters import build_filter, parse_moment
from ascertain.cli.invocation import Invocation
from ascertain.cli.options import FilterOptions, NewsOptions, RetrievalOptions, SharedOptions, grouped
from ascertain.core.errors import UsageError
from ascertain.core.filters import Filter

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain


def register(app: typer.Typer) -> None:
    """Mount the command."""
    app.command("ask")(ask)


@grouped
def ask(
    context: typer.Context,
    shared: SharedOptions,
    filters: FilterOptions,
    retrieval: RetrievalOptions,
    news: NewsOptions,
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
    conversation: Annotated[
        str | None,
        typer.Option("--conversation", metavar="ID", help="Go on with this conversation, or begin it."),
    ] = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="Show each step as it happens; with --json one event a line.")
    ] = False,
    trace: Annotated[
        bool, typer.Option("--trace", "--explain", help="Also print how the answer came about.")
    ] = False,
    no_cache: Annotated[
        bool,
        typer.Option("--no-cache", help="Make the answer anew, even to a question that was asked before."),
    ] = False,
) -> None:
    """Answer a question from the documents, or with --news from articles fetched for it.

    The answer is checked sentence by sentence against numbered citations. When nothing fits, it says what was searched. Where
    news.providers are set, the web is searched when the documents do not suffice (news.fallback).

    \b
    Examples:
      ascertain ask "how do refunds work?"
      ascertain ask "how is btc doing today?" --profile news --as-of 2024-12-05
      ascertain ask "what does the contract say on liability?" --source contracts/
      ascertain ask "and who signs it?" --conversation contracts --trace
      ascertain ask "what happened to bitcoin?" --news --time-range week
      ascertain ask --batch questions.jsonl > answers.jsonl
    """
    invocation = Invocation(context, shared)
    if (question is None) == (batch is None):
        raise UsageError('give either a question or --batch FILE: ascertain ask "how do refunds work?"')
    if batch is not None and (conversation is not None or stream):
        raise UsageError(
            "--batch takes neither --stream nor --conversation; a line of the file names its conversation_id"
        )
    is_new = news.news and conversation is None and batch is None
    conversation = uuid.uuid4().hex[:8] if is_new else conversation
    manner = Manner(build_filter(filters), retrieval, news, conversation, trace)
    as_of = parse_moment(retrieval.as_of, "--as-of") if retrieval.as_of is not None else None
    with invocation.open(as_of, {"cache.answers": False} if no_cache else None) as knowledge:
        if batch is not None:
            _ask_batch(invocation, knowledge, batch, manner)
        elif question is not None and stream:
            _ask_stream(invocation, knowledge, question, manner)
        elif question is not None:
            _ask_one(invocation, knowledge, question, manner)
        if is_new and not invocation.as_json and knowledge.documents(Filter(conversation_id=conversation)):
            invocation.err.print(
                f"Ask on about these articles with: --news --conversation {conversation}", style="dim"
            )


@dataclass(frozen=True, slots=True)
class Manner:
    """What was asked along with the question."""

    filter: Filter
    retrieval: RetrievalOptions
    news: NewsOptions
    conversation: str | None
    trace: bool


def _ask_one(invocation: Invocation, knowledge: Ascertain, question: str, manner: Manner) -> None:
    answer = knowledge.ask(
        question,
        strategy=manner.retrieval.strategy,
        filter=manner.filter,
        days_back=manner.retrieval.days_back,
        conversation_id=manner.conversation,
        **manner.news.asked,
    )
    if invocation.as_json:
        from ascertain.wire.answers import AnswerJson

        invocation.emit(AnswerJson.from_noun(answer))
        return
    from ascertain.cli.answers import print_answer

    print_answer(invocation.out, answer, knowledge.document, manner.trace)


def _ask_stream(invocation: Invocation, knowledge: Ascertain, question: str, manner: Manner) -> None:
    events = knowledge.ask_stream(
        question,
        strategy=manner.retrieval.strategy,
        filter=manner.filter,
        days_back=manner.retrieval.days_back,
        conversation_id=manner.conversation,
        **manner.news.asked,
    )
    if invocation.as_json:
        from ascertain.wire.answers import describe_event

        for event in events:
            invocation.emit(describe_event(event))
        return
    from ascertain.cli.streaming import print_stream

    print_stream(invocation, events, knowledge.document, manner.trace)


def _ask_batch(invocation: Invocation, knowledge: Ascertain, file: Path, manner: Manner) -> None:
    from ascertain.cli.batch import answer_all, read_questions
    from ascertain.cli.progress import counted_progress
    from ascertain.wire.answers import AnswerJson

    questions = read_questions(file, knowledge.check_question)
    retrieval = manner.retrieval
    # in a terminal the answers themselves are the progress; a bar would garble them
    with counted_progress(invocation.err, "asking", wanted=not invocation.out.is_terminal) as progress:
        task = progress.add_task("", total=len(questions)) if progress else None
        for answer in answer_all(
            knowledge,
            questions,
            strategy=retrieval.strategy,
            filter=manner.filter,
            days_back=retrieval.days_back,
            news=manner.news.asked,
        ):
            invocation.emit(AnswerJson.from_noun(answer))
            if progress and task is not None:
                progress.advance(task)
