"""Connections that send slowly, too many requests, and what is refused before a body is read."""

import asyncio
import json
import socket
import time
from contextlib import contextmanager
from http.client import HTTPConnection

import httpx
import pytest
from running_service import client_of, new_key

from ascertain.app.ascertain import Ascertain

JSON = {"Content-Type": "application/json"}


@contextmanager
def connected(service, sent=b""):
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as connection:
        connection.sendall(sent)
        yield connection


def seconds_until_closed(connection):
    began = time.monotonic()
    while connection.recv(65_536):
        pass
    return time.monotonic() - began


@pytest.mark.parametrize("sent", [b"", b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "])
def test_a_connection_that_never_ends_its_headers_is_closed(open_service, sent):
    service = open_service(server__receive_seconds=1)
    with connected(service, sent) as connection:
        assert seconds_until_closed(connection) < 10


def test_headers_that_come_byte_by_byte_do_not_keep_a_connection_open(open_service):
    service = open_service(server__receive_seconds=1)
    with connected(service, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ") as connection:
        connection.settimeout(0.1)
        until = time.monotonic() + 10
        while time.monotonic() < until:
            try:
                connection.sendall(b"a")
                if connection.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        else:
            pytest.fail("the connection is still open")


def test_a_connection_may_rest_between_requests_and_be_used_again(open_service):
    service = open_service(server__receive_seconds=1)
    connection = HTTPConnection("127.0.0.1", service.port, timeout=20)
    connection.connect()
    ours = connection.sock
    for _ in range(3):
        connection.request("GET", "/healthz")
        response = connection.getresponse()
        assert (response.status, json.loads(response.read())["status"]) == (200, "ok")
        time.sleep(0.7)
    assert connection.sock is ours
    connection.close()


def test_an_answer_that_takes_longer_than_headers_may_is_still_given(open_service, monkeypatch):
    service = open_service(server__receive_seconds=0.5)
    count = Ascertain.stats

    def count_slowly(knowledge):
        time.sleep(1.5)
        return count(knowledge)

    monkeypatch.setattr(Ascertain, "stats", count_slowly)
    assert httpx.get(f"{service.url}/v1/stats", trust_env=False, timeout=60).status_code == 200


def test_a_body_that_does_not_come_is_a_timeout(open_service):
    service = open_service(server__receive_seconds=1)
    head = b"POST /v1/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"
    with connected(service, head) as connection:
        told, began = b"", time.monotonic()
        while piece := connection.recv(65_536):
            told += piece
        assert time.monotonic() - began < 15
        assert told.startswith(b"HTTP/1.1 408")
        assert b"urn:ascertain:problem:timed-out" in told


def test_a_body_that_comes_slowly_but_steadily_is_taken(open_service):
    service = open_service(server__receive_seconds=1)

    def pieces():
        text = json.dumps({"query": "q" * 4000}).encode()
        for at in range(0, len(text), 200):
            yield text[at : at + 200]
            time.sleep(0.1)

    response = httpx.post(f"{service.url}/v1/search", content=pieces(), headers=JSON, trust_env=False, timeout=60)
    assert response.status_code == 409, response.text


def test_too_many_requests_at_once_are_turned_away_and_health_is_not(open_service):
    service = open_service(server__requests_at_once=2, server__receive_seconds=20)
    head = b"POST /v1/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"
    with connected(service, head), connected(service, head), client_of(service.url) as client:
        until = time.monotonic() + 10
        while (response := client.get("/v1/jobs")).status_code == 200 and time.monotonic() < until:
            time.sleep(0.05)
        assert response.status_code == 503, response.text
        assert response.json()["type"] == "urn:ascertain:problem:overloaded"
        assert int(response.headers["retry-after"]) >= 1
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 200
    until = time.monotonic() + 10
    with client_of(service.url) as client:
        while (response := client.get("/v1/jobs")).status_code != 200 and time.monotonic() < until:
            time.sleep(0.05)
        assert response.status_code == 200


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"[" * 100_000, b'{"question": 7}', b""])
def test_nobody_is_told_about_a_body_without_a_key(place, body):
    with client_of(place.url) as stranger:
        for path in ("/v1/ask", "/v1/ask/stream", "/v1/search", "/v1/feedback", "/v1/documents", "/summarize"):
            assert stranger.post(path, content=body, headers=JSON).status_code == 401


@pytest.mark.parametrize("body", [b"\xff\xfe", b'"\xff"', b"[" * 100_000])
def test_a_body_that_is_no_json_is_refused_as_other_wrong_ones_are(client, body):
    for path in ("/v1/ask", "/v1/feedback"):
        response = client.post(path, content=body, headers=JSON)
        assert response.status_code == 422, response.text
        assert response.json()["type"] == "urn:ascertain:problem:invalid-body"


def test_a_body_without_a_key_is_not_even_waited_for(place):
    head = b"POST /v1/documents HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 9\r\n\r\n"
    with connected(place.first, head) as connection:
        assert connection.recv(65_536).startswith(b"HTTP/1.1 401")


def test_requests_with_a_wrong_body_count(place, tenant):
    key = new_key(place.knowledge, tenant, requests_per_minute=2)
    with client_of(place.url, key) as client:
        statuses = [client.post("/v1/ask", content=b"{", headers=JSON).status_code for _ in range(4)]
    assert statuses == [422, 422, 429, 429]


def test_an_address_tells_all_the_methods_it_takes(client):
    for path, methods in {
        "/v1/documents": {"GET", "POST"},
        "/v1/documents/abc": {"GET", "DELETE"},
        "/v1/jobs/abc": {"GET", "DELETE"},
        "/v1/ask": {"POST"},
        "/healthz": {"GET", "HEAD"},
    }.items():
        response = client.put(path)
        assert response.status_code == 405
        assert set(response.headers["allow"].split(", ")) == methods, path


@pytest.mark.parametrize("path", ["/v1/jobs/", "/docs/", "/v1/documents/?limit=1"])
def test_a_redirect_stays_on_the_host_it_was_asked_at(place, tenant, path):
    with client_of(place.url, new_key(place.knowledge, tenant)) as client:
        response = client.get(path, headers={"Host": "evil.example.org"})
        assert response.status_code == 307
        assert "evil" not in response.headers["location"]
        assert client.get(path, follow_redirects=True).status_code == 200


@pytest.mark.parametrize("path", ["/", "/docs", "/openapi.json", "/healthz", "/readyz"])
def test_pages_answer_head_as_they_do_get_without_a_body(place, path):
    with client_of(place.url) as stranger:
        head, whole = stranger.head(path), stranger.get(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"] == whole.headers["content-type"]


def test_many_half_open_connections_stall_nobody(open_service):
    service = open_service(server__receive_seconds=2)

    async def hold():
        opened = [await asyncio.open_connection("127.0.0.1", service.port) for _ in range(100)]
        for _, writer in opened:
            writer.write(b"POST /v1/ask HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        async with httpx.AsyncClient(trust_env=False) as client:
            assert (await client.get(f"{service.url}/v1/jobs", timeout=10)).status_code == 200
        await asyncio.wait_for(asyncio.gather(*(reader.read() for reader, _ in opened)), 20)
        for _, writer in opened:
            writer.close()

    asyncio.run(hold())


LINE = b"X-Long: " + b"a" * 60_000 + b"\r\n"
MOST_SENT = 8_000_000
"""Bytes after which a connection that is still open would never be closed; the system's own buffers hold some of them."""


@pytest.mark.parametrize(
    ("begun", "repeated"),
    [
        (b"GET /docs HTTP/1.1\r\nHost: 127.0.0.1\r\n", LINE),
        (b"GET /docs HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: ", b"a" * 60_000),
        (b"GET /docs?", b"a" * 60_000),
        (b"POST /v1/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", LINE),
        (b"POST /v1/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n1;", b"a" * 60_000),
    ],
    ids=["many headers", "one header", "an address", "trailers", "a chunk's extension"],
)
def test_headers_without_an_end_are_cut_off_however_fast_they_come(open_service, begun, repeated):
    """They are held in memory until they are whole, and come from anybody."""
    service = open_service()
    new_key(service.knowledge, "default")
    sent = len(begun)
    with connected(service, begun) as connection:
        try:
            while sent < MOST_SENT:
                connection.sendall(repeated)
                sent += len(repeated)
        except OSError:
            return
    pytest.fail(f"{sent:,} bytes were taken")
