"""``ascertain ask`` and ``ascertain search``."""

from __future__ import annotations

import json
import sys
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer
from rich.console import Console
from rich.text import Text

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import Document
from ascertain.core.errors import UsageError
from ascertain.interfaces.cli.charts import check_chart
from ascertain.interfaces.cli.options import (
    FilterOptions,
    Invocation,
    MaterialOptions,
    NewsOptions,
    RetrievalOptions,
    SharedOptions,
    ask_options,
    build_filter,
    spread_options,
)
from ascertain.interfaces.cli.printing import counted_progress, strip_control

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain
    from ascertain.core.asking.answers import Answer, Decision
    from ascertain.core.asking.passages import Passage
    from ascertain.core.asking.requests import AskOptions, Event, SearchResult

WORKING = {
    "cache": "looking for an earlier answer",
    "rewrite": "reading the question",
    "recall": "looking at the last answer",
    "plan": "planning",
    "parts": "answering each part",
    "join": "putting the answers together",
    "gather": "gathering every place that names it",
    "overview": "surveying the themes",
    "digest": "gathering the stories of the time",
    "reread": "looking beyond the documents quoted last",
    "document": "reading the document",
    "analyse": "reading every document of the period",
    "validate": "checking whether it is true",
    "research": "researching with several agents",
    "compute": "computing over the tables",
    "strategy": "choosing how to search",
    "expand": "wording it in other ways",
    "retrieve": "searching",
    "judge": "judging what was found",
    "switch": "changing the strategy",
    "refine": "rewording it",
    "undate": "looking without the dates",
    "classify": "seeing whether it is a new subject",
    "web": "searching the web",
    "generate": "writing",
    "check": "checking every claim",
    "evaluate": "evaluating the answer",
    "finish": "finishing",
}
Context = Literal["none", "neighbours", "parents"]


@dataclass(frozen=True, slots=True)
class BatchQuestion:
    """One line of the file."""

    question: str
    conversation_id: str | None


def read_questions(file: Path, check: Callable[[str], None]) -> list[BatchQuestion]:
    """All questions of ``file`` ("-" is standard input); UsageError names the first bad line.

    ``check`` raises UsageError for a question that cannot be asked. The whole file is read before the first question is
    asked. Blank lines are skipped.
    """
    name = "standard input" if str(file) == "-" else str(file)
    try:
        data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror}; --batch needs a file of JSON lines") from None
    questions = [
        _read_line(line, f"{name}:{number}", check)
        for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1)
        if line.strip()
    ]
    if not questions:
        raise UsageError(f'{name}: it has no questions; write one {{"question": "..."}} per line')
    return questions


def _read_line(line: bytes, where: str, check: Callable[[str], None]) -> BatchQuestion:
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "not UTF-8 text or nested too deeply"
        raise UsageError(f"{where}: not JSON ({reason}); each line is an object with a question") from None
    if not isinstance(value, dict):
        raise UsageError(f'{where}: not an object; write {{"question": "..."}}')
    fields = cast("dict[str, Any]", value)
    question, conversation = fields.get("question"), fields.get("conversation_id")
    if not isinstance(question, str):
        raise UsageError(f'{where}: "question" is missing or not a string')
    if conversation is not None and not isinstance(conversation, str):
        raise UsageError(f'{where}: "conversation_id" is not a string')
    try:
        check(question)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None
    return BatchQuestion(question, conversation)


def print_stream(
    invocation: Invocation, events: Iterable[Event], document: Callable[[str], Document | None], trace: bool = False
) -> Answer | None:
    """Show each step and the draft on standard error, and the answer, which it returns, on standard output."""
    from ascertain.interfaces.cli.answers import print_answer

    answer = follow_answer(invocation.err, events, with_steps=True)
    if answer is not None:
        print_answer(invocation.out, answer, document, trace)
    return answer


def follow_answer(err: Console, events: Iterable[Event], *, with_steps: bool) -> Answer | None:
    """The answer that ``events`` end in. Until then the current step is shown and below it, dimmed, the draft of a chat
    model; with ``with_steps`` a line stays for each finished step.
    """
    from ascertain.core.asking.requests import Done, DraftText, NodeFinished, NodeStarted

    answer: Answer | None = None
    step, draft = "", ""
    with err.status("", spinner="dots") as status:
        for event in events:
            if isinstance(event, NodeStarted):
                step = WORKING.get(event.node, event.node)
                status.update(show_working(step, draft, err.height))
            elif isinstance(event, DraftText):
                draft = ("" if event.is_new else draft) + event.text
                status.update(show_working(step, draft, err.height))
            elif isinstance(event, NodeFinished) and with_steps:
                _print_step(err, event.decisions)
            elif isinstance(event, Done):
                answer = event.answer
    return answer


def show_working(step: str, draft: str, height: int) -> Text:
    """The current step and the end of the draft, as much as a terminal of ``height`` lines can redraw."""
    lines = [strip_control(line) for line in draft.splitlines()]
    shown = "\n".join(lines[-max(1, height // 2) :])
    text = Text(step)
    return text.append(f" (a draft, not checked yet)\n{shown}", style="dim") if shown else text


def _print_step(console: Console, decisions: tuple[Decision, ...]) -> None:
    """The step's own decision, and any fallback or news provider inside it."""
    for decision in decisions:
        is_shown = decision.node == "provider" or decision.outcome.startswith("fell back")
        if decision is decisions[-1] or is_shown:
            if decision.node in {"finish", "greet", "reject"}:
                continue
            reason = f" ({decision.reason})" if decision.reason else ""
            console.print(strip_control(f"· {decision.node}: {decision.outcome}{reason}"), style="dim", markup=False)


@spread_options
def ask_question(
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
        str | None, typer.Option("--conversation", metavar="ID", help="Continue this conversation, or start it.")
    ] = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="Show each step as it happens; with --json one event a line.")
    ] = False,
    trace: Annotated[bool, typer.Option("--trace", "--explain", help="Also print how the answer came about.")] = False,
    chart: Annotated[
        Path | None,
        typer.Option(
            "--chart",
            metavar="FILE",
            help="Also draw the figures of the groups that were computed into FILE.svg or FILE.png.",
        ),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Answer again, even a question that was asked before.")
    ] = False,
) -> None:
    """Answer a question from the documents. With --news: from articles fetched for it.

    The answer is checked sentence by sentence against numbered citations. When nothing fits, it says what was searched.
    Where a reader found the words that answer, they are bold, or between ** without colour.
    In a terminal the draft of a chat model is shown, dimmed, while it is written; the checked answer replaces it.
    Questions for a count, a sum, a mean, the most, the least, or a figure for each group are computed over the tables of the documents.
    Where news.providers are set, the web is searched when the documents are not enough (news.fallback).

    \b
    Examples:
      ascertain ask "how do refunds work?"
      ascertain ask "how is btc doing today?" --profile news --as-of 2024-12-05
      ascertain ask "what does the contract say on liability?" --source contracts/
      ascertain ask "and who signs it?" --conversation contracts --trace
      ascertain ask "total revenue by product" --chart revenue.svg
      ascertain ask "what happened to bitcoin?" --news --time-range week
      ascertain ask "what do we know about caching?" --kb papers,notes
      ascertain ask --batch questions.jsonl > answers.jsonl
    """
    invocation = Invocation(context, shared)
    if (question is None) == (batch is None):
        raise UsageError('give either a question or --batch FILE: ascertain ask "how do refunds work?"')
    if batch is not None and (conversation is not None or stream or chart is not None):
        raise UsageError(
            "--batch takes neither --stream nor --chart nor --conversation; a line of the file names its conversation_id"
        )
    check_chart(chart)
    is_new = news.news and conversation is None and batch is None
    conversation = uuid.uuid4().hex[:8] if is_new else conversation
    options: AskOptions = {**ask_options(filters, retrieval, news), "conversation_id": conversation}
    arguments = {"cache.answers": False} if no_cache else None
    if invocation.list_bases():
        from ascertain.app.asking.several import ask_each
        from ascertain.interfaces.cli.commands.asking.several import print_answers

        if question is None or news.news or stream or chart is not None:
            raise UsageError(
                f"--kb {invocation.options.kb}: several knowledge bases take no --batch, --stream, --chart and --news"
            )
        with invocation.open_all(retrieval.moment, arguments) as bases:
            print_answers(invocation, ask_each(bases, question, **options), bases, trace)
        return
    with invocation.open(retrieval.moment, arguments) as knowledge:
        if batch is not None:
            _ask_batch(invocation, knowledge, batch, options)
        elif question is not None and stream:
            answer = _ask_stream(invocation, knowledge, question, options, trace=trace)
            _draw_answer(invocation, answer, chart)
        elif question is not None:
            answer = _ask_one(invocation, knowledge, question, options, trace=trace)
            _draw_answer(invocation, answer, chart)
        if is_new and not invocation.as_json and knowledge.documents(Filter(conversation_id=conversation)):
            invocation.err.print(f"Ask on about these articles with: --news --conversation {conversation}", style="dim")


def _draw_answer(invocation: Invocation, answer: Answer | None, chart: Path | None) -> None:
    """Draw the chart of a computed answer, and print where it is, or why there is none."""
    if chart is None or answer is None:
        return
    from ascertain.interfaces.cli.charts import draw_computation

    drawn = answer.computation is not None and draw_computation(answer.computation, answer.question, chart)
    line = f"Chart: {chart}" if drawn else "No chart: the answer has no figures of groups; ask for a figure per group."
    invocation.err.print(line, style="dim", markup=False)


def _ask_one(
    invocation: Invocation, knowledge: Ascertain, question: str, options: AskOptions, *, trace: bool
) -> Answer:
    from ascertain.interfaces.cli.answers import print_answer

    is_watched = invocation.err.is_terminal and invocation.out.is_terminal and not invocation.as_json
    if is_watched:
        events = knowledge.ask_stream(question, **{**options, "drafts": True})
        answer = follow_answer(invocation.err, events, with_steps=False)
        assert answer is not None
    else:
        answer = knowledge.ask(question, **options)
    invocation.present(answer, lambda out, given: print_answer(out, given, knowledge.document, trace))
    return answer


def _ask_stream(
    invocation: Invocation, knowledge: Ascertain, question: str, options: AskOptions, *, trace: bool
) -> Answer | None:
    from ascertain.core.asking.requests import Done, DraftText

    is_watched = invocation.err.is_terminal and not invocation.as_json
    events = knowledge.ask_stream(question, **{**options, "drafts": is_watched})
    if not invocation.as_json:
        return print_stream(invocation, events, knowledge.document, trace)
    from ascertain.app.wire.answers import describe_event

    answer: Answer | None = None
    for event in events:
        if isinstance(event, Done):
            answer = event.answer
        if not isinstance(event, DraftText):
            invocation.emit(describe_event(event))
    return answer


def _ask_batch(invocation: Invocation, knowledge: Ascertain, file: Path, options: AskOptions) -> None:
    """Answers in the order of the questions; those with a conversation id are stored as its turns."""
    questions = read_questions(file, knowledge.check_question)
    # in a terminal the answers themselves are the progress; a bar would garble them
    with counted_progress(invocation.err, "asking", wanted=not invocation.out.is_terminal) as bar:
        for number, question in enumerate(questions):
            if bar:
                bar.report_progress(number, len(questions))
            answer = knowledge.ask(question.question, **{**options, "conversation_id": question.conversation_id})
            invocation.emit(answer)


@spread_options
def search_passages(
    context: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for.")],
    shared: SharedOptions,
    filters: MaterialOptions,
    retrieval: RetrievalOptions,
    k: Annotated[int | None, typer.Option("--k", "-k", metavar="N", help="Passages to show.  [default: 10]")] = None,
    widen: Annotated[
        Context,
        typer.Option("--context", help="Show each passage with the chunks beside it, or with its parent chunk."),
    ] = "none",
) -> None:
    """Find passages, best first.

    Each with its score, its document and its place in the document.

    \b
    Examples:
      ascertain search "gas fees after the merge"
      ascertain search "ERR_TIMEOUT" --strategy keyword --k 3
      ascertain search "leap second" --context neighbours
      ascertain search "earnings" --kind article --since 2024-11-01
      ascertain search "what changed this week" --as-of 2024-12-05 --json
    """
    from ascertain.app.wire.documents import SearchJson
    from ascertain.interfaces.cli.answers import SNIPPET, print_confidence, print_passage

    invocation = Invocation(context, shared)
    selection = build_filter(filters)

    def search(knowledge: Ascertain) -> SearchResult:
        return knowledge.search(
            query, strategy=retrieval.strategy, k=k, filter=selection, days_back=retrieval.days_back, context=widen
        )

    def show(rank: int, passage: Passage) -> None:
        print_passage(invocation.out, rank, passage, SNIPPET if widen == "none" else None)

    if invocation.list_bases():
        from ascertain.app.asking.several import search_each
        from ascertain.interfaces.cli.commands.asking.several import print_found

        with invocation.open_all(retrieval.moment) as bases:
            print_found(invocation, search_each(bases, search), show, k)
        return
    with invocation.open(retrieval.moment) as knowledge:
        result = search(knowledge)
    if invocation.as_json:
        invocation.emit(SearchJson.from_noun(result))
        return
    for rank, passage in enumerate(result.passages, 1):
        show(rank, passage)
        invocation.out.print()
    print_confidence(invocation.out, result.confidence)
