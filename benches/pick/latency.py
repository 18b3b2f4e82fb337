#!/usr/bin/env python3
"""Times `lore pick` in a pseudo terminal: the first paint, the echo of each key, and its last frame.

    python3 benches/pick/latency.py target/release/lore TREE CACHE QUERY...

TREE must have an index in CACHE. The last frame of a key has its answer; it includes the pause for further keys.
Needs Python 3.8 or newer on Unix, and nothing else.
"""

import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

ROWS, COLUMNS = 40, 120
# Time without output after which the frame of a key is the last one, in seconds.
SETTLED = 0.6


def frames(terminal, seconds):
    """The times at which the program writes, until `seconds` have passed."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if not select.select([terminal], [], [], left)[0]:
            return
        try:
            data = os.read(terminal, 1 << 16)
        except OSError:
            return
        if b"\x1b[6n" in data:  # The position of the cursor is requested.
            os.write(terminal, b"\x1b[1;1R")
        yield time.monotonic(), len(data)


def at(times, share):
    times = sorted(times)
    return times[min(len(times) - 1, int(len(times) * share))] * 1000


def main():
    program, tree, cache, *queries = sys.argv[1:]
    program, cache = os.path.abspath(program), os.path.abspath(cache)
    started = time.monotonic()
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(LOREHOUND_CACHE_DIR=cache, TERM="xterm-256color", EDITOR="true")
        os.chdir(tree)
        os.execv(program, [program, "pick"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    paint = next(now for now, size in frames(terminal, 10) if size > 20) - started
    list(frames(terminal, 6))
    echoes, answers = [], []
    for query in queries:
        for character in query:
            pressed = time.monotonic()
            os.write(terminal, character.encode())
            shown = [now for now, _ in frames(terminal, SETTLED)]
            if shown:
                echoes.append(shown[0] - pressed)
                answers.append(shown[-1] - pressed)
        os.write(terminal, b"\x15")  # Ctrl-u empties the query.
        list(frames(terminal, 1))
    os.write(terminal, b"\x1b")
    print(f"first paint {paint * 1000:.1f} ms; {len(echoes)} keys")
    for name, times in [("echo", echoes), ("last frame", answers)]:
        print(f"{name}: median {at(times, 0.5):.1f}, p95 {at(times, 0.95):.1f}, max {at(times, 1):.1f} ms")


if __name__ == "__main__":
    main()
