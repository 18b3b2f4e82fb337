"""Pairs from documents: headings and their sections, paragraphs and their examples."""

import re

from definitions import tidy
from words import split_words

UNDERLINED = re.compile(r"^([^\n]+)\n(={3,}|-{3,}|~{3,}|\^{3,})\s*$", re.MULTILINE)
HEADING = re.compile(r"^(#{1,5}|={1,5})\s+(.{3,120})$")
FENCED = re.compile(r"```\w*\n(.{40,900}?)```", re.DOTALL)
INDENTED = re.compile(r"::\n\n((?:    .*\n|\n){2,30})")
MOST_SECTIONS = 60


def sections(text):
    """The sections of a document: (titles from the outermost to its own, body)."""
    marked = UNDERLINED.sub(lambda found: ("# " if found.group(2)[0] == "=" else "## ") + found.group(1), text)
    titles, body, fenced, found_sections = [], [], False, []
    for line in marked.split("\n"):
        fenced ^= line.startswith("```")
        found = None if fenced else HEADING.match(line)
        if not found:
            body.append(line)
            continue
        if body:
            found_sections.append(([title for _, title in titles], "\n".join(body)))
        depth = len(found.group(1))
        title = tidy(re.sub(r"\{#.*", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", found.group(2))))
        titles = [item for item in titles if item[0] < depth] + [(depth, title)]
        body = []
    if body:
        found_sections.append(([title for _, title in titles], "\n".join(body)))
    return found_sections


def last_paragraph(text):
    """The last paragraph of a text that is not empty."""
    parts = [part for part in re.split(r"\n\s*\n", text) if part.strip()]
    return tidy(parts[-1])[:300] if parts else ""


def prose_pairs(path, text, chance):
    """The pairs of one document."""
    for titles, body in sections(text)[:MOST_SECTIONS]:
        if len(body) < 120:
            continue
        if titles:
            query = titles[-1]
            if chance.random() < 0.5 and len(titles) > 1:
                query = titles[-2] + " " + query
            if len(split_words(query)) >= 2:
                yield "heading", path, query, body.strip()[:900]
        example = FENCED.search(body) or INDENTED.search(body)
        if example:
            query = last_paragraph(body[: example.start()])
            if len(split_words(query)) >= 5:
                yield "example", path, query, example.group(1)
        paragraphs = [part for part in re.split(r"\n\s*\n", body) if len(part) > 100 and not part.startswith("```")]
        if len(paragraphs) >= 2 and chance.random() < 0.6:
            first, second = chance.sample(range(len(paragraphs)), 2)
            said = tidy(paragraphs[first])
            sentence = re.match(r"(.{30,200}?[.!?])(\s|$)", said)
            yield "paragraph", path, sentence.group(1) if sentence else said[:200], paragraphs[second][:700]
