#!/usr/bin/env python3
"""Check that no question of this collection shares a word with its answer.

Every row of `queries.jsonl` names a span: the lines of one file that answer the
question. The words of the question, stop words aside, are compared with the
words of those lines, comments included, with the path of the file and with the
name of the repository. Two words are the same word where

* their stems are equal (Porter, 1980), irregular forms reduced first;
* or both have at least five letters and begin with the same five;
* or one is an end or a beginning, four letters or longer, of the other
  ("socket" in "websocket");
* or one is a common abbreviation of the other in code ("req", "request").

The script needs nothing but Python and the trees the rows are asked of:

    python3 check.py --trees DIR          # DIR holds a folder for each repository
    python3 check.py --trees DIR --show   # prints the lines of each answer as well

The exit code is 1 if a question shares a word with its answer, or if a row, a
file or a span is not as it should be, and 2 if the arguments are wrong.
"""

import argparse
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

SHORTEST_SPAN = 8
"""A span of fewer lines is too little to be a chunk of its own."""

LONGEST_SPAN = 75
"""A span of more lines, comments included, would not be one clear answer."""

FEWEST_WORDS = 4
"""A question of fewer words, stop words aside, does not say what it asks for."""

SAME_BEGINNING = 5
"""Words that begin with this many equal letters count as the same word."""

SHORTEST_PART = 4
"""A word of this length at an end of a longer one counts as a part of it."""

STOP_WORDS = frozenset(
    # articles and determiners
    "a an the this that these those some any each every no all both such own same other another"
    # pronouns
    " i me my we us our you your he him his she her it its itself they them their one ones"
    " somebody someone something anybody anyone anything nobody nothing everybody everyone"
    " everything"
    # prepositions
    " about above across after against along among around as at before behind below beneath beside"
    " between beyond by down during for from in inside into of off on onto out outside over per"
    " since through till to toward towards under until up upon via with within without"
    # conjunctions and particles
    " and or but nor not if than then so because while though although unless whether only also"
    " too very just once again yet already still even ever never there here else instead"
    # auxiliaries
    " is are was were be been being am do does did done doing have has had having can could may"
    " might must shall should will would need needs"
    # question words
    " how what when where which who whom whose why"
    # endings left by an apostrophe
    " s t d re ve ll m".split()
)

IRREGULAR = {
    form: forms.split()[0]
    for forms in (
        "begin began begun",
        "bind bound",
        "break broke broken",
        "bring brought",
        "build built",
        "buy bought",
        "catch caught",
        "child children",
        "choose chose chosen choice",
        "come came",
        "datum data",
        "deep depth",
        "draw drew drawn",
        "drive drove driven",
        "fall fell fallen",
        "feed fed",
        "find found",
        "foot feet",
        "forget forgot forgotten",
        "freeze froze frozen",
        "get got gotten",
        "give gave given",
        "go went gone goes",
        "grow grew grown growth",
        "half halves",
        "hear heard",
        "hide hid hidden",
        "high height",
        "hold held",
        "index indices",
        "keep kept",
        "know knew known knowledge",
        "lay laid",
        "leaf leaves",
        "leave left",
        "lend lent",
        "life lives",
        "long length",
        "lose lost loss",
        "make made",
        "man men",
        "mean meant",
        "meet met",
        "mouse mice",
        "pay paid",
        "read reader",
        "rise rose risen",
        "run ran",
        "say said",
        "see saw seen",
        "seek sought",
        "sell sold",
        "send sent",
        "shake shook shaken",
        "show shown",
        "sink sank sunk",
        "sit sat",
        "sleep slept",
        "speak spoke spoken",
        "spend spent",
        "spin spun",
        "stand stood",
        "steal stole stolen",
        "stick stuck",
        "take took taken",
        "teach taught",
        "tell told",
        "think thought",
        "throw threw thrown",
        "try tries tried",
        "tear tore torn",
        "understand understood",
        "wake woke woken",
        "wear wore worn",
        "wide width",
        "win won",
        "write wrote written",
    )
    for form in forms.split()
}

ABBREVIATIONS = {
    "addr": "address",
    "arg": "argument",
    "args": "arguments",
    "arr": "array",
    "attr": "attribute",
    "auth": "authentication",
    "buf": "buffer",
    "calc": "calculate",
    "cb": "callback",
    "cfg": "configuration",
    "char": "character",
    "cls": "class",
    "cmd": "command",
    "cmp": "compare",
    "col": "column",
    "config": "configuration",
    "conn": "connection",
    "ctx": "context",
    "cur": "current",
    "db": "database",
    "def": "definition",
    "del": "delete",
    "desc": "description",
    "dest": "destination",
    "diff": "difference",
    "dim": "dimension",
    "dir": "directory",
    "doc": "document",
    "dst": "destination",
    "elem": "element",
    "env": "environment",
    "err": "error",
    "eval": "evaluate",
    "ex": "exception",
    "exc": "exception",
    "exec": "execute",
    "expr": "expression",
    "fd": "descriptor",
    "fmt": "format",
    "fn": "function",
    "freq": "frequency",
    "func": "function",
    "hl": "highlight",
    "id": "identifier",
    "idx": "index",
    "img": "image",
    "impl": "implementation",
    "info": "information",
    "init": "initialise",
    "int": "integer",
    "iter": "iterator",
    "len": "length",
    "lib": "library",
    "loc": "location",
    "max": "maximum",
    "mem": "memory",
    "meta": "metadata",
    "min": "minimum",
    "msg": "message",
    "mut": "mutable",
    "num": "number",
    "obj": "object",
    "op": "operation",
    "opt": "option",
    "opts": "options",
    "param": "parameter",
    "params": "parameters",
    "pos": "position",
    "prefs": "preferences",
    "prev": "previous",
    "proc": "procedure",
    "prop": "property",
    "props": "properties",
    "ptr": "pointer",
    "pwd": "password",
    "rand": "random",
    "recv": "receive",
    "ref": "reference",
    "regex": "expression",
    "rep": "repeat",
    "repr": "representation",
    "req": "request",
    "res": "response",
    "resp": "response",
    "ret": "return",
    "seq": "sequence",
    "src": "source",
    "std": "standard",
    "str": "string",
    "sub": "subscribe",
    "sync": "synchronous",
    "sys": "system",
    "temp": "temporary",
    "tmp": "temporary",
    "util": "utility",
    "utils": "utilities",
    "val": "value",
    "var": "variable",
    "vec": "vector",
    "win": "window",
}

PORTER_STEP_2 = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
)

PORTER_STEP_3 = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)

PORTER_STEP_4 = (
    "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize".split()
)


def is_consonant(word, position):
    """Whether the letter is a consonant; `y` is one at the start and after a vowel."""
    letter = word[position]
    if letter in "aeiou":
        return False
    if letter == "y":
        return position == 0 or not is_consonant(word, position - 1)
    return True


def measure(stem):
    """How often a vowel is followed by a consonant: Porter's m."""
    kinds = [is_consonant(stem, position) for position in range(len(stem))]
    return sum(1 for before, after in zip(kinds, kinds[1:]) if not before and after)


def has_vowel(stem):
    """Whether any letter of the stem is a vowel."""
    return any(not is_consonant(stem, position) for position in range(len(stem)))


def ends_in_double_consonant(stem):
    """Whether the stem ends in a consonant that stands twice."""
    return len(stem) >= 2 and stem[-1] == stem[-2] and is_consonant(stem, len(stem) - 1)


def ends_in_short_syllable(stem):
    """Whether the stem ends in consonant, vowel, consonant, the last not w, x or y."""
    if len(stem) < 3 or stem[-1] in "wxy":
        return False
    last = len(stem) - 1
    return (
        is_consonant(stem, last - 2)
        and not is_consonant(stem, last - 1)
        and is_consonant(stem, last)
    )


def without_plural(word):
    """Porter's step 1a."""
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def without_past_or_participle(word):
    """Porter's step 1b."""
    if word.endswith("eed"):
        return word[:-1] if measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        stem = word[: -len(suffix)]
        if word.endswith(suffix) and has_vowel(stem):
            if stem.endswith(("at", "bl", "iz")):
                return stem + "e"
            if ends_in_double_consonant(stem) and stem[-1] not in "lsz":
                return stem[:-1]
            if measure(stem) == 1 and ends_in_short_syllable(stem):
                return stem + "e"
            return stem
    return word


def with_suffix_replaced(word, replacements):
    """Replaces the longest suffix that fits, if the stem before it has a syllable."""
    fitting = [pair for pair in replacements if word.endswith(pair[0])]
    if not fitting:
        return word
    suffix, replacement = max(fitting, key=lambda pair: len(pair[0]))
    stem = word[: -len(suffix)]
    return stem + replacement if measure(stem) > 0 else word


def without_last_suffix(word):
    """Porter's step 4."""
    fitting = [suffix for suffix in PORTER_STEP_4 if word.endswith(suffix)]
    if not fitting:
        return word
    suffix = max(fitting, key=len)
    stem = word[: -len(suffix)]
    if measure(stem) <= 1 or (suffix == "ion" and not stem.endswith(("s", "t"))):
        return word
    return stem


def without_final_e(word):
    """Porter's steps 5a and 5b."""
    if word.endswith("e"):
        stem = word[:-1]
        syllables = measure(stem)
        if syllables > 1 or (syllables == 1 and not ends_in_short_syllable(stem)):
            word = stem
    if word.endswith("ll") and measure(word) > 1:
        word = word[:-1]
    return word


def stem_of(word):
    """The stem of a word in lower case; irregular forms have that of their base."""
    word = IRREGULAR.get(word, word)
    if len(word) <= 2:
        return word
    word = without_past_or_participle(without_plural(word))
    if word.endswith("y") and has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = with_suffix_replaced(word, PORTER_STEP_2)
    word = with_suffix_replaced(word, PORTER_STEP_3)
    return without_final_e(without_last_suffix(word))


def words_of(text):
    """The words of a text in lower case, without stop words and single letters.

    An identifier gives its parts, split at underscores, digits and capitals, and
    also the run of letters as a whole: `HTTPServer2` gives http, server and
    httpserver.
    """
    words = set()
    for run in re.findall(r"[^\W\d_]+", text):
        parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+", run)
        words.update(part.lower() for part in (*parts, run))
    return {word for word in words if len(word) > 1 and word not in STOP_WORDS}


def is_part(part, whole):
    """Whether a word is a beginning or an end of another, longer one."""
    if len(part) < SHORTEST_PART or len(part) >= len(whole):
        return False
    return whole.startswith(part) or whole.endswith(part)


def is_same(one, other):
    """Whether two words count as the same word."""
    spelled_out = ABBREVIATIONS.get(one, one), ABBREVIATIONS.get(other, other)
    for left, right in ((one, other), spelled_out):
        if stem_of(left) == stem_of(right):
            return True
        beginning = left[:SAME_BEGINNING]
        if len(beginning) == SAME_BEGINNING and right.startswith(beginning):
            return True
    return any(
        is_part(left, right) or is_part(right, left)
        for left in (one, stem_of(one))
        for right in (other, stem_of(other))
    )


def shared_words(question, answer):
    """Pairs of words, one of the question and one of the answer, that are the same."""
    return sorted(
        (asked, found)
        for asked in words_of(question)
        for found in words_of(answer)
        if is_same(asked, found)
    )


def relevant_paths(row):
    """The paths a row counts as right, in either way of writing them."""
    labels = row.get("relevant", []) + row.get("secondary", [])
    return [label if isinstance(label, str) else label["path"] for label in labels]


def lines_of(row, trees):
    """The lines of the row's span; raises ValueError if the row is not as it should be."""
    span = row["span"]
    first, last = span["start_line"], span["end_line"]
    if span["path"] not in relevant_paths(row):
        raise ValueError("the span is in a file that does not count as right")
    for path in relevant_paths(row):
        if not (trees / row["repo"] / path).is_file():
            raise ValueError(f"no such file: {row['repo']}/{path}")
    if not SHORTEST_SPAN <= last - first + 1 <= LONGEST_SPAN:
        raise ValueError(f"the span has {last - first + 1} lines")
    if len(words_of(row["query"])) < FEWEST_WORDS:
        raise ValueError("the question has too few words besides stop words")
    path = trees / row["repo"] / span["path"]
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    if first < 1 or last > len(lines):
        raise ValueError(f"the file has {len(lines)} lines, the span ends at {last}")
    chosen = lines[first - 1 : last]
    if not chosen[0].strip() or not chosen[-1].strip():
        raise ValueError("the span begins or ends with a blank line")
    return chosen


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--trees", type=Path, required=True, help="folder of the repositories")
    parser.add_argument("--queries", type=Path, default=HERE / "queries.jsonl", help="the rows")
    parser.add_argument("--show", action="store_true", help="print the lines of each answer")
    return parser.parse_args()


def main():
    """Checks every row, prints what is shared, and says how many rows pass."""
    options = arguments()
    text = options.queries.read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    passed = 0
    seen = set()
    for row in rows:
        try:
            if row["id"] in seen:
                raise ValueError("another row has the same id")
            seen.add(row["id"])
            lines = lines_of(row, options.trees)
        except (KeyError, TypeError, ValueError) as error:
            print(f"{row.get('id', '?')}: NOT VALID: {error}")
            continue
        answer = "\n".join([row["repo"], row["span"]["path"], *lines])
        shared = shared_words(row["query"], answer)
        passed += not shared
        pairs = ", ".join(f"{asked} = {found}" for asked, found in shared)
        print(f"{row['id']}: {'shares ' + pairs if shared else 'shares nothing'}")
        if options.show:
            print(f"  {row['query']}\n  {row['repo']}/{row['span']['path']}")
            print("\n".join(f"    {line}" for line in lines) + "\n")
    print(f"{passed} of {len(rows)} questions share no word with their answer")
    return 0 if rows and passed == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
