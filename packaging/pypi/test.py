#!/usr/bin/env python3
"""Makes a wheel from a program, installs it from the file into an empty environment, and asks a question.

    python3 packaging/pypi/test.py PROGRAM
"""

import os
import platform
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> None:
    program = Path(sys.argv[1]).resolve()
    machine = {"arm64": "aarch64", "aarch64": "aarch64"}.get(platform.machine(), "x86_64")
    target = f"{machine}-unknown-linux-gnu"
    with tempfile.TemporaryDirectory(prefix="lore-wheel-") as name:
        folder = Path(name)
        env = {**os.environ, "LOREHOUND_CACHE_DIR": str(folder / "cache"), "SOURCE_DATE_EPOCH": "1700000000"}

        def run(*command, status=0):
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=env)
            assert done.returncode == status, f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
            return done.stdout

        make = [sys.executable, HERE / "wheel.py", target, program]
        wheel = Path(run(*make, folder / "one", "--level", "1").strip())
        again = Path(run(*make, folder / "two", "--level", "1").strip())
        assert wheel.read_bytes() == again.read_bytes(), "two wheels of one program differ"
        assert zipfile.ZipFile(wheel).testzip() is None

        began = time.monotonic()
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv/bin/python"
        run(python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel)
        print(f"{wheel.name}: installed in {time.monotonic() - began:.1f} s")

        tree = folder / "tree"
        tree.mkdir()
        (tree / "refund.py").write_text("def retry_refund(payment):\n    return send(payment)\n")
        commands = [[folder / "venv/bin/lore"], [folder / "venv/bin/lorehound"], [python, "-m", "lorehound"]]
        for command in commands:
            assert run(*command, "--version").startswith("lore "), command
            assert run(*command, "how is a refund retried?", "-C", tree, "--format", "paths") == "refund.py\n", command
            run(*command, "zzqqy_nothing", "-C", tree, status=1)
            run(*command, "--no-such-flag", status=2)
        (folder / "venv/bin/lore").unlink()
        done = subprocess.run([str(folder / "venv/bin/lorehound"), "--version"], capture_output=True, text=True)
        assert done.returncode == 1 and "pip install --force-reinstall lorehound" in done.stderr, done.stderr
        print("6 passed, 0 failed")


if __name__ == "__main__":
    main()
