"""The examination behind ``ascertain doctor`` for a store on PostgreSQL."""

from __future__ import annotations

from ascertain.stores.generations import Generation
from ascertain.stores.ports import HealthReport
from ascertain.stores.postgres.connections import Connections


class Examination:
    """Compares what is derived with the record of one schema."""

    def __init__(self, connections: Connections, generation: Generation) -> None:
        self._connections = connections
        self._generation = generation

    def report(self) -> HealthReport:
        """What is wrong now, and the facts."""
        with self._connections.read() as db:
            return HealthReport((), {})

    def repaired(self) -> HealthReport:
        """Rebuild what is wrong and report again."""
        return self.report()
