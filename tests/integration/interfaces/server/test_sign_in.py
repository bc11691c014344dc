"""Signing in at an OpenID Connect provider, which is a real one on loopback: who is let in, as whom, and who is not."""

import time
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from material import REFUNDS
from oidc_provider import OidcProvider
from running_service import PATIENCE, RunningService, client_of, new_key, settings_of, upload

from ascertain.app.access.api_keys import CACHE_SECONDS
from ascertain.app.access.sign_in import oidc
from ascertain.app.wire.service import SessionJson, SignInJson
from ascertain.core.errors import ConfigurationError
from ascertain.core.service.service import Role

SECRET_VARIABLE = "SIGN_IN_TEST_SECRET"


@pytest.fixture(scope="module")
def only_provider():
    provider = OidcProvider()
    yield provider
    provider.close()


@pytest.fixture(autouse=True)
def provider(only_provider):
    """The provider, as good as new."""
    only_provider.restore()
    return only_provider


def settings_for(provider, **settings):
    return {
        "server.oidc.issuer": provider.issuer,
        "server.oidc.client_id": provider.client_id,
        "server.oidc.client_secret_variable": SECRET_VARIABLE,
        "server.oidc.label": "Example",
        "server.access.writers": ("staff",),
        **settings,
    }


@pytest.fixture(scope="module")
def service(only_provider, tmp_path_factory):
    """One that people sign in to at the provider; those of the group ``staff`` may write."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SECRET_VARIABLE, only_provider.client_secret)
        running = RunningService(settings_of(tmp_path_factory.mktemp("signing") / "kb", **settings_for(only_provider)))
    yield running
    running.close()


@pytest.fixture
def serve(provider, open_service, monkeypatch):
    """Starts others, with settings of their own."""
    monkeypatch.setenv(SECRET_VARIABLE, provider.client_secret)
    return lambda **settings: open_service(**settings_for(provider, **settings))


@contextmanager
def browser(service):
    """Follows redirects and keeps cookies, as a browser does."""
    with httpx.Client(base_url=service.url, follow_redirects=True, timeout=PATIENCE, trust_env=False) as client:
        yield client


def sign_in(client, to=""):
    """Where the browser ends up."""
    return client.get("/v1/sign-in/oidc", params={"to": to}).url


def reason_of(client):
    """Why somebody is not let in; nobody is known then."""
    (reason,) = parse_qs(urlsplit(str(sign_in(client))).query)["sign_in"]
    assert client.get("/v1/session").status_code == 401
    return reason


def audited(service, action="sign_in"):
    entries = service.knowledge.service.audit.entries(limit=20)
    return [(entry.user, entry.outcome, entry.subject) for entry in entries if entry.action == action]


def test_somebody_signs_in_is_known_and_signs_out(serve, provider):
    service = serve()
    with browser(service) as kim, client_of(service.url) as stranger:
        assert SignInJson.model_validate(stranger.get("/v1/sign-in").json(), extra="forbid").provider == "Example"
        assert stranger.get("/v1/documents").status_code == 401
        end = sign_in(kim, "conversation=abc&document=d")
        assert (end.path, end.query) == ("/", b"conversation=abc&document=d")
        session = SessionJson.model_validate(kim.get("/v1/session").json(), extra="forbid")
        assert (session.user, session.name, session.role, session.way) == ("kim", "Kim Lee", Role.WRITE, "sign-in")
        assert (session.tenant, session.is_admin, session.is_operator) == ("default", False, False)
        assert kim.get("/v1/documents").status_code == 200
        assert kim.get("/v1/audit").status_code == 403
        kept = kim.cookies["ascertain_session"]
        assert kim.delete("/v1/session").status_code == 204
        # the session itself has ended, not only the cookie of this browser
        with client_of(service.url, kept) as thief:
            assert thief.get("/v1/session").status_code == 401
    assert audited(service) == [("kim", "done", "kim write")]
    assert provider.asked.count("token") == 1


def test_the_cookies_are_for_no_script_and_no_other_site(serve):
    service = serve()
    with httpx.Client(base_url=service.url, trust_env=False) as client:
        begun = client.get("/v1/sign-in/oidc")
        assert "HttpOnly" in begun.headers["set-cookie"]
        assert "samesite=lax" in begun.headers["set-cookie"].lower()
        back = httpx.get(begun.headers["location"], trust_env=False).headers["location"]
        ended = client.get(back)
        session = next(each for each in ended.headers.get_list("set-cookie") if each.startswith("ascertain_session"))
        assert {"httponly", "samesite=strict"} <= {part.strip().lower() for part in session.split(";")}
        assert ended.headers["location"] == "../../../"
        encrypted = client.get("/v1/sign-in/oidc", headers={"X-Forwarded-Proto": "https"})
        assert "; Secure" in encrypted.headers["set-cookie"]
        (callback,) = parse_qs(urlsplit(encrypted.headers["location"]).query)["redirect_uri"]
        assert callback == f"https://127.0.0.1:{service.port}/v1/sign-in/oidc/callback"


def test_the_way_back_is_the_address_of_the_settings_and_never_leaves_the_service(serve):
    service = serve(**{"server.oidc.address": "https://ask.example.org/kb/"})
    with httpx.Client(base_url=service.url, trust_env=False) as client:
        begun = client.get("/v1/sign-in/oidc", params={"to": "//evil.example/\r\nX: y"})
        asked = parse_qs(urlsplit(begun.headers["location"]).query)
        assert asked["redirect_uri"] == ["https://ask.example.org/kb/v1/sign-in/oidc/callback"]
    service = serve()
    with browser(service) as client:
        end = sign_in(client, "//evil.example/\r\nX: y")
        assert (end.host, end.path) == ("127.0.0.1", "/")


def test_conversations_are_those_of_the_user_in_every_browser_and_nobody_elses(service, provider):
    with browser(service) as desk, browser(service) as phone, browser(service) as lee:
        sign_in(desk)
        sign_in(phone)
        provider.person = {**provider.person, "sub": "lee"}
        sign_in(lee)
        upload(desk, {"refunds.md": REFUNDS})
        desk.post("/v1/ask", json={"question": "What is it?", "conversation_id": "mine"}).raise_for_status()
        names = [
            [each["id"] for each in c.get("/v1/conversations").json()["conversations"]] for c in (desk, phone, lee)
        ]
        assert names == [["mine"], ["mine"], []]
        assert lee.get("/v1/conversations/mine").status_code == 404


@pytest.mark.parametrize(
    ("groups", "role", "tenant"),
    [
        (["readers", "other"], Role.READ, "rest"),
        (["staff", "readers", "press"], Role.WRITE, "press"),
        (["bosses"], Role.ADMIN, "rest"),
        (["user:kim", "*"], None, None),
        ([], None, None),
        ("staff", Role.WRITE, "rest"),
    ],
)
def test_groups_give_a_role_and_a_tenant(serve, provider, groups, role, tenant):
    access = {
        "readers": ("readers",),
        "admins": ("bosses", "user:boss", "user:kim x"),
        "tenants": ("press=press", "*=rest"),
    }
    service = serve(**{f"server.access.{name}": value for name, value in access.items()})
    provider.person = {**provider.person, "groups": groups}
    with browser(service) as client:
        if role is None:
            assert reason_of(client) == "no-role"
            assert audited(service) == [
                ("kim", "refused", "no-role: no group of this user has a role here (server.access)")
            ]
        else:
            sign_in(client)
            session = client.get("/v1/session").json()
            # an administrator of a tenant of its own is no operator
            assert (session["role"], session["tenant"], session["is_operator"]) == (role, tenant, False)


def test_one_person_is_named_by_name_and_a_tenant_may_be_asked_for(serve, provider):
    service = serve(**{"server.access.admins": ("user:kim",), "server.access.tenants": ("press=press",)})
    with browser(service) as client:
        assert reason_of(client) == "no-tenant"
        provider.person = {**provider.person, "groups": ["press"]}
        sign_in(client)
        assert client.get("/v1/session").json()["tenant"] == "press"


def test_claims_that_are_not_in_the_token_are_asked_for(serve, provider):
    service = serve(**{"server.oidc.user_claim": "email"})
    provider.person = {"sub": "4711", "name": "Kim"}
    provider.userinfo = {"email": "kim@example.org", "email_verified": True, "groups": ["staff"]}
    with browser(service) as client:
        sign_in(client)
        assert client.get("/v1/session").json()["user"] == "kim@example.org"
    provider.userinfo = {"email": "boss@example.org", "email_verified": False, "groups": ["staff"]}
    with browser(service) as client:
        assert reason_of(client) == "no-user"
    provider.faults = {"other-userinfo"}
    with browser(service) as client:
        assert reason_of(client) == "bad-token"


@pytest.mark.parametrize("fault", ["wrong-key", "unknown-key", "shared-secret", "unsigned"])
def test_a_token_that_the_provider_did_not_sign_lets_nobody_in(service, provider, fault):
    provider.faults = {fault}
    with browser(service) as client:
        assert reason_of(client) == "bad-token"


@pytest.mark.parametrize(
    "changed",
    [
        {"aud": "another"},
        {"aud": ["ascertain", "another"]},
        {"azp": "another"},
        {"iss": "https://login.example.org"},
        {"exp": 1_000_000_000},
        {"exp": None},
        {"iat": 4_000_000_000},
        {"nonce": "of another try"},
        {"nonce": None},
        {"sub": None},
    ],
    ids=str,
)
def test_a_token_for_others_or_another_time_lets_nobody_in(service, provider, changed):
    provider.changed = changed
    with browser(service) as client:
        assert reason_of(client) == "bad-token"


def test_a_token_for_several_is_good_where_it_was_made_for_this_service(service, provider):
    provider.changed = {"aud": ["ascertain", "another"], "azp": "ascertain"}
    with browser(service) as client:
        sign_in(client)
        assert client.get("/v1/session").status_code == 200


def test_a_provider_that_turns_its_key_is_followed(serve, provider, monkeypatch):
    monkeypatch.setattr("ascertain.app.access.sign_in.oidc.LOOK_AGAIN_SECONDS", 0.0)
    service = serve()
    for key_id in ("first", "second"):
        provider.turn_key(key_id)
        with browser(service) as client:
            sign_in(client)
            assert client.get("/v1/session").status_code == 200


@pytest.mark.parametrize("fault", ["down", "other-issuer"])
def test_a_provider_that_does_not_answer_as_it_should_is_said(serve, provider, fault):
    provider.faults = {fault}
    service = serve()
    with browser(service) as client:
        assert reason_of(client) == "provider-away"
        provider.faults = set()
        sign_in(client)
        assert client.get("/v1/session").status_code == 200


def test_a_slow_provider_holds_up_nobody_else(serve, provider, monkeypatch):
    monkeypatch.setattr(oidc, "ANSWER_SECONDS", 0.5)
    service = serve()
    provider.faults = {"slow"}
    with browser(service) as client:
        assert reason_of(client) == "provider-away"


def test_a_provider_that_goes_away_on_the_way_back_lets_nobody_in(service, provider):
    with browser(service) as client:
        back = way_back(client)
        provider.faults = {"down"}
        assert b"provider-away" in client.get(back).url.query


def test_somebody_who_says_no_at_the_provider_comes_back(service, provider):
    provider.person = None
    with browser(service) as client:
        assert reason_of(client) == "denied"


def way_back(client):
    """The address that the provider sends the browser back to, not followed yet."""
    begun = client.get("/v1/sign-in/oidc", follow_redirects=False)
    return httpx.get(begun.headers["location"], trust_env=False).headers["location"]


def test_a_way_back_counts_once_and_in_the_browser_that_began_it(service):
    with browser(service) as kim, browser(service) as mallory, browser(service) as third:
        back = way_back(kim)
        # a link to one's own way back, sent to somebody else, signs nobody in
        assert b"sign_in=expired" in mallory.get(back).url.query
        way_back(third)
        assert b"sign_in=expired" in third.get(back).url.query
        assert third.get("/v1/session").status_code == 401
        cookie = kim.cookies["ascertain_sign_in"]
        assert b"sign_in" not in kim.get(back).url.query
        assert "ascertain_sign_in" not in kim.cookies
        # a second time, with all that the first time had
        with browser(service) as again:
            again.cookies.set("ascertain_sign_in", cookie)
            assert b"sign_in=expired" in again.get(back).url.query
            assert again.get("/v1/session").status_code == 401


@pytest.mark.parametrize("query", ["", "?state=x&code=y", "?code=y", "?error=access_denied", "?state=&code="])
def test_a_way_back_that_nobody_began_asks_the_provider_nothing(service, provider, query):
    with browser(service) as client:
        assert b"sign_in=expired" in client.get(f"/v1/sign-in/oidc/callback{query}").url.query
    assert provider.asked == []


def test_a_way_back_of_another_provider_is_refused(service):
    with browser(service) as client:
        back = httpx.URL(way_back(client)).copy_set_param("iss", "https://evil.example")
        assert b"sign_in=bad-token" in client.get(back).url.query


def test_a_public_client_is_protected_by_its_verifier_alone(open_service, provider):
    provider.client_secret = ""
    access = {"server.access.default_role": "read"}
    service = open_service(**{"server.oidc.issuer": provider.issuer, "server.oidc.client_id": "ascertain", **access})
    with browser(service) as client:
        sign_in(client)
        assert client.get("/v1/session").json()["role"] == "read"


def test_somebody_signed_in_is_seen_and_signed_out_by_an_administrator(serve):
    service = serve()
    admin_key = new_key(service.knowledge, "default", role=Role.ADMIN)
    with browser(service) as kim, client_of(service.url, admin_key) as admin:
        sign_in(kim)
        (found,) = [key for key in admin.get("/v1/keys").json()["keys"] if key["user"] == "kim"]
        assert (found["is_sign_in"], found["name"]) == (True, "Kim Lee")
        assert admin.post(f"/v1/keys/{found['id']}/rotate").status_code == 400
        assert admin.delete(f"/v1/keys/{found['id']}").status_code == 200
        until = time.monotonic() + PATIENCE
        while kim.get("/v1/session").status_code == 200 and time.monotonic() < until:
            time.sleep(0.1)
        assert kim.get("/v1/session").status_code == 401
        assert CACHE_SECONDS < 10


def test_sessions_that_ended_are_forgotten(serve):
    service = serve(**{"server.access.session_hours": 1e-6})
    for _ in range(3):
        with browser(service) as client:
            sign_in(client)
            assert client.get("/v1/session").status_code == 401
    assert len(service.knowledge.service.keys.keys()) == 1


def test_without_a_provider_there_is_no_way_to_one(open_service):
    service = open_service()
    with client_of(service.url) as client:
        assert client.get("/v1/sign-in").json() == {"provider": None, "passwords": False}
        assert client.get("/v1/sign-in/oidc").status_code == 404
        assert client.get("/v1/sign-in/oidc/callback").status_code == 404


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"server.oidc.issuer": "http://login.example.org"}, "https"),
        ({"server.oidc.issuer": "https://login.example.org"}, "client_id"),
        ({"server.oidc.issuer": "https://x.example", "server.oidc.client_id": "a", "server.open": True}, "server.open"),
        (
            {
                "server.oidc.issuer": "https://x.example",
                "server.oidc.client_id": "a",
                "server.oidc.client_secret_variable": "NONE_X",
            },
            "NONE_X",
        ),
        ({"server.proxy.user_header": "X-User"}, "server.proxy.addresses"),
        ({"server.proxy.user_header": "X-User", "server.proxy.addresses": ("everywhere",)}, "everywhere"),
        ({"server.access.tenants": ("press",)}, "GROUP=TENANT"),
    ],
)
def test_settings_that_cannot_work_are_told_at_the_start(tmp_path, settings, told):
    with pytest.raises(ConfigurationError, match=told):
        RunningService(settings_of(tmp_path / "kb", **settings))
