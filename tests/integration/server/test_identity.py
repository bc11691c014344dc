"""Keys, tenants, limits, and a service that runs open."""

import httpx
import pytest
from running_service import client_of, new_key

from ascertain.app.api_keys import CACHE_SECONDS, list_keys, revoke_key
from ascertain.server.identity import LOOK_AGAIN_SECONDS

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
    keys = [new_key(place.knowledge, tenant, is_admin=is_admin) for is_admin in (False, True)]
    for service in place.services:
        with client_of(service.url, keys[0]) as anybody, client_of(service.url, keys[1]) as administrator:
            assert anybody.get("/metrics").status_code == 403
            figures = administrator.get("/metrics")
        assert figures.headers["content-type"].startswith("text/plain")
        assert 'ascertain_http_requests_total{method="GET",route="/metrics",status="403"}' in figures.text
        assert tenant not in figures.text


def test_on_loopback_without_keys_it_runs_open(open_service):
    service = open_service()
    assert httpx.get(f"{service.url}/v1/jobs", trust_env=False).status_code == 200
    assert httpx.get(f"{service.url}/metrics", trust_env=False).status_code == 200


def test_an_open_service_closes_once_it_has_a_key(open_service, monkeypatch):
    assert LOOK_AGAIN_SECONDS < 10
    monkeypatch.setattr("ascertain.server.identity.LOOK_AGAIN_SECONDS", 0.0)
    service = open_service()
    assert httpx.get(f"{service.url}/v1/jobs", trust_env=False).status_code == 200
    key = new_key(service.knowledge, "default")
    assert httpx.get(f"{service.url}/v1/jobs", trust_env=False).status_code == 401
    revoke_key(service.knowledge.service, list_keys(service.knowledge.service)[0].id)
    # an open door that nobody opened on purpose would be a surprise
    assert httpx.get(f"{service.url}/v1/jobs", trust_env=False).status_code == 401
    refused = httpx.get(f"{service.url}/v1/jobs", headers={"X-API-Key": key}, trust_env=False)
    assert refused.status_code == 401


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
