"""``ascertain conversations`` and ``ascertain feedback``: earlier questions, and feedback on answers."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from ascertain.core.errors import UsageError
from ascertain.core.service.status import format_count
from ascertain.interfaces.cli.options import Invocation, SharedOptions, spread_options
from ascertain.interfaces.cli.printing import format_date, print_table, strip_control

if TYPE_CHECKING:
    from ascertain.core.asking.feedback import Drift, FeedbackSummary
    from ascertain.core.asking.requests import ConversationSummary, TurnRecord


@spread_options
def list_conversations(
    context: typer.Context,
    shared: SharedOptions,
    conversation: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="Show the turns of this conversation.")
    ] = None,
    delete: Annotated[bool, typer.Option("--delete", help="Delete the conversation ID.")] = False,
) -> None:
    """List conversations, show the turns of one, or delete it.

    \b
    Examples:
      ascertain conversations
      ascertain conversations budget-2026
      ascertain conversations budget-2026 --delete
    """
    invocation = Invocation(context, shared)
    if delete and conversation is None:
        raise UsageError("--delete needs the ID of a conversation; `ascertain conversations` lists them")
    with invocation.open() as knowledge:
        if conversation is None:
            _print_all(invocation, knowledge.conversations())
            return
        turns = knowledge.conversation(conversation)
        if not turns:
            raise UsageError(f"there is no conversation {conversation!r}; `ascertain conversations` lists them")
        if delete:
            deleted = knowledge.delete_conversation(conversation)
            _report_deletion(invocation, conversation, deleted)
        else:
            _print_turns(invocation, conversation, turns)


def _print_all(invocation: Invocation, summaries: Sequence[ConversationSummary]) -> None:
    if invocation.as_json:
        from ascertain.app.wire.conversations import ConversationSummaryJson

        invocation.emit([ConversationSummaryJson.from_noun(summary) for summary in summaries])
    elif summaries:
        rows = [(s.id, str(s.turns), format_date(s.last_used), s.first_question) for s in summaries]
        print_table(invocation.out, ("id", "turns", "last used", "first question"), rows, elastic=3)
    else:
        invocation.err.print("no conversations yet; start one: ascertain chat")


def _print_turns(invocation: Invocation, conversation: str, turns: Sequence[TurnRecord]) -> None:
    if invocation.as_json:
        from ascertain.app.wire.conversations import BriefConversationJson, BriefTurnJson

        brief_turns = [BriefTurnJson.from_noun(turn) for turn in turns]
        invocation.emit(BriefConversationJson(id=conversation, turns=brief_turns))
        return
    for turn in turns:
        invocation.out.print(Text(f"{format_date(turn.asked_at)}  {strip_control(turn.question)}", style="bold"))
        said = turn.outcome.text if turn.outcome else f"({turn.state.value}: {turn.reason})"
        invocation.out.print(Text(strip_control(said)))
        invocation.out.print()


def _report_deletion(invocation: Invocation, conversation: str, turns: int) -> None:
    if invocation.as_json:
        from ascertain.app.wire.documents import DeletedJson

        invocation.emit(DeletedJson(deleted=turns))
    else:
        invocation.out.print(f"Deleted {format_count(turns, 'turn')} of {strip_control(conversation)}.", markup=False)


class Thumb(StrEnum):
    """Thumbs."""

    UP = "up"
    DOWN = "down"


@spread_options
def give_feedback(
    context: typer.Context,
    shared: SharedOptions,
    answer_id: Annotated[str, typer.Argument(metavar="ANSWER_ID", help="The `id` of `ask --json` and `ask --trace`.")],
    thumb: Annotated[Thumb, typer.Argument(metavar="up|down", help="Good or bad.")],
    comment: Annotated[str, typer.Option("--comment", metavar="TEXT", help="Why.")] = "",
) -> None:
    """Give feedback on an answer. Later feedback replaces earlier.

    `ascertain stats --feedback` shows which way of searching satisfies which kind of question.

    \b
    Examples:
      ascertain feedback 5b1f0c8e2d914b7a9c3e6f7a8b9c0d1e up
      ascertain feedback 5b1f0c8e2d914b7a9c3e6f7a8b9c0d1e down --comment "it is about another bridge"
    """
    from ascertain.app.wire.conversations import FeedbackJson

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        given = knowledge.feedback(answer_id, thumb.value, comment)
    if invocation.as_json:
        invocation.emit(FeedbackJson.from_noun(given))
    else:
        invocation.out.print(f"Noted: {thumb.value}, for “{strip_control(given.question)}”.", markup=False)


def print_summary(invocation: Invocation, summary: FeedbackSummary) -> None:
    """One line for each kind of question and way of searching."""
    if invocation.as_json:
        invocation.emit(summary)
        return
    if not summary.rows:
        invocation.err.print("there is no feedback yet; give some: ascertain feedback ANSWER_ID up", markup=False)
        return
    rows = [
        (
            row.question_kind or "(not known)",
            row.strategy,
            f"{row.judged:,}",
            f"{row.share:.0%}",
            f"{row.low:.0%} to {row.high:.0%}",
        )
        for row in summary.rows
    ]
    columns = ("question", "strategy", "judged", "up", "95 % interval")
    print_table(invocation.out, columns, rows)


def print_drift(invocation: Invocation, drift: Drift) -> None:
    """The figures of both periods, those that changed marked, and the questions without an answer by theme."""
    if invocation.as_json:
        invocation.emit(drift)
        return
    periods = (drift.earlier, drift.recent)
    rows = [("answers", *(f"{period.answers:,}" for period in periods), "")]
    for name in ("confidence", "declined", "up"):
        scale, unit = (1, "") if name == "confidence" else (100, "%")
        figures = [getattr(period, name) for period in periods]
        values = (
            "–" if f.value is None else f"{f.value * scale:.0f}{unit} ({f.low * scale:.0f} to {f.high * scale:.0f})"
            for f in figures
        )
        rows.append((name, *values, "moved" if name in drift.moved else ""))
    columns = ("figure (95 %)", "before", f"since {drift.recent.begin:%Y-%m-%d}", "")
    print_table(invocation.out, columns, rows)
    for theme in drift.unanswered:
        invocation.out.print(f"\nWithout an answer: {theme.word} ({len(theme.questions)})", markup=False)
        for question in theme.questions[:5]:
            invocation.out.print(f"  {strip_control(question)}", markup=False)
