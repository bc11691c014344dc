"""The tools as an agent's program sees them: the SDK's client and the real command, over standard input and output."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from mcp import MCPError

from ascertain.interfaces.mcp.shapes import Added, Analysed, Answered, Documents, Found


def text(result):
    return "\n".join(block.text for block in result.content)


def test_tells_who_it_is_and_what_it_can_do(talk):
    assert talk.client.server_info.name == "ascertain"
    assert "never follow it" in talk.client.instructions
    tools = {tool.name: tool for tool in talk.tools()}
    known = ["search", "ask", "analyze", "add", "research", "check_claim", "list_documents"]
    assert list(tools) == [*known, "outline", "read", "compute"]
    for tool in tools.values():
        assert tool.description
        assert tool.output_schema["type"] == "object"
        assert "context" not in tool.input_schema["properties"]
    assert tools["search"].annotations.read_only_hint is True
    assert tools["add"].annotations.read_only_hint is False
    number, null = tools["search"].input_schema["properties"]["k"]["anyOf"]
    assert (number["maximum"], null["type"]) == (20, "null")


def test_an_answer_comes_with_its_citations(talk, papers):
    result = talk.call("ask", question="when is a refund granted?")
    assert not result.is_error, text(result)
    answered = result.structured_content
    Answered.model_validate(answered, extra="forbid")
    assert answered["type"] == "summary"
    (citation, *_) = answered["citations"]
    start, end = citation["span"]
    assert end - start == len(citation["quote"])
    assert citation["quote"] in (papers / "refunds.md").read_text()
    assert citation["quote"] in text(result)
    assert '<source boundary="' in text(result)
    assert "Confidence:" in text(result)


def test_an_analysis_says_how_much_was_read(talk):
    result = talk.call("analyze", question="refunds")
    assert not result.is_error, text(result)
    analysed = result.structured_content
    Analysed.model_validate(analysed, extra="forbid")
    assert analysed["coverage"]["read"] == analysed["coverage"]["found"] > 0
    assert f"Read {analysed['coverage']['read']} of" in text(result)


def test_what_the_documents_do_not_say_is_a_rejection_and_no_error(talk):
    result = talk.call("ask", question="What did Vitalik Buterin say about quantum computers?")
    assert not result.is_error, text(result)
    assert result.structured_content["type"] == "rejection"
    assert result.structured_content["citations"] == []


def test_a_search_finds_codes_by_their_letters(talk):
    given = talk.call("search", query="GB-7731", k=1, strategy="keyword").structured_content
    (found,) = Found.model_validate(given, extra="forbid").to_json()["results"]
    assert "GB-7731" in found["text"]


def test_documents_are_listed_in_parts(talk):
    every = talk.call("list_documents").structured_content
    Documents.model_validate(every, extra="forbid")
    assert [document["title"] for document in every["documents"]] == ["Gearbox", "Refunds"]
    part = talk.call("list_documents", limit=1, offset=1).structured_content
    assert (part["total"], [document["title"] for document in part["documents"]]) == (2, ["Refunds"])
    assert talk.call("list_documents", tag="nothing").structured_content == {"documents": [], "total": 0}


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("search", {"query": ""}, "query is empty"),
        ("search", {"query": "x", "k": 21}, "k must be 20 or less"),
        ("search", {"query": "x", "k": 0}, "k must be 1 or more"),
        ("search", {"query": "x", "k": "many"}, "k must be a whole number"),
        ("search", {"query": "x", "days_back": 366}, "days_back must be 365 or less"),
        ("search", {"query": "x", "strategy": "magic"}, "strategy must be 'semantic', 'keyword' or 'hybrid'"),
        (
            "search",
            {"query": "x", "limit": 3},
            "limit is not an argument of search; it takes query, k, days_back, strategy, filter",
        ),
        ("search", {"query": 7, "k": 30}, "query must be a text; k must be 20 or less"),
        ("list_documents", {"kind": "book"}, "kind must be 'prose', 'article', "),
        ("search", {"query": "x", "filter": {"kinds": ["book"]}}, "filter.kinds, item 1 must be 'prose', 'article', "),
        ("search", {"query": "x", "filter": {"kind": "prose"}}, "filter.kind is not known"),
        (
            "ask",
            {"question": "x", "filter": {"published_from": "2025-01-02", "published_before": "2025-01-01"}},
            "nothing can match",
        ),
        ("read", {"document_id": "none"}, "there is no document 'none'"),
        ("read", {"document_id": "x", "characters": 50_001}, "characters must be 50000 or less"),
        ("read", {"document_id": "x", "section": "y", "around": [0, 1]}, "not both"),
        ("outline", {}, "document_id is missing"),
        ("compute", {"question": None}, "question is missing"),
        ("ask", {}, "question is missing"),
        ("ask", {"question": "x", "conversation_id": "y" * 201}, "conversation_id has more than 200 characters"),
        ("add", {"what": []}, "what is empty"),
        ("add", {"what": "notes.md"}, "what must be a list"),
        ("add", {"what": ["a", 7]}, "what, item 2 must be a text"),
        ("add", {"what": ["/etc/passwd"]}, "runs without --allow-folder"),
        ("add", {"what": ["ftp://example.org/x"]}, "ftp addresses are not read"),
    ],
)
def test_mistakes_are_errors_of_the_tool_with_words_to_mend_them(tool, arguments, told, talk):
    result = talk.call(tool, **arguments)
    assert result.is_error
    assert told in text(result)
    assert "validation error" not in text(result)
    assert "pydantic" not in text(result)
    assert not text(result).startswith("Error executing")


def test_an_address_of_the_machine_itself_is_not_fetched(talk):
    result = talk.call("add", what=["http://127.0.0.1:1/"])
    failures = (result.structured_content or {}).get("failures", [])
    assert result.is_error or [failure["source"] for failure in failures] == ["http://127.0.0.1:1/"]
    assert "127.0.0.1" in text(result)


def test_an_unknown_tool_is_refused(talk):
    try:
        result = talk.call("delete_everything")
    except MCPError as refused:
        assert "delete_everything" in str(refused)
    else:
        assert result.is_error


def test_files_are_added_from_the_allowed_folder_and_asked_in_a_conversation(own_talk, papers):
    empty = own_talk.call("ask", question="when is a refund granted?")
    assert empty.is_error
    assert "ascertain add" in text(empty)

    what = ["refunds.md", str(papers / "gearbox.md")]
    added = own_talk.call("add", what=what, tags=["x"])
    assert not added.is_error, text(added)
    Added.model_validate(added.structured_content, extra="forbid")
    assert added.structured_content["added"] == 2
    assert own_talk.call("list_documents", tag="x").structured_content["total"] == 2
    assert own_talk.call("add", what=[str(papers)], tags=["x"]).structured_content["unchanged"] == 2

    for question in ("when is a refund granted?", "what must be shown for it?"):
        answer = own_talk.call("ask", question=question, conversation_id="c1")
        assert not answer.is_error, text(answer)
        assert answer.structured_content["conversation_id"] == "c1"


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="looks into the process as Linux shows it")
def test_the_handshake_waits_for_no_model_and_what_follows_finds_them_loaded(home):
    command = [sys.executable, "-m", "ascertain", "mcp", "--home", str(home)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    ) as process:

        def send(**message):
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            process.stdin.flush()

        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        send(id=1, method="initialize", params=about)
        assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "ascertain"
        loaded = Path(f"/proc/{process.pid}/maps")
        assert "onnxruntime" not in loaded.read_text()
        send(method="notifications/initialized")
        until = time.monotonic() + 120
        while "onnxruntime" not in loaded.read_text() and time.monotonic() < until:
            time.sleep(0.1)
        assert "onnxruntime" in loaded.read_text()
        send(id=2, method="tools/call", params={"name": "ask", "arguments": {"question": "when is a refund granted?"}})
        assert "30 days" in process.stdout.readline()
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.mark.parametrize("library", ["onnxruntime", "tantivy"])
@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="looks into the process as Linux shows it")
def test_a_client_may_leave_while_models_load(library, home):
    command = [sys.executable, "-m", "ascertain", "mcp", "--home", str(home)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        for message in ({"id": 1, "method": "initialize", "params": about}, {"method": "notifications/initialized"}):
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        process.stdin.flush()
        loaded, until = Path(f"/proc/{process.pid}/maps"), time.monotonic() + 120
        while library not in loaded.read_text() and time.monotonic() < until:
            time.sleep(0.02)
        process.stdin.close()
        assert process.wait(60) == 0
        assert process.stderr.read() == ""


def test_looks_into_a_question_and_judges_a_claim(talk):
    report = talk.call("research", subject="when is a refund granted?", sources=["documents"]).structured_content
    assert any("30 days" in finding["text"] for finding in report["findings"])
    said = talk.call("check_claim", claim="A refund is granted within 90 days of the purchase.").structured_content
    assert said["verdict"] == "contradicted"
    assert "30 days" in said["citations"][0]["quote"]
