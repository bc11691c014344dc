"""Sources over HTTP: put on record by those who may, read by background jobs, listed, removed."""

import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from running_service import PATIENCE, RunningService, client_of, ended, new_key, settings_of

from ascertain.app.wire.sources import RemovedSourceJson, SourceListJson
from ascertain.core.service.service import Role

sys.path.insert(0, str(Path(__file__).parents[3] / "servers"))

from web_site import Reply, WebSite, article, with_etag

from ascertain.core.documents.sources import SourceRecord

OTTERS = article("Otters", "Otters live in rivers and eat fish all day long, and they sleep on their backs.")


@pytest.fixture
def site():
    with closing(WebSite()) as served:
        served.pages["/robots.txt"] = b"User-agent: *\nDisallow: /guide/closed.html\n"
        links = '<a href="otters.html">Otters</a> <a href="closed.html">No</a> <a href="/elsewhere.html">Out</a>'
        served.pages["/guide/"] = article("Guide", f"All about animals of the river. {links}")
        served.pages["/guide/otters.html"] = with_etag(OTTERS, '"1"')
        served.pages["/guide/closed.html"] = article("Closed", "Nothing for programs to see here.")
        served.pages["/elsewhere.html"] = article("Elsewhere", "Not below the guide, not of it.")
        yield served


@pytest.fixture
def running(tmp_path, site):
    settings = settings_of(tmp_path / "kb", web__allowed_hosts=(site.host,), web__retries=0)
    with closing(RunningService(settings)) as service:
        yield service


@pytest.fixture
def client(running):
    with client_of(running.url) as opened:
        yield opened


def add_site(client, site, **fields):
    body = {"address": f"{site.url}/guide/", "name": "guide", "options": {"delay": "0"}, **fields}
    return client.post("/v1/sources", json=body)


def last_job(client):
    return ended(client, client.get("/v1/jobs").json()["jobs"][0])


def test_a_site_is_put_on_record_and_read_by_a_job(client, site):
    response = add_site(client, site)
    assert response.status_code == 201, response.text
    assert SourceRecord.from_json(response.json()).to_json() == response.json()
    assert last_job(client)["state"] == "finished"
    [source] = SourceListJson.model_validate(client.get("/v1/sources").json(), extra="forbid").sources
    assert (source.name, source.kind, source.state, source.outcome.added) == ("guide", "site", "read", 2)
    assert source.next_at > source.started_at
    urls = {document["url"] for document in client.get("/v1/documents").json()["documents"]}
    assert urls == {f"{site.url}/guide/", f"{site.url}/guide/otters.html"}
    assert "/guide/closed.html" not in site.paths
    assert "/elsewhere.html" not in site.paths


def test_a_page_that_is_gone_is_deleted_by_the_next_job(client, site):
    add_site(client, site)
    last_job(client)
    site.pages["/guide/"] = article("Guide", "All about animals of the river, and no links.")
    del site.pages["/guide/otters.html"]
    job = ended(client, client.post("/v1/sources/guide/sync").json()["job"])
    assert (job["kind"], job["report"]["deleted"], job["report"]["changed"]) == ("source", 1, 1)


def test_robots_that_cannot_be_had_close_the_site(client, site):
    site.pages["/robots.txt"] = Reply(b"", 503)
    add_site(client, site)
    job = last_job(client)
    assert job["state"] == "failed"
    assert "robots.txt" in job["reason"]
    assert client.get("/v1/sources/guide").json()["state"] == "failed"
    assert site.paths == ["/robots.txt"]


def test_a_source_is_removed_with_its_documents(client, site):
    add_site(client, site)
    last_job(client)
    removed = RemovedSourceJson.model_validate(client.delete("/v1/sources/guide").json())
    assert removed.deleted == 2
    assert client.get("/v1/sources").json() == {"sources": []}
    assert client.get("/v1/sources/guide").status_code == 404
    assert client.post("/v1/sources/guide/sync").status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {"address": "/etc"},
        {"address": "file:///etc", "kind": "files"},
        {"address": "https://github.com/encode/httpx.git", "options": {"issues": "/etc/passwd"}},
        {"address": "s3://ann:secret@bucket/x"},
        {"address": "https://example.org/", "every": "often"},
    ],
)
def test_what_cannot_be_a_source_is_a_problem(client, body):
    response = client.post("/v1/sources", json=body)
    assert response.status_code == 400, response.text
    assert client.get("/v1/sources").json() == {"sources": []}


def test_only_an_admin_adds_and_removes_and_each_tenant_sees_its_own(running, site):
    admin, reader = new_key(running.knowledge, "acme", role=Role.ADMIN), new_key(running.knowledge, "acme")
    other = new_key(running.knowledge, "other", role=Role.ADMIN)
    with client_of(running.url, reader) as client:
        assert add_site(client, site).status_code == 403
    with client_of(running.url, admin) as client:
        assert add_site(client, site).status_code == 201
        assert last_job(client)["state"] == "finished"
    with client_of(running.url, reader) as client:
        assert len(client.get("/v1/sources").json()["sources"]) == 1
        assert client.delete("/v1/sources/guide").status_code == 403
    with client_of(running.url, other) as client:
        assert client.get("/v1/sources").json() == {"sources": []}
        assert client.delete("/v1/sources/guide").status_code == 404


def test_a_watched_folder_is_read_while_the_service_runs(running, client, tmp_path):
    (tmp_path / "texts").mkdir()
    running.knowledge.sources.add(str(tmp_path / "texts"), name="texts")
    (tmp_path / "texts" / "voles.txt").write_text("The voles hide in the high grass of the meadow.")
    until = time.monotonic() + PATIENCE
    while not (found := client.get("/v1/documents").json()["documents"]) and time.monotonic() < until:
        time.sleep(0.1)
    assert [document["title"] for document in found] == ["Voles"]
