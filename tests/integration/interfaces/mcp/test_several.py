"""`ascertain mcp --kb papers,notes`: one server over several knowledge bases, which says what is from where."""

import subprocess
import sys

import pytest
from mcp import StdioServerParameters

from ascertain import Ascertain

NAMES = ["machines", "shop"]


@pytest.fixture(scope="module")
def named(tmp_path_factory, environment):
    """The environment of a machine with the two knowledge bases."""
    data = tmp_path_factory.mktemp("data")
    texts = {
        "shop": {"refunds.md": "# Refunds\n\nA refund is granted within 30 days of the purchase.\n"},
        "machines": {"gearbox.md": "# Gearbox\n\nFault code GB-7731 means that the oil pressure is too low.\n"},
    }
    for name, files in texts.items():
        folder = tmp_path_factory.mktemp(name)
        for file, text in files.items():
            (folder / file).write_text(text)
        with Ascertain.open(data / "ascertain" / name, environ=environment) as knowledge:
            knowledge.add([folder])
    return {**environment, "XDG_DATA_HOME": str(data)}


@pytest.fixture(scope="module")
def both(named, talking_to):
    command = ["-m", "ascertain", "mcp", "--kb", ",".join(NAMES)]
    with talking_to(StdioServerParameters(command=sys.executable, args=command, env=named)) as talk:
        yield talk


def text(result):
    return "\n".join(block.text for block in result.content)


@pytest.mark.parametrize(
    ("question", "name", "words"),
    [("when is a refund granted?", "shop", "30 days"), ("what does GB-7731 mean?", "machines", "oil pressure")],
)
def test_the_surest_answers_and_its_knowledge_base_is_named(both, question, name, words):
    result = both.call("ask", question=question)
    assert not result.is_error, text(result)
    assert result.structured_content["knowledge_base"] == name
    assert words in result.structured_content["answer"]
    (other,) = {*NAMES} - {name}
    assert text(result).startswith(f"From the knowledge base {name}. Nothing in {other}.")


def test_a_conversation_goes_on_whichever_answered(both):
    first = both.call("ask", question="when is a refund granted?", conversation_id="c")
    assert first.structured_content["knowledge_base"] == "shop"
    again = both.call("ask", question="what does GB-7731 mean?", conversation_id="c")
    assert again.structured_content["knowledge_base"] == "machines"
    assert "oil pressure" in again.structured_content["answer"]


def test_passages_are_taken_in_turn_and_each_names_its_own(both):
    result = both.call("search", query="refund gearbox", k=2)
    found = result.structured_content["results"]
    assert [each["rank"] for each in found] == [1, 2]
    assert {each["knowledge_base"] for each in found} == {*NAMES}
    for name in NAMES:
        assert f'knowledge_base="{name}"' in text(result)


def test_one_may_be_named(both):
    result = both.call("ask", question="when is a refund granted?", knowledge_base="machines")
    assert result.structured_content["type"] == "rejection"
    listed = both.call("list_documents", knowledge_base="shop").structured_content["documents"]
    assert [each["title"] for each in listed] == ["Refunds"]


def test_a_document_is_found_by_its_id_wherever_it_is(both):
    for question, words in (("when is a refund granted?", "30 days"), ("what does GB-7731 mean?", "oil pressure")):
        (citation, *_) = both.call("ask", question=question).structured_content["citations"]
        assert words in text(both.call("read", document_id=citation["document_id"]))
        resource = both.ask_client("read_resource", f"ascertain://documents/{citation['document_id']}")
        assert words in resource.contents[0].text
    assert {each.title for each in both.ask_client("list_resources").resources} == {"Refunds", "Gearbox"}


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("list_documents", {}, "knowledge_base is missing; it is one of machines, shop"),
        ("check_claim", {"claim": "x"}, "knowledge_base is missing"),
        ("search", {"query": "x", "knowledge_base": "none"}, "knowledge_base must be one of machines, shop"),
        ("read", {"document_id": "none"}, "there is no document 'none'"),
    ],
)
def test_what_is_wrong_with_the_name_is_said(both, tool, arguments, told):
    result = both.call(tool, **arguments)
    assert result.is_error
    assert told in text(result)


def test_the_tools_say_which_there_are(both):
    tools = {tool.name: tool.input_schema for tool in both.tools()}
    assert all(schema["properties"]["knowledge_base"]["enum"] == NAMES for schema in tools.values())
    needing = {name for name, schema in tools.items() if "knowledge_base" in schema["required"]}
    assert needing == {"analyze", "add", "research", "check_claim", "list_documents", "compute"}
    assert "machines, shop" in both.client.instructions


def test_a_server_of_one_has_no_such_argument(talk):
    assert not [tool for tool in talk.tools() if "knowledge_base" in tool.input_schema["properties"]]
    result = talk.call("search", query="refund", knowledge_base="shop")
    assert "knowledge_base is not an argument of search" in text(result)
    assert "knowledge_base" not in str(talk.call("search", query="refund").structured_content)


def test_over_http_it_is_one(named):
    command = [sys.executable, "-m", "ascertain", "mcp", "--http", "--kb", ",".join(NAMES)]
    done = subprocess.run(command, env=named, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "over HTTP a server has one knowledge base" in done.stderr
