"""Problem details: the one form of the service's errors (RFC 9457).

``type`` is ``urn:ascertain:problem:NAME`` with a name of ``KINDS``, which programs may rely on; ``detail`` is for
people. Nothing about the inside of the service is ever in it: the message of an unexpected error is in the log, under the
same request id. Where the service speaks as OpenAI's API does, clients get the same in that API's form.
"""

import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPMethod, HTTPStatus
from math import ceil
from typing import Any, cast

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from ascertain.app.telemetry.logs import logger
from ascertain.app.wire.openai.chat_completions import ChatErrorJson, ChatProblemJson
from ascertain.app.wire.service import FieldErrorJson, ProblemJson
from ascertain.app.wire.shape import Shape, make_example
from ascertain.core.errors import (
    AscertainError,
    ConfigurationError,
    JobNotFailed,
    MissingExtra,
    ModelError,
    ModelLeftAlone,
    NameTaken,
    NoGraph,
    NotYours,
    SourceError,
    StoreBusy,
    StoreDamaged,
    StoreError,
    TooMuchWork,
    UnknownEntity,
    UsageError,
)
from ascertain.core.serialisation import Serialisable, read_docstring

MEDIA_TYPE = "application/problem+json"
PREFIX = "urn:ascertain:problem:"

KINDS: dict[str, tuple[int, str]] = {
    "invalid-request": (400, "The request cannot be carried out as it is"),
    "unauthorized": (401, "The service does not know who asks"),
    "not-admitted": (403, "You are not let in"),
    "forbidden": (403, "This key may not do that"),
    "not-found": (404, "Not found"),
    "method-not-allowed": (405, "This address does not take that method"),
    "timed-out": (408, "The request did not come in time"),
    "no-documents": (409, "There are no documents yet"),
    "no-graph": (409, "There is no knowledge graph here"),
    "name-taken": (409, "Someone else uploaded a file with this name"),
    "not-failed": (409, "This job cannot be run again"),
    "stopped": (409, "The question was stopped"),
    "too-large": (413, "The request is too large"),
    "unsupported-media-type": (415, "The body is in a form that is not understood"),
    "invalid-body": (422, "The request does not have the expected form"),
    "too-much-work": (422, "The request takes too much work"),
    "rate-limited": (429, "Too many requests"),
    "internal-error": (500, "Something went wrong inside the service"),
    "not-installed": (501, "A part of the service is not installed"),
    "unavailable": (503, "The service cannot do this at the moment"),
    "overloaded": (503, "Too many requests at once"),
    "shutting-down": (503, "The service is shutting down"),
}
"""Status and title of each kind of problem."""

CHAT_PATHS = ("/v1/chat/", "/v1/models", "/v1/responses", "/v1/embeddings")
"""The prefix of the addresses of OpenAI's API."""
CHAT_CLIENT = "x-stainless-lang"
"""A header that OpenAI's own clients send, in every request."""
CHAT_CODES: dict[tuple[str, str | None], str] = {
    ("unauthorized", None): "invalid_api_key",
    ("rate-limited", None): "rate_limit_exceeded",
    ("not-found", "model"): "model_not_found",
    ("invalid-request", "previous_response_id"): "previous_response_not_found",
}
"""Kinds, with the wrong field, that have their own code in OpenAI's API; the others use their name."""

BUSY_SECONDS = 5
"""When to try again after a store was busy or unavailable; writers hold it for seconds (docs/stores.md)."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem.

    ``errors`` point at fields of the request; ``retry_after`` is in seconds; ``suggestions`` are names that exist.
    """

    kind: str
    detail: str
    errors: tuple[dict[str, str], ...] = ()
    retry_after: float | None = None
    headers: dict[str, str] = field(default_factory=dict[str, str])
    suggestions: tuple[str, ...] = ()

    @property
    def status(self) -> int:
        """The status of the response."""
        return KINDS[self.kind][0]

    def describe(self, instance: str, request_id: str) -> ProblemJson:
        """The problem object; ``instance`` is the requested path."""
        return ProblemJson(
            type=PREFIX + self.kind,
            title=KINDS[self.kind][1],
            status=self.status,
            detail=self.detail,
            instance=instance,
            request_id=request_id,
            errors=[FieldErrorJson(**each) for each in self.errors] or None,
            suggestions=list(self.suggestions) or None,
        )

    def describe_to_chat(self) -> ChatProblemJson:
        """The same in the form of OpenAI's API."""
        param = _name_field(self.errors[0]["pointer"]) if self.errors else None
        code = CHAT_CODES.get((self.kind, param), self.kind.replace("-", "_"))
        if self.kind == "rate-limited":
            type = "rate_limit_error"
        else:
            type = "server_error" if self.status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error"
        return ChatProblemJson(error=ChatErrorJson(message=self.detail, type=type, param=param, code=code))

    def response(self, scope: Scope) -> JSONResponse:
        """The HTTP response to a request."""
        instance = scope["path"]
        headers = dict(self.headers)
        if self.retry_after is not None:
            headers["Retry-After"] = str(max(1, ceil(self.retry_after)))
        if instance.startswith(CHAT_PATHS) or (instance.startswith("/v1/") and CHAT_CLIENT in Headers(scope=scope)):
            # its clients retry every 409 or 500, and a question may cost money
            headers["X-Should-Retry"] = "false" if self.retry_after is None else "true"
            return JSONResponse(self.describe_to_chat().to_json(), self.status, headers=headers)
        members = self.describe(instance, request_id_of(scope)).to_json()
        return JSONResponse(members, self.status, headers=headers, media_type=MEDIA_TYPE)


def _name_field(pointer: str) -> str:
    """``messages[0].content`` for ``#/messages/0/content``."""
    steps = pointer.removeprefix("#/").split("/")
    return "".join(f"[{step}]" if step.isdigit() else f".{step}" for step in steps).removeprefix(".")


class ProblemError(AscertainError):
    """Ends a request with a problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


INTERNAL = Problem("internal-error", "The request failed; the log of the service has it under this request id.")

NO_GRAPH = Problem("no-graph", "The knowledge graph is switched off (graph.build is false), and none was built before.")


_REFUSALS: dict[str, type[AscertainError]] = {
    "forbidden": NotYours,
    "name-taken": NameTaken,
    "not-failed": JobNotFailed,
}


def missing_error(what: str) -> ProblemError:
    """The error if something named by the caller does not exist; ``what`` is a noun with its article."""
    return ProblemError(Problem("not-found", f"There is no {what}."))


def problem_of(error: Exception) -> Problem:
    """The problem for an error of the app; messages that may name hosts, paths or other internals are left
    out.
    """
    if isinstance(error, ProblemError):
        return error.problem
    if isinstance(error, UnknownEntity):
        return _unknown_entity(error)
    if isinstance(error, NoGraph):
        return NO_GRAPH
    refusal = next((kind for kind, of in _REFUSALS.items() if isinstance(error, of)), None)
    if refusal is not None:
        return Problem(refusal, _end_sentence(error))
    if isinstance(error, (UsageError, ConfigurationError, SourceError)):
        return Problem("invalid-request", str(error))
    if isinstance(error, TooMuchWork):
        return Problem("too-much-work", str(error))
    if isinstance(error, MissingExtra):
        return Problem(
            "not-installed", f"{error.feature} needs the extra {error.extra}, which is not installed on the server."
        )
    if isinstance(error, StoreBusy):
        return Problem("unavailable", "The knowledge base is being written to.", retry_after=BUSY_SECONDS)
    if isinstance(error, StoreDamaged):
        return Problem("unavailable", "The knowledge base is damaged; `ascertain doctor` tells its operator more.")
    if isinstance(error, StoreError):
        return Problem("unavailable", "The knowledge base cannot be reached.", retry_after=BUSY_SECONDS)
    if isinstance(error, ModelLeftAlone):
        return Problem(
            "unavailable", "A model does not answer, and is left alone for a while.", retry_after=error.seconds
        )
    if isinstance(error, ModelError):
        return Problem("unavailable", "A model does not answer.", retry_after=BUSY_SECONDS)
    return INTERNAL


def problem_of_status(status: int, detail: str) -> Problem:
    """The problem for a status set by the framework itself, such as 404 for an unknown path."""
    kind = next((name for name, (its, _) in KINDS.items() if its == status), "")
    if kind:
        return Problem(kind, detail)
    return Problem("internal-error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid-request", detail)


def _unknown_entity(error: UnknownEntity) -> Problem:
    near = f" Near it are: {', '.join(error.suggestions)}." if error.suggestions else ""
    return Problem("not-found", f"There is no entity with this id or name.{near}", suggestions=error.suggestions)


EVERYWHERE = (401, 403, 408, 413, 422, 429, 500, 503)
"""Problems that any route but those of health may answer with."""
_RETRIED = {429, 503}


def describe_text(description: str, media_type: str, example: str) -> dict[int | str, dict[str, Any]]:
    """A body that is not JSON."""
    content = {"schema": {"type": "string"}, "example": example}
    return {200: {"description": description, "content": {media_type: content}}}


def describe_events(description: str, example: str) -> dict[int | str, dict[str, Any]]:
    """Server-sent events. Without a schema, which OpenAPI 3.1 would hold against the stream as a whole."""
    return {200: {"description": description, "content": {"text/event-stream": {"example": example}}}}


def describe_problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Problems with these statuses, and the common ones."""
    return {status: _describe_problem(status) for status in sorted({*statuses, *EVERYWHERE})}


def describe_chat_problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The same in the form of OpenAI's API."""
    return {
        status: {
            "description": _describe_problem(status)["description"],
            "model": ChatProblemJson,
            "headers": _describe_headers(status),
        }
        for status in sorted({*statuses, *EVERYWHERE})
    }


def _describe_problem(status: int) -> dict[str, Any]:
    kinds = {kind: title for kind, (its, title) in KINDS.items() if its == status}
    example = Problem(next(iter(kinds)), "What exactly, for people.").describe("/v1/ask", "9d1c5e2a").to_json()
    schema = {"$ref": "#/components/schemas/ProblemJson"}
    return {
        "description": "; or ".join(kinds.values()) + ".",
        "content": {MEDIA_TYPE: {"schema": schema, "example": example}},
        "headers": _describe_headers(status),
    }


def _describe_headers(status: int) -> dict[str, Any]:
    if status not in _RETRIED:
        return {}
    description = "Seconds after which to try again."
    return {"Retry-After": {"description": description, "schema": {"type": "string", "pattern": "^[0-9]+$"}}}


def add_examples(described: dict[str, Any]) -> None:
    """Give each JSON response the example of its shape, which the framework would take all nulls out of."""
    shapes = {shape.__name__: shape for base in (Serialisable, Shape) for shape in _walk_subclasses(base)}
    for methods in described["paths"].values():
        for operation in methods.values():
            for response in operation["responses"].values():
                for media_type, content in response.get("content", {}).items():
                    if media_type == "text/event-stream":
                        # the framework's schema, that of a text, would stand for each event
                        content.pop("schema", None)
                    name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
                    if name in shapes and "example" not in content:
                        response["description"] = read_docstring(shapes[name])
                        content["example"] = make_example(shapes[name])


def _walk_subclasses(base: type[Any]) -> Iterator[type[Any]]:
    for each in base.__subclasses__():
        yield each
        yield from _walk_subclasses(each)


REQUEST_ID = "x-request-id"
_GIVEN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")
"""An id that a caller may give: it goes into logs and headers as it is."""

MOST_FIELDS = 20
"""Wrong fields named in one problem."""


def handle_errors(app: FastAPI) -> None:
    """Give ``app`` the handlers; other errors are handled by ``Observation``."""
    app.add_exception_handler(AscertainError, _app_error)
    app.add_exception_handler(RequestValidationError, _refuse_body)
    app.add_exception_handler(HTTPException, _framework_error)


def note_error(error: Exception) -> Problem:
    """The problem for an error, after the details hidden from the caller are logged."""
    problem = problem_of(error)
    if problem is INTERNAL:
        logger.error("unexpected error", exc_info=error)
    elif problem.status >= 500 and problem.kind != "overloaded":
        logger.warning("%s: %s", problem.kind, error)
    return problem


async def _app_error(request: Request, error: Exception) -> Response:
    return _make_response(request, note_error(error))


async def answer_problem(problem: Problem, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with a problem before any route was reached."""
    await problem.response(scope)(scope, receive, send)


async def _framework_error(request: Request, error: Exception) -> Response:
    failure = cast(HTTPException, error)
    problem = problem_of_status(failure.status_code, _end_sentence(failure.detail))
    if failure.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = ", ".join(_allowed_methods(request))
        problem = Problem(problem.kind, f"This address takes {allowed}.", headers={"Allow": allowed})
    elif failure.status_code == HTTPStatus.BAD_REQUEST:
        # the framework's only message for a body that it cannot decode
        problem = Problem("invalid-body", "The body cannot be read as JSON.")
    elif failure.headers:
        problem = replace(problem, headers=dict(failure.headers))
    return _make_response(request, problem)


def _allowed_methods(request: Request) -> Iterator[str]:
    """All methods of an address: the framework's own answer names those of its first route alone."""
    routes = cast(FastAPI, request.app).router.routes
    for method in HTTPMethod:
        scope = {**request.scope, "method": method.value}
        if any(route.matches(scope)[0] is Match.FULL for route in routes):
            yield method.value


async def _refuse_body(request: Request, error: Exception) -> Response:
    wrong = cast("Sequence[Mapping[str, Any]]", cast(RequestValidationError, error).errors())
    fields = tuple(_field_errors(wrong[:MOST_FIELDS]))
    fields_wrong = "; ".join(f"{field['pointer']}: {field['detail']}" for field in fields[:3])
    more = f"; and {len(wrong) - 3} more" if len(wrong) > 3 else ""
    return _make_response(request, Problem("invalid-body", fields_wrong + more, errors=fields))


def _field_errors(wrong: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, str]]:
    """What was wrong with each field, without what was sent: it may be long, or secret."""
    for each in wrong:
        where = [str(part) for part in each["loc"]]
        if each["type"] == "json_invalid":
            yield {"pointer": "#", "detail": f"invalid JSON from character {int(where[-1]) + 1} on"}
            continue
        in_body = where[:1] == ["body"]
        pointer = "#" + "".join(f"/{_escape_pointer(part)}" for part in where[1:]) if in_body else where[-1]
        yield {"pointer": pointer, "detail": str(each["msg"])}


def _escape_pointer(part: str) -> str:
    """A step of a JSON pointer (RFC 6901, section 3)."""
    return part.replace("~", "~0").replace("/", "~1")


def _end_sentence(detail: object) -> str:
    text = str(detail)
    return text if text.endswith(".") else f"{text}."


def _make_response(request: Request, problem: Problem) -> Response:
    return problem.response(request.scope)


def request_id_of(scope: Scope) -> str:
    """The id of a request: the one it came with, if that is fit for logs, or else a new one."""
    state = scope.setdefault("state", {})
    known = state.get("request_id")
    if isinstance(known, str):
        return known
    given = Headers(scope=scope).get(REQUEST_ID, "")
    state["request_id"] = given if _GIVEN_ID.fullmatch(given) else uuid.uuid4().hex
    return str(state["request_id"])
