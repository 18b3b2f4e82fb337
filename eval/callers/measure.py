"""Measures which callers of a name `lore research` finds, against every place where the text calls it.

Usage: python3 measure.py LORE DIRECTORY

DIRECTORY contains clones named after the keys of TREES. A caller is a function around a call of the name,
by regular expressions. A call of another function of the same name outside of the tree counts as missed,
so the recall is a lower bound.
"""

import json
import pathlib
import re
import subprocess
import sys

# Names by tree, with the extension of its files.
TREES = {
    "tokio": (".rs", "notify_one available_permits enable_all try_acquire notify_waiters try_recv"),
    "prometheus": (".go", "Appender Truncate NewMemPostings ApplyConfig Querier Compact Snapshot"),
    "typeorm": (".ts", "createQueryBuilder getRepository findMetadata buildMetadatas getMany createQueryRunner"),
    "scrapy": (".py", "maybe_deferred_to_future process_spider_input get_settings_priority send_catch_log urljoin getlist"),
    "gson": (".java", "getAdapter peek excludeClass getDelegateAdapter beginObject setLenient getAsJsonObject"),
    "GRDB.swift": (".swift", "makeStatement tableExists viewExists inTransaction dumpContent columnNames"),
}

# The head of a function, with its indentation and its name.
HEADS = {
    ".rs": r"^(\s*)(?:pub(?:\([^)]*\))?\s+)?(?:(?:const|async|unsafe)\s+)*fn\s+(\w+)",
    ".go": r"^()func\s+(?:\([^)]*\)\s*)?(\w+)",
    ".py": r"^(\s*)(?:async\s+)?def\s+(\w+)",
    ".ts": r"^(\s*)(?:(?:export|public|private|protected|static|async|override|function|default)\s+)*(\w+)\s*(?:<[^(]*>)?\([^;]*$",
    ".java": r"^(\s*)(?:(?:public|private|protected|static|final|synchronized)\s+)*(?:<[^>]*>\s*)?[\w<>\[\],.?]+\s+(\w+)\s*\([^;]*$",
    ".swift": r"^(\s*)(?:@\w+\s+)*(?:\w+\s+)*(?:func\s+)(\w+)",
}
KEYWORDS = {"catch", "else", "for", "if", "new", "return", "switch", "while"}
COMMENTS = ("//", "*", "#", "/*")


def functions(lines, head):
    """The name and first line of the function around each line."""
    around, open_heads = [], []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        if text and text[0] not in ")}]":
            while open_heads and indent <= open_heads[-1][0]:
                open_heads.pop()
        match = head.match(line)
        if match and match.group(2) not in KEYWORDS:
            open_heads.append((indent, match.group(2), number))
        around.append(open_heads[-1][1:] if open_heads else None)
    return around


def main():
    lore, directory = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    print("| tree | name | callers | found | share |\n|---|---|---:|---:|---:|")
    for tree, (extension, names) in TREES.items():
        root = directory / tree
        head = re.compile(HEADS[extension])
        files = {}
        for path in sorted(root.rglob(f"*{extension}")):
            lines = path.read_text(errors="replace").split("\n")
            files[str(path.relative_to(root))] = lines, functions(lines, head)
        callers = found = 0
        for name in names.split():
            command = [lore, "research", "callers", "of", name, "--json", "--depth", "1", "--limit", "5000"]
            answer = json.loads(subprocess.run(command, cwd=root, capture_output=True, check=False).stdout)
            edges = set()
            for edge in answer["edges"]:
                path = answer["nodes"][edge["from"]]["path"]
                around = files[path][1] if path in files else []
                if edge["line"] <= len(around):
                    edges.add((path, around[edge["line"] - 1]))
            call = re.compile(rf"(?<!\w){re.escape(name)}(::<[^(]*>)?\s*\(")
            definition = re.compile(rf"\b(fn|def|func|function)\s+(\([^)]*\)\s*)?{re.escape(name)}\b")
            real = set()
            for path, (lines, around) in files.items():
                for line, function in zip(lines, around):
                    is_code = not line.strip().startswith(COMMENTS)
                    own = head.match(line)
                    is_head = own and own.group(2) == name
                    if is_code and call.search(line) and not definition.search(line) and not is_head and function:
                        real.add((path, function))
            hits = len(real & edges)
            callers, found = callers + len(real), found + hits
            print(f"| {tree} | `{name}` | {len(real)} | {hits} | {hits / max(1, len(real)):.2f} |")
        print(f"| **{tree}** | all | {callers} | {found} | **{found / max(1, callers):.3f}** |")


main()
