"""The ports together."""

from __future__ import annotations

from ascertain.stores.service.files import FileStore
from ascertain.stores.service_tables.answers import AnswerTable
from ascertain.stores.service_tables.database import Database
from ascertain.stores.service_tables.events import EventTable
from ascertain.stores.service_tables.feedback import FeedbackTable
from ascertain.stores.service_tables.fetches import FetchTable
from ascertain.stores.service_tables.jobs import JobTable
from ascertain.stores.service_tables.keys import KeyTable
from ascertain.stores.service_tables.rates import RateTable


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
