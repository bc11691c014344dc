"""The conversations beside the page: go on with one, begin another, delete one, see what was fetched for it."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from ascertain.ui.markup import show_heading, show_muted
from ascertain.ui.parts import show_rows
from ascertain.ui.problems import NotThere, ServiceProblem
from ascertain.ui.session import conversation_id, go_to, service
from ascertain.ui.source_view import safe_link
from ascertain.ui.states import show_problem
from ascertain.ui.wording import ago, count, day, shortened
from ascertain.wire.conversations import ConversationSummaryJson

SHOWN = 15
TITLE_CHARACTERS = 80


def show_conversations() -> None:
    """The list in the side bar."""
    if st.button("New conversation", icon=":material/edit_square:", width="stretch", key="new_conversation"):
        _go(None)
    try:
        known = service().conversations()
    except ServiceProblem:
        # the page itself says what is wrong
        return
    if not known:
        return
    show_heading("Conversations")
    opened, deleted = show_rows(
        [_row(each) for each in known[:SHOWN]],
        "Conversations",
        key="conversations",
        look="plain",
        opens=True,
        deletes="Delete this conversation",
    )
    if opened is not None and opened != conversation_id():
        _go(opened)
    if deleted is not None:
        _confirm_deletion(next((each for each in known if each.id == deleted), None))


@st.dialog("Delete this conversation?")
def _confirm_deletion(conversation: ConversationSummaryJson | None) -> None:
    if conversation is None:
        st.rerun()
    show_muted(shortened(conversation.first_question, TITLE_CHARACTERS))
    try:
        fetched = service().conversation_sources(conversation.id)
    except ServiceProblem:
        fetched = []
    if fetched:
        st.caption(f"{count(len(fetched), 'document')} fetched for it alone will be deleted too.")
    with st.container(horizontal=True):
        if st.button("Delete", type="primary", key="delete_conversation_now"):
            _delete(conversation.id)
        if st.button("Keep it", key="keep_conversation"):
            st.rerun()


def show_fetched() -> None:
    """What was fetched for the conversation under way, when anything was."""
    identifier = conversation_id()
    if identifier is None:
        return
    try:
        fetched = service().conversation_sources(identifier)
    except ServiceProblem:
        return
    if not fetched:
        return
    with st.expander(f"Fetched for this conversation ({len(fetched)})"):
        rows = [
            {
                "id": each.id,
                "title": each.title,
                "facts": [fact for fact in (day(each.published_at), safe_link(each.url)) if fact],
            }
            for each in fetched
        ]
        show_rows(rows, "Fetched for this conversation", key="fetched")


def _row(conversation: ConversationSummaryJson) -> dict[str, object]:
    return {
        "id": conversation.id,
        "title": shortened(conversation.first_question, TITLE_CHARACTERS) or conversation.id,
        "facts": [ago(conversation.last_used, datetime.now(UTC))],
        "is_current": conversation.id == conversation_id(),
    }


def _delete(identifier: str) -> None:
    try:
        service().delete_conversation(identifier)
    except NotThere:
        pass
    except ServiceProblem as problem:
        show_problem(problem)
        return
    if identifier == conversation_id():
        go_to(None)
    st.rerun()


def _go(identifier: str | None) -> None:
    go_to(identifier)
    st.switch_page(st.session_state["pages"]["chat"])
