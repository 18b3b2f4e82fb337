#!/usr/bin/env python3
"""Fit the curve of each source from sum to score, and draw how right scores are.

Reads what `lore eval … --limit 150 --dump-signals FILE` writes for collections whose
questions are asked of every source, and judged in each. Questions that are asked of
one source alone do not tell how it stands beside others: they are meant for it.

    lore eval eval/collections/mini --limit 150 --dump-signals mini.sig
    lore eval eval/collections/sage --root AGENTCORE --limit 50 --dump-signals sage.sig
    python3 eval/calibration/fit.py mini.sig sage.sig --svg docs/concepts/calibration.svg

For each source, the ten best documents of each question are taken, and the logistic
curve of how often one with a certain sum is right is fitted to them. The score of a
document is that of one in code which is right as often. The table that is printed is
that of `crates/engine/src/rank/calibration.rs`; the plot shows the share of right
ones in four groups of each source over the mean of their scores, before and after.

The script needs nothing but Python. Its exit code is 2 if the arguments are wrong,
and 1 if the dumps hold no judged document of code or too few of another source.
"""

import argparse
import json
import math
import sys
from pathlib import Path

BEST = 10
"""Documents of one source that are looked at for one question."""

REFERENCE = ("code", 1.2, 2.0)
"""The source that keeps its curve: its name, steepness and middle."""

JUDGED = 5.0
"""Above this sum every curve is as steep as that of the reference."""

RIDGE = 0.003
"""Pull of a slope towards 1: sources with few right documents must not run wild."""

OWN = 0.5
"""Share of what a source says of itself in its curve; the rest is that of the reference.

Two trees say little of all others. With all of it, mixed questions about the one lose what
those about the other gain.
"""

FEWEST = 20
"""Right documents without which a source has no curve of its own."""

COLOURS = {"code": "#3465a4", "docs": "#c17d11", "specs": "#4e9a06", "tickets": "#a40000"}


def read(path):
    """The hits of each source: lists of (sum, right) for each question of a dump."""
    sources = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if not row["targets"]:
            continue
        found = {}
        for candidate in row["candidates"]:
            source = candidate["id"].split(":")[0]
            # One row for each document, with its best passage.
            key = candidate["path"] or candidate["id"]
            hit = (candidate["score"], candidate["relevant"] > 0)
            known = found.setdefault(source, {})
            if key not in known or known[key][0] < hit[0]:
                known[key] = hit
        for source, documents in found.items():
            best = sorted(documents.values(), key=lambda hit: -hit[0])[:BEST]
            sources.setdefault(source, []).append(best)
    return sources


def curve(collections):
    """Slope and offset of the logistic curve, by Newton's method.

    A collection counts by the root of its number of questions.
    """
    rows = []
    for questions in collections:
        hits = [hit for question in questions for hit in question]
        weight = math.sqrt(len(questions)) / len(hits)
        rows += [(total, right, weight) for total, right in hits]
    whole = sum(weight for _, _, weight in rows)
    slope, offset = 1.0, -2.0
    for _ in range(50):
        gradient = [2 * RIDGE * (slope - 1.0), 0.0]
        a, b, c = 2 * RIDGE, 0.0, 1e-9
        for total, right, weight in rows:
            share = 1.0 / (1.0 + math.exp(-(slope * total + offset)))
            error, spread = weight / whole * (share - right), weight / whole * share * (1 - share)
            gradient[0] += error * total
            gradient[1] += error
            a, b, c = a + spread * total * total, b + spread * total, c + spread
        determinant = a * c - b * b
        slope -= (c * gradient[0] - b * gradient[1]) / determinant
        offset -= (a * gradient[1] - b * gradient[0]) / determinant
    return slope, offset


def score(total, steepness, middle):
    """The score of a sum, as the engine computes it."""
    above = max(total - JUDGED, 0.0)
    power = steepness * (total - above - middle) + REFERENCE[1] * above
    return 1.0 / (1.0 + math.exp(-power))


def groups(questions, steepness, middle):
    """Mean score and share of right ones in four groups of as many documents."""
    hits = sorted(hit for question in questions for hit in question)
    points = []
    for group in range(4):
        part = hits[len(hits) * group // 4 : len(hits) * (group + 1) // 4]
        mean = sum(score(total, steepness, middle) for total, _ in part) / len(part)
        points.append((mean, sum(right for _, right in part) / len(part)))
    return points


def panel(left, title, sources, maps):
    """One plot: the reference's curve, and the groups of each source."""
    size, top = 300, 50
    place = lambda x, y: (left + x * size, top + (1 - y) * size)
    out = [f'<text x="{left}" y="{top - 16}" font-size="15">{title}</text>']
    out.append(f'<rect x="{left}" y="{top}" width="{size}" height="{size}" fill="none" stroke="#999"/>')
    for tick in (0, 0.25, 0.5, 0.75, 1):
        x, _ = place(tick, 0)
        _, y = place(0, tick)
        out.append(f'<text x="{x:.0f}" y="{top + size + 16}" text-anchor="middle">{tick}</text>')
        out.append(f'<text x="{left - 6}" y="{y + 4:.0f}" text-anchor="end">{tick}</text>')
    out.append(f'<text x="{left + size / 2}" y="{top + size + 36}" text-anchor="middle">score</text>')
    for source, questions in sorted(sources.items()):
        if source not in COLOURS:
            continue
        points = [place(x, y) for x, y in groups(questions, *maps[source])]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[source]}" stroke-width="2"/>')
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{COLOURS[source]}"/>' for x, y in points]
    return out


def draw(sources, maps):
    """The plot of both, side by side."""
    before = {source: REFERENCE[1:] for source in sources}
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 430" font-family="sans-serif" font-size="12">']
    out.append('<title>Share of right documents by score and source, before and after calibration</title>')
    out.append('<rect width="760" height="430" fill="#fff"/>')
    out += panel(60, "One curve for all: share of right ones", sources, before)
    out += panel(430, "A curve for each source", sources, maps)
    for place, (source, colour) in enumerate(sorted(COLOURS.items())):
        x = 60 + 110 * place
        out.append(f'<circle cx="{x}" cy="415" r="4" fill="{colour}"/><text x="{x + 10}" y="419">{source}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main():
    """Fits and draws."""
    parser = argparse.ArgumentParser(description="Fit the curve of each source.")
    parser.add_argument("dumps", nargs="+", help="files of `lore eval --dump-signals`")
    parser.add_argument("--svg", type=Path, help="where the plot is written")
    arguments = parser.parse_args()
    collections = {}
    for path in arguments.dumps:
        for source, questions in read(path).items():
            collections.setdefault(source, []).append(questions)
    sources = {source: sum(lists, []) for source, lists in collections.items()}
    right = {
        source: sum(hit[1] for question in questions for hit in question)
        for source, questions in sources.items()
    }
    name, steepness, middle = REFERENCE
    if right.get(name, 0) < FEWEST:
        print(f"fewer than {FEWEST} right documents of {name}", file=sys.stderr)
        return 1
    slope, offset = curve(collections[name])
    maps = {}
    print(f"{'source':10} {'questions':>9} {'documents':>9} {'right':>6} {'steepness':>9} {'middle':>7}")
    for source in sorted(sources):
        own, questions = "", sources[source]
        if right[source] < FEWEST:
            own = "   too few: no curve of its own"
            maps[source] = (steepness, middle)
        else:
            # Points with the same probability of being right: equal powers on both curves.
            a, b = curve(collections[source])
            fitted, half = steepness * a / slope, (offset - b) / a + slope * middle / a
            mixed = OWN * fitted + (1 - OWN) * steepness
            zero = OWN * fitted * half + (1 - OWN) * steepness * middle
            maps[source] = (mixed, zero / mixed)
        documents = sum(len(question) for question in questions)
        print(
            f"{source:10} {len(questions):9} {documents:9} {right[source]:6}"
            f" {maps[source][0]:9.2f} {maps[source][1]:7.2f}{own}"
        )
    if arguments.svg:
        arguments.svg.write_text(draw({s: q for s, q in sources.items() if right[s] >= FEWEST}, maps), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
