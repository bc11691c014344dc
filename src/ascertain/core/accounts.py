"""Accounts: every place that names something, gathered and grouped, to be quoted one by one.

An ordinary answer rests on the best few passages; an account on all of them, of which it shows some and counts the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ascertain.core.filters import Filter
from ascertain.core.passages import Passage
from ascertain.core.plans import Inquiry


@dataclass(frozen=True, slots=True)
class Group:
    """Places that belong together: of one speaker in one episode, of one document, of one step of a path.

    ``label`` says of what, as in ``Tyler Cowen (Episode 143)``. ``passages`` are narrowed to the sentences to be quoted, in reading order;
    ``more`` further places of the group are not shown.
    """

    label: str
    passages: tuple[Passage, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Account:
    """``places`` counts all places that were found, shown or not, ``documents`` and ``speakers`` where and by whom; ``hidden_groups`` are left out whole.

    With ``is_complete`` false there may be more than were counted. ``sureness`` is how surely these are places that name what was asked
    for, 0..100. ``sources`` are the passages as they are stored, ``filter`` what they were found under, ``how`` a line for people.
    """

    inquiry: Inquiry
    groups: tuple[Group, ...]
    places: int
    documents: int
    speakers: int
    hidden_groups: int
    is_complete: bool
    sureness: int
    sources: tuple[Passage, ...]
    filter: Filter
    how: str

    @property
    def passages(self) -> tuple[Passage, ...]:
        """What is quoted, in reading order."""
        return tuple(self._each())

    @property
    def shown(self) -> int:
        """How many places are quoted."""
        return len({(each.chunk.document_id, each.chunk.span) for each in self._each()})

    def _each(self) -> Iterator[Passage]:
        for group in self.groups:
            yield from group.passages
