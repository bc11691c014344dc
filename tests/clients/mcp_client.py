"""Asks the server as a client of the first version of MCP's SDK does; prints what it got as JSON. Given: an address, or a command."""

import asyncio
import json
import sys
from contextlib import asynccontextmanager
from importlib.metadata import version

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


@asynccontextmanager
async def open_session(given):
    if given[0].startswith("http"):
        async with streamablehttp_client(given[0]) as (read, write, _), ClientSession(read, write) as session:
            yield session
        return
    parameters = StdioServerParameters(command=given[0], args=given[1:])
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        yield session


async def talk(given):
    async with open_session(given) as session:
        begun = await session.initialize()
        got = {"version": version("mcp"), "protocol": begun.protocolVersion, "name": begun.serverInfo.name}
        got["tools"] = [tool.name for tool in (await session.list_tools()).tools]
        answered = await session.call_tool("ask", {"question": "when is a refund granted?"})
        got["answer"] = [answered.isError, answered.content[0].text]
        refused = await session.call_tool("search", {"query": "x", "k": 21})
        got["refused"] = [refused.isError, refused.content[0].text]
        resources = (await session.list_resources()).resources
        got["resources"] = [resource.name for resource in resources]
        got["text"] = (await session.read_resource(resources[0].uri)).contents[0].text
        got["prompts"] = [prompt.name for prompt in (await session.list_prompts()).prompts]
        prompt = await session.get_prompt("answer_with_sources", {"question": "x"})
        got["prompt"] = prompt.messages[0].content.text
        return got


sys.stdout.write(json.dumps(asyncio.run(talk(sys.argv[1:]))))
