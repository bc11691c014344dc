"""Whole periods analysed over HTTP."""

from running_service import streamed

from ascertain.app.wire.analysis import AnalysisJson

QUESTION = "what do the documents disagree about?"


def test_tells_what_all_documents_say_together(filled):
    found = filled.post("/v1/analyze", json={"question": "refunds"}).raise_for_status().json()
    AnalysisJson.model_validate(found, extra="forbid")
    coverage = found["coverage"]
    assert coverage["read"] == coverage["found"] > 0
    assert f"Read {coverage['read']} of {coverage['found']}" in found["answer"]["answer"]
    for each in found["citations"]:
        start, end = each["span"]
        assert end - start == len(each["quote"])


def test_events_tell_each_step_and_last_the_analysis(filled):
    with streamed(filled, "POST", "/v1/analyze/stream", json={"question": QUESTION}) as events:
        told = list(events)
    names = [name for _, name, _ in told]
    assert names[0] == "started"
    assert names[-1] == "analysis"
    ended = [data["node"] for _, name, data in told if name == "node" and data["state"] == "finished"]
    assert ended == ["scope", "read", "reduce", "compare"]
    assert AnalysisJson.model_validate(told[-1][2]).coverage.found > 0
    with streamed(filled, "GET", f"/v1/ask/stream/{told[0][2]['answer_id']}") as events:
        assert [name for _, name, _ in events] == names


def test_what_makes_no_sense_is_a_problem(filled, client):
    refused = filled.post("/v1/analyze", json={"question": "refunds", "pattern": "all"})
    assert refused.status_code == 422
    assert filled.post("/v1/analyze", json={"question": "?!"}).status_code == 400
