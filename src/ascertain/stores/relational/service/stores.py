"""The ports together."""

from __future__ import annotations

from ascertain.stores.relational.database import Database
from ascertain.stores.relational.service.answers import AnswerTable
from ascertain.stores.relational.service.events import EventTable
from ascertain.stores.relational.service.feedback import FeedbackTable
from ascertain.stores.relational.service.fetches import FetchTable
from ascertain.stores.relational.service.jobs import JobTable
from ascertain.stores.relational.service.keys import KeyTable
from ascertain.stores.relational.service.rates import RateTable
from ascertain.stores.service.files import FileStore


class TableStores:
    """``ServiceStores`` over one database; made by ``open_..._service`` of the stores that have one."""

    def __init__(self, database: Database, files: FileStore) -> None:
        self._database = database
        self.keys = KeyTable(database)
        self.jobs = JobTable(database)
        self.files = files
        self.feedback = FeedbackTable(database)
        self.answers = AnswerTable(database)
        self.rates = RateTable(database)
        self.events = EventTable(database)
        self.fetches = FetchTable(database)

    def close(self) -> None:
        """Release connections and the sign of life."""
        self._database.close()
