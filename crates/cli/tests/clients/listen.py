"""Starts `lore serve --mcp` at a free port, and returns its address and token."""

import contextlib
import os
import subprocess

SYSTEMS = ["--mcp-compat", "lean,semtree,spex,swift"]


@contextlib.contextmanager
def served(program, tree, cache):
    environment = {name: value for name, value in os.environ.items() if name != "LOREHOUND_TOKEN"}
    server = subprocess.Popen(
        [program, "serve", "--mcp", "--port", "0", "-C", tree, "--cache-dir", cache, *SYSTEMS],
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        address = token = None
        while token is None:
            line = server.stderr.readline()
            if not line:
                raise SystemExit("the server ended before it listened")
            if "http://" in line:
                address = line[line.index("http://"):].strip()
            if "token: " in line:
                token = line.split("token: ")[1].strip()
        yield address, token
    finally:
        server.terminate()
        if server.wait(timeout=10) != 0:
            raise SystemExit("the server did not exit with 0")
