"""A question that an agent asks over MCP is part of the agent's trace."""

import asyncio

import pytest
from mcp import Client

from ascertain import Ascertain, Document, Settings
from ascertain.app.telemetry.tracing import stop_tracing
from ascertain.core.documents.documents import DocumentKind
from ascertain.interfaces.mcp.server import build_server
from ascertain.interfaces.mcp.tools import Reach

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@pytest.fixture
def knowledge(tmp_path):
    with Ascertain(Settings(home=tmp_path / "kb", telemetry={"traces": True})) as opened:
        text = "A refund is granted within 30 days."
        opened.add_documents([Document("d", text, "Refunds", DocumentKind.PROSE, "r.md")])
        yield opened


def test_the_trace_named_by_the_agent_goes_on(knowledge, collector):
    async def ask():
        async with Client(build_server({"": knowledge}, Reach())) as client:
            return await client.call_tool(
                "ask", {"question": "when is a refund granted?"}, meta={"traceparent": f"00-{TRACE}-{PARENT}-01"}
            )

    assert not asyncio.run(ask()).is_error
    stop_tracing()
    # what the server asks to load its models is nobody's question
    (root,) = [span for span in collector.spans if span.name == "ask"]
    assert (root.trace_id.hex(), root.parent_span_id.hex()) == (TRACE, PARENT)
