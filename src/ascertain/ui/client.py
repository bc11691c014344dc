"""The service's HTTP interface, typed; one method for each request the page makes."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from typing import IO, Any
from urllib.parse import quote

from ascertain.ui.connection import Connection
from ascertain.ui.events import ServerEvent, read_events
from ascertain.ui.problems import ServiceAway
from ascertain.wire.conversations import (
    ConversationJson,
    ConversationsJson,
    ConversationSummaryJson,
    FeedbackSummaryJson,
    TurnJson,
)
from ascertain.wire.documents import DocumentJson, DocumentsJson, SourcesJson, TextWindowJson
from ascertain.wire.graph import (
    CommunitiesJson,
    FoundEntitiesJson,
    FoundEntityJson,
    GraphStatsJson,
    NeighbourhoodJson,
    PathJson,
)
from ascertain.wire.holdings import StatsJson
from ascertain.wire.service import JobJson, JobsJson, SubmittedJson

RESUMES = 5
"""How often a broken stream is taken up again without a new event, before it is given up."""
RESUME_SECONDS = 0.5
"""Pause before the first of these; each later one is twice as long."""


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
        return self._followed(("POST", "/v1/ask/stream", {"json": dict(request)}), "", "")

    def follow(self, answer_id: str, after: str = "") -> Generator[ServerEvent]:
        """The events of a question asked earlier, from the one after ``after`` on; none when that was the last."""
        return self._followed(_resumption(answer_id, after), answer_id, after)

    def documents(self, **conditions: object) -> DocumentsJson:
        """Documents by ``state``, ``kind``, ``source``, ``tag``, ``limit``, ``offset``; None puts no condition."""
        given = {name: value for name, value in conditions.items() if value is not None}
        return self._connection.read_shape(DocumentsJson, "GET", "/v1/documents", params=given)

    def document(self, document_id: str) -> DocumentJson:
        """One document, without its text."""
        return self._connection.read_shape(DocumentJson, "GET", f"/v1/documents/{_segment(document_id)}")

    def upload(
        self, files: Sequence[tuple[str, IO[bytes]]], profile: str | None, tags: Sequence[str]
    ) -> JobJson:
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
        self._connection.send_request("DELETE", f"/v1/documents/{_segment(document_id)}")

    def text(self, document_id: str, span: tuple[int, int], context: int) -> TextWindowJson:
        """The text around ``span``, with ``context`` characters on either side."""
        around = {"start": span[0], "end": span[1], "context": context}
        return self._connection.read_shape(
            TextWindowJson, "GET", f"/v1/documents/{_segment(document_id)}/text", params=around
        )

    def page_image(self, document_id: str, page: int, span: tuple[int, int]) -> bytes:
        """A page of a PDF as PNG with the words under ``span`` marked; NotThere when it has no pages."""
        marked = {"start": span[0], "end": span[1]}
        return self._connection.bytes(
            f"/v1/documents/{_segment(document_id)}/pages/{page}.png", params=marked
        )

    def jobs(self) -> list[JobJson]:
        """Background work, the latest first."""
        return self._connection.read_shape(JobsJson, "GET", "/v1/jobs").jobs

    def job(self, job_id: str) -> JobJson:
        """One piece of background work."""
        return self._connection.read_shape(JobJson, "GET", f"/v1/jobs/{_segment(job_id)}")

    def cancel_job(self, job_id: str) -> None:
        """End background work."""
        self._connection.send_request("DELETE", f"/v1/jobs/{_segment(job_id)}")

    def give_feedback(self, answer_id: str, thumb: str, comment: str) -> None:
        """Say what one thinks of an answer; ``thumb`` is ``up`` or ``down``."""
        opinion = {"answer_id": answer_id, "thumb": thumb, "comment": comment}
        self._connection.send_request("POST", "/v1/feedback", json=opinion)

    def feedback_summary(self) -> FeedbackSummaryJson:
        """Which strategy satisfied people with which kind of question."""
        return self._connection.read_shape(FeedbackSummaryJson, "GET", "/v1/feedback/summary")

    def stats(self) -> StatsJson:
        """How much there is."""
        return self._connection.read_shape(StatsJson, "GET", "/v1/stats")

    def conversations(self) -> list[ConversationSummaryJson]:
        """Conversations, the last used first."""
        return self._connection.read_shape(ConversationsJson, "GET", "/v1/conversations").conversations

    def turns(self, conversation_id: str) -> list[TurnJson]:
        """The turns of a conversation, in order; none when there is no such conversation."""
        path = f"/v1/conversations/{_segment(conversation_id)}"
        return self._connection.read_shape(ConversationJson, "GET", path).turns

    def conversation_sources(self, conversation_id: str) -> list[DocumentJson]:
        """What was fetched for a conversation."""
        path = f"/v1/conversations/{_segment(conversation_id)}/sources"
        return self._connection.read_shape(SourcesJson, "GET", path).documents

    def delete_conversation(self, conversation_id: str) -> None:
        """Delete a conversation and what was fetched for it alone."""
        self._connection.send_request("DELETE", f"/v1/conversations/{_segment(conversation_id)}")

    def graph_stats(self) -> GraphStatsJson:
        """How much the knowledge graph holds."""
        return self._connection.read_shape(GraphStatsJson, "GET", "/v1/graph")

    def entities(self, beginning: str, limit: int) -> list[FoundEntityJson]:
        """Entities by what may be part of their name."""
        asked = {"q": beginning, "limit": limit}
        return self._connection.read_shape(
            FoundEntitiesJson, "GET", "/v1/graph/entities", params=asked
        ).entities

    def entity(self, entity: str, **limits: int) -> NeighbourhoodJson:
        """An entity by id or name; ``limits`` are ``neighbours``, ``sentences``, ``passages``. NotThere has near misses."""
        return self._connection.read_shape(
            NeighbourhoodJson, "GET", f"/v1/graph/entities/{_segment(entity)}", params=limits
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

    def _followed(
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
            request = _resumption(answer_id, after)


def _resumption(answer_id: str, after: str) -> tuple[str, str, dict[str, Any]]:
    headers = {"Last-Event-ID": after} if after else {}
    return "GET", f"/v1/ask/stream/{_segment(answer_id)}", {"headers": headers}


def _segment(identifier: str) -> str:
    """One segment of a path, whatever the id holds: it may come from the address bar."""
    return quote(identifier, safe="").replace(".", "%2E")
