"""Users of one tenant: its documents are there for all of them, and what each asks, judges and looks into is its own."""

import re
import uuid

import pytest
from fastapi.routing import iter_route_contexts
from material import GEARBOX, REFUNDS
from running_service import client_of, ended, new_key, streamed, upload

from ascertain.core.service.service import Role
from ascertain.interfaces.server.identity import is_for_all
from ascertain.interfaces.server.roles import ROLES

QUESTION = "What does fault code GB-7731 mean?"


class Neighbour:
    """Somebody else of the tenant, whose every try is looked through for the other's word."""

    def __init__(self, client, word):
        self.client, self.word, self.tries, self.leaks = client, word, 0, []

    def attempt(self, method, path, allowed=(403, 404), **options):
        response = self.client.request(method, path, **options)
        self.tries += 1
        if self.word in f"{response.headers} {response.text}":
            self.leaks.append(f"{method} {path} shows it: {response.text[:200]}")
        if response.status_code not in allowed:
            self.leaks.append(f"{method} {path}: {response.status_code} {response.text[:200]}")
        return response


@pytest.fixture
def people(place, tenant):
    """Clients of a tenant with two documents, by user; every word of ``kim``'s own has the ``word`` in it."""
    clients = {
        name: client_of(place.url, new_key(place.knowledge, tenant, user=user, role=role))
        for name, user, role in (
            ("kim", "kim", Role.WRITE),
            ("kims phone", "kim", Role.READ),
            ("lee", "lee", Role.WRITE),
            ("boss", "boss", Role.ADMIN),
            ("unnamed", "", Role.WRITE),
        )
    }
    job = upload(clients["kim"], {"refunds.md": REFUNDS, "gearbox.md": GEARBOX})
    assert job["state"] == "finished", job
    yield clients
    for client in clients.values():
        client.close()


def live(kim, word):
    """What kim does; the ids of it all."""
    # a name that somebody sends comes back in a problem, so it has no word in it
    conversation, question = "talk of the day", f"{QUESTION} Ask for {word}."
    answer = kim.post("/v1/ask", json={"question": question, "conversation_id": conversation}).raise_for_status().json()
    alone = kim.post("/v1/ask", json={"question": question}).raise_for_status().json()
    kim.post("/v1/feedback", json={"answer_id": alone["id"], "thumb": "down", "comment": word}).raise_for_status()
    kim.post("/v1/feedback", json={"answer_id": answer["id"], "thumb": "up", "comment": word}).raise_for_status()
    kim.patch(f"/v1/conversations/{conversation}", json={"name": word}).raise_for_status()
    streams = [
        kim.post("/v1/ask/stream", json={"question": question}).text,
        kim.post("/v1/analyze/stream", json={"question": question}).text,
        kim.post("/v1/research", json={"question": question, "sources": ["documents"]}).text,
    ]
    # what a run asks for is in the log of what was read, which all of the tenant may see
    kim.post("/v1/research", json={"url": f"https://{word}.invalid/", "sources": ["web"]}).raise_for_status()
    kim.post(
        "/v1/chat/completions",
        json={"model": "ascertain", "messages": [{"role": "user", "content": question}], "user": "chat"},
    ).raise_for_status()
    return {
        "conversations": [conversation, "chat"],
        "turn": kim.get(f"/v1/conversations/{conversation}").json()["turns"][0]["turn_id"],
        "answers": [answer["id"], alone["id"]],
        "streams": [re.search(r"^id: (.+):1$", text, re.MULTILINE)[1] for text in streams],
        "run": kim.get("/v1/research").json()["runs"][1]["id"],
        "job": kim.get("/v1/jobs").json()["jobs"][0]["id"],
    }


def try_everything(other, kim_ids):
    """All that somebody else may try with the ids of another's things."""
    for name in kim_ids["conversations"]:
        for method, path in (
            ("GET", ""),
            ("GET", "/sources"),
            ("DELETE", ""),
            ("POST", "/share"),
            ("DELETE", "/share"),
            ("GET", f"/turns/{kim_ids['turn']}/follow-ups"),
            ("DELETE", f"/turns/{kim_ids['turn']}"),
        ):
            other.attempt(method, f"/v1/conversations/{name}{path}")
        other.attempt("PATCH", f"/v1/conversations/{name}", json={"name": "mine"})
        other.attempt("GET", f"/rag/conversation/{name}/sources")
        other.attempt("DELETE", f"/rag/conversation/{name}")
        body = {"question": QUESTION, "conversation_id": name}
        other.attempt("POST", "/v1/ask", json=body)
        other.attempt("POST", "/v1/ask/stream", json=body)
        other.attempt("POST", "/rag/query", json={"message": QUESTION, "conversation_id": name})
        chat = {"model": "ascertain", "messages": [{"role": "user", "content": QUESTION}]}
        other.attempt("POST", "/v1/chat/completions", json={**chat, "user": name})
        other.attempt("POST", "/v1/chat/completions", json=chat, headers={"X-Conversation-ID": name})
    run = kim_ids["run"]
    for method, path in (
        ("GET", ""),
        ("GET", "/report"),
        ("GET", "/report?format=html"),
        ("GET", f"/comparison/{run}"),
        ("POST", "/resume"),
        ("DELETE", ""),
    ):
        other.attempt(method, f"/v1/research/{run}{path}")
    other.attempt("POST", "/v1/ask", json={"question": QUESTION, "conversation_id": run})
    for stream in (*kim_ids["streams"], *kim_ids["answers"]):
        other.attempt("GET", f"/v1/ask/stream/{stream}")
        other.attempt("DELETE", f"/v1/ask/stream/{stream}")
    for answer in kim_ids["answers"]:
        other.attempt("POST", "/v1/feedback", json={"answer_id": answer, "thumb": "up"})
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/retry")):
        other.attempt(method, f"/v1/jobs/{kim_ids['job']}{path}")
    for path in (
        "conversations",
        "research",
        "jobs",
        "feedback/summary",
        "feedback/drift",
        "stats",
        "session",
        "documents",
    ):
        other.attempt("GET", f"/v1/{path}", allowed=(200,))
    other.attempt("GET", f"/v1/documents?conversation_id={run}", allowed=(200,))
    for again in (True, False):
        other.attempt("POST", "/v1/ask", allowed=(200,), json={"question": QUESTION, "cache": again})


def test_what_one_user_asks_is_nobody_elses(people):
    word = f"zq{uuid.uuid4().hex[:10]}"
    ids = live(people["kim"], word)
    for name in ("lee", "boss", "unnamed"):
        other = Neighbour(people[name], word)
        try_everything(other, ids)
        assert other.leaks == []
        assert other.tries > 50
    assert people["lee"].get("/v1/jobs").json()["jobs"] == []
    assert people["lee"].get("/v1/feedback/summary").json()["judged"] == 0
    # and nothing of it was changed
    for conversation in ids["conversations"]:
        assert people["kim"].get(f"/v1/conversations/{conversation}").status_code == 200
    (named,) = [each for each in people["kim"].get("/v1/conversations").json()["conversations"] if each["name"]]
    assert (named["name"], named["is_shared"], named["is_own"]) == (word, False, True)
    assert people["kim"].get(f"/v1/research/{ids['run']}").status_code == 200
    assert people["kim"].get("/v1/feedback/summary").json() | {"rows": []} == {"judged": 2, "up": 1, "rows": []}


def test_every_key_of_a_user_opens_the_same_things(people):
    people["kim"].post("/v1/ask", json={"question": QUESTION, "conversation_id": "mine"}).raise_for_status()
    phone = people["kims phone"]
    assert [each["id"] for each in phone.get("/v1/conversations").json()["conversations"]] == ["mine"]
    assert phone.post("/v1/ask", json={"question": "And why?", "conversation_id": "mine"}).status_code == 200
    assert len(people["kim"].get("/v1/conversations/mine").json()["turns"]) == 2


def test_a_shared_conversation_can_be_read_by_all_and_changed_by_its_owner_alone(people):
    kim, lee = people["kim"], people["lee"]
    kim.post("/v1/ask", json={"question": QUESTION, "conversation_id": "ours"}).raise_for_status()
    assert kim.post("/v1/conversations/ours/share").json()["is_shared"]
    (listed,) = lee.get("/v1/conversations").json()["conversations"]
    assert (listed["id"], listed["is_shared"], listed["is_own"]) == ("ours", True, False)
    (turn,) = lee.get("/v1/conversations/ours").json()["turns"]
    assert turn["question"] == QUESTION
    for method, path, body in (
        ("POST", "/v1/ask", {"question": QUESTION, "conversation_id": "ours"}),
        ("PATCH", "/v1/conversations/ours", {"name": "mine"}),
        ("DELETE", "/v1/conversations/ours/share", None),
        ("DELETE", f"/v1/conversations/ours/turns/{turn['turn_id']}", None),
        ("DELETE", "/v1/conversations/ours", None),
    ):
        assert lee.request(method, path, json=body).status_code == 403, path
    assert not kim.delete("/v1/conversations/ours/share").json()["is_shared"]
    assert lee.get("/v1/conversations/ours").status_code == 404
    assert lee.get("/v1/conversations").json()["conversations"] == []


def test_an_upload_of_a_name_that_is_somebody_elses_replaces_it_only_where_it_says_so(people):
    kim, lee = people["kim"], people["lee"]
    files = [("files", ("refunds.md", "# Refunds\n\nThere are none any more.\n"))]
    refused = lee.post("/v1/documents", files=files)
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:ascertain:problem:name-taken")
    assert "refunds.md" in refused.json()["detail"]
    assert "replace=true" in refused.json()["detail"]
    assert "There are none" not in kim.post("/v1/search", json={"query": "refunds"}).text
    assert lee.post("/v1/documents", files=files, data={"replace": "perhaps"}).status_code == 400
    job = ended(lee, lee.post("/v1/documents", files=files, data={"replace": "true"}).json()["job"])
    assert (job["state"], job["report"]["changed"]) == ("finished", 1), job
    # one's own is replaced as ever, by each of one's keys
    assert upload(lee, {"refunds.md": "# Refunds\n\nThey are back.\n"})["state"] == "finished"
    assert kim.post("/v1/documents", files=files).status_code == 409


def test_the_events_of_what_was_deleted_are_gone_at_once(people, place):
    kim = people["kim"]
    ids = live(kim, "word")
    asked = kim.post("/v1/ask/stream", json={"question": QUESTION, "conversation_id": "short"}).text
    stream, research = re.search(r"^id: (.+):1$", asked, re.MULTILINE)[1], ids["streams"][2]
    for each in (stream, research):
        with streamed(kim, "GET", f"/v1/ask/stream/{each}") as events:
            assert list(events)
    assert kim.delete("/v1/conversations/short").status_code == 200
    assert kim.delete(f"/v1/research/{ids['run']}").status_code == 200
    for each in (stream, research):
        assert kim.get(f"/v1/ask/stream/{each}").status_code == 404


def test_every_operation_has_its_place_in_the_table_of_roles(place):
    known = {
        (method, route.path)
        for route in iter_route_contexts(place.first.app.router.routes)
        for method in route.methods or ()
        if not is_for_all({"method": method, "path": route.path})
    }
    assert known == set(ROLES)


@pytest.mark.parametrize("role", [Role.READ, Role.WRITE])
def test_a_key_may_do_what_its_role_says(place, tenant, role):
    with client_of(place.url, new_key(place.knowledge, tenant, role=role)) as client:
        for (method, path), needed in ROLES.items():
            address = re.sub(r"\{page\}", "1", re.sub(r"\{digest\}", "0" * 64, path))
            status = client.request(method, re.sub(r"\{[^}]*\}", "none", address), json={}).status_code
            assert (status == 403) == (not role.includes(needed)), (method, path, status)


def test_a_role_that_is_too_small_is_told_before_anything_of_a_body_is_read(place, tenant):
    with client_of(place.url, new_key(place.knowledge, tenant, role=Role.READ)) as reader:
        refused = reader.post("/v1/documents", files=[("files", ("a.md", "# a"))])
    assert refused.status_code == 403
    assert "--role write" in refused.json()["detail"]
