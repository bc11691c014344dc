"""Keys over HTTP: an administrator lists, makes, rotates and revokes those of the own tenant, and the audit log says so."""

import time

import httpx
import pytest
from running_service import PATIENCE, client_of, new_key

from ascertain.app.wire.service import KeyListJson, NewKeyJson, RevokedJson
from ascertain.core.service.service import Role


@pytest.fixture
def admin(new_client, tenant):
    return new_client(tenant, role=Role.ADMIN, user="boss")


def make(client, **fields):
    response = client.post("/v1/keys", json={"name": "tablet", **fields})
    assert response.status_code == 201, response.text
    return NewKeyJson.model_validate(response.json(), extra="forbid")


def status_with(place, text):
    with client_of(place.url, text) as client:
        return client.get("/v1/session").status_code


def await_status(place, text, status):
    until = time.monotonic() + PATIENCE
    while status_with(place, text) != status and time.monotonic() < until:
        time.sleep(0.1)
    assert status_with(place, text) == status


def test_a_key_is_made_used_and_listed_without_its_text(place, admin, tenant):
    made = make(admin, user="kim", role="read", expires="90d", requests_per_minute=30)
    with client_of(place.url, made.key) as kim:
        known = kim.get("/v1/session").json()
    assert (known["user"], known["tenant"], known["role"]) == ("kim", tenant, "read")
    answer = admin.get("/v1/keys")
    listed = KeyListJson.model_validate(answer.json(), extra="forbid")
    own, tablet = listed.keys
    assert listed.own == own.id
    assert (tablet.id, tablet.name, tablet.user, tablet.requests_per_minute) == (made.id, "tablet", "kim", 30)
    assert tablet.last_used_at
    assert tablet.to_json()["expires_at"] == made.expires_at
    assert made.key not in answer.text


def test_the_text_of_a_new_key_is_kept_by_no_cache(admin):
    response = admin.post("/v1/keys", json={"name": "tablet"})
    assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("limit", [0, 121])
def test_a_tenant_gives_no_key_more_requests_than_the_service_has_for_one(place, admin, limit):
    refused = admin.post("/v1/keys", json={"name": "tablet", "requests_per_minute": limit})
    assert (refused.status_code, "up to 120" in refused.json()["detail"]) == (400, True)
    assert make(admin).requests_per_minute == 120
    with client_of(place.url, new_key(place.knowledge, "default", role=Role.ADMIN)) as operator:
        made = make(operator, requests_per_minute=limit)
        assert made.requests_per_minute == limit
        assert operator.delete(f"/v1/keys/{made.id}").status_code == 200


def test_a_rotated_key_has_another_text_and_the_old_one_ends(place, admin):
    made = make(admin, user="kim")
    turned = NewKeyJson.model_validate(admin.post(f"/v1/keys/{made.id}/rotate").json(), extra="forbid")
    assert (turned.id, turned.user) == (made.id, "kim")
    await_status(place, made.key, 401)
    assert status_with(place, turned.key) == 200
    longer = admin.post(f"/v1/keys/{made.id}/rotate", json={"expires": "4w"}).json()
    assert longer["expires_at"] > longer["created_at"]


def test_a_revoked_key_is_refused_and_stays_listed(place, admin):
    made = make(admin)
    removed = admin.delete(f"/v1/keys/{made.id}")
    assert RevokedJson.model_validate(removed.json(), extra="forbid").revoked == made.id
    await_status(place, made.key, 401)
    assert admin.get("/v1/keys").json()["keys"][1]["revoked_at"]
    assert admin.post(f"/v1/keys/{made.id}/rotate").status_code == 400


def test_keys_of_another_tenant_do_not_exist(place, admin, new_client, tenant):
    made = make(admin)
    stranger = new_client(f"{tenant}-other", role=Role.ADMIN)
    assert [key["tenant"] for key in stranger.get("/v1/keys").json()["keys"]] == [f"{tenant}-other"]
    for method, path in (("POST", f"{made.id}/rotate"), ("DELETE", made.id), ("DELETE", "nothing")):
        assert stranger.request(method, f"/v1/keys/{path}").status_code == 404
    assert status_with(place, made.key) == 200
    assert stranger.post("/v1/keys", json={"name": "mine", "tenant": tenant}).status_code == 422


@pytest.mark.parametrize("role", [Role.READ, Role.WRITE])
@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("POST", ""), ("POST", "/x/rotate"), ("DELETE", "/x")])
def test_keys_are_for_administrators(place, tenant, role, method, path):
    with client_of(place.url, new_key(place.knowledge, tenant, role=role)) as client:
        assert client.request(method, f"/v1/keys{path}", json={"name": "x"}).status_code == 403


@pytest.mark.parametrize(
    "fields", [{"name": " "}, {"user": "no spaces"}, {"expires": "soon"}, {"name": "x", "role": "read", "user": "ü"}]
)
def test_what_is_no_key_is_a_problem_and_makes_none(admin, fields):
    assert admin.post("/v1/keys", json={"name": "tablet", **fields}).status_code == 400
    assert len(admin.get("/v1/keys").json()["keys"]) == 1


def test_what_was_done_to_keys_is_in_the_audit_log(admin):
    made = make(admin, user="kim", role="read")
    admin.post(f"/v1/keys/{made.id}/rotate")
    admin.delete(f"/v1/keys/{made.id}")
    noted = admin.get("/v1/audit").json()["entries"]
    assert [(each["action"], each["user"]) for each in noted if made.id in each["subject"]] == [
        ("revoke_key", "boss"),
        ("rotate_key", "boss"),
        ("add_key", "boss"),
    ]
    assert made.key not in str(noted)


def test_the_first_key_of_an_open_service_is_an_administrators(open_service):
    service = open_service()
    with client_of(service.url) as anybody:
        assert anybody.get("/v1/keys").json() == {"keys": [], "own": None}
        refused = anybody.post("/v1/keys", json={"name": "reader", "role": "read"})
        assert refused.status_code == 400
        assert "admin" in refused.json()["detail"]
        made = make(anybody, role="admin")
    until = time.monotonic() + PATIENCE
    while httpx.get(f"{service.url}/v1/keys", trust_env=False).status_code != 401 and time.monotonic() < until:
        time.sleep(0.1)
    with client_of(service.url, made.key) as client:
        assert client.get("/v1/keys").json()["own"] == made.id
        assert make(client, role="read").role is Role.READ
