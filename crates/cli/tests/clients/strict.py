"""Lists and calls every tool with the client of the official Python SDK, which validates
results against the listed schemas: over pipes and HTTP, with the newest protocol and the one before.

    strict.py PROGRAM TREE CACHE
"""

import asyncio
import json
import pathlib
import sys

import jsonschema
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

from listen import SYSTEMS, served

CALLS = json.loads(pathlib.Path(__file__).with_name("calls.json").read_text())


async def call(client, tool, arguments):
    """Calls until the index is ready, as the first calls of a session may be too early."""
    for _ in range(60):
        result = await client.call_tool(tool, arguments)
        text = result.content[0].text
        if not (result.is_error and "not ready" in text):
            return result, text
        await asyncio.sleep(0.5)
    raise SystemExit(f"{tool}: the index was never ready")


async def check(client, how):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    called = [row["tool"] for row in CALLS]
    assert sorted(tools) == sorted(called), f"{how}: {sorted(tools)}"
    task = None
    for row in CALLS:
        name = row["tool"]
        arguments = {key: task if value == "$task_id" else value for key, value in row["arguments"].items()}
        jsonschema.validate(arguments, tools[name].input_schema)
        result, text = await call(client, name, arguments)
        assert not result.is_error, f"{how}: {name}: {text}"
        assert row["holds"] in text, f"{how}: {name}: {text}"
        if tools[name].output_schema is not None:
            jsonschema.validate(result.structured_content, tools[name].output_schema)
        if name == "index_codebase":
            task = json.loads(text)["task_id"]
        annotations = tools[name].annotations
        assert annotations.open_world_hint is False and annotations.idempotent_hint is True, name
    wrong = await client.call_tool("read", {"target": "../outside"})
    assert wrong.is_error, f"{how}: it read outside the tree"
    resources = [str(resource.uri) for resource in (await client.list_resources()).resources]
    assert resources == ["lore://status"], resources
    file = await client.read_resource("lore://file/src/refund.rs")
    assert "pub fn refund" in file.contents[0].text, how
    print(f"{how}: {len(CALLS)} tools, 2 resources")


async def main(program, tree, cache):
    server = StdioServerParameters(command=program, args=["mcp", "-C", tree, "--cache-dir", cache, *SYSTEMS])
    for mode in ["auto", "legacy"]:
        async with Client(server, mode=mode) as client:
            await check(client, f"python over pipes, {client.protocol_version}")
    with served(program, tree, cache) as (address, token):
        for mode in ["auto", "legacy"]:
            http = create_mcp_http_client(headers={"Authorization": f"Bearer {token}"})
            async with Client(streamable_http_client(address, http_client=http), mode=mode) as client:
                await check(client, f"python over HTTP, {client.protocol_version}")


asyncio.run(main(*sys.argv[1:]))
