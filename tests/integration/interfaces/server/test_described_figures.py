"""Uploads with pictures are described by the job that reads them, and the picture of a citation can be fetched."""

import sys
from pathlib import Path

import pytest
from running_service import RunningService, client_of, new_key, settings_of, upload

sys.path.insert(0, str(Path(__file__).parents[3] / "servers"))

from illustrated_files import draw_chart, make_docx
from scripted_chat_server import sees

CHART = draw_chart()
DESCRIPTION = "A bar chart of the zebras counted at the lodge. In 2022 about 310 zebras were counted at the lodge."


@pytest.fixture
def service(tmp_path, scripted_chat_server):
    scripted_chat_server.script(sees(lambda image: {"is_decorative": False, "description": DESCRIPTION}))
    running = RunningService(
        settings_of(
            tmp_path / "kb",
            ingest__describe_figures=True,
            models__chat__base_url=scripted_chat_server.base_url,
            models__chat__tier="balanced",
            models__chat__balanced__describe="seer",
        )
    )
    yield running
    running.close()


@pytest.fixture
def client(service):
    with client_of(service.url, new_key(service.knowledge, "zoo")) as opened:
        yield opened


@pytest.fixture
def job(client, tmp_path):
    return upload(client, {"count.docx": make_docx(tmp_path / "count.docx", CHART).read_bytes()})


def test_the_picture_of_a_citation_can_be_fetched(client, job):
    assert job["state"] == "finished"
    assert job["report"]["figures"]["described"] == 1
    answer = client.post("/v1/ask", json={"question": "How many zebras were counted at the lodge in 2022?"}).json()
    (citation,) = {each["figure"]["digest"]: each for each in answer["citations"] if each["figure"]}.values()
    assert citation["figure"]["model"] == "seer"
    picture = client.get(f"/v1/documents/{citation['document_id']}/figures/{citation['figure']['digest']}")
    assert picture.content == CHART
    assert picture.headers["content-type"] == "image/png"
    tree = client.get(f"/v1/documents/{citation['document_id']}/tree").json()
    (block,) = [each for each in tree["blocks"] if each["kind"] == "figure"]
    assert block["figure"] == citation["figure"]


def test_others_do_not_see_it(client, job, service):
    (document,) = client.get("/v1/documents").json()["documents"]
    tree = client.get(f"/v1/documents/{document['id']}/tree").json()
    (digest,) = [each["figure"]["digest"] for each in tree["blocks"] if each["figure"]]
    path = f"/v1/documents/{document['id']}/figures"
    with client_of(service.url, new_key(service.knowledge, "stranger")) as stranger:
        assert stranger.get(f"{path}/{digest}").status_code == 404
    assert client.get(f"{path}/{'0' * 64}").status_code == 400
    assert client.get(f"{path}/..%2F..%2Fsecret").status_code in {400, 404, 422}
    assert client.delete(f"/v1/documents/{document['id']}").status_code == 200
    assert client.get(f"{path}/{digest}").status_code == 404
