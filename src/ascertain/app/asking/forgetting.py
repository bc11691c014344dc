"""Deleting conversations, and everything stored for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ascertain.app.adding.uploads import delete_with_files
from ascertain.app.asking.asking import forget_answers
from ascertain.core.asking.passages import Filter

if TYPE_CHECKING:
    from ascertain.app.container.container import Container
    from ascertain.app.jobs.desk import JobDesk


def forget_conversation(container: Container, tenant: str, jobs: JobDesk, conversation_id: str) -> int:
    """Delete a conversation with all that is stored for it; how many turns there were.

    The turns go last, so that an interrupted call can be completed.
    """
    jobs.forget(conversation_id)
    own, store = Filter(conversation_id=conversation_id, tenant=tenant), container.store()
    if store.documents(own):
        with container.changing(tenant):
            delete_with_files(lambda: container.service, store, own)
    turns = [turn.turn_id for turn in container.conversations.turns(conversation_id, tenant)]
    forget_answers(container, tenant, conversation_id, turns)
    return container.conversations.delete(conversation_id, tenant)


def take_back_turns(container: Container, tenant: str, conversation_id: str, turn_id: str) -> int:
    """See ``Ascertain.take_back``. Feedback on their answers stays: it was deliberate."""
    taken = container.conversations.take_back(conversation_id, turn_id, tenant)
    for each in taken:
        container.service.events.delete(each, tenant)
    return len(taken)
