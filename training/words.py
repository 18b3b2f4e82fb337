"""Words of a text, and which files are read: the definitions every step shares.

A word is a run of letters or digits as identifiers are built from them: `getHTTPResponse` is `get`, `http`,
`response`; `snake_case2` is `snake`, `case`, `2`. Only ASCII counts; every other character separates. The encoder
inside the program splits in the same way, so a change here is a change of the model's meaning.
"""

import re

WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
LONGEST_WORD = 40
MOST_WORDS = 400

LANGUAGES = {
    ".py": "python", ".pyi": "python",
    ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript",
    ".ts": "typescript", ".tsx": "typescript", ".mts": "typescript",
    ".go": "go", ".rs": "rust", ".java": "java", ".c": "c", ".h": "c",
    ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp", ".hh": "cpp",
    ".cs": "csharp", ".rb": "ruby", ".rake": "ruby", ".php": "php", ".kt": "kotlin", ".kts": "kotlin",
    ".swift": "swift", ".scala": "scala", ".ex": "elixir", ".exs": "elixir", ".hs": "haskell", ".lua": "lua",
    ".sh": "bash", ".bash": "bash", ".zsh": "bash", ".zig": "zig", ".erl": "erlang",
    ".md": "prose", ".rst": "prose", ".adoc": "prose",
}  # fmt: skip


def split_words(text, limit=None):
    """The words of `text` in order, in lower case; words of more than 40 letters are left out, after the limit."""
    found = WORD.findall(text)
    if limit is not None:
        found = found[:limit]
    return [word.lower() for word in found if len(word) <= LONGEST_WORD]


def distinct_path_words(path):
    """The words of that part, each once: `render/render.go` says no more of its content than `render.go`."""
    return " ".join(dict.fromkeys(split_words(path_words_text(path))))


def path_words_text(path):
    """The part of a path that says something about the content: its last three components, without the ending."""
    return re.sub(r"\.\w+$", "", "/".join(path.split("/")[-3:]))
