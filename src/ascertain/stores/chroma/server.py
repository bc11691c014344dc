"""Chroma itself: a server, or a folder that several processes may open.

chromadb takes seconds to import, so that happens on first use. Of its client only what is named
here is used; its errors become StoreError.
"""

import os
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast
from urllib.parse import SplitResult, urlsplit

from filelock import FileLock

from ascertain.core.errors import AscertainError, ConfigurationError, MissingExtra, StoreError
from ascertain.core.settings import StoreSettings
from ascertain.core.system.private_files import make_private_folder
from ascertain.stores.embedded.faults import is_panic
from ascertain.stores.ports.chunks import Vectors

if TYPE_CHECKING:
    import httpx

_DEFAULT_PORTS = {"http": 8000, "https": 443}
# Clients of one folder share a system that chromadb counts without a lock.
_SECONDS_TO_OPEN = 60.0
"""How long another process may take to create the tables of a folder."""
_opening = threading.Lock()


class Collection(Protocol):
    """Vectors by id, as chromadb gives them."""

    metadata: Mapping[str, Any] | None

    def upsert(self, ids: list[str], embeddings: Vectors) -> None:
        """Write over what has the same ids."""
        ...

    def delete(self, ids: list[str]) -> object:
        """Delete those that exist."""
        ...

    def query(self, *, query_embeddings: Vectors, n_results: int, include: Sequence[str]) -> Mapping[str, Any]:
        """The ids of the nearest."""
        ...

    def modify(self, *, metadata: Mapping[str, Any] | None = None, configuration: object = None) -> None:
        """Replace the metadata of the collection."""
        ...

    def count(self) -> int:
        """How many vectors there are."""
        ...


class Client(Protocol):
    """A connection, as chromadb gives it."""

    def heartbeat(self) -> int:
        """Fails when the server is unreachable."""
        ...

    def get_version(self) -> str:
        """Of the server."""
        ...

    def get_max_batch_size(self) -> int:
        """Most rows of one call."""
        ...

    def list_collections(self, limit: int | None = None, offset: int | None = None) -> Sequence[Any]:
        """Each has a ``name``."""
        ...

    def get_collection(self, name: str, embedding_function: None) -> Collection:
        """Raises chromadb's NotFoundError."""
        ...

    def get_or_create_collection(
        self, name: str, *, configuration: object, metadata: Mapping[str, Any], embedding_function: None
    ) -> Collection:
        """The collection of that name."""
        ...

    def delete_collection(self, name: str) -> None:
        """Raises chromadb's NotFoundError."""
        ...

    def close(self) -> None:
        """Release connections and files."""
        ...


class CollectionGone(StoreError):
    """The collection was deleted since it was last seen."""


class Chroma:
    """A Chroma that is connected on first use. Safe to use from several threads."""

    def __init__(self, settings: StoreSettings, home: Path) -> None:
        if find_spec("chromadb") is None:
            raise MissingExtra("store.kind = chroma", "chroma")
        self._url = _server_url(settings.url) if settings.url else None
        self.folder = home / "chroma" if self._url is None else None
        """Where its files are; None for a server."""
        self._key = (self._url and self._url.password) or os.environ.get(settings.key_variable, "")
        self._seconds = settings.timeout_seconds
        self._mutex = threading.Lock()
        self._client: Client | None = None
        self._sessions: list[httpx.Client] = []
        self._closed = False

    @property
    def place(self) -> str:
        """The address without secrets, or the folder."""
        if self._url is None:
            return str(self.folder)
        host = self._url.hostname or ""
        return f"{self._url.scheme}://{f'[{host}]' if ':' in host else host}:{_server_port(self._url)}"

    @contextmanager
    def using(self) -> Generator[Client]:
        """The client; raises StoreError for what it refuses, CollectionGone for a collection that is missing."""
        try:
            yield self._open_client()
        except AscertainError:
            raise
        except BaseException as error:
            if not isinstance(error, Exception) and not is_panic(error):
                raise
            if type(error).__name__ == "NotFoundError":
                raise CollectionGone(f"a collection of Chroma at {self.place} is gone: {error}") from error
            raise StoreError(self._explain_error(error)) from error

    def close(self) -> None:
        """Release the connection for good."""
        self._closed = True
        self.disconnect()

    def _open_client(self) -> Client:
        with self._mutex:
            if self._closed:
                raise StoreError(f"the store with its vectors in {self.place} was closed: open it again")
            if self._client is None:
                with _opening:
                    self._client = self._make_client()
            return self._client

    def _make_client(self) -> Client:
        import chromadb  # noqa: PLC0415
        import httpx  # noqa: PLC0415
        from chromadb.api.shared_system_client import SharedSystemClient  # noqa: PLC0415
        from chromadb.config import Settings  # noqa: PLC0415

        settings = Settings(anonymized_telemetry=False)
        if self._url is None:
            folder = self.folder or Path()
            make_private_folder(folder)
            try:
                # two processes that make its tables at once fail over each other
                with FileLock(folder / "opening.lock", timeout=_SECONDS_TO_OPEN):
                    return cast(Client, chromadb.PersistentClient(folder, settings))
            except BaseException:
                # chromadb keeps a client that failed to start and would return it again.
                cast(Any, SharedSystemClient)._identifier_to_system.pop(str(self.folder), None)
                raise
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        # chromadb waits forever for its first answers, which are requested here before, and later by way of its HTTP
        # sessions, which it does not close either: one of its own and one of its helper.
        httpx.get(f"{self.place}/api/v2/heartbeat", headers=headers, timeout=self._seconds).raise_for_status()
        client = chromadb.HttpClient(
            self._url.hostname or "",
            _server_port(self._url),
            ssl=self._url.scheme == "https",
            headers=headers,
            settings=settings,
        )
        parts = cast(Any, client)
        self._sessions = [parts._server._session, parts._admin_client._server._session]
        for session in self._sessions:
            session.timeout = self._seconds
        return cast(Client, client)

    def disconnect(self) -> None:
        """Drop the connection; the next use opens another."""
        with self._mutex:
            client, self._client = self._client, None
            sessions, self._sessions = self._sessions, []
        for session in sessions:
            session.close()
        if client is not None:
            # It may fail for what it is being closed for.
            with suppress(Exception), _opening:
                client.close()

    def _explain_error(self, error: BaseException) -> str:
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        if self._key:
            reason = reason.replace(self._key, "…")
        if self.folder is None:
            return (
                f"Chroma at {self.place} cannot be used ({reason}): check that it runs, store.url, and the key in the "
                "variable that store.key_variable names"
            )
        return f"Chroma's files in {self.place} cannot be used ({reason}): run `ascertain doctor --repair`"


def _server_url(text: str) -> SplitResult:
    try:
        url = urlsplit(text)
        valid = url.scheme in _DEFAULT_PORTS and url.hostname and url.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise ConfigurationError("store.url must be http://host:port or https://host:port for chroma")
    return urlsplit(text)


def _server_port(url: SplitResult) -> int:
    return url.port or _DEFAULT_PORTS[url.scheme]
