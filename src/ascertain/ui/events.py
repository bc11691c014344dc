"""Server-sent events: reading them as the HTML standard says (§ 9.2.6), and the events of a question.

A line that begins with a colon is a comment, which keeps the connection alive; an empty line ends an event; several ``data`` lines
are joined by line feeds. An event without data is dropped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, cast

from ascertain.ui.problems import ServiceProblem

EventName = Literal["started", "node", "text", "answer", "error"]


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event of a question; ``data`` is the JSON object of docs/service.md, ``id`` is where to go on from."""

    name: str
    data: dict[str, Any]
    id: str = ""

    @property
    def is_last(self) -> bool:
        """Whether nothing comes after it."""
        return self.name in {"answer", "error"}


def read_events(lines: Iterable[str]) -> Iterator[ServerEvent]:
    """The events in ``lines`` (without their ends); ServiceProblem when one holds no JSON object."""
    name, identifier, data = "message", "", list[str]()
    for line in lines:
        if not line:
            if data:
                yield ServerEvent(name, _parsed("\n".join(data)), identifier)
            name, data = "message", []
            continue
        if line.startswith(":"):
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
        elif field == "id" and "\0" not in value:
            identifier = value


def _parsed(data: str) -> dict[str, Any]:
    try:
        value: object = json.loads(data)
    except json.JSONDecodeError as error:
        raise ServiceProblem("the service sent an event that cannot be read") from error
    if not isinstance(value, dict):
        raise ServiceProblem("the service sent an event that cannot be read")
    return cast("dict[str, Any]", value)
