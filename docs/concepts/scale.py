#!/usr/bin/env python3
"""Draws the cost curves of `lore bench --json` as an SVG picture.

    lore bench --sizes 1000,10000,100000 --json | python3 docs/concepts/scale.py > scale.svg

Both axes are logarithmic: a cost that grows in proportion to the size is a line of slope one.
Needs Python 3.8 and nothing else.
"""

import json
import math
import sys

WIDTH, HEIGHT, TOP = 340.0, 260.0, 50.0
LEFTS = (60.0, 480.0)
BLUE, ORANGE, GREEN, GREY = "#1f6fb2", "#c2571a", "#2f8f4e", "#888"


def panels(sizes):
    """The two panels: a title and lines of (name, color, is_dashed, points)."""
    measured = [(size["chunks"], size["indexSeconds"]) for size in sizes]
    known = sizes[min(1, len(sizes) - 1)] if sizes else None
    proportion = [
        (size["chunks"], known["indexSeconds"] / known["chunks"] * size["chunks"]) for size in sizes
    ]
    index = [("measured", BLUE, False, measured), ("in proportion", GREY, True, proportion)]
    search = []
    for mode, color in (("lexical", BLUE), ("semantic", ORANGE), ("hybrid", GREEN)):
        for name, is_dashed, key in ((mode, False, "p50Ms"), ("", True, "p99Ms")):
            points = [
                (size["chunks"], size["answers"][mode][key])
                for size in sizes
                if mode in size["answers"]
            ]
            search.append((name, color, is_dashed, points))
    return [
        ("indexing, seconds", index),
        ("a question, milliseconds (dashed: 99th percentile)", search),
    ]


def decades(values):
    """The powers of ten around some values."""
    logs = [math.log10(value) for value in values if value > 0]
    if not logs:
        return 0, 1
    low, high = math.floor(min(logs) - 0.05), math.ceil(max(logs) + 0.05)
    return low, max(high, low + 1)


def label(power):
    """A power of ten, written out."""
    return f"{10 ** power:,}" if power >= 0 else f"{10.0 ** power:.{-power}f}"


def draw(title, lines, left):
    """Yields the elements of one panel."""
    points = [point for line in lines for point in line[3]]
    x_low, x_high = decades(point[0] for point in points)
    y_low, y_high = decades(point[1] for point in points)

    def x(value):
        return left + (math.log10(value) - x_low) / (x_high - x_low) * WIDTH

    def y(value):
        return TOP + HEIGHT - (math.log10(value) - y_low) / (y_high - y_low) * HEIGHT

    bottom = TOP + HEIGHT
    yield f'<text x="{left}" y="28" font-weight="bold">{title}</text>'
    for power in range(x_low, x_high + 1):
        at = x(10.0 ** power)
        yield f'<path d="M{at:.1f} {TOP}V{bottom}" stroke="#e4e4e4"/>'
        yield f'<text x="{at:.1f}" y="{bottom + 18:.1f}" text-anchor="middle">{label(power)}</text>'
    for power in range(y_low, y_high + 1):
        at = y(10.0 ** power)
        yield f'<path d="M{left} {at:.1f}H{left + WIDTH}" stroke="#e4e4e4"/>'
        yield f'<text x="{left - 6:.1f}" y="{at + 4:.1f}" text-anchor="end">{label(power)}</text>'
    yield f'<text x="{left + WIDTH / 2:.1f}" y="{bottom + 38:.1f}" text-anchor="middle">chunks</text>'
    row = TOP + 16
    for name, color, is_dashed, values in lines:
        if not values:
            continue
        dashes = ' stroke-dasharray="4 3"' if is_dashed else ""
        stroke = f'stroke="{color}" stroke-width="1.6"{dashes}'
        path = " ".join(f"{x(chunks):.1f},{y(cost):.1f}" for chunks, cost in values)
        yield f'<polyline fill="none" {stroke} points="{path}"/>'
        if not is_dashed:
            for chunks, cost in values:
                yield f'<circle cx="{x(chunks):.1f}" cy="{y(cost):.1f}" r="2.6" fill="{color}"/>'
        if name:
            yield f'<path d="M{left + 10} {row}H{left + 32}" {stroke}/>'
            yield f'<text x="{left + 38}" y="{row + 4}">{name}</text>'
            row += 16


def main():
    sizes = json.load(sys.stdin)["sizes"]
    print('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 370" '
          'font-family="sans-serif" font-size="12">')
    print("<title>Cost of indexing and of searching over the number of chunks</title>")
    print('<rect width="860" height="370" fill="#fff"/>')
    for (title, lines), left in zip(panels(sizes), LEFTS):
        for element in draw(title, lines, left):
            print(element)
    print("</svg>")


if __name__ == "__main__":
    main()
