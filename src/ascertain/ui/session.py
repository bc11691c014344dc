"""What the page keeps of one visitor: the service with its key, the conversation, the question under way."""

import os
import uuid

import streamlit as st

from ascertain.ui.client import Service
from ascertain.ui.launch import PageSettings

CONVERSATION = "conversation"
"""In the address of the page, so that a reload, a bookmark or a link goes on with it."""


def current_service() -> Service:
    """The service, with the key of the page's process or the one the visitor typed."""
    if "service" not in st.session_state:
        settings = PageSettings.of(os.environ)
        st.session_state["service"] = Service(settings.api_url, settings.key)
    return st.session_state["service"]


def use_key(key: str) -> None:
    """Talk to the service with this key for as long as the visit lasts."""
    st.session_state["service"] = Service(current_service().url, key.strip() or None)


def conversation_id() -> str | None:
    """The conversation under way; None before its first question."""
    return st.session_state.get(CONVERSATION)


def begin_visit() -> None:
    """Take the conversation from the address, once: pages of Streamlit drop it from the address when they change."""
    if CONVERSATION not in st.session_state:
        st.session_state[CONVERSATION] = st.query_params.get(CONVERSATION)


def keep_in_address() -> None:
    """Name the conversation in the address."""
    identifier = conversation_id()
    if identifier is None:
        st.query_params.pop(CONVERSATION, None)
    elif st.query_params.get(CONVERSATION) != identifier:
        st.query_params[CONVERSATION] = identifier


def go_to(identifier: str | None) -> None:
    """Another conversation, or a new one. A question under way there goes on at the service."""
    st.session_state[CONVERSATION] = identifier
    for forgotten in ("pending", "turns", "documents"):
        st.session_state.pop(forgotten, None)


def begin_conversation() -> str:
    """The conversation under way, begun when there is none."""
    if conversation_id() is None:
        st.session_state[CONVERSATION] = uuid.uuid4().hex
    identifier = conversation_id()
    assert identifier is not None
    return identifier
