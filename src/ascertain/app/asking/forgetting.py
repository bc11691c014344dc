"""Deleting a conversation, and everything stored for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ascertain.app.adding.uploads import delete_with_files
from ascertain.app.asking.asking import forget_answers
from ascertain.app.jobs.jobs import forget_jobs
from ascertain.core.asking.passages import Filter

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain


def forget_conversation(knowledge: Ascertain, conversation_id: str) -> int:
    """See ``Ascertain.delete_conversation``. The turns go last, so that an interrupted call can be completed."""
    forget_jobs(knowledge, conversation_id)
    own = Filter(conversation_id=conversation_id, tenant=knowledge.tenant)
    store = knowledge.opened.store()
    if store.documents(own):
        with knowledge.parts.changing():
            delete_with_files(lambda: knowledge.service, store, own)
    turns = [turn.turn_id for turn in knowledge.conversation(conversation_id)]
    forget_answers(knowledge.opened, knowledge.tenant, conversation_id, turns)
    return knowledge.opened.conversations().delete(conversation_id, knowledge.tenant)


def take_back_turns(knowledge: Ascertain, conversation_id: str, turn_id: str) -> int:
    """See ``Ascertain.take_back``. Feedback on their answers stays: it was deliberate."""
    taken = knowledge.opened.conversations().take_back(conversation_id, turn_id, knowledge.tenant)
    for each in taken:
        knowledge.service.events.delete(each, knowledge.tenant)
    return len(taken)
