"""Copying the conversations of one tenant from store to store, and comparing them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ascertain.app import checksums
from ascertain.core.conversations import TurnRecord, TurnState
from ascertain.stores.conversations import ConversationStore

KEPT_TURNS = 2**31 - 1
"""Whole answers kept of a conversation while it is copied: all that the source still has."""


@dataclass(slots=True)
class CopiedTurns:
    """``written`` turns; ``left_out`` names those that are being answered at this moment, as conversation and turn."""

    written: int = 0
    left_out: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


def copy_conversations(
    source: ConversationStore, target: ConversationStore, tenant: str, merge: bool
) -> CopiedTurns:
    """Bring every conversation of ``tenant`` to ``target``, with its times and states, in the order of their last use.

    What is equal is left alone, what lacks turns gets them, and one that differs is written anew; with ``merge`` its own turns
    stay. Turns that were interrupted become so at the target when it is closed.
    """
    copied = CopiedTurns()
    for summary in reversed(source.conversations(tenant)):
        turns = source.turns(summary.id, tenant)
        copied.left_out += [(summary.id, turn.turn_id) for turn in turns if turn.state is TurnState.RUNNING]
        ended = settled(turns)
        there = settled(target.turns(summary.id, tenant))
        if not merge and _digests(ended)[: len(there)] != _digests(there):
            target.delete(summary.id, tenant)
            there = []
        # one that came to nothing at the target may be a copy that was interrupted
        kept = {turn.turn_id for turn in there if turn.outcome or turn in ended}
        for turn in ended:
            if turn.turn_id not in kept:
                _write(target, summary.id, turn, tenant)
                copied.written += 1
    return copied


def conversation_digests(store: ConversationStore, tenant: str) -> dict[str, list[bytes]]:
    """The checksums of the turns of every conversation, running ones left out, by its id."""
    found = {
        summary.id: _digests(settled(store.turns(summary.id, tenant)))
        for summary in store.conversations(tenant)
    }
    return {conversation: turns for conversation, turns in found.items() if turns}


def settled(turns: Sequence[TurnRecord]) -> list[TurnRecord]:
    """The turns that nobody is answering."""
    return [turn for turn in turns if turn.state is not TurnState.RUNNING]


def _digests(turns: Sequence[TurnRecord]) -> list[bytes]:
    return [checksums.of_turn(turn) for turn in turns]


def _write(target: ConversationStore, conversation: str, turn: TurnRecord, tenant: str) -> None:
    target.begin(conversation, turn.turn_id, turn.question, turn.asked_at, tenant)
    if turn.outcome is not None:
        target.finish(conversation, turn.turn_id, turn.outcome, tenant)
    elif turn.state is TurnState.FAILED:
        target.fail(conversation, turn.turn_id, turn.reason, tenant)
