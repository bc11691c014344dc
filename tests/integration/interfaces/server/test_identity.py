"""Keys, tenants, limits, and a service that runs open."""

from datetime import timedelta

import httpx
import pytest
from running_service import RunningService, client_of, new_key, settings_of, upload

from ascertain.app.access.api_keys import CACHE_SECONDS, LOOK_AGAIN_SECONDS, list_keys, revoke_key, rotate_key
from ascertain.core.service.service import Role

EVERYWHERE = ["/v1/documents", "/v1/jobs", "/v1/stats", "/v1/conversations", "/rag/stats", "/metrics"]


@pytest.mark.parametrize("path", EVERYWHERE)
def test_nobody_comes_in_without_a_key(place, path):
    with client_of(place.url) as stranger:
        response = stranger.get(path)
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"
    assert response.json()["type"] == "urn:ascertain:problem:unauthorized"


@pytest.mark.parametrize("key", ["ask_" + "a" * 43, "nonsense", "", "ask_ü", "a" * 10_000])
def test_a_key_that_is_none_is_refused_without_being_repeated(place, key):
    with client_of(place.url) as stranger:
        response = stranger.get("/v1/stats", headers={"X-API-Key": key.encode("utf-8")})
    assert response.status_code == 401
    assert not key or key not in response.text


def test_a_key_is_taken_in_either_header(place, tenant):
    key = new_key(place.knowledge, tenant)
    with client_of(place.url) as client:
        for headers in ({"X-API-Key": key}, {"Authorization": f"Bearer {key}"}, {"authorization": f"bearer {key}"}):
            assert client.get("/v1/jobs", headers=headers).status_code == 200


def test_a_revoked_key_is_refused(place, tenant):
    key = new_key(place.knowledge, tenant)
    (made,) = [each for each in list_keys(place.knowledge.service) if each.tenant == tenant]
    revoke_key(place.knowledge.service, made.id)
    with client_of(place.url, key) as client:
        assert client.get("/v1/jobs").status_code == 401
    assert CACHE_SECONDS < 10


def test_a_key_over_its_limit_waits_and_others_do_not(new_client, tenant):
    limited, other = new_client(tenant, requests_per_minute=3), new_client(tenant)
    statuses = [limited.get("/v1/jobs").status_code for _ in range(5)]
    assert statuses == [200, 200, 200, 429, 429]
    refused = limited.get("/v1/jobs")
    assert refused.json()["type"] == "urn:ascertain:problem:rate-limited"
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert other.get("/v1/jobs").status_code == 200


def test_figures_of_the_whole_service_are_for_administrators(place, tenant):
    keys = [new_key(place.knowledge, tenant, role=role) for role in (Role.WRITE, Role.ADMIN)]
    for service in place.services:
        with client_of(service.url, keys[0]) as anybody, client_of(service.url, keys[1]) as administrator:
            assert anybody.get("/metrics").status_code == 403
            figures = administrator.get("/metrics")
        assert figures.headers["content-type"].startswith("text/plain")
        assert 'status="403"}' in figures.text
        assert tenant not in figures.text


def test_on_loopback_without_keys_it_runs_open(open_service):
    service = open_service()
    assert httpx.get(f"{service.url}/v1/jobs", trust_env=False).status_code == 200
    assert httpx.get(f"{service.url}/metrics", trust_env=False).status_code == 200


def test_an_open_service_closes_once_it_has_a_key(open_service, monkeypatch):
    assert LOOK_AGAIN_SECONDS < 10
    monkeypatch.setattr("ascertain.app.access.api_keys.LOOK_AGAIN_SECONDS", 0.0)
    service = open_service()
    assert httpx.get(f"{service.url}/v1/jobs", trust_env=False).status_code == 200
    key = new_key(service.knowledge, "default")
    assert httpx.get(f"{service.url}/v1/jobs", trust_env=False).status_code == 401
    revoke_key(service.knowledge.service, list_keys(service.knowledge.service)[0].id)
    # an open door that nobody opened on purpose would be a surprise
    assert httpx.get(f"{service.url}/v1/jobs", trust_env=False).status_code == 401
    refused = httpx.get(f"{service.url}/v1/jobs", headers={"X-API-Key": key}, trust_env=False)
    assert refused.status_code == 401


def test_a_home_that_had_a_key_opens_on_purpose_alone(open_service, tmp_path):
    service = open_service()
    key = new_key(service.knowledge, "default")
    revoke_key(service.knowledge.service, list_keys(service.knowledge.service)[0].id)
    service.close()
    home = service.knowledge.settings.home
    for settings, status in (({}, 401), ({"server__open": True}, 200)):
        again = RunningService(settings_of(home, **settings))
        try:
            assert httpx.get(f"{again.url}/v1/jobs", trust_env=False).status_code == status
            # also with a key that was good once, as chat front ends send it
            asked = httpx.get(f"{again.url}/v1/jobs", headers={"X-API-Key": key}, trust_env=False)
            assert asked.status_code == status
            foreign = httpx.get(f"{again.url}/v1/jobs", headers={"Host": "rebound.example.org"}, trust_env=False)
            assert foreign.status_code == (403 if settings else 401)
        finally:
            again.close()


@pytest.mark.parametrize("path", ["/", "/docs", "/openapi.json", "/v1/jobs", "/page/x/app.js", "/nothing"])
def test_pages_of_strangers_get_nothing_whatever_the_address_and_the_key(place, tenant, path):
    key = new_key(place.knowledge, tenant)
    for headers in (
        {"Origin": "https://evil.example.org"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
    ):
        response = httpx.get(place.url + path, headers={**headers, "X-API-Key": key}, trust_env=False)
        assert response.status_code == 403, headers
    response = httpx.get(place.url + path, headers={"X-API-Key": key}, trust_env=False)
    assert response.headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in response.headers["content-security-policy"]


def test_a_key_past_its_time_is_refused_and_a_rotated_one_counts_by_its_new_text(place, tenant):
    ended = new_key(place.knowledge, tenant, expires=timedelta(microseconds=1))
    old = new_key(place.knowledge, tenant)
    made = [each for each in list_keys(place.knowledge.service) if each.tenant == tenant and not each.expires_at]
    new = rotate_key(place.knowledge.service, made[0].id)[1]
    for key, status in ((ended, 401), (old, 401), (new, 200)):
        with client_of(place.url, key) as client:
            assert client.get("/v1/jobs").status_code == status


def test_who_did_what_is_on_record_for_administrators_of_the_tenant(place, tenant, new_client):
    keys = {role: new_key(place.knowledge, tenant, user=role.value, role=role) for role in Role}
    clients = {role: client_of(place.url, key) for role, key in keys.items()}
    upload(clients[Role.WRITE], {"a.md": "# One\n\nThe mill was built in 1885.\n"})
    (document,) = clients[Role.WRITE].get("/v1/documents").json()["documents"]
    assert clients[Role.READ].delete(f"/v1/documents/{document['id']}").status_code == 403
    assert clients[Role.READ].get("/v1/audit").status_code == 403
    assert clients[Role.WRITE].delete(f"/v1/documents/{document['id']}").status_code == 200
    clients[Role.READ].get("/v1/jobs")
    audit = clients[Role.ADMIN].get("/v1/audit")
    noted = [
        (each["user"], each["action"], each["outcome"])
        for each in audit.json()["entries"]
        if each["action"] not in {"add_key"}
    ]
    assert sorted(noted) == [
        ("admin", "use_key", "done"),
        ("read", "request", "refused"),
        ("read", "request", "refused"),
        ("read", "use_key", "done"),
        ("write", "delete_documents", "done"),
        ("write", "use_key", "done"),
    ]
    deleted = next(each for each in audit.json()["entries"] if each["action"] == "delete_documents")
    assert document["id"] in deleted["subject"]
    assert (deleted["address"], deleted["tenant"]) == ("127.0.0.1", tenant)
    assert deleted["key_id"]
    assert not any(key in audit.text for key in keys.values())
    assert tenant not in new_client("somebody-else", role=Role.ADMIN).get("/v1/audit").text
    for client in clients.values():
        client.close()


def test_no_key_is_in_the_audit_log_whatever_things_are_called(place, tenant):
    key = new_key(place.knowledge, tenant, role=Role.ADMIN)
    with client_of(place.url, key) as client:
        upload(client, {"a.md": "# One\n\nThe mill was built in 1885.\n"})
        client.post("/v1/ask", json={"question": "When was the mill built?", "conversation_id": key}).raise_for_status()
        assert client.delete(f"/v1/conversations/{key}").status_code == 200
        told = client.get("/v1/audit").text
    assert "delete_conversation" in told
    assert key not in told


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:8000"}, 200),
        ({"Host": "[::1]:8000"}, 200),
        ({"Host": "rebound.example.org"}, 403),
        ({"Host": "127.0.0.1.example.org"}, 403),
        ({"Host": ""}, 403),
        ({"Origin": "https://evil.example.org"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "localhost:8000", "Origin": "http://localhost:8000"}, 200),
        ({"Host": "localhost:8000", "Origin": "http://localhost:9999"}, 403),
        ({"Origin": "https://page.example.org"}, 200),
    ],
)
def test_pages_of_strangers_cannot_use_an_open_service(open_service, headers, status):
    service = open_service(server__cors_origins=["https://page.example.org"])
    response = httpx.get(f"{service.url}/v1/jobs", headers=headers, trust_env=False)
    assert response.status_code == status


def test_pages_of_named_origins_may_read_what_it_says(open_service):
    service = open_service(server__cors_origins=["https://page.example.org"])
    asked = {"Origin": "https://page.example.org", "Access-Control-Request-Method": "POST"}
    allowed = httpx.options(
        f"{service.url}/v1/ask",
        headers={**asked, "Access-Control-Request-Headers": "authorization,content-type"},
        trust_env=False,
    )
    assert allowed.headers["access-control-allow-origin"] == "https://page.example.org"
    response = httpx.get(f"{service.url}/v1/jobs", headers=asked, trust_env=False)
    assert response.headers["access-control-allow-origin"] == "https://page.example.org"
    stranger = httpx.get(f"{service.url}/healthz", headers={"Origin": "https://evil.example.org"}, trust_env=False)
    assert "access-control-allow-origin" not in stranger.headers
