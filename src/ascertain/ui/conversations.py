"""The conversations beside the page: go on with one, begin another, delete one, see what was fetched for it."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from ascertain.core.answers import safe_link
from ascertain.core.status import format_count
from ascertain.ui.client import NotThere, ServiceProblem
from ascertain.ui.markup import format_ago, format_day, shorten_text, show_heading, show_note
from ascertain.ui.parts import show_rows
from ascertain.ui.session import conversation_id, current_service, go_to
from ascertain.ui.states import show_problem
from ascertain.wire.conversations import ConversationSummaryJson

SHOWN = 15
TITLE_CHARACTERS = 80


def show_conversations() -> None:
    """The list in the side bar."""
    if st.button("New conversation", icon=":material/edit_square:", width="stretch", key="new_conversation"):
        _go_to(None)
    try:
        known = current_service().conversations()
    except ServiceProblem:
        # the page itself says what is wrong
        return
    if not known:
        return
    show_heading("Conversations")
    opened, deleted = show_rows(
        [_conversation_row(each) for each in known[:SHOWN]],
        "Conversations",
        key="conversations",
        look="plain",
        opens=True,
        deletes="Delete this conversation",
    )
    if opened is not None and opened != conversation_id():
        _go_to(opened)
    if deleted is not None:
        _confirm_deletion(next((each for each in known if each.id == deleted), None))


@st.dialog("Delete this conversation?")
def _confirm_deletion(conversation: ConversationSummaryJson | None) -> None:
    if conversation is None:
        st.rerun()
    show_note(shorten_text(conversation.first_question, TITLE_CHARACTERS))
    try:
        fetched = current_service().conversation_sources(conversation.id)
    except ServiceProblem:
        fetched = []
    if fetched:
        st.caption(f"{format_count(len(fetched), 'document')} fetched for it alone will be deleted too.")
    with st.container(horizontal=True):
        if st.button("Delete", type="primary", key="delete_conversation_now"):
            _delete_conversation(conversation.id)
        if st.button("Keep it", key="keep_conversation"):
            st.rerun()


def show_fetched_sources() -> None:
    """What was fetched for the conversation under way, when anything was."""
    identifier = conversation_id()
    if identifier is None:
        return
    try:
        fetched = current_service().conversation_sources(identifier)
    except ServiceProblem:
        return
    if not fetched:
        return
    with st.expander(f"Fetched for this conversation ({len(fetched)})"):
        rows = [
            {
                "id": each.id,
                "title": each.title,
                "facts": [fact for fact in (format_day(each.published_at), safe_link(each.url)) if fact],
            }
            for each in fetched
        ]
        show_rows(rows, "Fetched for this conversation", key="fetched")


def _conversation_row(conversation: ConversationSummaryJson) -> dict[str, object]:
    return {
        "id": conversation.id,
        "title": shorten_text(conversation.first_question, TITLE_CHARACTERS) or conversation.id,
        "facts": [format_ago(conversation.last_used, datetime.now(UTC))],
        "is_current": conversation.id == conversation_id(),
    }


def _delete_conversation(identifier: str) -> None:
    try:
        current_service().delete_conversation(identifier)
    except NotThere:
        pass
    except ServiceProblem as problem:
        show_problem(problem)
        return
    if identifier == conversation_id():
        go_to(None)
    st.rerun()


def _go_to(identifier: str | None) -> None:
    go_to(identifier)
    st.switch_page(st.session_state["pages"]["chat"])
