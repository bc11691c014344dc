"""Everything a service keeps, opened together."""

from __future__ import annotations

from typing import Protocol

from ascertain.stores.service.answers import AnswerCache
from ascertain.stores.service.events import EventLog
from ascertain.stores.service.feedback import FeedbackStore
from ascertain.stores.service.fetches import FetchStates
from ascertain.stores.service.files import FileStore
from ascertain.stores.service.jobs import JobStore
from ascertain.stores.service.keys import KeyStore
from ascertain.stores.service.rates import RateLimits


class ServiceStores(Protocol):
    """The ports over one knowledge base; those of one instance share its connections."""

    @property
    def keys(self) -> KeyStore:
        """API keys."""
        ...

    @property
    def jobs(self) -> JobStore:
        """Background work."""
        ...

    @property
    def files(self) -> FileStore:
        """Uploaded files as they came."""
        ...

    @property
    def feedback(self) -> FeedbackStore:
        """What people thought of answers."""
        ...

    @property
    def answers(self) -> AnswerCache:
        """Answers to use again."""
        ...

    @property
    def rates(self) -> RateLimits:
        """Requests counted by key."""
        ...

    @property
    def events(self) -> EventLog:
        """Events of answers being streamed."""
        ...

    @property
    def fetches(self) -> FetchStates:
        """What is known of addresses fetched before."""
        ...

    def close(self) -> None:
        """Release what is open; further calls raise StoreError. Jobs this instance had claimed count as abandoned from now on."""
        ...
