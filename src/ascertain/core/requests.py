"""Requests: one question with everything that is asked along with it, from the interfaces to the workflow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, TypedDict, Unpack, cast

from ascertain.core.conversations import Turn
from ascertain.core.filters import Filter
from ascertain.core.passages import Strategy

Mode = Literal["documents", "news"]


class AskOptions(TypedDict, total=False):
    """What may be asked along with a question, by name; the fields of ``AskRequest`` say what each means."""

    strategy: Strategy | None
    filter: Filter
    days_back: int | None
    conversation_id: str | None
    history: Sequence[Turn] | None
    mode: Mode
    time_range: str | None
    max_articles: int | None
    max_chunks: int | None
    use_cache: bool
    answer_id: str


@dataclass(frozen=True, slots=True)
class AskRequest:
    """One question with everything that was asked along with it.

    ``days_back`` (1 to 365) restricts the dates, over what the words of the question say. With a ``conversation_id`` the question is a
    turn of that conversation: it is understood with the turns before it, and kept. ``history`` (oldest first) takes the place of what
    is kept; then nothing is kept (``keep`` is false).

    In mode ``news`` it is answered from articles fetched for its conversation, which is begun where none is named: ``max_articles``
    (1 to 100) of the ``time_range`` (any, day, week, month, year), both over the settings. ``max_chunks`` (1 to 50) is the number of
    passages an answer is written from. Without ``use_cache`` the answer is made anew even if it is known. ``answer_id`` names the
    answer, and is made up where it is empty.
    """

    question: str
    strategy: Strategy | None = None
    filter: Filter = Filter()
    days_back: int | None = None
    conversation_id: str | None = None
    history: tuple[Turn, ...] = ()
    mode: Mode = "documents"
    time_range: str | None = None
    max_articles: int | None = None
    max_chunks: int | None = None
    use_cache: bool = True
    answer_id: str = ""
    keep: bool = True

    @classmethod
    def of(cls, question: str, **options: Unpack[AskOptions]) -> Self:
        """The request of a question with options by name; a ``history`` that is given keeps it out of the conversation."""
        rest = cast("dict[str, Any]", options)
        history: Sequence[Turn] | None = rest.pop("history", None)
        return cls(question, history=tuple(history or ()), keep=history is None, **rest)

    @property
    def sets_dates(self) -> bool:
        """Whether the user restricted the dates beside the question."""
        return self.days_back is not None or self.filter.has_dates

    @property
    def material_id(self) -> str:
        """For which conversation fetched articles are kept; a question that is part of none has its own."""
        return self.conversation_id or self.answer_id
