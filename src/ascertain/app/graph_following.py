"""What an addition did to the graph, for its report; and the little that the graph had missed before, made up for in passing."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from ascertain.core.errors import AscertainError

if TYPE_CHECKING:
    from ascertain.app.opened import Opened
    from ascertain.graph.upkeep import GraphTally
    from ascertain.ingest.report import IngestReport

CAUGHT_UP_AT_ONCE = 200
"""Documents that are read beside those that are added: seconds, as after a kill. More are left to ``ascertain graph build``, so that adding
one file to what was filled without a graph does not take minutes."""


@contextmanager
def followed(opened: Opened, tenant: str) -> Generator[Followed]:
    """Documents of ``tenant`` are added in the context; the graph's part of it is told by what is given out."""
    with opened.graph.upkeep.tallied() as tally:
        yield Followed(opened, tenant, tally)


class Followed:
    """For one addition."""

    def __init__(self, opened: Opened, tenant: str, tally: GraphTally) -> None:
        self._opened = opened
        self._tenant = tenant
        self._tally = tally

    def told(self, report: IngestReport, *, catches_up: bool = False) -> IngestReport:
        """``report`` with what was read into the graph, and what was not and why.

        ``catches_up`` compares the graph with all documents of the tenant, whose hashes an addition of files and addresses asks for too.
        """
        from ascertain.ingest.report import GraphGain

        tally = self._tally
        own = GraphGain(tally.documents, len(tally.names), tally.mentions, tally.relations)
        late = self._catch_up() if catches_up and self._opened.graph.upkeep.reads else ()
        gain = report.graph if report.graph.documents else own
        return replace(
            report, graph=gain, notes=(*report.notes, *tally.notes, *self._opened.graph.upkeep.remarks, *late)
        )

    def _catch_up(self) -> tuple[str, ...]:
        """What is to be said of it; what was told before and is mended now is told no more."""
        from ascertain.graph.catching_up import catch_up, difference
        from ascertain.graph.upkeep import REMEDY

        opened, upkeep, problems = self._opened, self._opened.graph.upkeep, self._tally.problems
        told = dict(problems)
        try:
            found = difference(opened.store(), upkeep, self._tenant)
            small = replace(found, otherwise_read=())
            if len(found.untrue) > CAUGHT_UP_AT_ONCE:
                small = replace(small, missing=(), outdated=())
            done = catch_up(opened.store(), upkeep, self._tenant, small)
        except AscertainError as error:
            return () if told else (f"the graph could not be compared with the documents: {error}",)
        problems.clear()
        behind = len(found.untrue) - len(small.untrue)
        if done.left:
            problems.update(told)
        return (f"the graph lacks {behind:,} documents that are here; {REMEDY}",) if behind else ()
