"""People who sign in by name and password: made by an administrator or on the command line, known in a browser, and nobody else is."""

import time

import httpx
import pytest
from running_service import PATIENCE, client_of, new_key

from ascertain.app.access.sign_in.passwords import add_user
from ascertain.app.wire.service import SessionJson, UsersJson
from ascertain.core.service.service import Role, User

PASSWORD = "correct horse battery"


@pytest.fixture
def admin(new_client, tenant):
    return new_client(tenant, role=Role.ADMIN, user="boss")


@pytest.fixture
def name(tenant):
    """A user's name that no other test has: names are one of a kind in a service."""
    return f"kim.{tenant}"


@pytest.fixture
def kim(admin, name):
    made = admin.post("/v1/users", json={"name": name, "password": PASSWORD, "role": "read"})
    assert made.status_code == 201, made.text
    return User.from_json(made.json())


@pytest.fixture
def browser(place):
    with httpx.Client(base_url=place.url, timeout=PATIENCE, trust_env=False) as client:
        yield client


def sign_in(client, name, password=PASSWORD, **headers):
    return client.post("/v1/sign-in", json={"user": name, "password": password}, headers=headers)


def is_known(client):
    return client.get("/v1/session").status_code == 200


def await_unknown(client):
    until = time.monotonic() + PATIENCE
    while is_known(client) and time.monotonic() < until:
        time.sleep(0.1)
    assert not is_known(client)


def test_somebody_signs_in_stays_known_and_signs_out(browser, kim, name, tenant, admin):
    assert browser.get("/v1/sign-in").json() == {"provider": None, "passwords": True}
    answer = sign_in(browser, name)
    known = SessionJson.model_validate(answer.json(), extra="forbid")
    assert (known.user, known.role, known.tenant, known.way) == (name, Role.READ, tenant, "sign-in")
    assert {"httponly", "samesite=strict"} <= {part.strip().lower() for part in answer.headers["set-cookie"].split(";")}
    assert PASSWORD not in answer.text
    assert browser.get("/v1/documents").status_code == 200
    assert browser.get("/v1/users").status_code == 403
    assert browser.delete("/v1/session").status_code == 204
    assert not is_known(browser)
    entries = [(each["action"], each["user"], each["outcome"]) for each in admin.get("/v1/audit").json()["entries"]]
    assert {("add_user", "boss", "done"), ("sign_in", name, "done")} <= set(entries)


@pytest.mark.parametrize("wrong", ["correct horse", "Correct horse battery", f"{PASSWORD} "])
def test_a_wrong_password_is_refused_like_an_unknown_name_and_on_record(browser, kim, name, admin, wrong):
    refused, unknown = sign_in(browser, name, wrong), sign_in(browser, f"{name}x")
    assert (refused.status_code, unknown.status_code) == (401, 401)
    assert refused.json()["detail"] == unknown.json()["detail"]
    assert not is_known(browser)
    (entry,) = [each for each in admin.get("/v1/audit").json()["entries"] if each["outcome"] == "refused"]
    assert (entry["action"], entry["user"]) == ("sign_in", name)


def test_who_tries_too_often_must_wait_even_with_the_right_password(browser, kim, name, monkeypatch):
    monkeypatch.setattr("ascertain.app.access.sign_in.passwords.TRIES", 3)
    assert [sign_in(browser, name, "wrong").status_code for _ in range(3)] == [401, 401, 401]
    refused = sign_in(browser, name)
    assert (refused.status_code, int(refused.headers["Retry-After"]) > 0) == (429, True)
    assert not is_known(browser)


def test_the_page_of_a_stranger_signs_nobody_in(browser, kim, name):
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert sign_in(browser, name, **headers).status_code == 403
    assert not is_known(browser)


def test_conversations_are_those_of_the_user_as_with_a_key(browser, kim, name, new_client, tenant):
    notebook = {"name": "mine", "sources": ["upload:*"]}
    new_client(tenant, user=name).post("/v1/notebooks", json=notebook).raise_for_status()
    sign_in(browser, name)
    assert [each["name"] for each in browser.get("/v1/notebooks").json()["notebooks"]] == ["mine"]


def test_another_password_and_removal_sign_out_everywhere(browser, kim, name, admin):
    sign_in(browser, name)
    assert admin.put(f"/v1/users/{name}/password", json={"password": "another long one"}).status_code == 204
    await_unknown(browser)
    assert sign_in(browser, name).status_code == 401
    assert sign_in(browser, name, "another long one").status_code == 200
    assert admin.delete(f"/v1/users/{name}").json() == {"removed": name}
    await_unknown(browser)
    assert sign_in(browser, name, "another long one").status_code == 401


def test_somebody_changes_the_own_password_with_the_one_in_force(browser, kim, name, client):
    sign_in(browser, name)
    change = {"old": "something else", "password": "another long one"}
    assert browser.put("/v1/session/password", json=change).status_code == 403
    assert browser.put("/v1/session/password", json={**change, "old": PASSWORD, "password": "short"}).status_code == 400
    assert browser.put("/v1/session/password", json={**change, "old": PASSWORD}).status_code == 204
    await_unknown(browser)
    assert sign_in(browser, name, "another long one").status_code == 200
    # a key has no password
    assert client.put("/v1/session/password", json=change).status_code == 400


def test_administrators_have_the_people_of_their_own_tenant(kim, name, admin, new_client, tenant):
    stranger = new_client(f"{tenant}-other", role=Role.ADMIN)
    assert name not in stranger.get("/v1/users").text
    assert stranger.delete(f"/v1/users/{name}").status_code == 404
    assert stranger.put(f"/v1/users/{name}/password", json={"password": "another long one"}).status_code == 404
    assert stranger.post("/v1/users", json={"name": name, "password": PASSWORD}).status_code == 400
    listed = UsersJson.model_validate(admin.get("/v1/users").json(), extra="forbid")
    assert [(user.name, user.tenant) for user in listed.users] == [(name, tenant)]


@pytest.mark.parametrize(
    ("body", "status"),
    [({"password": "short"}, 400), ({"name": "a b"}, 400), ({"password": "x" * 201}, 422), ({"role": "king"}, 422)],
)
def test_who_cannot_be_let_in_is_refused(admin, name, body, status):
    assert admin.post("/v1/users", json={"name": name, "password": PASSWORD, **body}).status_code == status
    assert admin.get("/v1/users").json()["users"] == []


def test_no_password_is_kept_as_it_is(place, kim, name, cost_of_passwords, monkeypatch):
    _, secret = place.knowledge.service.users.find(name)
    assert PASSWORD not in secret
    monkeypatch.setattr("ascertain.app.access.sign_in.passwords.COST", cost_of_passwords)
    other = add_user(place.knowledge.service, f"{name}.two", PASSWORD)
    _, another = place.knowledge.service.users.find(other.name)
    assert another.startswith("scrypt$32768$8$3$")
    assert another.rpartition("$")[2] != secret.rpartition("$")[2]


def test_the_first_user_closes_an_open_service_and_must_be_an_administrator(open_service, monkeypatch):
    monkeypatch.setattr("ascertain.app.access.api_keys.LOOK_AGAIN_SECONDS", 0.0)
    service = open_service()
    with client_of(service.url) as anybody, client_of(service.url) as boss:
        assert anybody.post("/v1/users", json={"name": "kim", "password": PASSWORD}).status_code == 400
        made = {"name": "boss", "password": PASSWORD, "role": "admin"}
        assert anybody.post("/v1/users", json=made).status_code == 201
        assert anybody.get("/v1/documents").status_code == 401
        assert sign_in(boss, "boss").json()["is_operator"]
        assert boss.post("/v1/users", json={"name": "kim", "password": PASSWORD}).status_code == 201
        assert new_key(service.knowledge, "default")
