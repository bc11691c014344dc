"""Conversations: what was said before a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Standalone:
    """A question that can be understood without the conversation.

    ``text`` is the question itself when it already stands alone; ``added`` are the words that the conversation gave.
    """

    text: str
    is_follow_up: bool
    added: tuple[str, ...] = ()
    reason: str = ""
