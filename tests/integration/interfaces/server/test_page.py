"""The page in the browser as the service gives it, and the session that its reader has."""

import re

import pytest
from running_service import client_of, new_key

from ascertain.app.access.api_keys import list_keys, revoke_key
from ascertain.app.wire.service import SessionJson
from ascertain.interfaces.server.identity import SESSION_COOKIE


@pytest.fixture
def visitor(place):
    """A browser without a key; it has cookies."""
    with client_of(place.url) as visitor:
        yield visitor


@pytest.fixture
def key(place, tenant):
    return new_key(place.knowledge, tenant)


def sign_in(visitor, key, **headers):
    return visitor.post("/v1/session", json={"key": key}, headers=headers)


def test_the_page_and_its_files_are_for_all_and_hold_still_while_they_do_not_change(visitor):
    page = visitor.get("/")
    assert page.status_code == 200
    assert page.headers["cache-control"] == "no-cache"
    files = re.findall(r'(?:href|src)="(page/[^"]+)"', page.text)
    assert len(files) > 20
    for file in files:
        response = visitor.get(f"/{file}")
        assert response.status_code == 200, file
        assert "immutable" in response.headers["cache-control"]
        assert response.headers["x-content-type-options"] == "nosniff"


def test_nothing_inline_and_nothing_from_elsewhere_may_run_in_the_page(visitor):
    page = visitor.get("/")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["x-frame-options"] == "DENY"
    assert not re.search(r"<script[^>]*>[^<]|<style| on\w+=", page.text)


@pytest.mark.parametrize("path", ["/page/x/none.js", "/page/x/../identity.py", "/page/x/%2e%2e/identity.py", "/page/"])
def test_a_file_that_is_none_of_the_page_is_not_there(visitor, path):
    assert visitor.get(path, follow_redirects=True).status_code in {401, 404}


def test_a_page_from_before_the_service_was_renewed_gets_the_files_of_now(visitor):
    response = visitor.get("/page/0000000000000000/app.js")
    assert response.status_code == 200
    assert response.headers["cache-control"] == "no-store"


def test_a_reader_who_gave_a_key_is_known_from_then_on(visitor, key, tenant):
    assert visitor.get("/v1/session").status_code == 401
    begun = sign_in(visitor, key)
    assert begun.status_code == 200
    SessionJson.model_validate(begun.json(), extra="forbid")
    assert begun.json()["tenant"] == tenant
    cookie = begun.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert visitor.get("/v1/session").json() == begun.json()
    assert visitor.get("/v1/documents").json() == {"documents": [], "total": 0}


def test_a_key_that_is_wrong_begins_no_session(visitor):
    response = sign_in(visitor, "ask_wrong")
    assert response.status_code == 401
    assert response.json()["detail"] == "This key is not known here, or it was revoked."
    assert SESSION_COOKIE not in visitor.cookies
    assert visitor.get("/v1/documents").status_code == 401


def test_a_session_ends_when_its_reader_leaves_or_its_key_is_revoked(visitor, place, key, tenant):
    sign_in(visitor, key)
    assert visitor.delete("/v1/session").status_code == 204
    assert visitor.get("/v1/documents").status_code == 401
    sign_in(visitor, key)
    [made] = [each for each in list_keys(place.knowledge.service) if each.tenant == tenant]
    revoke_key(place.knowledge.service, made.id)
    assert visitor.get("/v1/documents").status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example.org"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_session_counts_for_nothing_in_the_page_of_a_stranger(visitor, key, headers):
    assert sign_in(visitor, key, **headers).status_code == 403
    sign_in(visitor, key)
    assert visitor.get("/v1/documents").status_code == 200
    assert visitor.get("/v1/documents", headers=headers).status_code == 403
    assert visitor.post("/v1/ask", json={"question": "why?"}, headers=headers).status_code == 403


def test_a_link_from_elsewhere_leads_to_the_page_and_brings_no_session(visitor, key):
    sign_in(visitor, key)
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert visitor.get("/", headers=followed).status_code == 200
    assert visitor.get("/v1/documents", headers=followed).status_code == 401


def test_a_session_counts_for_the_page_of_the_service(visitor, key, place):
    own = {"Origin": place.url, "Sec-Fetch-Site": "same-origin"}
    assert sign_in(visitor, key, **own).status_code == 200
    assert visitor.get("/v1/documents", headers=own).status_code == 200


def test_an_open_service_knows_everybody_on_its_machine(open_service):
    with client_of(open_service().url) as visitor:
        known = visitor.get("/v1/session").json()
        assert (known["name"], known["is_admin"]) == (None, True)
        assert visitor.get("/v1/session", headers={"Origin": "https://evil.example.org"}).status_code == 403


@pytest.mark.parametrize("headers", [{"Host": "evil.example.org"}, {"Origin": "https://evil.example.org"}])
def test_the_page_of_an_open_service_is_for_the_names_of_this_machine(open_service, headers):
    with client_of(open_service().url) as visitor:
        assert visitor.get("/").status_code == 200
        for path in ("/", "/v1/session", "/v1/documents", "/v1/conversations"):
            assert visitor.get(path, headers=headers).status_code == 403, path
