"""What the client does when the service breaks off, which a whole service cannot be made to do."""

import socket
import threading

import pytest

from ascertain.ui import client
from ascertain.ui.client import Service, ServiceAway

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
STARTED = b'id: a1:1\nevent: started\ndata: {"answer_id": "a1", "conversation_id": null}\n\n'
NODE = b'id: a1:2\nevent: node\ndata: {"node": "plan", "state": "started"}\n\n'
ANSWER = b'id: a1:3\nevent: answer\ndata: {"id": "a1"}\n\n'
NOTHING_MORE = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"


class BreakingService:
    """Answers each connection with the next of ``replies`` and closes it; remembers what was asked."""

    def __init__(self, *replies):
        self.asked = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._run, args=(replies,))
        self._thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}"

    def close(self):
        self._thread.join(10)
        self._listening.close()

    def _run(self, replies):
        for reply in replies:
            connection, _ = self._listening.accept()
            with connection:
                self.asked.append(connection.recv(65_536).decode())
                connection.sendall(reply)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(client, "RESUME_SECONDS", 0)


def events_of(*replies):
    service = BreakingService(*replies)
    try:
        return [event.name for event in Service(service.url).ask({"question": "How?"})], service.asked
    finally:
        service.close()


def test_stream_that_breaks_off_is_taken_up_after_its_last_event():
    names, asked = events_of(HEAD + STARTED + NODE, HEAD + ANSWER)
    assert names == ["started", "node", "answer"]
    assert asked[1].startswith("GET /v1/ask/stream/a1 ")
    assert "last-event-id: a1:2" in asked[1].lower()


def test_half_an_event_is_asked_for_again():
    names, asked = events_of(HEAD + STARTED + NODE[:20], HEAD + NODE + ANSWER)
    assert names == ["started", "node", "answer"]
    assert "last-event-id: a1:1" in asked[1].lower()


def test_stream_that_has_nothing_more_ends():
    names, _ = events_of(HEAD + STARTED, NOTHING_MORE)
    assert names == ["started"]


def test_stream_that_always_breaks_off_is_given_up(monkeypatch):
    monkeypatch.setattr(client, "RESUMES", 2)
    with pytest.raises(ServiceAway, match="in the middle"):
        events_of(HEAD + STARTED, HEAD, HEAD)


def test_question_that_never_reached_the_service_is_not_sent_twice():
    service = BreakingService(b"")
    with pytest.raises(ServiceAway):
        list(Service(service.url).ask({"question": "How?"}))
    service.close()
    assert len(service.asked) == 1


@pytest.mark.parametrize("identifier", ["../documents", "a/b", "..", "a?b#c", "ä b"])
def test_id_stays_one_segment_of_the_path(identifier):
    service = BreakingService(
        b'HTTP/1.1 200 OK\r\nContent-Length: 24\r\nConnection: close\r\n\r\n{"id": "c", "turns": []}'
    )
    assert Service(service.url).turns(identifier) == []
    service.close()
    target = service.asked[0].split()[1]
    assert target.startswith("/v1/conversations/")
    assert target.count("/") == 3
    assert "?" not in target
    assert "/.." not in target
