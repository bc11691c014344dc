"""What a writing model is told beside the sources: how bold to be, how long, how."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from ascertain.core.accounts import Account
from ascertain.core.plans import Asks
from ascertain.core.settings import AnswerSettings

Length = Literal["short", "medium", "long"]

GOOD, FAIR = 80, 60
"""Retrieval quality above which a writer may be bold, or fairly so (AN-3)."""

_BY_QUALITY = (
    (GOOD, "The sources fit the question well. Answer it fully and directly, with the specifics they give."),
    (
        FAIR,
        "The sources fit the question in part. Answer what they clearly support, and say in a sentence of its own what they "
        "leave open.",
    ),
    (
        -1,
        "The sources fit the question poorly. Say only what they state outright, as close to their words as you can; leave out "
        "everything else, even if that is most of the question.",
    ),
)

_LENGTHS: Mapping[Length, tuple[str, int]] = MappingProxyType(
    {
        "short": ("one or two sentences", 3),
        "medium": ("two to five sentences", 8),
        "long": ("five to twelve sentences", 20),
    }
)
"""What is asked for, and the number of sentences past which the rest is cut."""


def quality_guidance(quality: int) -> str:
    """The instructions for a retrieval of this quality, 0..100."""
    return next(text for above, text in _BY_QUALITY if quality > above)


def account_guidance(account: Account | None) -> str:
    """The instructions for sources that are all places naming one thing; empty for others."""
    if account is None:
        return ""
    if account.inquiry.asks is Asks.CONNECTION:
        return "The sources are the steps of the connection, in order: tell each step with what its source says, and no other."
    return (
        "The sources are places that name what is asked about, in groups that belong together. Keep their order, and give each that answers at "
        "least one sentence. Who says it, where and when is shown beside each sentence: leave it out."
    )


def style_guidance(settings: AnswerSettings) -> str:
    """Tone, length and language, a line each."""
    language = settings.language or "the language of the question"
    return (
        f"- Tone: {settings.tone}.\n- Length: {_LENGTHS[settings.length][0]}.\n"
        f"- Language: {language}; quotes stay in the language of their source."
    )


def most_sentences(settings: AnswerSettings) -> int:
    """Sentences of a written answer at most."""
    return _LENGTHS[settings.length][1]
