"""Documents over HTTP: uploaded, listed, looked into, deleted; and the work in the background."""

import os
import time

import httpx
import pytest
from material import QUESTION, REFUNDS, a_pdf
from running_service import ended, upload

from ascertain.app.wire.documents import DocumentTreeJson
from ascertain.app.wire.holdings import StatsJson
from ascertain.core.documents.documents import DocumentRecord
from ascertain.core.errors import ModelError
from ascertain.core.service.service import Job
from ascertain.documents.formats.registry import known_suffixes
from ascertain.interfaces.server.identity import FILES_AT_ONCE


def documents(client, **query):
    return client.get("/v1/documents", params=query).raise_for_status().json()


def test_an_uploaded_file_is_added_in_the_background_and_can_be_asked(client):
    response = client.post("/v1/documents", files=[("files", ("refunds.md", REFUNDS))])
    assert response.status_code == 202
    job = response.json()["job"]
    assert Job.from_json(job).to_json() == job
    assert job["what"] == "refunds.md"
    done = ended(client, job)
    assert (done["state"], done["report"]["added"]) == ("finished", 1)
    assert done["done"] == done["total"] == len(REFUNDS)
    answer = client.post("/v1/ask", json={"question": QUESTION}).json()
    assert "five working days" in answer["answer"]


def test_what_is_computed_over_an_uploaded_table_names_its_file(client):
    rows = "supplier,amount_eur\nLenz,310.50\nNordbahn,415.20\nLenz,128.00\nSeehof,980.00\n"
    upload(client, {"invoices.csv": rows})
    answer = client.post("/v1/ask", json={"question": "What was the total amount by supplier?"}).json()
    assert answer["computation"]["table"] == "invoices.csv"
    assert "of invoices.csv" in answer["answer"]


def test_documents_are_listed_with_their_number(filled):
    listed = documents(filled, limit=1)
    assert listed["total"] == 2
    assert DocumentRecord.from_json(listed["documents"][0]).to_json() == listed["documents"][0]
    rest = documents(filled, limit=1, offset=1)
    sources = [listed["documents"][0]["source"], rest["documents"][0]["source"]]
    assert sources == ["upload:manuals/gearbox.md", "upload:refunds.md"]


def test_a_document_is_shown_as_the_tree_it_is_stored_as(filled):
    [refunds] = documents(filled, source="upload:refunds.md")["documents"]
    tree = filled.get(f"/v1/documents/{refunds['id']}/tree").raise_for_status().json()
    DocumentTreeJson.model_validate(tree, extra="forbid")
    assert tree["completeness"]["share"] == refunds["completeness"]["share"] == 1
    for block in tree["blocks"]:
        start, end = block["span"]
        assert tree["text"][start:end] == block["text"]
    assert filled.get("/v1/documents/none/tree").status_code == 404


def test_every_file_that_can_be_read_is_listed(filled):
    suffixes = filled.get("/v1/documents/formats").raise_for_status().json()["suffixes"]
    assert {f".{suffix}" for suffix in suffixes} == known_suffixes()


@pytest.mark.parametrize(
    ("query", "sources"),
    [
        ({"source": "upload:manuals/*"}, ["upload:manuals/gearbox.md"]),
        ({"source": ["upload:refunds.md", "upload:no.md"]}, ["upload:refunds.md"]),
        ({"kind": "paper"}, []),
        ({"tag": "house", "kind": ["prose", "paper"]}, ["upload:manuals/gearbox.md", "upload:refunds.md"]),
        ({"tag": "garden"}, []),
        ({"state": "failed"}, ["upload:broken.pdf"]),
        ({"state": ["failed", "indexed"], "tag": "house"}, ["upload:manuals/gearbox.md", "upload:refunds.md"]),
        ({"conversation_id": "c1"}, []),
    ],
)
def test_a_list_can_be_narrowed(filled, query, sources):
    job = upload(filled, {"broken.pdf": b"%PDF-1.7\nnothing else"})
    assert job["report"]["failures"][0]["source"] == "upload:broken.pdf"
    assert [record["source"] for record in documents(filled, **query)["documents"]] == sources


def test_a_file_of_the_same_name_takes_the_place_of_the_first(filled):
    upload(filled, {"refunds.md": "# Refunds\n\nThere are none any more."})
    assert documents(filled)["total"] == 2
    found = filled.post("/v1/search", json={"query": "refund", "k": 1}).json()["results"][0]
    assert "none any more" in found["text"]


def test_a_deleted_document_is_gone_with_its_text_and_its_file(filled, place, tenant):
    (record,) = documents(filled, source="upload:refunds.md")["documents"]
    path = f"/v1/documents/{record['id']}"
    assert filled.get(path).json() == record
    assert filled.delete(path).json() == {"deleted": 1}
    for gone in (path, f"{path}/text", f"{path}/pages/1.png"):
        assert filled.get(gone).status_code == 404
    assert filled.delete(path).status_code == 404
    assert all(file.name != "refunds.md" for file in place.knowledge.service.files.files(tenant))


def test_the_text_around_a_quotation_is_shown_with_its_place(filled):
    (record,) = documents(filled, source="upload:refunds.md")["documents"]
    path = f"/v1/documents/{record['id']}/text"
    whole = filled.get(path, params={"context": 20_000}).json()
    assert whole["characters"] == len(whole["text"]) == record["characters"]
    start = whole["text"].index("five working days")
    window = filled.get(path, params={"start": start, "end": start + 17, "context": 10}).json()
    assert window["text"][window["quote_start"] - window["start"] :].startswith("five working days")
    assert "How it is paid" in window["place"]["label"]


@pytest.mark.parametrize("query", [{"start": -1}, {"start": 5, "end": 2}, {"start": 2**31}, {"context": "many"}])
def test_a_stretch_that_is_none_is_refused(filled, query):
    (record,) = documents(filled, source="upload:refunds.md")["documents"]
    response = filled.get(f"/v1/documents/{record['id']}/text", params=query)
    assert response.status_code in {400, 422}


def test_a_page_of_a_pdf_is_drawn(client):
    assert upload(client, {"two.pdf": a_pdf(["The first page"], ["The second page"])})["state"] == "finished"
    (record,) = documents(client)["documents"]
    for page in (1, 2):
        drawn = client.get(f"/v1/documents/{record['id']}/pages/{page}.png", params={"start": 0, "end": 9})
        assert drawn.headers["content-type"] == "image/png"
        assert drawn.content.startswith(b"\x89PNG")
    assert client.get(f"/v1/documents/{record['id']}/pages/3.png").status_code in {400, 404}


def test_a_document_without_pages_has_no_picture(filled):
    (record,) = documents(filled, source="upload:refunds.md")["documents"]
    assert filled.get(f"/v1/documents/{record['id']}/pages/1.png").status_code in {400, 404}


@pytest.mark.parametrize(
    ("files", "data", "status", "told"),
    [
        ([], {"profile": "news"}, 400, "at least one file"),
        ([("file", ("a.md", "x"))], {}, 400, "'file' is not known"),
        ([("files", ("a.md", "x")), ("files", ("a.md", "y"))], {}, 400, "a.md"),
        ([("files", ("..", "x"))], {}, 400, "is not a file name"),
        ([("files", ("a.md", "x"))], {"profile": "nwes"}, 400, "news"),
        ([("files", ("a.md", "x"))], {"tags": "t" * 2000}, 400, "Part exceeded"),
        ([("files", (f"{n}.md", "x")) for n in range(FILES_AT_ONCE + 1)], {}, 400, "Too many files"),
    ],
)
def test_what_is_wrong_with_an_upload_is_said_and_nothing_is_kept(client, files, data, status, told):
    response = client.post("/v1/documents", files=files or {"nothing": (None, "")}, data=data)
    assert response.status_code == status, response.text
    assert told in response.json()["detail"] or not files
    assert client.get("/v1/jobs").json() == {"jobs": []}


def test_a_name_from_outside_never_leads_anywhere(client):
    job = upload(client, {"../../etc/passwd.txt": "Nothing to see here, only a line of text."})
    assert job["state"] == "finished"
    assert [each["source"] for each in documents(client)["documents"]] == ["upload:etc/passwd.txt"]


def test_what_is_no_upload_is_refused(client):
    response = client.post("/v1/documents", json={"files": []})
    assert response.status_code == 415


def test_a_broken_upload_is_refused(client):
    response = client.post(
        "/v1/documents",
        content=b"--b\r\nContent-Disposition: form-data; name=files; filename=a.md\r\n\r\nabc",
        headers={"Content-Type": "multipart/form-data; boundary=other"},
    )
    assert response.status_code == 400


def test_an_upload_that_breaks_off_leaves_nothing(client, place, tenant):
    def pieces():
        yield b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\nsome words'
        raise ConnectionAbortedError

    with pytest.raises(ConnectionAbortedError):
        client.post(
            "/v1/documents",
            content=pieces(),
            headers={"Content-Type": "multipart/form-data; boundary=b", "Content-Length": "100000"},
        )
    assert client.get("/v1/jobs").json() == {"jobs": []}
    assert place.knowledge.service.files.files(tenant) == []


def test_a_job_can_be_listed_looked_at_and_only_ended_while_it_works(filled):
    (job,) = filled.get("/v1/jobs").json()["jobs"]
    assert filled.get(f"/v1/jobs/{job['id']}").json() == job
    assert filled.delete(f"/v1/jobs/{job['id']}").json()["state"] == "finished"
    assert filled.get("/v1/jobs/nothing").status_code == 404
    assert filled.delete("/v1/jobs/nothing").status_code == 404
    refused = filled.post(f"/v1/jobs/{job['id']}/retry")
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:ascertain:problem:not-failed")
    assert refused.json()["detail"] == f"job {job['id']} is finished; only one that failed can be run again."
    assert filled.post("/v1/jobs/nothing/retry").status_code == 404


def test_a_job_that_failed_is_run_again_with_the_files_that_were_accepted(client, place, tenant, monkeypatch):
    def fail(*arguments, **named):
        raise ModelError("the model does not answer")

    with monkeypatch.context() as broken:
        broken.setattr("ascertain.app.jobs.work.add_uploads", fail)
        job = upload(client, {"refunds.md": "# Refunds\n\nRefunds take five working days."})
    assert (job["state"], job["reason"]) == ("failed", "the model does not answer")
    assert [file.name for file in place.knowledge.service.files.files(tenant)] == ["refunds.md"]
    again = client.post(f"/v1/jobs/{job['id']}/retry")
    assert again.status_code == 202
    assert again.json()["job"]["id"] == job["id"]
    done = ended(client, again.json()["job"])
    assert (done["state"], done["reason"], done["report"]["added"]) == ("finished", "", 1)
    assert documents(client)["total"] == 1


def test_the_files_of_a_job_that_failed_go_when_it_is_deleted(client, place, tenant):
    job = upload(client, {"scan.pdf": "%PDF-1.4 cut off"})
    assert job["state"] == "failed"
    assert len(place.knowledge.service.files.files(tenant)) == 1
    assert client.delete(f"/v1/jobs/{job['id']}").json()["state"] == "cancelled"
    assert place.knowledge.service.files.files(tenant) == []
    assert client.post(f"/v1/jobs/{job['id']}/retry").status_code == 409


@pytest.mark.parametrize("address", ["/etc/passwd", "file:///etc/passwd", "ftp://example.org/a", "nonsense", "http://"])
def test_only_addresses_of_the_web_can_be_added(client, address):
    response = client.post("/v1/documents/addresses", json={"addresses": [address]})
    assert response.status_code == 400
    assert client.get("/v1/jobs").json() == {"jobs": []}


def test_an_address_of_this_machine_is_not_fetched(client):
    response = client.post("/v1/documents/addresses", json={"addresses": ["http://127.0.0.1:1/secret"]})
    assert response.status_code == 202
    job = ended(client, response.json()["job"])
    assert job["report"]["failures"] or job["state"] == "failed"
    assert documents(client)["total"] == len(documents(client, state="failed")["documents"])


def test_figures_count_what_the_tenant_has(filled, client):
    stats = filled.get("/v1/stats").json()
    StatsJson.model_validate(stats, extra="forbid")
    assert (stats["documents"], stats["by_kind"]) == (2, {"prose": 2})
    assert (stats["place"], stats["bytes_on_disk"]) == ("", None)


def test_a_file_over_the_limit_is_refused_while_it_comes(open_service):
    service = open_service(server__max_upload_megabytes=0.01)
    with httpx.Client(base_url=service.url, trust_env=False) as client:
        response = client.post("/v1/documents", files=[("files", ("large.txt", b"a" * 10_001))])
        assert (response.status_code, response.json()["status"]) == (413, 413)
        assert "10,000 bytes" in response.json()["detail"]
        many = [("files", (f"{n}.txt", b"a" * 9_000)) for n in range(5)]
        assert client.post("/v1/documents", files=many).status_code == 413
        job = upload(client, {"small.txt": b"a small file with words " * 400})
        assert job["state"] == "finished"


def test_documents_are_searched_by_words_and_put_in_order(filled):
    def sources(**query):
        return [each["source"] for each in documents(filled, **query)["documents"]]

    assert sources(q="GEARBOX manuals") == ["upload:manuals/gearbox.md"]
    assert sources(q="house") == ["upload:manuals/gearbox.md", "upload:refunds.md"]
    assert sources(q="gearbox refunds") == []
    assert sources(sort="-source") == ["upload:refunds.md", "upload:manuals/gearbox.md"]
    titles = [each["title"] for each in documents(filled, sort="-title")["documents"]]
    assert titles == sorted(titles, key=str.casefold, reverse=True)
    assert filled.get("/v1/documents", params={"sort": "size"}).status_code == 422


def test_the_original_of_an_upload_is_given_as_it_came(filled, new_client):
    [refunds] = documents(filled, source="upload:refunds.md")["documents"]
    path = f"/v1/documents/{refunds['id']}/original"
    response = filled.get(path)
    assert response.content == REFUNDS.encode()
    assert response.headers["content-type"] == "application/octet-stream"
    assert response.headers["content-disposition"] == 'attachment; filename="refunds.md"'
    head = filled.head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert new_client("another").get(path).status_code == 404


def test_the_original_of_a_file_in_a_folder_is_given_until_it_changes(open_service, tmp_path):
    file = tmp_path / "refunds.md"
    file.write_text(REFUNDS)
    service = open_service()
    service.knowledge.add([file])
    with httpx.Client(base_url=service.url, trust_env=False) as client:
        [refunds] = documents(client)["documents"]
        path = f"/v1/documents/{refunds['id']}/original"
        assert client.get(path).content == REFUNDS.encode()
        file.write_text("something that nobody added")
        later = time.time() + 60
        os.utime(file, (later, later))
        response = client.get(path)
        assert response.status_code == 400
        assert "has changed since" in response.json()["detail"]
        file.unlink()
        assert "no longer exists" in client.get(path).json()["detail"]
