"""``ascertain conversations``: what was asked before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from ascertain.cli.invocation import Invocation
from ascertain.cli.options import SharedOptions, grouped
from ascertain.cli.tables import print_table
from ascertain.cli.text import count, date, printable
from ascertain.core.errors import UsageError

if TYPE_CHECKING:
    from ascertain.app.results import ConversationSummary, TurnRecord


def register(app: typer.Typer) -> None:
    """Mount the command."""
    app.command("conversations")(conversations)


@grouped
def conversations(
    context: typer.Context,
    shared: SharedOptions,
    conversation: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="Show the turns of this conversation.")
    ] = None,
    delete: Annotated[bool, typer.Option("--delete", help="Delete the conversation ID.")] = False,
) -> None:
    """List the conversations, show the turns of one, or delete it.

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
            raise UsageError(
                f"there is no conversation {conversation!r}; `ascertain conversations` lists them"
            )
        if delete:
            deleted = knowledge.delete_conversation(conversation)
            _say_deleted(invocation, conversation, deleted)
        else:
            _print_turns(invocation, conversation, turns)


def _print_all(invocation: Invocation, summaries: Sequence[ConversationSummary]) -> None:
    if invocation.as_json:
        from ascertain.wire.conversations import ConversationSummaryJson

        invocation.emit([ConversationSummaryJson.from_noun(summary) for summary in summaries])
    elif summaries:
        rows = [(s.id, str(s.turns), date(s.last_used), s.first_question) for s in summaries]
        print_table(invocation.out, ("id", "turns", "last used", "first question"), rows, elastic=3)
    else:
        invocation.err.print("no conversations yet; begin one: ascertain chat")


def _print_turns(invocation: Invocation, conversation: str, turns: Sequence[TurnRecord]) -> None:
    if invocation.as_json:
        from ascertain.wire.conversations import BriefConversationJson, BriefTurnJson

        told = [BriefTurnJson.from_noun(turn) for turn in turns]
        invocation.emit(BriefConversationJson(id=conversation, turns=told))
        return
    for turn in turns:
        invocation.out.print(Text(f"{date(turn.asked_at)}  {printable(turn.question)}", style="bold"))
        said = turn.outcome.text if turn.outcome else f"({turn.state.value}: {turn.reason})"
        invocation.out.print(Text(printable(said)))
        invocation.out.print()


def _say_deleted(invocation: Invocation, conversation: str, turns: int) -> None:
    if invocation.as_json:
        from ascertain.wire.documents import DeletedJson

        invocation.emit(DeletedJson(deleted=turns))
    else:
        invocation.out.print(f"Deleted {count(turns, 'turn')} of {printable(conversation)}.", markup=False)
