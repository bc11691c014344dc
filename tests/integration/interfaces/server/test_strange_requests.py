"""Requests made to hold up or mislead the service: each is answered or refused with a reason, and the next one is answered as ever."""

import gzip
import json
import socket
import struct

import pytest
from material import REFUNDS
from running_service import new_key, upload

QUESTION = "when is a refund granted?"


def asking(**fields):
    return "/v1/ask", json.dumps({"question": QUESTION, **fields})


def talking(turn, times):
    """A chat in which so many turns were said before the question."""
    said = [{"role": ("user", "assistant")[number % 2], "content": turn} for number in range(times)]
    messages = [*said, {"role": "user", "content": QUESTION}]
    return "/v1/chat/completions", json.dumps({"model": "ascertain", "messages": messages})


REQUESTS = {
    "dots": ("/v1/ask", json.dumps({"question": "." * 1_900 + "7"})),
    "marks": ("/v1/ask", json.dumps({"question": "a" + "\u0301" * 1_900})),
    "open brackets": ("/v1/ask", json.dumps({"question": "(" * 950 + "[" * 950})),
    "numbers in rows": ("/v1/ask", json.dumps({"question": "1.2.3." * 300 + "?"})),
    "lone surrogates": ("/v1/ask", '{"question": "\\ud800 when \\udfff?"}'),
    "a question of a megabyte": ("/v1/ask", json.dumps({"question": "why " * 250_000})),
    "deep JSON": ("/v1/ask", '{"question": ' + "[" * 20_000 + "]" * 20_000 + "}"),
    "a number beyond all": ("/v1/ask", '{"question": "x", "max_chunks": 1e999}'),
    "a name out of the folder": asking(conversation_id="../../../etc/passwd"),
    "a filter of many": asking(filter={"tags": [f"t{n}" for n in range(50_000)]}),
    "a filter by wild cards": asking(filter={"sources": ["%" * 5_000 + "_" * 5_000]}),
    "dates of no calendar": asking(filter={"published_from": "9999-12-31T23:59:59.999999+23:59"}),
    "dots to be checked": ("/v1/check", json.dumps({"claim": "Refunds" + "." * 1_900 + "5."})),
    "the same key twice": ("/v1/ask", '{"question": "x", "question": {"$ne": null}}'),
    "no JSON at all": ("/v1/ask", "\x00" * 10_000),
    "a history of thousands": talking("and then?", 16_000),
    "a history of line ends": talking("\n" * 98_000 + "x", 4),
    "objects in objects": ("/v1/ask", '{"a":' * 100_000 + "1" + "}" * 100_000),
    "names nobody knows": asking(**{f"k{number}": 1 for number in range(50_000)}),
    "a number of a million digits": ("/v1/search", '{"query": "x", "k": ' + "9" * 1_000_000 + "}"),
    "documents by the ten thousand": asking(filter={"document_ids": [f"{number:032x}" for number in range(25_000)]}),
    "one letter that stands for eighteen": asking(question="\ufdfa" * 1_900),
    "many questions in one": asking(question="who is A and what is B or how is C? " * 50),
    "a claim of hundreds": ("/v1/check", json.dumps({"claim": "Refunds take 7 of 30 days and not 3. " * 50})),
    "half a research": ("/v1/research", json.dumps({"question": "why and how " * 150, "sources": ["documents"]})),
}
ODD_HEADERS = [
    ("X-Request-ID", "a" * 8_000),
    ("X-Conversation-ID", "../" * 60),
    ("Last-Event-ID", "x:" + "9" * 5_000),
    ("Range", "bytes=" + ",".join(f"{number}-" for number in range(3_000))),
    ("If-None-Match", '"a",' * 3_000),
    ("Accept-Encoding", "gzip;q=0." + "1" * 3_000),
    ("Forwarded", 'for="' * 1_000),
    ("traceparent", "00-" + "0" * 32 + "-" + "0" * 16 + "-01"),
    ("tracestate", "a=b," * 900),
    ("Cookie", "a=b;" * 1_000),
]
PART = b'--B\r\nContent-Disposition: form-data; name="%b"\r\n\r\n%d\r\n'
FORMS = {
    "fields": b"".join(PART % (b"tags", number) for number in range(20_000)) + b"--B--\r\n",
    "files": b"".join(PART % (b'files"; filename="a.md', number) for number in range(20_000)) + b"--B--\r\n",
    "a name of a megabyte": PART % (b'files"; filename="' + b'a\\"' * 300_000, 1) + b"--B--\r\n",
    "headers": b"--B\r\n" + b"X: y\r\n" * 200_000 + b"\r\nx\r\n--B--\r\n",
    "beginnings": (b"--B\r\n" * 200_000) + b"--B--\r\n",
}


def abandoned(place, path, body, key):
    """A request whose answer nobody will read; its socket."""
    connection = socket.create_connection(("127.0.0.1", place.first.port), timeout=20)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1_024)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n"
    )
    connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
    return connection


def assert_others_are_answered(client):
    assert client.get("/healthz").status_code == 200
    answer = client.post("/v1/ask", json={"question": QUESTION, "cache": False}).json()
    assert "30 days" in answer["answer"]


def assert_refused_with_a_line(response):
    assert response.status_code in {400, 413, 422, 431}, response.text[:300]
    assert response.json()["detail"]
    assert "Traceback" not in response.text


@pytest.mark.parametrize("name", REQUESTS)
def test_a_strange_request_is_answered_or_refused_and_holds_up_nobody(name, new_client, tenant):
    client, (path, body) = new_client(tenant), REQUESTS[name]
    upload(client, {"refunds.md": REFUNDS})
    response = client.post(path, content=body.encode(), headers={"Content-Type": "application/json"})
    if response.status_code != 200:
        assert_refused_with_a_line(response)
    assert_others_are_answered(client)


def test_odd_headers_change_nothing(new_client, tenant):
    client = new_client(tenant)
    upload(client, {"refunds.md": REFUNDS})
    for odd in ODD_HEADERS:
        answer = client.post("/v1/ask", json={"question": QUESTION, "cache": False}, headers=[odd])
        assert "30 days" in answer.json()["answer"], odd[0]
    assert client.get("/v1/documents", headers=ODD_HEADERS).json()["total"] == 1


def test_a_body_that_is_packed_is_refused(client):
    body = gzip.compress(json.dumps({"question": QUESTION}).encode())
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    assert_refused_with_a_line(client.post("/v1/ask", content=body, headers=headers))


@pytest.mark.parametrize("name", FORMS)
def test_an_upload_of_very_many_parts_is_refused(name, client):
    headers = {"Content-Type": "multipart/form-data; boundary=B"}
    assert_refused_with_a_line(client.post("/v1/documents", content=FORMS[name], headers=headers))
    assert client.get("/v1/documents").json()["total"] == 0


@pytest.mark.parametrize("is_reset", [True, False])
def test_streams_that_nobody_reads_hold_up_nobody(is_reset, place, new_client, tenant):
    client, key = new_client(tenant), new_key(place.knowledge, tenant)
    upload(client, {"refunds.md": REFUNDS})
    body = json.dumps({"question": QUESTION, "cache": False})
    held = [abandoned(place, "/v1/ask/stream", body, key) for _ in range(40)]
    if is_reset:
        for connection in held:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
    assert_others_are_answered(client)
    for connection in held:
        connection.close()
