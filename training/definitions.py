"""Finding comments and definitions in source text by line patterns, without a parser.

Good enough to mine training pairs from some twenty languages: a missed definition costs a pair, a wrong one is noise.
"""

import re

MOST_CHARACTERS = 900
MOST_LINES = 45

MODIFIERS = (
    r"(?:(?:pub(?:\([^)]*\))?|public|private|protected|internal|static|final|abstract|async|export|default|override"
    r"|virtual|sealed|partial|open|inline|extern|unsafe|const|data|suspend|case|implicit|lazy|local|readonly|declare"
    r"|mutating|explicit|constexpr|template\s*<[^>]*>)\s+)*"
)
DEFINITION = re.compile(
    r"^\s*(?:@\w+\s+)?" + MODIFIERS +
    r"(?:def|defp|defmacro|defmodule|defprotocol|func|fn|fun|function|class|struct|interface|trait|enum|type|object"
    r"|protocol|extension|impl|record|module|namespace|const|let|var|val|macro_rules!|newtype|instance|property|actor"
    r"|typealias|typedef)\b[\s*&(]*([A-Za-z_][\w.:]*)"
)  # fmt: skip
TYPED_FUNCTION = re.compile(r"^\s*(?:[\w<>,:&*\[\]?.]+[\s*&]+)+([A-Za-z_][\w:~]*)\s*\(")
SCRIPT_METHOD = re.compile(
    r"^\s*(?:async\s+|static\s+|get\s+|set\s+|\*)*([A-Za-z_$][\w$]*)\s*"
    r"(?:=\s*(?:async\s*)?(?:function\b|\()|\(|:\s*(?:async\s*)?function)"
)
HASKELL_SIGNATURE = re.compile(r"^([a-z][\w']*)\s*::")
SHELL_FUNCTION = re.compile(r"^\s*(?:function\s+)?([\w:-]+)\s*\(\)\s*\{?")
ATTRIBUTE = re.compile(r"^\s*(@[\w.]+|#\[|\[\w+|template\s*<|__attribute)")
NOT_NAMES = set(
    "if for while switch return catch else do try with match foreach elif elsif unless when case using lock sizeof"
    " assert super this new throw and or not in is".split()
)
LINE_COMMENT = {"python": "#", "ruby": "#", "bash": "#", "elixir": "#", "lua": "--", "haskell": "--", "erlang": "%"}
CLOSING = re.compile(r"^\s*([})\]]|end\b|\{|else|elif|rescue|catch|except|where|do\b|\||=)")


def definition_name(line, language):
    """The name that a line defines, or None."""
    found = DEFINITION.match(line)
    if found:
        return found.group(1)
    if language in ("c", "cpp", "java", "csharp", "zig"):
        if "(" not in line or line.rstrip().endswith(";"):
            return None
        found = TYPED_FUNCTION.match(line[:300])
    elif language in ("javascript", "typescript"):
        found = SCRIPT_METHOD.match(line)
    elif language == "haskell":
        found = HASKELL_SIGNATURE.match(line)
    elif language == "bash":
        found = SHELL_FUNCTION.match(line)
    return found.group(1) if found and found.group(1) not in NOT_NAMES else None


def comment_text(line, language):
    """The text of a line that is nothing but a line comment, or None."""
    stripped = line.strip()
    sign = LINE_COMMENT.get(language)
    if sign:
        if not stripped.startswith(sign) or stripped.startswith("#!"):
            return None
        return re.sub(r"^[#%-]+\s?[|^]?\s?", "", stripped)
    return re.sub(r"^/{2,}!?\s?", "", stripped) if stripped.startswith("//") else None


def read_comment(lines, start, language):
    """The comment that begins at a line: (its lines, index of the line after it); (None, start) if there is none."""
    end, texts = start, []
    if comment_text(lines[start], language) is not None:
        while end < len(lines) and (text := comment_text(lines[end], language)) is not None:
            texts.append(text)
            end += 1
        return texts, end
    stripped = lines[start].strip()
    opening, closing = ("{-", "-}") if language == "haskell" else ("/*", "*/")
    if stripped.startswith(opening) and language not in ("python", "ruby", "bash", "elixir", "lua"):
        while end < len(lines):
            text = lines[end].strip()
            texts.append(re.sub(r"^(/\*+!?|\*+|\{-+\s*\|?)\s?", "", re.sub(r"(\*+/|-\}).*$", "", text)))
            end += 1
            if closing in text:
                break
        return texts, end
    if language == "elixir" and re.match(r'@(doc|moduledoc|typedoc)\s+(~[sS])?"""', stripped):
        end += 1
        while end < len(lines) and '"""' not in lines[end]:
            texts.append(lines[end])
            end += 1
        return texts, end + 1
    return None, start


def block(lines, start):
    """A definition's line and what is indented deeper, up to a closing line or a limit."""
    indent = len(lines[start]) - len(lines[start].lstrip())
    taken, characters = [lines[start]], len(lines[start])
    for line in lines[start + 1 : start + MOST_LINES]:
        if line.strip():
            depth = len(line) - len(line.lstrip())
            if depth <= indent and not CLOSING.match(line):
                break
            taken.append(line)
            characters += len(line) + 1
            if depth <= indent and re.match(r"^\s*(\}|end\b)", line):
                break
        else:
            taken.append("")
        if characters > MOST_CHARACTERS:
            break
    return "\n".join(taken).rstrip()


def skip_attributes(lines, start, language):
    """The index of the first line at or after `start` that is no attribute or decorator; looks six lines ahead."""
    end = start
    while end < min(len(lines), start + 6) and (
        ATTRIBUTE.match(lines[end]) or (language == "elixir" and lines[end].strip().startswith("@"))
    ):
        end += 1
    return end


def tidy(text):
    """Prose without mark-up, white space folded."""
    text = re.sub(r"<[^>\n]{1,80}>", " ", text)
    text = re.sub(r"\{@\w+\s+([^}]*)\}", r"\1", text)
    return re.sub(r"\s+", " ", re.sub(r"[`*]+", "", text)).strip()


def summary(lines, short):
    """The first paragraph of a comment, at most 300 characters; its first sentence if `short`."""
    taken = []
    for line in lines:
        stripped = line.strip()
        if not stripped:
            if taken:
                break
            continue
        if re.match(r"(@|:param|:return|\\param|Args:|Parameters|Returns|Examples?:?$|```|#\s*Example|>>>|-{3,}|={3,}"
                    r"|param\s)", stripped):  # fmt: skip
            break
        taken.append(stripped)
        if sum(map(len, taken)) > 300:
            break
    text = tidy(" ".join(taken))
    sentence = re.match(r"(.{25,220}?[.!?])(\s|$)", text)
    return sentence.group(1) if short and sentence else text[:300]
