"""The connection to the service: one httpx client, with failures and problem details as the page's own errors."""

from __future__ import annotations

import ipaddress
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import httpx
from pydantic import ValidationError

from ascertain.ui.problems import (
    KeyWanted,
    NotThere,
    ServiceAway,
    ServiceBusy,
    ServiceProblem,
    TooManyRequests,
)
from ascertain.wire.shape import Shape

Read = TypeVar("Read", bound=Shape)

CONNECT_SECONDS = 5.0
NO_CONTENT = 204
READ_SECONDS = 60.0
"""Longer than the service pauses between the pings of a stream."""


class Connection:
    """Thread-safe; every method raises a ServiceProblem or one of its children."""

    def __init__(self, url: str, key: str | None = None) -> None:
        self.url = url.rstrip("/")
        self._client = httpx.Client(
            base_url=self.url,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
            # a proxy for the world is none for this machine
            trust_env=not is_loopback(httpx.URL(self.url).host),
        )

    def send_request(self, method: str, path: str, **options: Any) -> None:
        """Have something done."""
        self._sent(method, path, **options)

    def read_shape(self, shape: type[Read], method: str, path: str, **options: Any) -> Read:
        """The response as the shape that it has."""
        response = self._sent(method, path, **options)
        try:
            return shape.model_validate_json(response.content)
        except ValidationError as error:
            raise ServiceProblem(f"{self.url} answers, but not as Ascertain's service does") from error

    def bytes(self, path: str, **options: Any) -> bytes:
        """The body of the response."""
        return self._sent("GET", path, **options).content

    @contextmanager
    def lines(self, method: str, path: str, **options: Any) -> Generator[Iterator[str] | None]:
        """The lines of a response while they come; None when there is no content (204)."""
        with self._failures(), self._client.stream(method, path, **options) as response:
            if response.is_error:
                response.read()
                raise problem_of(response)
            yield None if response.status_code == NO_CONTENT else response.iter_lines()

    def _sent(self, method: str, path: str, **options: Any) -> httpx.Response:
        with self._failures():
            response = self._client.request(method, path, **options)
        if response.is_error:
            raise problem_of(response)
        return response

    @contextmanager
    def _failures(self) -> Generator[None]:
        try:
            yield
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise ServiceAway(f"nothing answers at {self.url}") from error


def problem_of(response: httpx.Response) -> ServiceProblem:
    """The error for a response of 400 and above; its text is the ``detail`` of the problem details, if it has any."""
    details = _details(response)
    detail = str(details.get("detail") or details.get("title") or response.reason_phrase or "it failed")
    request_id = str(details.get("request_id") or response.headers.get("x-request-id") or "")
    match response.status_code:
        case 401 | 403:
            return KeyWanted(detail, status=response.status_code, request_id=request_id)
        case 404:
            return NotThere(detail, request_id=request_id, suggestions=_suggestions(details))
        case 429:
            return TooManyRequests(detail, seconds=_seconds(response), request_id=request_id)
        case 502 | 503 | 504:
            return ServiceBusy(detail, status=response.status_code, request_id=request_id)
        case status:
            return ServiceProblem(detail, status=status, request_id=request_id)


def is_loopback(host: str) -> bool:
    """Whether ``host`` is this machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _details(response: httpx.Response) -> Mapping[str, object]:
    try:
        value: object = response.json()
    except ValueError:
        return {}
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def _suggestions(details: Mapping[str, object]) -> tuple[str, ...]:
    given = details.get("suggestions")
    return tuple(str(each) for each in cast("list[object]", given)) if isinstance(given, list) else ()


def _seconds(response: httpx.Response) -> float | None:
    try:
        return max(0.0, float(response.headers.get("retry-after", "")))
    except ValueError:
        return None
