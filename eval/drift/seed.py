"""Seeds changes into copies of repositories and measures what `lore drift` finds of them."""

import argparse
import collections
import os
import random
import re
import shutil
import tempfile

import common

DEFINITION = r"\b(?:def|class|fn|func|function|struct|enum|trait|interface|const)\s+(?:\([^)]*\)\s*)?"
NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]{4,}$")
WORDS = ["prepare", "resolve", "collect", "refresh", "settle", "assemble", "derive", "obtain"]


class Seed:
    """One change: its kind, the old name, the new name (None for a removal)."""

    def __init__(self, kind, old, new):
        self.kind, self.old, self.new = kind, old, new


def mentions(texts):
    """Names that documents mention in markup, by kind, with their lines."""
    found = collections.defaultdict(set)
    for path, text in texts.items():
        for number, line in enumerate(text.split("\n"), 1):
            spans = [a or b for a, b in common.SPAN.findall(line)]
            for span in spans:
                for word in re.findall(r"[A-Za-z_][A-Za-z0-9_]*", span if len(span.split()) == 1 else ""):
                    found["symbol", word].add((path, number))
                for word in re.findall(r"[\w./-]+/[\w.-]+\.\w+|^[\w-]+\.\w+$", span):
                    found["path", word].add((path, number))
            for word in re.findall(r"(?<![\w-])--[a-z][a-z0-9]+(?:-[a-z0-9]+)*", line):
                found["flag", word].add((path, number))
            for word in re.findall(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b", line):
                found["environment", word].add((path, number))
            for word in common.LINK.findall(line):
                if "://" not in word and not word.startswith(("#", "/", "mailto:")):
                    joined = os.path.normpath(os.path.join(os.path.dirname(path), word.split("#")[0]))
                    found["link", joined].add((path, number))
    return found


def renamed(name, rng):
    """Another name in the same style."""
    word = rng.choice(WORDS)
    if "_" in name or name.islower():
        return f"{word}_{name}"
    return word.capitalize() + name if name[0].isupper() else word + name[0].upper() + name[1:]


def without(text, name):
    """A text without the definition of a name and the lines that use it."""
    lines, kept, skip = text.split("\n"), [], None
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if skip is not None:
            closes = line.strip().startswith(("}", ")", "]", "end")) and indent == skip
            if closes:
                skip = None
                continue
            if not line.strip() or indent > skip:
                continue
            skip = None
        if re.search(rf"\b{name}\b", line):
            if re.search(DEFINITION + name + r"\b", line):
                skip = indent
            continue
        kept.append(line)
    return "\n".join(kept)


def candidates(code, documents, paths):
    """Possible changes by kind, with the lines of documents that mention them."""
    found = mentions(documents)
    own = {path: text for path, text in code.items() if common.is_own(path)}
    words = collections.Counter()
    defined = collections.Counter()
    for text in own.values():
        words.update(set(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", text)))
        defined.update(re.findall(DEFINITION + r"([A-Za-z_][A-Za-z0-9_]*)", text))
    by_kind = collections.defaultdict(list)
    for (kind, name), lines in sorted(found.items()):
        if kind == "symbol" and NAME.match(name) and defined[name] == 1 and words[name] < 30:
            by_kind["rename"].append((name, lines))
            by_kind["remove"].append((name, lines))
        elif kind in ("path", "link"):
            # A name without a folder stays true when the file moves.
            if kind == "path" and "/" not in name:
                continue
            whole = [path for path in paths if path == name or (kind == "path" and path.endswith("/" + name))]
            if len(whole) == 1 and whole[0] not in documents and len(name) > 4:
                by_kind["file"].append((whole[0], lines))
        elif kind == "flag":
            exact = re.compile(rf"[\"'`|]{name}\b(?!-)|[\"']{name[2:]}[\"']")
            if any(exact.search(text) for text in own.values()):
                by_kind["flag"].append((name, lines))
        elif kind == "environment" and words[name]:
            by_kind["environment"].append((name, lines))
    return by_kind


def apply(folder, seed, code):
    """Makes a change in the code; documents stay as they are."""
    if seed.kind == "file":
        old = os.path.join(folder, seed.old)
        if seed.new:
            new = os.path.join(folder, seed.new)
            os.makedirs(os.path.dirname(new) or folder, exist_ok=True)
            shutil.move(old, new)
        else:
            os.remove(old)
        text = code.pop(seed.old, None)
        if seed.new and text:
            code[seed.new] = text
        return
    for path, text in list(code.items()):
        if seed.kind == "remove":
            changed = without(text, seed.old) if seed.old in text else text
        elif seed.kind == "flag":
            changed = re.sub(rf"{seed.old}\b(?!-)", seed.new, text)
            changed = re.sub(rf"([\"']){seed.old[2:]}\1", lambda m: m[1] + seed.new[2:] + m[1], changed)
            under = seed.old[2:].replace("-", "_")
            if "_" in under:
                # Also in completions, settings and manual pages.
                changed = re.sub(rf"(?<![\w-]){seed.old[2:]}(?![\w-])", seed.new[2:], changed)
                escaped = re.escape(seed.old[2:].replace("-", "\\-"))
                changed = re.sub(rf"\\-\\-{escaped}\b", lambda m: seed.new.replace("-", "\\-"), changed)
                changed = re.sub(rf"\b{under}\b", seed.new[2:].replace("-", "_"), changed)
        else:
            changed = re.sub(rf"\b{seed.old}\b", seed.new, text)
        if changed != text:
            code[path] = changed
            with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
                file.write(changed)


def choose(by_kind, count, rng):
    """Chooses changes whose names do not contain each other, in turn from each kind."""
    for options in by_kind.values():
        rng.shuffle(options)
    seeds, lines, used = [], {}, set()
    order = ["rename", "file", "rename", "flag", "remove", "environment"]
    while len(seeds) < count and any(by_kind[kind] for kind in order):
        for kind in order:
            if not by_kind[kind] or len(seeds) == count:
                continue
            name, where = by_kind[kind].pop()
            if any(name in other or other in name for other in used):
                continue
            used.add(name)
            if kind == "file":
                new = None
                if rng.random() < 0.6:
                    base, end = os.path.splitext(os.path.basename(name))
                    new = os.path.join(os.path.dirname(name), rng.choice(WORDS), f"{base}{end}")
            elif kind == "flag":
                new = f"--{rng.choice(WORDS)}-{name[2:]}"
            elif kind == "environment":
                new = f"{name}_{rng.choice(WORDS).upper()}" if rng.random() < 0.7 else f"NEW{name}"
            else:
                new = None if kind == "remove" else renamed(name, rng)
            seeds.append(Seed(kind, name, new))
            lines[name] = where
    return seeds, lines


def words(code):
    """All words of the code."""
    return {word for text in code.values() for word in re.findall(r"[A-Za-z_][A-Za-z0-9_]*", text)}


def folded(name):
    """A name without the marks of its case style; `--no-color` counts as `color`."""
    return re.sub(r"[^a-z0-9]", "", re.sub(r"^--no-", "", name).lower())


def is_about(finding, seed):
    """True if a finding names a changed thing."""
    name = finding["name"].split("#")[0].rstrip("/")
    if seed.kind != "file":
        return folded(name) == folded(seed.old)
    folder = os.path.dirname(finding["path"])
    resolved = os.path.normpath(os.path.join(folder, name))
    return seed.old in (name, resolved) or seed.old.endswith("/" + re.sub(r"^[./]+", "", name))


def measure(lore, repository, count, start, verbose):
    """Seeds one repository. Returns counts by kind."""
    rng = random.Random(f"{start}/{os.path.basename(repository)}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = common.clone(repository, os.path.join(temporary, os.path.basename(repository)))
        # Without the folder, because files with comments are moved.
        key = lambda finding: (os.path.basename(finding["path"]), finding["line"], finding["name"])
        before = {key(finding) for finding in common.drift(lore, folder)["findings"]}
        paths = common.files(folder)
        documents = {path: common.read(folder, path) for path in paths if common.is_document(path)}
        documents = {path: text for path, text in documents.items() if not common.BESIDE.search(path) or "doc" in path}
        code = {path: common.read(folder, path) for path in paths if common.is_code(path)}
        code = {path: text for path, text in code.items() if text}
        seeds, lines = choose(candidates(code, documents, paths), count, rng)
        known = words(code)
        # Files are moved last, so that their content is changed, too.
        for seed in sorted(seeds, key=lambda seed: seed.kind == "file"):
            apply(folder, seed, code)
        common.git(folder, "add", "-A")
        common.git(folder, "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-qm", "seeded")
        findings = [finding for finding in common.drift(lore, folder)["findings"] if key(finding) not in before]
    counts = collections.Counter()
    # Names inside a removed definition are gone, too.
    vanished = known - words(code)
    is_right = lambda finding: finding["name"] in vanished or any(is_about(finding, seed) for seed in seeds)
    wrong = [finding for finding in findings if not is_right(finding)]
    counts["findings"], counts["wrong"] = len(findings), len(wrong)
    for finding in wrong if verbose else []:
        print("  wrong:", finding["path"], finding["line"], finding["kind"], finding["state"], finding["name"])
    for seed in seeds:
        own = [finding for finding in findings if is_about(finding, seed)]
        places = {(finding["path"], finding["line"]) for finding in own}
        missed = lines[seed.old] - places
        counts["seeds"] += 1
        counts["found"] += bool(own)
        counts["statements"] += len(lines[seed.old])
        counts["reported"] += len(lines[seed.old]) - len(missed)
        counts[seed.kind, "seeds"] += 1
        counts[seed.kind, "found"] += bool(own)
        if seed.new and own:
            counts["replaced"] += 1
            counts["named"] += any(finding["replacement"] == seed.new for finding in own)
        if verbose and missed:
            print("  missed:", seed.kind, seed.old, "->", seed.new, "found" if own else "NOT FOUND", sorted(missed)[:3])
    return counts


def main():
    """Measures all repositories."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lore")
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--seeds", type=int, default=60)
    parser.add_argument("--random", type=int, default=28)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    total = collections.Counter()
    for repository in arguments.repositories:
        counts = measure(arguments.lore, repository, arguments.seeds, arguments.random, arguments.verbose)
        total.update(counts)
        report(os.path.basename(repository), counts)
    report("all", total)
    for kind in ("rename", "remove", "file", "flag", "environment"):
        print(f"  {kind}: {total[kind, 'found']} of {total[kind, 'seeds']} seeds")


def report(name, counts):
    """Prints one line of figures."""
    share = lambda part, whole: part / whole if whole else 0.0
    right = counts["findings"] - counts["wrong"]
    print(
        f"{name}: {counts['seeds']} seeds, precision {share(right, counts['findings']):.3f} "
        f"({right} of {counts['findings']}), recall {share(counts['reported'], counts['statements']):.3f} "
        f"({counts['reported']} of {counts['statements']} statements), "
        f"{share(counts['found'], counts['seeds']):.3f} of the seeds; "
        f"new name given: {share(counts['named'], counts['replaced']):.3f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
