"""The same tools at an address, where keys say whose documents they are."""

import socket
import time

import httpx
import pytest

from ascertain import Ascertain
from ascertain.app.access.api_keys import create_key, revoke_key
from ascertain.core.service.service import Role

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_documents", "arguments": {}}}
ACCEPT = {"accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def open_server(serving, home):
    with serving(home) as url:
        yield url


def test_without_keys_this_machine_may_ask(open_server, talking_to):
    with talking_to(open_server) as talk:
        result = talk.call("ask", question="what does GB-7731 mean?")
        assert not result.is_error, result.content
        answered = result.structured_content
        assert "oil pressure" in answered["answer"]
        assert answered["citations"]


def test_a_page_that_names_this_machine_otherwise_is_refused(open_server):
    reply = httpx.post(open_server, json=CALL, headers={**ACCEPT, "host": "evil.example.org"})
    assert reply.status_code == 403


@pytest.mark.parametrize("origin", ["https://evil.example.org", "http://localhost:9999", "http://127.0.0.1", "null"])
def test_a_page_of_another_site_is_refused(open_server, origin):
    reply = httpx.post(open_server, json=CALL, headers={**ACCEPT, "origin": origin})
    assert reply.status_code == 403
    assert "server.cors_origins" in reply.json()["error"]


def test_pages_of_the_allowed_origins_and_of_its_own_may_ask(serving, home, monkeypatch):
    monkeypatch.setenv("ASCERTAIN_SERVER__CORS_ORIGINS", '["https://page.example.org"]')
    with serving(home) as url:
        for origin in ("https://page.example.org", url.removesuffix("/mcp")):
            reply = httpx.post(url, json=CALL, headers={**ACCEPT, "origin": origin})
            assert reply.status_code == 200, reply.text
        asked = {"origin": "https://page.example.org", "access-control-request-method": "POST"}
        assert httpx.options(url, headers=asked).headers["access-control-allow-origin"] == asked["origin"]


def test_a_slow_connection_is_closed_and_nothing_leads_to_another_host(serving, home, monkeypatch):
    monkeypatch.setenv("ASCERTAIN_SERVER__RECEIVE_SECONDS", "1")
    with serving(home) as url:
        address = httpx.URL(url)
        head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{address.port}\r\n"
        body = f"{head}Content-Type: application/json\r\nAccept: {ACCEPT['accept']}\r\nContent-Length: 99\r\n\r\n{{"
        for sent in (head, body):
            with socket.create_connection(("127.0.0.1", address.port), timeout=20) as connection:
                connection.sendall(sent.encode())
                while connection.recv(65_536):
                    pass
        assert "location" not in httpx.post(f"{url}/", json=CALL, headers=ACCEPT).headers


def test_too_many_requests_at_once_are_turned_away(serving, home, monkeypatch):
    monkeypatch.setenv("ASCERTAIN_SERVER__REQUESTS_AT_ONCE", "1")
    with serving(home) as url:
        place = ("127.0.0.1", httpx.URL(url).port)
        head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{place[1]}\r\nContent-Type: application/json\r\n"
        with socket.create_connection(place, timeout=20) as waiting:
            waiting.sendall(f"{head}Accept: {ACCEPT['accept']}\r\nContent-Length: 99\r\n\r\n{{".encode())
            reply = repeat_until(503, url)
            assert reply.json()["error"] == "1 request is in progress already"
            assert int(reply.headers["retry-after"]) >= 1
        assert repeat_until(200, url).json()["result"]["structuredContent"]["documents"]


def repeat_until(status: int, url: str) -> httpx.Response:
    """The first answer of that status, or else the last within ten seconds."""
    until = time.monotonic() + 10
    while (reply := httpx.post(url, json=CALL, headers=ACCEPT)).status_code != status and time.monotonic() < until:
        time.sleep(0.05)
    assert reply.status_code == status, reply.text
    return reply


@pytest.fixture(scope="module")
def keyed(serving, tmp_path_factory, papers):
    """A server over two tenants, with the text of a key for each: ``a`` has one document, ``b`` none, ``slow`` may ask once a minute."""
    home = tmp_path_factory.mktemp("keyed") / "kb"
    with Ascertain.open(home, environ={}, tenant="a") as knowledge:
        knowledge.add([papers / "refunds.md"])
        made = {
            name: create_key(knowledge.service, name, tenant, requests_per_minute=limit)
            for name, tenant, limit in [("a", "a", 0), ("b", "b", 0), ("slow", "a", 1), ("gone", "a", 0)]
        }
        made["reader"] = create_key(knowledge.service, "reader", "a", role=Role.READ)
        revoke_key(knowledge.service, made["gone"][0].id)
    with serving(home) as url:
        yield url, {name: text for name, (_, text) in made.items()}


@pytest.mark.parametrize("key", [None, "ask_nonsense", "gone"])
def test_without_a_valid_key_nothing_is_told(key, keyed):
    url, keys = keyed
    headers = {"authorization": f"Bearer {keys.get(key, key)}"} if key else {}
    reply = httpx.post(url, json=CALL, headers={**ACCEPT, **headers})
    assert reply.status_code == 401
    assert reply.headers["www-authenticate"] == "Bearer"
    assert "refund" not in reply.text.lower()


def test_a_key_that_reads_adds_nothing(keyed, talking_to, papers):
    url, keys = keyed
    with talking_to(url, {"authorization": f"Bearer {keys['reader']}"}) as talk:
        refused = talk.call("add", what=["https://example.org/"])
        assert refused.is_error
        assert "--role write" in refused.content[0].text
        assert not talk.call("list_documents").is_error


def test_pages_of_strangers_are_refused_whatever_the_key_and_nobody_frames_it(keyed):
    url, keys = keyed
    headers = {**ACCEPT, "authorization": f"Bearer {keys['a']}"}
    assert httpx.post(url, json=CALL, headers={**headers, "origin": "https://evil.example.org"}).status_code == 403
    reply = httpx.post(url, json=CALL, headers={**headers, "host": "agents.example.org"})
    assert reply.status_code == 200
    assert reply.headers["x-frame-options"] == "DENY"


def test_a_conversation_is_its_users(keyed):
    url, keys = keyed
    asked = {"question": "When is a refund granted?", "conversation_id": "mine"}
    call = {**CALL, "params": {"name": "ask", "arguments": asked}}
    own, other = (
        # the first question loads the models
        httpx.post(url, json=call, headers={**ACCEPT, "x-api-key": keys[name]}, timeout=150).json()["result"]
        for name in ("a", "reader")
    )
    assert not own["isError"]
    assert other["isError"]
    assert "someone else" in other["content"][0]["text"]


@pytest.mark.parametrize(("name", "titles"), [("a", ["Refunds"]), ("b", [])])
def test_a_key_sees_the_documents_of_its_tenant(name, titles, keyed, talking_to):
    url, keys = keyed
    with talking_to(url, {"authorization": f"Bearer {keys[name]}"}) as talk:
        listed = talk.call("list_documents").structured_content["documents"]
        assert [document["title"] for document in listed] == titles


def test_the_key_may_come_in_a_header_of_its_own(keyed):
    url, keys = keyed
    assert httpx.post(url, json=CALL, headers={**ACCEPT, "x-api-key": keys["a"]}).status_code == 200


def test_a_key_has_its_limit(keyed):
    url, keys = keyed
    headers = {**ACCEPT, "x-api-key": keys["slow"]}
    first, second = (httpx.post(url, json=CALL, headers=headers) for _ in range(2))
    assert (first.status_code, second.status_code) == (200, 429)
    assert int(second.headers["retry-after"]) <= 61
