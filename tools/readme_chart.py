#!/usr/bin/env python3
"""Draws docs/programs.svg, the chart of the README, from the committed samples.

    tools/readme_chart.py            writes the chart
    tools/readme_chart.py --check    fails if the chart differs from the samples

Each bar is the median over paired rounds of T_S/T_2: how many times faster than
serial code a program runs on two workers. `heist bench --json` wrote the samples.
"""

import json
import pathlib
import sys
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHART = ROOT / "docs" / "programs.svg"

CONTENDERS = [
    ("heist", "Heist, join"),
    ("heist-hint", "Heist, join_hint"),
    ("rayon", "rayon"),
    ("chili", "chili"),
]
# The label of each program of `heist bench`, in the order of the chart.
PROGRAMS = {
    "nqueens": "n-queens 12",
    "uts-bin": "tree search, binomial",
    "uts-geo": "tree search, geometric",
    "cilksort": "cilksort, no cutoff",
    "cilksort-cutoff": "cilksort, Cilk's cutoffs",
    "jacobi": "Jacobi stencil",
    "forkjoin": "1,024 tasks in a scope",
    "tree": "sum of a tree",
    "fib": "fib 32",
    "fft": "FFT",
    "lud": "LU decomposition",
    "heat": "heat stencil",
}
LEFT, RIGHT, TOP = 190, 60, 62
BAR, GAP, WIDTH, MOST = 9, 12, 820, 2.4


def speedups():
    """Returns T_S/T_2 for each program and contender."""
    found = {}
    for path in sorted((ROOT / "results").glob("*.json")):
        for program in json.loads(path.read_text())["programs"]:
            rows = found.setdefault(program["name"], {})
            for row in program["results"]:
                if row["threads"] == 2:
                    rows[row["contender"]] = row["figures"]["ts_over_tp"]
    return found


def draw(found):
    def x(value):
        return LEFT + value / MOST * (WIDTH - LEFT - RIGHT)

    body, y = [], TOP
    for name, label in PROGRAMS.items():
        bars = [(i, found[name][c]) for i, (c, _) in enumerate(CONTENDERS) if c in found[name]]
        middle = y + BAR * len(bars) / 2 + 4
        body.append(f'<text x="{LEFT - 10}" y="{middle:.1f}" text-anchor="end">{escape(label)}</text>')
        for i, value in bars:
            body.append(
                f'<rect class="c{i}" x="{LEFT}" y="{y}" width="{x(value) - LEFT:.1f}" height="{BAR - 1}"/>'
                f'<text class="value" x="{x(value) + 4:.1f}" y="{y + 7.5}">{value:.2f}</text>'
            )
            y += BAR
        y += GAP
    legend = []
    for i, (_, label) in enumerate(CONTENDERS):
        at = LEFT + 150 * i
        legend.append(f'<rect class="c{i}" x="{at}" y="34" width="12" height="12"/><text x="{at + 18}" y="44">{label}</text>')
    grid = []
    for tick in (0, 0.5, 1, 1.5, 2):
        strong = ' class="serial"' if tick == 1 else ""
        grid.append(f'<line{strong} x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{TOP - 6}" y2="{y}"/>')
        text = "1 = serial" if tick == 1 else f"{tick:g}"
        grid.append(f'<text x="{x(tick):.1f}" y="{y + 16}" text-anchor="middle">{text}</text>')
    said = "; ".join(
        f"{label}: " + ", ".join(f"{c[1]} {found[name][c[0]]:.2f}" for c in CONTENDERS if c[0] in found[name])
        for name, label in PROGRAMS.items()
    )
    height = y + 28
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
            "<title>How many times faster than serial code, on two workers</title>",
            f"<desc>{escape(said)}</desc>",
            "<style>",
            "text { font: 12px sans-serif; fill: #24292f } .title { font-weight: bold; font-size: 14px }",
            ".value { font-size: 9px } line { stroke: #d0d7de } .serial { stroke: #57606a }",
            ".paper { fill: #ffffff } .c0 { fill: #0b62a8 } .c1 { fill: #62a8dd } .c2 { fill: #d9822b } .c3 { fill: #8a8f98 }",
            "@media (prefers-color-scheme: dark) {",
            "  text { fill: #e6edf3 } line { stroke: #30363d } .serial { stroke: #8b949e }",
            "  .paper { fill: #0d1117 } .c0 { fill: #3b9ae8 } .c1 { fill: #9ccdf2 } .c2 { fill: #e8994a } .c3 { fill: #7d8590 }",
            "}",
            "</style>",
            f'<rect class="paper" width="{WIDTH}" height="{height}"/>',
            f'<text class="title" x="{LEFT}" y="20">How many times faster than serial code, on two workers (more is better)</text>',
            *grid,
            *legend,
            *body,
            "</svg>",
            "",
        ]
    )


def main():
    chart = draw(speedups())
    if sys.argv[1:] == ["--check"]:
        if not CHART.exists() or CHART.read_text() != chart:
            sys.exit("docs/programs.svg does not show the samples in results/: run tools/readme_chart.py")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        CHART.write_text(chart)


main()
