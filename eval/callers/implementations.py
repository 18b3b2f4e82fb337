"""Measures which implementations of a Java type `lore research` finds, against the text.

Usage: python3 implementations.py LORE DIRECTORY

DIRECTORY contains a clone named `gson`. An implementation is a head that extends or implements the type, or
an anonymous class of it, by regular expressions, without comments. A lambda is not counted in the text, so
found lines with an arrow, a reference of a method or an open assignment are set aside.
"""

import json
import pathlib
import re
import subprocess
import sys

NAMES = "TypeAdapter TypeAdapterFactory JsonDeserializer ExclusionStrategy"
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
LAMBDA = re.compile(r"->|::|=\s*$|return")


def without_comments(text):
    """The text with comments blanked, so that lines keep their numbers."""
    return COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def stated(name, root):
    """Files and lines of the implementations that the text states."""
    anonymous = rf"new\s+{name}\s*(?:<[^;{{}}()]*>)?\s*\([^;{{}}]*?\)\s*\{{"
    head = r"\b(?:class|enum|interface|record)\s+\w+[^{;]*?\b(?:extends|implements)\b([^{;]*)\{"
    places = set()
    for file in root.rglob("*.java"):
        text = without_comments(file.read_text(errors="replace"))
        path = str(file.relative_to(root))
        for match in re.finditer(anonymous, text):
            places.add((path, text.count("\n", 0, match.start()) + 1))
        for match in re.finditer(head, text):
            # Names in type arguments are no supertypes.
            supertypes = match.group(1)
            while "<" in supertypes and (shorter := re.sub(r"<[^<>]*>", "", supertypes)) != supertypes:
                supertypes = shorter
            if re.search(rf"\b{name}\b", supertypes):
                places.add((path, text.count("\n", 0, match.start()) + 1))
    return places


def found(lore, name, root):
    """Files and lines of the edges, without those of lambdas."""
    command = [lore, "research", f"implementations of {name}", "--json", "--limit", "1000"]
    answer = json.loads(subprocess.run(command, cwd=root, capture_output=True, text=True).stdout)
    places = set()
    for edge in answer["edges"]:
        text = edge["text"] or ""
        if "new " in text or "class " in text or not LAMBDA.search(text):
            places.add((answer["nodes"][edge["from"]]["path"], edge["line"]))
    return places


def main():
    lore, root = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]) / "gson"
    print("| type | in the text | found of them | found | stated of them |\n|---|---:|---:|---:|---:|")
    for name in NAMES.split():
        truth, edges = stated(name, root), found(lore, name, root)
        # A head may start with an annotation on another line.
        near = lambda place, others: any(
            place[0] == path and abs(place[1] - line) <= 6 for path, line in others
        )
        hits = sum(near(place, edges) for place in truth)
        right = sum(near(place, truth) for place in edges)
        print(f"| `{name}` | {len(truth)} | {hits} | {len(edges)} | {right} |")


if __name__ == "__main__":
    main()
