"""A client of the service: one typed method for each request that the page makes, and the events of a question."""

import ipaddress
import json
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any, TypeVar, cast
from urllib.parse import quote

import httpx
from pydantic import ValidationError

from ascertain.core.errors import AscertainError
from ascertain.wire.analysis import AnalysisJson
from ascertain.wire.conversations import (
    ConversationJson,
    ConversationsJson,
    ConversationSummaryJson,
    DriftJson,
    FeedbackSummaryJson,
    TurnJson,
)
from ascertain.wire.documents import DocumentJson, DocumentsJson, FormatsJson, SourcesJson, TextWindowJson
from ascertain.wire.evaluation import (
    ComparisonJson,
    GoldenQuestionJson,
    GoldenQuestionsJson,
    JudgedQuestionBody,
    KeptEvaluationsJson,
)
from ascertain.wire.graph import (
    CommunitiesJson,
    FoundEntitiesJson,
    FoundEntityJson,
    GraphStatsJson,
    NeighbourhoodJson,
    PathJson,
)
from ascertain.wire.holdings import StatsJson
from ascertain.wire.research import ResearchListJson, ResearchRunJson, ResearchSummaryJson, RunComparisonJson
from ascertain.wire.service import JobJson, JobsJson, SubmittedJson
from ascertain.wire.shape import Shape

Read = TypeVar("Read", bound=Shape)
CONNECT_SECONDS = 5.0
NO_CONTENT = 204
READ_SECONDS = 60.0
"""Longer than the service pauses between the pings of a stream."""
RESUMES = 5
"""How often a broken stream is taken up again without a new event, before it is given up."""
RESUME_SECONDS = 0.5
"""Pause before the first of these; each later one is twice as long."""


class ServiceProblem(AscertainError):
    """The service answered with a problem (RFC 9457), or with something that is no answer of it."""

    def __init__(self, detail: str, *, status: int = 0, request_id: str = "") -> None:
        super().__init__(detail)
        self.status = status
        self.request_id = request_id


class ServiceAway(ServiceProblem):
    """Nothing answers at the address, or it stopped in the middle."""


class ServiceBusy(ServiceProblem):
    """It is full, or shutting down; the same request may succeed later."""


class KeyWanted(ServiceProblem):
    """It asks for a key, or does not take the one it was given."""


class TooManyRequests(ServiceProblem):
    """The key's limit is reached; ``seconds`` until it takes requests again, None when it does not say."""

    def __init__(self, detail: str, *, seconds: float | None, request_id: str = "") -> None:
        super().__init__(detail, status=429, request_id=request_id)
        self.seconds = seconds


class NotThere(ServiceProblem):
    """What was asked for does not exist, or not any more; ``suggestions`` are names like it that do."""

    def __init__(
        self, detail: str, *, status: int = 404, request_id: str = "", suggestions: tuple[str, ...] = ()
    ) -> None:
        super().__init__(detail, status=status, request_id=request_id)
        self.suggestions = suggestions


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
        self._send_request(method, path, **options)

    def read_shape(self, shape: type[Read], method: str, path: str, **options: Any) -> Read:
        """The response as the shape that it has."""
        response = self._send_request(method, path, **options)
        try:
            return shape.model_validate_json(response.content)
        except ValidationError as error:
            raise ServiceProblem(f"{self.url} answers, but not as Ascertain's service does") from error

    def bytes(self, path: str, **options: Any) -> bytes:
        """The body of the response."""
        return self._send_request("GET", path, **options).content

    @contextmanager
    def lines(self, method: str, path: str, **options: Any) -> Generator[Iterator[str] | None]:
        """The lines of a response while they come; None when there is no content (204)."""
        with self._translate_failures(), self._client.stream(method, path, **options) as response:
            if response.is_error:
                response.read()
                raise problem_of(response)
            yield None if response.status_code == NO_CONTENT else response.iter_lines()

    def _send_request(self, method: str, path: str, **options: Any) -> httpx.Response:
        with self._translate_failures():
            response = self._client.request(method, path, **options)
        if response.is_error:
            raise problem_of(response)
        return response

    @contextmanager
    def _translate_failures(self) -> Generator[None]:
        try:
            yield
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise ServiceAway(f"nothing answers at {self.url}") from error


def problem_of(response: httpx.Response) -> ServiceProblem:
    """The error for a response of 400 and above; its text is the ``detail`` of the problem details, if it has any."""
    details = _problem_details(response)
    detail = str(details.get("detail") or details.get("title") or response.reason_phrase or "it failed")
    request_id = str(details.get("request_id") or response.headers.get("x-request-id") or "")
    match response.status_code:
        case 401 | 403:
            return KeyWanted(detail, status=response.status_code, request_id=request_id)
        case 404:
            return NotThere(detail, request_id=request_id, suggestions=_read_suggestions(details))
        case 429:
            return TooManyRequests(detail, seconds=_retry_seconds(response), request_id=request_id)
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


def _problem_details(response: httpx.Response) -> Mapping[str, object]:
    try:
        value: object = response.json()
    except ValueError:
        return {}
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def _read_suggestions(details: Mapping[str, object]) -> tuple[str, ...]:
    given = details.get("suggestions")
    return tuple(str(each) for each in cast("list[object]", given)) if isinstance(given, list) else ()


def _retry_seconds(response: httpx.Response) -> float | None:
    try:
        return max(0.0, float(response.headers.get("retry-after", "")))
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event of a question; ``data`` is the JSON object of docs/service.md, ``id`` is where to go on from."""

    name: str
    data: dict[str, Any]
    id: str = ""

    @property
    def is_last(self) -> bool:
        """Whether nothing comes after it."""
        return self.name in {"answer", "report", "error"}


def read_events(lines: Iterable[str]) -> Iterator[ServerEvent]:
    """The server-sent events in ``lines`` (without their ends), read as the HTML standard says (§ 9.2.6).

    A line that begins with a colon keeps the connection alive, an empty one ends an event. ServiceProblem when an event
    holds no JSON object.
    """
    name, identifier, data = "message", "", list[str]()
    for line in lines:
        if not line:
            if data:
                yield ServerEvent(name, _parse_data("\n".join(data)), identifier)
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


def _parse_data(data: str) -> dict[str, Any]:
    try:
        value: object = json.loads(data)
    except json.JSONDecodeError as error:
        raise ServiceProblem("the service sent an event that cannot be read") from error
    if not isinstance(value, dict):
        raise ServiceProblem("the service sent an event that cannot be read")
    return cast("dict[str, Any]", value)


class Service:
    """A client of one service with one key. Thread-safe. Raises ServiceProblem and its children."""

    def __init__(self, url: str, key: str | None = None) -> None:
        self._connection = Connection(url, key)

    @property
    def url(self) -> str:
        """Where the service is."""
        return self._connection.url

    def ask(self, request: Mapping[str, object]) -> Generator[ServerEvent]:
        """Ask; the events as they come, the last an answer or an error. A broken connection is taken up again."""
        return self._follow_stream(("POST", "/v1/ask/stream", {"json": dict(request)}), "", "")

    def follow(self, answer_id: str, after: str = "") -> Generator[ServerEvent]:
        """The events of a question asked earlier, from the one after ``after`` on; none when that was the last."""
        return self._follow_stream(_resume_request(answer_id, after), answer_id, after)

    def analyze(self, request: Mapping[str, object]) -> AnalysisJson:
        """What every document of a period says together; raises ServiceProblem."""
        return self._connection.read_shape(AnalysisJson, "POST", "/v1/analyze", json=dict(request))

    def research(self, request: Mapping[str, object]) -> Generator[ServerEvent]:
        """Begin a run; its events as they come, the last a report or an error. It goes on when nobody listens."""
        return self._read_stream("POST", "/v1/research", json=dict(request))

    def resume_research(self, run_id: str) -> Generator[ServerEvent]:
        """Go on with a run; its events."""
        return self._read_stream("POST", f"/v1/research/{_path_segment(run_id)}/resume")

    def research_runs(self) -> list[ResearchSummaryJson]:
        """The runs on record, the latest begun first."""
        return self._connection.read_shape(ResearchListJson, "GET", "/v1/research").runs

    def research_run(self, run_id: str) -> ResearchRunJson:
        """A run as far as it has come; NotThere when there is none."""
        return self._connection.read_shape(ResearchRunJson, "GET", f"/v1/research/{_path_segment(run_id)}")

    def research_report(self, run_id: str, format: str) -> bytes:
        """Its report as ``markdown`` or ``html``."""
        return self._connection.bytes(f"/v1/research/{_path_segment(run_id)}/report", params={"format": format})

    def compare_research(self, one: str, other: str) -> RunComparisonJson:
        """Two runs beside each other."""
        path = f"/v1/research/{_path_segment(one)}/comparison/{_path_segment(other)}"
        return self._connection.read_shape(RunComparisonJson, "GET", path)

    def delete_research(self, run_id: str) -> None:
        """Forget a run, and what was fetched for it; one that is gone already is no error."""
        with suppress(NotThere):
            self._connection.send_request("DELETE", f"/v1/research/{_path_segment(run_id)}")

    def documents(self, **conditions: object) -> DocumentsJson:
        """Documents by ``state``, ``kind``, ``source``, ``tag``, ``limit``, ``offset``; None puts no condition."""
        given = {name: value for name, value in conditions.items() if value is not None}
        return self._connection.read_shape(DocumentsJson, "GET", "/v1/documents", params=given)

    def formats(self) -> list[str]:
        """The suffixes of the files that can be added, without their dots."""
        return self._connection.read_shape(FormatsJson, "GET", "/v1/documents/formats").suffixes

    def document(self, document_id: str) -> DocumentJson:
        """One document, without its text."""
        return self._connection.read_shape(DocumentJson, "GET", f"/v1/documents/{_path_segment(document_id)}")

    def upload(self, files: Sequence[tuple[str, IO[bytes]]], profile: str | None, tags: Sequence[str]) -> JobJson:
        """Hand over files; they are added in the background by the job that comes back."""
        form = {**({"profile": profile} if profile else {}), **({"tags": list(tags)} if tags else {})}
        parts = [("files", (name, content)) for name, content in files]
        return self._connection.read_shape(SubmittedJson, "POST", "/v1/documents", files=parts, data=form).job

    def add_addresses(self, addresses: Sequence[str], profile: str | None, tags: Sequence[str]) -> JobJson:
        """Fetch pages, feeds and papers in the background."""
        body: dict[str, object] = {"addresses": list(addresses)}
        if profile:
            body["profile"] = profile
        if tags:
            body["tags"] = list(tags)
        return self._connection.read_shape(SubmittedJson, "POST", "/v1/documents/addresses", json=body).job

    def delete_document(self, document_id: str) -> None:
        """Delete a document; one that is gone already is no error."""
        self._connection.send_request("DELETE", f"/v1/documents/{_path_segment(document_id)}")

    def text(self, document_id: str, span: tuple[int, int], context: int) -> TextWindowJson:
        """The text around ``span``, with ``context`` characters on either side."""
        around = {"start": span[0], "end": span[1], "context": context}
        return self._connection.read_shape(
            TextWindowJson, "GET", f"/v1/documents/{_path_segment(document_id)}/text", params=around
        )

    def page_image(self, document_id: str, page: int, span: tuple[int, int]) -> bytes:
        """A page of a PDF as PNG with the words under ``span`` marked; NotThere when it has no pages."""
        marked = {"start": span[0], "end": span[1]}
        return self._connection.bytes(f"/v1/documents/{_path_segment(document_id)}/pages/{page}.png", params=marked)

    def figure_image(self, document_id: str, digest: str) -> bytes:
        """A picture of a document that was described, as its file has it; NotThere when it cannot be shown."""
        return self._connection.bytes(f"/v1/documents/{_path_segment(document_id)}/figures/{_path_segment(digest)}")

    def jobs(self) -> list[JobJson]:
        """Background work, the latest first."""
        return self._connection.read_shape(JobsJson, "GET", "/v1/jobs").jobs

    def job(self, job_id: str) -> JobJson:
        """One piece of background work."""
        return self._connection.read_shape(JobJson, "GET", f"/v1/jobs/{_path_segment(job_id)}")

    def cancel_job(self, job_id: str) -> None:
        """End background work."""
        self._connection.send_request("DELETE", f"/v1/jobs/{_path_segment(job_id)}")

    def give_feedback(self, answer_id: str, thumb: str, comment: str) -> None:
        """Say what one thinks of an answer; ``thumb`` is ``up`` or ``down``."""
        feedback = {"answer_id": answer_id, "thumb": thumb, "comment": comment}
        self._connection.send_request("POST", "/v1/feedback", json=feedback)

    def feedback_summary(self) -> FeedbackSummaryJson:
        """Which strategy satisfied people with which kind of question."""
        return self._connection.read_shape(FeedbackSummaryJson, "GET", "/v1/feedback/summary")

    def drift(self, days: int) -> DriftJson:
        """What changed in the answers of the last days."""
        return self._connection.read_shape(DriftJson, "GET", "/v1/feedback/drift", params={"days": days})

    def evaluations(self) -> KeptEvaluationsJson:
        """The runs and golden sets that are kept."""
        return self._connection.read_shape(KeptEvaluationsJson, "GET", "/v1/evaluation")

    def compare_runs(self, before: str, after: str) -> ComparisonJson:
        """Two runs, compared."""
        named = {"before": before, "after": after}
        return self._connection.read_shape(ComparisonJson, "GET", "/v1/evaluation/comparison", params=named)

    def golden_questions(self, name: str) -> list[GoldenQuestionJson]:
        """The questions of a golden set beside what the documents say."""
        path = f"/v1/evaluation/golden/{_path_segment(name)}"
        return self._connection.read_shape(GoldenQuestionsJson, "GET", path).questions

    def judge_question(self, name: str, question_id: str, body: JudgedQuestionBody) -> None:
        """Keep a question as a person left it."""
        path = f"/v1/evaluation/golden/{_path_segment(name)}/{_path_segment(question_id)}"
        self._connection.send_request("PUT", path, json=body.to_json())

    def drop_question(self, name: str, question_id: str) -> None:
        """Drop a question of a golden set."""
        path = f"/v1/evaluation/golden/{_path_segment(name)}/{_path_segment(question_id)}"
        self._connection.send_request("DELETE", path)

    def stats(self) -> StatsJson:
        """How much there is."""
        return self._connection.read_shape(StatsJson, "GET", "/v1/stats")

    def conversations(self) -> list[ConversationSummaryJson]:
        """Conversations, the last used first."""
        return self._connection.read_shape(ConversationsJson, "GET", "/v1/conversations").conversations

    def turns(self, conversation_id: str) -> list[TurnJson]:
        """The turns of a conversation, in order; none when there is no such conversation."""
        path = f"/v1/conversations/{_path_segment(conversation_id)}"
        return self._connection.read_shape(ConversationJson, "GET", path).turns

    def conversation_sources(self, conversation_id: str) -> list[DocumentJson]:
        """What was fetched for a conversation."""
        path = f"/v1/conversations/{_path_segment(conversation_id)}/sources"
        return self._connection.read_shape(SourcesJson, "GET", path).documents

    def delete_conversation(self, conversation_id: str) -> None:
        """Delete a conversation and what was fetched for it alone."""
        self._connection.send_request("DELETE", f"/v1/conversations/{_path_segment(conversation_id)}")

    def graph_stats(self) -> GraphStatsJson:
        """How much the knowledge graph holds."""
        return self._connection.read_shape(GraphStatsJson, "GET", "/v1/graph")

    def entities(self, beginning: str, limit: int) -> list[FoundEntityJson]:
        """Entities by what may be part of their name."""
        asked = {"q": beginning, "limit": limit}
        return self._connection.read_shape(FoundEntitiesJson, "GET", "/v1/graph/entities", params=asked).entities

    def entity(self, entity: str, *, topic: str = "", **limits: int) -> NeighbourhoodJson:
        """An entity; ``limits`` are ``neighbours``, ``sentences``, ``passages``. NotThere has near misses."""
        return self._connection.read_shape(
            NeighbourhoodJson,
            "GET",
            f"/v1/graph/entities/{_path_segment(entity)}",
            params={**limits, **({"topic": topic} if topic else {})},
        )

    def ways(self, start: str, end: str, **limits: int) -> PathJson:
        """The ways between two entities by id or name; ``limits`` are ``paths`` and ``sentences``."""
        return self._connection.read_shape(
            PathJson, "GET", "/v1/graph/path", params={"from": start, "to": end, **limits}
        )

    def communities(self, level: int, **limits: int) -> CommunitiesJson:
        """The groups of a level; ``limits`` are ``limit``, ``offset``, ``sentences``."""
        return self._connection.read_shape(
            CommunitiesJson, "GET", "/v1/graph/communities", params={"level": level, **limits}
        )

    def _read_stream(self, method: str, path: str, **options: Any) -> Generator[ServerEvent]:
        with self._connection.lines(method, path, **options) as lines:
            for event in read_events(lines or ()):
                yield event
                if event.is_last:
                    return

    def _follow_stream(
        self, request: tuple[str, str, dict[str, Any]], answer_id: str, after: str
    ) -> Generator[ServerEvent]:
        failures = 0
        while True:
            method, path, options = request
            try:
                with self._connection.lines(method, path, **options) as lines:
                    if lines is None:
                        return
                    for event in read_events(lines):
                        failures = 0
                        after = event.id or after
                        answer_id = answer_id or after.rpartition(":")[0]
                        yield event
                        if event.is_last:
                            return
            except ServiceAway:
                if not answer_id:
                    raise
            failures += 1
            if failures > RESUMES:
                raise ServiceAway(f"{self.url} stopped in the middle of an answer")
            time.sleep(RESUME_SECONDS * 2 ** (failures - 1))
            request = _resume_request(answer_id, after)


def _resume_request(answer_id: str, after: str) -> tuple[str, str, dict[str, Any]]:
    headers = {"Last-Event-ID": after} if after else {}
    return "GET", f"/v1/ask/stream/{_path_segment(answer_id)}", {"headers": headers}


def _path_segment(identifier: str) -> str:
    """One segment of a path, whatever the id holds: it may come from the address bar."""
    return quote(identifier, safe="").replace(".", "%2E")
