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
    assert sorted(tools) == sorted(one["tool"] for one in CALLS), f"{how}: {tools}"
    task = None
    for one in CALLS:
        options = ["--method", "tools/call", "--tool-name", one["tool"]]
        for name, value in one["arguments"].items():
            value = task if value == "$task_id" else value
            # The inspector reads lists as JSON.
            written = value if isinstance(value, str) else json.dumps(value)
            options += ["--tool-arg", f"{name}={written}"]
        for _ in range(60):
            result = ask(command, *options)
            text = result["content"][0]["text"]
            # A new server that has not indexed anything knows no task yet, but it has its name.
            early = "not ready" in text or (one["tool"] == "check_indexing_status" and "did not begin" in text)
            if not (result.get("isError") and early) or one["tool"] == "check_indexing_status":
                break
            time.sleep(0.5)
        if one["tool"] == "check_indexing_status" and early:
            continue
        assert not result.get("isError"), f"{how}: {one['tool']}: {text}"
        assert one["holds"] in text, f"{how}: {one['tool']}: {text}"
        if one["tool"] == "index_codebase":
            task = json.loads(text)["task_id"]
    resources = ask(command, "--method", "resources/list")["resources"]
    assert [one["uri"] for one in resources] == ["lore://status"], resources
    templates = ask(command, "--method", "resources/templates/list")["resourceTemplates"]
    assert [one["uriTemplate"] for one in templates] == ["lore://file/{+path}"], templates
    print(f"{how}: {len(CALLS)} tools, 2 resources")


program, tree, cache, inspector = sys.argv[1:]
start = ["node", inspector, "--cli"]
check([*start, program, "mcp", "-C", tree, "--cache-dir", cache, *SYSTEMS], "inspector over pipes")
with served(program, tree, cache) as (address, token):
    http = [*start, address, "--transport", "http", "--header", f"Authorization: Bearer {token}"]
    check(http, "inspector over HTTP")
