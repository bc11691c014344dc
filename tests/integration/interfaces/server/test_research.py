"""Research and checks over HTTP: events, records, reports, and nothing of another tenant's."""

import pytest
from research_world import FALSE, TRUE, ResearchWorld
from running_service import client_of, streamed


def follow(client, path, **body):
    with streamed(client, "POST", path, json=body) as events:
        return [(name, data) for _, name, data in events]


def test_a_run_is_told_step_by_step_then_listed_read_and_deleted(filled):
    told = follow(filled, "/v1/research", question="when is a refund granted?", sources=["documents"])
    names = [name for name, _ in told]
    assert names[0] == "started"
    assert names[-1] == "report"
    assert set(names[1:-1]) == {"step"}
    run_id, report = told[0][1]["run_id"], told[-1][1]
    assert report["id"] == run_id
    assert report["state"] == "finished"
    assert [data["agent"] for name, data in told if name == "step" and data["state"] == "finished"] == [
        step["agent"] for step in report["steps"]
    ]
    assert any("30 days" in finding["text"] for finding in report["findings"])
    assert all(finding["verdict"] == "supported" for finding in report["findings"])
    assert filled.get(f"/v1/research/{run_id}").json() == report
    assert [run["id"] for run in filled.get("/v1/research").json()["runs"]] == [run_id]
    page = filled.get(f"/v1/research/{run_id}/report", params={"format": "html"})
    assert page.headers["content-type"].startswith("text/html")
    assert "sandbox" in page.headers["content-security-policy"]
    assert "30 days" in filled.get(f"/v1/research/{run_id}/report").text
    # a finished run is told again as it is
    assert follow(filled, f"/v1/research/{run_id}/resume")[-1] == ("report", report)
    assert filled.delete(f"/v1/research/{run_id}").json() == {"id": run_id, "documents": 0}
    assert filled.get(f"/v1/research/{run_id}").status_code == 404


def test_a_claim_is_judged_with_the_words_it_rests_on(filled):
    said = filled.post("/v1/check", json={"claim": "A refund is granted within 30 days of the purchase."}).json()
    assert said["verdict"] == "supported"
    assert "30 days" in said["citations"][said["evidence_for"][0] - 1]["quote"]
    denied = filled.post("/v1/check", json={"claim": "A refund is granted within 90 days of the purchase."}).json()
    assert denied["verdict"] == "contradicted"
    assert denied["evidence_against"]
    unknown = filled.post("/v1/check", json={"claim": "Penguins cannot fly across the Atlantic."}).json()
    assert (unknown["verdict"], unknown["evidence_for"]) == ("not_established", [])


def test_a_run_of_one_tenant_is_not_there_for_another(filled, new_client):
    run_id = follow(filled, "/v1/research", question="when is a refund granted?")[0][1]["run_id"]
    other = new_client("somebody-else")
    assert other.get("/v1/research").json() == {"runs": []}
    for ask in (other.get, other.delete):
        assert ask(f"/v1/research/{run_id}").status_code == 404
    assert other.post(f"/v1/research/{run_id}/resume").status_code == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"question": "  "}, 422),
        ({"question": "x", "mode": "slow"}, 422),
        ({"question": "x", "sources": []}, 422),
        ({"url": "ftp://example.org/x"}, 400),
        ({"question": "x", "sources": ["documents"]}, 409),
    ],
)
def test_what_cannot_be_looked_into_is_refused_at_once(client, body, status):
    refused = client.post("/v1/research", json=body)
    assert refused.status_code == status, refused.text
    assert client.get("/v1/research").json() == {"runs": []}


def test_api_run_looks_into_a_page(open_service):
    world = ResearchWorld()
    try:
        service = open_service(web__allowed_hosts=[world.site.host], web__retries=0)
        client = client_of(service.url)
        told = follow(client, "/api/run", url=world.url, mode="quick")
        report = told[-1][1]
        assert report["page"].startswith("Auto-eD")
        assert {claim["claim"] for claim in report["claims"]} == {*TRUE, *FALSE}
        assert {claim["verdict"] for claim in report["claims"]} == {"not_established"}
        # without leave nobody reaches a private address
        refused = follow(client, "/api/run", url="http://127.0.0.1:9/")[-1][1]
        assert refused["problems"]
        client.close()
    finally:
        world.close()
