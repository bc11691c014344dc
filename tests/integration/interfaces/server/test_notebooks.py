"""Notebooks over HTTP: each user's own, in every browser, and the tenant's where their owner shares them."""

import pytest
from running_service import client_of

from ascertain.app.wire.notebooks import NotebookJson, NotebooksJson
from ascertain.core.service.service import Role

SOURCES = ["upload:gearbox.md", "upload:manuals/*"]


@pytest.fixture
def kim(new_client, tenant):
    return new_client(tenant, user="kim", role=Role.READ)


def make(client, name="Manuals", sources=SOURCES):
    response = client.post("/v1/notebooks", json={"name": name, "sources": sources})
    assert response.status_code == 201, response.text
    return NotebookJson.model_validate(response.json(), extra="forbid")


def seen(client):
    listed = NotebooksJson.model_validate(client.get("/v1/notebooks").raise_for_status().json(), extra="forbid")
    return [(notebook.name, notebook.is_own) for notebook in listed.notebooks]


def test_a_notebook_is_there_in_another_browser_of_the_same_user(kim, new_client, tenant):
    made = make(kim, "  My   manuals ", [*SOURCES, SOURCES[0]])
    assert (made.name, made.sources, made.owner, made.is_shared) == ("My manuals", SOURCES, "kim", False)
    make(kim, "alpha")
    assert seen(new_client(tenant, user="kim")) == [("alpha", True), ("My manuals", True)]


def test_nobody_else_sees_one_that_is_not_shared(kim, new_client, tenant):
    made = make(kim)
    for other in (new_client(tenant, user="lee"), new_client(tenant, user="boss", role=Role.ADMIN)):
        assert seen(other) == []
        assert other.patch(f"/v1/notebooks/{made.id}", json={"name": "mine"}).status_code == 404
        assert other.delete(f"/v1/notebooks/{made.id}").status_code == 404
    assert seen(kim) == [("Manuals", True)]


def test_a_shared_one_is_used_by_the_tenant_and_changed_by_its_owner_alone(kim, new_client, tenant):
    made, lee = make(kim), new_client(tenant, user="lee")
    shared = kim.patch(f"/v1/notebooks/{made.id}", json={"is_shared": True}).json()
    assert (shared["is_shared"], shared["name"], shared["sources"]) == (True, "Manuals", SOURCES)
    assert seen(lee) == [("Manuals", False)]
    assert seen(new_client(f"{tenant}-other", user="kim")) == []
    assert lee.patch(f"/v1/notebooks/{made.id}", json={"sources": ["a"]}).status_code == 403
    assert lee.delete(f"/v1/notebooks/{made.id}").status_code == 403
    kim.patch(f"/v1/notebooks/{made.id}", json={"name": "Books", "sources": ["upload:*"]}).raise_for_status()
    (found,) = lee.get("/v1/notebooks").json()["notebooks"]
    assert (found["name"], found["sources"], found["owner"]) == ("Books", ["upload:*"], "kim")
    kim.patch(f"/v1/notebooks/{made.id}", json={"is_shared": False}).raise_for_status()
    assert seen(lee) == []
    boss = new_client(tenant, role=Role.ADMIN)
    actions = {(entry["action"], entry["user"]) for entry in boss.get("/v1/audit").json()["entries"]}
    assert {("share_notebook", "kim"), ("unshare_notebook", "kim")} <= actions


def test_a_deleted_one_is_gone_for_all_and_its_documents_stay(filled):
    made = make(filled)
    filled.patch(f"/v1/notebooks/{made.id}", json={"is_shared": True}).raise_for_status()
    assert filled.delete(f"/v1/notebooks/{made.id}").json() == {"deleted": 1}
    assert seen(filled) == []
    assert filled.delete(f"/v1/notebooks/{made.id}").status_code == 404
    assert filled.get("/v1/documents").json()["total"] == 2


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"name": "", "sources": ["a"]}, 422),
        ({"name": "   ", "sources": ["a"]}, 400),
        ({"name": "x" * 61, "sources": ["a"]}, 422),
        ({"name": "a", "sources": []}, 422),
        ({"name": "a", "sources": ["a"] * 101}, 422),
        ({"name": "a", "sources": ["a"], "owner": "boss"}, 422),
    ],
)
def test_what_is_no_notebook_is_refused(kim, body, status):
    assert kim.post("/v1/notebooks", json=body).status_code == status
    assert seen(kim) == []


def test_there_is_an_end_to_how_many_somebody_has(kim, new_client, tenant, monkeypatch):
    monkeypatch.setattr("ascertain.app.documents.notebooks.MOST", 2)
    make(kim, "one")
    make(kim, "two")
    assert kim.post("/v1/notebooks", json={"name": "three", "sources": ["a"]}).status_code == 400
    make(new_client(tenant, user="lee"))


def test_on_an_open_service_they_are_everybodys(open_service):
    with client_of(open_service().url) as client:
        assert make(client).owner == ""
        assert seen(client) == [("Manuals", True)]
