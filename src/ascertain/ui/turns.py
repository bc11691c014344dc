"""The turns of a conversation as the page shows them: from the service, and the one just answered."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from ascertain.ui.problems import NotThere
from ascertain.ui.progress import Pending
from ascertain.ui.session import conversation_id, service
from ascertain.wire.answers import AnswerJson
from ascertain.wire.conversations import TurnJson

REASONS = {
    "failed": "This question failed",
    "interrupted": "The service ended while it worked on this question",
}


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and its answer; of old turns only the ``text`` of it is kept. ``thumb`` is what was thought of it, ``up`` or ``down``."""

    id: str
    question: str
    state: str
    reason: str
    text: str
    answer: AnswerJson | None
    thumb: str | None


def turns() -> list[Turn]:
    """Those of the conversation under way, kept between runs of the page until another is asked."""
    identifier = conversation_id()
    if identifier is None:
        return []
    kept = st.session_state.get("turns")
    if kept is None:
        kept = _fetched(identifier)
        st.session_state["turns"] = kept
    return kept


def forget_turns() -> None:
    """Ask the service anew next time."""
    st.session_state.pop("turns", None)


def taken_up(given: list[Turn]) -> Pending | None:
    """The question that the service still works on, to go on listening after a reload."""
    last = given[-1] if given else None
    if last is None or last.state != "running":
        return None
    return Pending(last.question, {}, answer_id=last.id)


def turn_of(given: TurnJson) -> Turn:
    """A turn as the service tells it."""
    return Turn(
        id=given.turn_id,
        question=given.question,
        state=given.state,
        reason=given.reason,
        text=given.answer or "",
        answer=given.whole,
        thumb=given.feedback.thumb if given.feedback else None,
    )


def _fetched(identifier: str) -> list[Turn]:
    try:
        return [turn_of(each) for each in service().turns(identifier)]
    except NotThere:
        return []
