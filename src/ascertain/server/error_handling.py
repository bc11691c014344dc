"""Every error as a problem: those of the app, of validation, and of the framework."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from ascertain.core.errors import AscertainError
from ascertain.server.event_streams import StreamEnded
from ascertain.server.observation import request_id_of
from ascertain.server.problems import Problem, problem_of, problem_of_status
from ascertain.telemetry.logs import logger

MOST_FIELDS = 20
"""Wrong fields named in one problem."""


def handle_errors(app: FastAPI) -> None:
    """Give ``app`` the handlers; what no handler knows is met by ``Observation``."""
    app.add_exception_handler(AscertainError, _app_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _framework_error)
    app.add_exception_handler(StreamEnded, _ended)


async def _app_error(request: Request, error: Exception) -> Response:
    problem = problem_of(error)
    if problem.status >= 500 and problem.kind != "overloaded":
        logger.warning("%s: %s", problem.kind, error)
    return _response(request, problem)


async def _framework_error(request: Request, error: Exception) -> Response:
    failure = cast(HTTPException, error)
    problem = problem_of_status(failure.status_code, _sentence(failure.detail))
    allowed = (failure.headers or {}).get("Allow")
    if allowed:
        problem = Problem(problem.kind, f"This address takes {allowed}.", headers={"Allow": allowed})
    return _response(request, problem)


async def _invalid(request: Request, error: Exception) -> Response:
    wrong = cast("Sequence[Mapping[str, Any]]", cast(RequestValidationError, error).errors())
    fields = tuple(_field_errors(wrong[:MOST_FIELDS]))
    told = "; ".join(f"{field['pointer']}: {field['detail']}" for field in fields[:3])
    more = f"; and {len(wrong) - 3} more" if len(wrong) > 3 else ""
    return _response(request, Problem("invalid-body", told + more, errors=fields))


async def _ended(_request: Request, _error: Exception) -> Response:
    # the standard's way to tell an EventSource not to come back (HTML, 9.2.3)
    return Response(status_code=204)


def _field_errors(wrong: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, str]]:
    """What was wrong with each field, without what was sent: it may be long, or secret."""
    for each in wrong:
        where = [str(part) for part in each["loc"]]
        in_body = where[:1] == ["body"]
        pointer = "#" + "".join(f"/{_escaped(part)}" for part in where[1:]) if in_body else where[-1]
        yield {"pointer": pointer, "detail": str(each["msg"])}


def _escaped(part: str) -> str:
    """A step of a JSON pointer (RFC 6901, section 3)."""
    return part.replace("~", "~0").replace("/", "~1")


def _sentence(detail: object) -> str:
    text = str(detail)
    return text if text.endswith(".") else f"{text}."


def _response(request: Request, problem: Problem) -> Response:
    return problem.response(request.url.path, request_id_of(request.scope))
