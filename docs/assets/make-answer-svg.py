#!/usr/bin/env python3
"""Draws a real answer of `lore` as docs/assets/answer.svg, the picture in the README.

    cargo build
    python3 docs/assets/make-answer-svg.py target/debug/lore

Copies the repository's own fixture (crates/cli/tests/fixtures/shop) to a temporary folder, commits
it, runs one query twice and draws the second answer, so that the time shown is that of a search with
an index. With `-` in place of the program, draws the terminal text on standard input.
Needs Python 3.8 or newer, git, and nothing else.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURE = ROOT / "crates/cli/tests/fixtures/shop"
QUERY = "what happens when the bank does not answer"
LIMIT = "3"
COMMITS = [
    ("2024-11-05T09:00:00Z", "Take payments in whole cents",
     ["src/lib.rs", "src/payment.rs", "docs/adr/0001-amounts-in-cents.md"]),
    ("2024-12-14T17:30:00Z",
     "refund: use one idempotency key for all attempts\n\nThe gateway made a new key for each "
     "attempt, so that a late answer\npaid the customer twice.",
     ["src/refund.rs", "src/gateway.rs", "tests/refund.rs"]),
    ("2025-01-16T08:15:00Z", "Add the settlement report and the guide for operations", ["."]),
]

# Geometry of a monospaced font at 14 px. The text length of each run is set in the SVG, so that
# columns align whichever font the reader has.
FONT_SIZE, CELL_WIDTH, LINE_HEIGHT, PADDING, BAR = 14, 8.43, 20, 18, 34

# A dark window is legible on light and on dark pages alike.
BACKGROUND, FRAME, TEXT = "#1e2430", "#4b5567", "#dde3ec"
COLOURS = {31: "#ff8f80", 32: "#93d58a", 33: "#e8c66a", 34: "#86b4ff", 35: "#d6a3f5", 36: "#7fd3d8"}
DIM = "#8f9bb0"
ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")


def run(program):
    """Returns the answer of the program over the fixture, with its colours."""
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder, "shop")
        shutil.copytree(FIXTURE, tree)
        environment = {
            **os.environ,
            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "TZ": "UTC",
            "LOREHOUND_CACHE_DIR": str(pathlib.Path(folder, "cache")), "LOREHOUND_CONFIG": "",
        }
        for role in ("AUTHOR", "COMMITTER"):
            environment[f"GIT_{role}_NAME"] = "Ada Lovelace"
            environment[f"GIT_{role}_EMAIL"] = "ada@example.com"
        git = ["git", "-C", str(tree)]
        subprocess.run([*git, "init", "--quiet"], check=True, env=environment)
        for date, message, paths in COMMITS:
            environment.update(GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)
            subprocess.run([*git, "add", "--", *paths], check=True, env=environment)
            subprocess.run([*git, "commit", "--quiet", "-m", message], check=True, env=environment)
        command = [str(pathlib.Path(program).resolve()), QUERY, "--limit", LIMIT, "--color", "always"]
        for _ in range(2):
            answer = subprocess.run(command, cwd=tree, env=environment, check=True,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    return answer.stdout.decode("utf-8")


def spans(line):
    """Yields the column, the text and the style of each run of equally styled characters."""
    style, column, end = {}, 0, 0
    for match in [*ESCAPE.finditer(line), None]:
        text = line[end:match.start() if match else len(line)]
        if text:
            yield column, text, dict(style)
            column += len(text)
        if match is None:
            return
        end = match.end()
        for code in [int(code or 0) for code in match.group(1).split(";")]:
            if code == 0:
                style = {}
            elif code == 1:
                style["font-weight"] = "bold"
            elif code == 2:
                style["fill"] = DIM
            elif code == 4:
                style["text-decoration"] = "underline"
            elif code in COLOURS:
                style["fill"] = COLOURS[code]


def draw(text):
    """Returns the SVG of a terminal window with a prompt and the text."""
    prompt = f'\x1b[32m$\x1b[0m \x1b[1mlore "{QUERY}"\x1b[0m'
    lines = [prompt, "", *text.rstrip("\n").split("\n")]
    columns = max(len(ESCAPE.sub("", line)) for line in lines)
    width = PADDING * 2 + columns * CELL_WIDTH
    height = BAR + PADDING * 2 + len(lines) * LINE_HEIGHT - (LINE_HEIGHT - FONT_SIZE)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
        f'viewBox="0 0 {width:.0f} {height}" role="img" aria-labelledby="title">',
        f'<title id="title">lore answers: {escape(QUERY)}</title>',
        f'<rect x=".5" y=".5" width="{width - 1:.0f}" height="{height - 1}" rx="9" '
        f'fill="{BACKGROUND}" stroke="{FRAME}"/>',
        f'<path d="M1 {BAR}.5H{width - 1:.0f}" stroke="{FRAME}"/>',
    ]
    parts += [f'<circle cx="{PADDING + 4 + 20 * dot}" cy="{BAR / 2:.0f}" r="5.5" fill="{FRAME}"/>'
              for dot in range(3)]
    parts.append(f'<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', '
                 f'monospace" font-size="{FONT_SIZE}" fill="{TEXT}" xml:space="preserve">')
    for number, line in enumerate(lines):
        y = BAR + PADDING + FONT_SIZE + number * LINE_HEIGHT - 3
        for column, run_text, style in spans(line):
            # Leading spaces would be dropped by some renderers: move the run instead.
            stripped = run_text.lstrip(" ")
            if not stripped.strip():
                continue
            x = PADDING + (column + len(run_text) - len(stripped)) * CELL_WIDTH
            stripped = stripped.rstrip(" ")
            attributes = "".join(f' {name}="{value}"' for name, value in style.items())
            parts.append(f'<text x="{x:.1f}" y="{y}" textLength="{len(stripped) * CELL_WIDTH:.1f}" '
                         f'lengthAdjust="spacingAndGlyphs"{attributes}>{escape(stripped)}</text>')
    return "\n".join([*parts, "</g>", "</svg>", ""])


def main():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} PROGRAM|-")
    text = sys.stdin.read() if sys.argv[1] == "-" else run(sys.argv[1])
    target = ROOT / "docs/assets/answer.svg"
    target.write_text(draw(text), encoding="utf-8")
    print(f"wrote {target.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
