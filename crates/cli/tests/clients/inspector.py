"""Lists and calls every tool with the command line of the MCP Inspector, over pipes and HTTP.

    inspector.py PROGRAM TREE CACHE INSPECTOR
"""

import json
import pathlib
import subprocess
import sys
import time

from listen import SYSTEMS, served

CALLS = json.loads(pathlib.Path(__file__).with_name("calls.json").read_text())


def ask(command, *options):
    ran = subprocess.run([*command, *options], capture_output=True, text=True, timeout=120)
    if ran.returncode != 0:
        raise SystemExit(f"the inspector failed at {options}: {ran.stderr}{ran.stdout}")
    return json.loads(ran.stdout)


def check(command, how):
    tools = [tool["name"] for tool in ask(command, "--method", "tools/list")["tools"]]
    assert sorted(tools) == sorted(call["tool"] for call in CALLS), f"{how}: {tools}"
    task = None
    for call in CALLS:
        options = ["--method", "tools/call", "--tool-name", call["tool"]]
        for name, value in call["arguments"].items():
            value = task if value == "$task_id" else value
            # The inspector reads lists as JSON.
            written = value if isinstance(value, str) else json.dumps(value)
            options += ["--tool-arg", f"{name}={written}"]
        for _ in range(60):
            result = ask(command, *options)
            text = result["content"][0]["text"]
            # A new server that has not indexed anything has no tasks yet, but its answer names the task.
            early = "not ready" in text or (call["tool"] == "check_indexing_status" and "did not begin" in text)
            if not (result.get("isError") and early) or call["tool"] == "check_indexing_status":
                break
            time.sleep(0.5)
        if call["tool"] == "check_indexing_status" and early:
            continue
        assert not result.get("isError"), f"{how}: {call['tool']}: {text}"
        assert call["holds"] in text, f"{how}: {call['tool']}: {text}"
        if call["tool"] == "index_codebase":
            task = json.loads(text)["task_id"]
    resources = ask(command, "--method", "resources/list")["resources"]
    assert [resource["uri"] for resource in resources] == ["lore://status"], resources
    templates = ask(command, "--method", "resources/templates/list")["resourceTemplates"]
    assert [template["uriTemplate"] for template in templates] == ["lore://file/{+path}"], templates
    print(f"{how}: {len(CALLS)} tools, 2 resources")


program, tree, cache, inspector = sys.argv[1:]
start = ["node", inspector, "--cli"]
check([*start, program, "mcp", "-C", tree, "--cache-dir", cache, *SYSTEMS], "inspector over pipes")
with served(program, tree, cache) as (address, token):
    http = [*start, address, "--transport", "http", "--header", f"Authorization: Bearer {token}"]
    check(http, "inspector over HTTP")
