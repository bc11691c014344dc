"""Users whom a proxy names in a header: believed where the proxy sent it, and from nowhere else."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from material import REFUNDS
from running_service import PATIENCE, RunningService, client_of, new_key, settings_of, upload

from ascertain.app.wire.service import SessionJson
from ascertain.core.service.service import Role

USER, GROUPS = "X-Forwarded-User", "X-Forwarded-Groups"


def settings_for(**settings):
    return {
        "server.proxy.user_header": USER,
        "server.proxy.groups_header": GROUPS,
        "server.proxy.addresses": ("127.0.0.1", "10.0.0.0/8"),
        "server.access.readers": ("everyone",),
        "server.access.writers": ("staff",),
        "server.access.admins": ("user:boss",),
        "server.access.tenants": ("press=press", "*=default"),
        **settings,
    }


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """One whose proxy is on this machine."""
    running = RunningService(settings_of(tmp_path_factory.mktemp("proxied") / "kb", **settings_for()))
    yield running
    running.close()


@pytest.fixture
def elsewhere(open_service):
    """One whose proxy is on another machine than ours."""
    return open_service(**settings_for(**{"server.proxy.addresses": ("10.0.0.0/8",)}))


def as_user(service, user, groups="", **headers):
    return client_of(service.url) if user is None else _named(service, {USER: user, GROUPS: groups, **headers})


def _named(service, headers):
    return httpx.Client(base_url=service.url, headers=headers, timeout=PATIENCE, trust_env=False)


def session_of(client):
    return SessionJson.model_validate(client.get("/v1/session").raise_for_status().json(), extra="forbid")


def test_the_proxy_says_who_asks_and_in_which_groups(service):
    for user, groups, role, tenant in (
        ("kim", "staff, press", Role.WRITE, "press"),
        ("lee@example.org", "everyone", Role.READ, "default"),
        ("boss", "", Role.ADMIN, "default"),
    ):
        with as_user(service, user, groups) as client:
            session = session_of(client)
        assert (session.user, session.role, session.tenant, session.way) == (user, role, tenant, "proxy")
        assert session.is_operator == (user == "boss")


def test_conversations_are_the_users_own_and_documents_are_all_of_the_tenants(service):
    with (
        as_user(service, "kim", "staff") as kim,
        as_user(service, "lee", "staff") as lee,
        as_user(service, "eve", "staff,press") as eve,
    ):
        assert upload(kim, {"refunds.md": REFUNDS})["state"] == "finished"
        kim.post("/v1/ask", json={"question": "How are refunds paid?", "conversation_id": "mine"}).raise_for_status()
        seen = [
            [each["id"] for each in who.get("/v1/conversations").json()["conversations"]] for who in (kim, lee, eve)
        ]
        assert seen == [["mine"], [], []]
        assert [who.get("/v1/documents").json()["total"] for who in (kim, lee, eve)] == [1, 1, 0]
    with as_user(service, "boss") as boss:
        entries = boss.get("/v1/audit").json()["entries"]
    assert {("sign_in", "kim", "done"), ("sign_in", "lee", "done")} <= {
        (entry["action"], entry["user"], entry["outcome"]) for entry in entries
    }


@pytest.mark.parametrize(
    "headers",
    [
        [(USER, "boss")],
        [(USER, "boss"), ("X-Forwarded-For", "10.0.0.1")],
        [(USER, "boss"), ("Forwarded", "for=10.0.0.1")],
        [(USER.lower(), "boss")],
    ],
)
def test_the_header_of_anybody_else_is_worth_nothing(elsewhere, headers):
    with httpx.Client(base_url=elsewhere.url, trust_env=False) as client:
        assert client.get("/v1/session", headers=headers).status_code == 401
        assert client.get("/v1/documents", headers=headers).status_code == 401
        key = new_key(elsewhere.knowledge, "press", user="kim")
        known = client.get("/v1/session", headers=[*headers, ("X-API-Key", key)]).json()
    assert (known["user"], known["tenant"], known["way"]) == ("kim", "press", "key")


@pytest.mark.parametrize(
    "headers",
    [
        [(USER, "boss"), (USER, "kim")],
        [(USER, "kim"), (USER, "boss")],
        [(USER, "kim"), (GROUPS, "staff"), (GROUPS, "press")],
        [(USER, "kim, boss"), (GROUPS, "staff")],
        [(USER, "b" * 101), (GROUPS, "staff")],
        [(USER, "kim lee"), (GROUPS, "staff")],
    ],
)
def test_a_user_whom_the_clients_of_the_proxy_may_have_named_is_refused(service, headers):
    with client_of(service.url) as client:
        refused = client.get("/v1/session", headers=headers)
    assert refused.status_code == 403
    assert refused.json()["type"] == "urn:ascertain:problem:not-admitted"


def test_without_a_user_the_service_is_closed_and_keys_count(service):
    key = new_key(service.knowledge, "default", user="robot")
    with client_of(service.url) as stranger, client_of(service.url, key) as robot:
        assert stranger.get("/v1/documents").status_code == 401
        assert stranger.get("/v1/documents", headers={USER: ""}).status_code == 401
        assert stranger.get("/").status_code == 200
        assert session_of(robot).way == "key"
        # what the proxy says of a request is newer than what a browser has kept
        assert robot.get("/v1/session", headers={USER: "lee", GROUPS: "staff"}).json()["user"] == "lee"


def test_somebody_without_a_role_is_refused_and_on_record(service):
    with as_user(service, "eve", "strangers") as eve, as_user(service, "boss") as boss:
        assert eve.get("/v1/documents").status_code == 403
        assert eve.get("/v1/session").status_code == 403
        refused = [each for each in boss.get("/v1/audit").json()["entries"] if each["user"] == "eve"]
        assert [(entry["action"], entry["outcome"]) for entry in refused] == [("sign_in", "refused")]


def test_roles_hold_for_users_of_a_proxy_too(service):
    with as_user(service, "reader", "everyone") as reader:
        assert reader.post("/v1/documents", files=[("files", ("a.md", "# a"))]).status_code == 403
        assert reader.get("/v1/audit").status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_the_page_of_a_stranger_is_nobody(service, site):
    with as_user(service, "boss", **{"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}) as boss:
        assert boss.get("/v1/audit").status_code == 401
    with as_user(service, "boss", Origin="https://evil.example") as boss:
        assert boss.get("/v1/audit").status_code == 403


def test_requests_are_counted_by_user(open_service):
    service = open_service(**settings_for(**{"server.requests_per_minute": 3}))
    with as_user(service, "kim", "staff") as kim, as_user(service, "lee", "staff") as lee:
        assert [kim.get("/v1/jobs").status_code for _ in range(4)] == [200, 200, 200, 429]
        assert lee.get("/v1/jobs").status_code == 200


@contextmanager
def real_proxy(target, user):
    """A proxy that signs everybody in as ``user``, in front of a service."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            headers = {"Host": self.headers["Host"], USER: user, GROUPS: "everyone"}
            reply = httpx.get(f"{target}{self.path}", headers=headers, trust_env=False)
            self.send_response(reply.status_code)
            self.send_header("Content-Length", str(len(reply.content)))
            self.end_headers()
            self.wfile.write(reply.content)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_through_a_proxy_the_header_of_a_client_does_not_arrive(service):
    with real_proxy(service.url, "kim") as address:
        known = httpx.get(f"{address}/v1/session", headers={USER: "boss"}, trust_env=False).json()
    assert (known["user"], known["role"]) == ("kim", "read")
