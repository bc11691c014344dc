"""The connection to a Qdrant server, over its REST interface."""

import logging
import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Final
from urllib.parse import urlsplit

import httpx
from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from ascertain.core.errors import ConfigurationError, StoreError
from ascertain.core.settings import StoreSettings

_logger = logging.getLogger("ascertain.stores")

# Keywords are looked up by how they begin since 1.19 (github.com/qdrant/qdrant, release notes).
MINIMUM: Final = (1, 19)
# The least detail at which the server tells of each collection and its shards.
_SHARDS_IN_TELEMETRY: Final = 3
_LOOPBACK: Final = {"localhost", "127.0.0.1", "::1"}


class Connection:
    """A client and its errors in our terms. Safe to use from several threads."""

    def __init__(self, settings: StoreSettings) -> None:
        self._settings = settings
        parts = urlsplit(settings.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ConfigurationError(
                "store.kind = qdrant needs store.url, such as http://host:6333; without a server use store.kind = embedded"
            )
        port = f":{parts.port}" if parts.port else ""
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        self.server = f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"
        key = os.environ.get(settings.key_variable) or parts.password
        if key and parts.scheme == "http" and parts.hostname not in _LOOPBACK:
            _logger.warning("the key of %s travels unencrypted: use an https address", self.server)
        self._client: QdrantClient | None = QdrantClient(
            url=self.server,
            port=parts.port or (443 if parts.scheme == "https" else 6333),
            # As a header, for which the client has no warning of its own.
            headers={"api-key": key} if key else None,
            timeout=max(1, round(settings.timeout_seconds)),
            check_compatibility=False,
            limits=httpx.Limits(max_connections=settings.connections, max_keepalive_connections=settings.connections),
        )

    @contextmanager
    def client(self, accepted: Sequence[int] = ()) -> Generator[QdrantClient]:
        """The client; its errors become StoreError, except for HTTP answers of an ``accepted`` status."""
        if self._client is None:
            raise StoreError(f"the store on {self.server} was closed: open it again")
        try:
            yield self._client
        except UnexpectedResponse as error:
            if error.status_code not in accepted:
                raise self._refusal_error(error) from error
        except ResponseHandlingException as error:
            raise self._connection_error(error.source) from error
        except (ApiException, QdrantException) as error:
            raise StoreError(f"{self.server} refused the request: {error}") from error

    def check_version(self) -> None:
        """Raise StoreError for a server that lacks what the store needs."""
        with self.client() as client:
            version = client.info().version
        numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
        if len(numbers) == 2 and numbers < MINIMUM:
            raise StoreError(
                f"{self.server} is Qdrant {version}; the store needs {MINIMUM[0]}.{MINIMUM[1]} or newer: upgrade the server"
            )

    def bytes_on_disk(self, collection: str) -> int:
        """Vectors and payloads of the collection as the server estimates them; 0 where that may not be read."""
        with self.client(accepted=(401, 403)) as client:
            telemetry = client.http.service_api.telemetry(details_level=_SHARDS_IN_TELEMETRY).result
            collections = telemetry.collections.collections if telemetry else None
            return sum(
                (shard.local.vectors_size_bytes or 0) + (shard.local.payloads_size_bytes or 0)
                for each in collections or ()
                if isinstance(each, models.CollectionTelemetry) and each.id == collection
                for shard in each.shards or ()
                if shard.local is not None
            )
        return 0

    def close(self) -> None:
        """Close the connections; further calls raise StoreError."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _refusal_error(self, error: UnexpectedResponse) -> StoreError:
        reason = error.content.decode("utf-8", "replace")[:300]
        if error.status_code in {401, 403}:
            return StoreError(
                f"{self.server} refused the key: put a valid one into the environment variable {self._settings.key_variable}"
            )
        if error.status_code == 404 and self._settings.name in reason:
            return StoreError(
                f"{self.server} has no collection {self._settings.name}: run `ascertain add` to create one"
            )
        return StoreError(f"{self.server} answered {error.status_code}: {reason}; see the server's log, then try again")

    def _connection_error(self, source: Exception) -> StoreError:
        if isinstance(source, httpx.TimeoutException):
            return StoreError(
                f"{self.server} did not answer within {self._settings.timeout_seconds:g} s: try again, "
                "or raise store.timeout_seconds"
            )
        return StoreError(f"{self.server} cannot be reached ({source}): start the server or correct store.url")
