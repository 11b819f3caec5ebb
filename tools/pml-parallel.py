#!/usr/bin/env python3
"""Compares the times of parallel programs on one and more workers with the same programs compiled with --sequential.

    tools/pml-parallel.py [--rounds N] [--workers 1,2] [--clones] [--raw FILE] [name ...]

Each round runs all kinds of all programs in a new order. A run with N workers is pinned to N processors; the sequential program is
pinned to one. The table has medians, and their ratios to the time of the sequential program (S). The column `limit N` has the time of
N sequential programs that run at the same time, each pinned to a processor of its own, divided by N: no schedule of N workers can be
expected to take less on this machine, because its processors share caches, memory and power. With --clones, columns `C1/S` and so on have
the same programs compiled with --forks clones. The variable HEIST names the program `heist`; without it, the script builds the program.
"""

import argparse
import math
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "pml-parallel"
MORE = ROOT / "crates" / "heist-pml" / "bench" / "parallel"

# The arguments with which a program takes about a second.
PROGRAMS = {
    "fib": ["42"],
    "nqueens": ["12"],
    "mandelbrot": ["1200"],
    "raytracer": ["1000"],
    "tree_product": ["20", "60"],
    "coins": ["350"],
    "bodies": ["4000", "4"],
    "spectral_norm": ["2200"],
    "primes": ["4000000"],
    "quicksort": ["2000000"],
    "barnes_hut": ["25000", "5"],
    "tree_rootfix": ["20"],
    "nested_sums": ["12000"],
    "smvm": ["16614", "1091362"],
    "dmm": ["500"],
    "binary_trees": ["18"],
    "mergesort": ["800000"],
    "quickhull": ["1000000"],
}


def build(driver, name, ways):
    source = ROOT / "examples" / f"{name}.pml"
    if not source.exists():
        source = MORE / f"{name}.pml"
    for kind, flags in ways:
        subprocess.run([driver, "build", *flags, "-o", WORK / f"{name}-{kind}", source], check=True)


def run(name, kind, arguments):
    """Runs a program, and returns the time and the output. Kinds: S; TN and CN for N workers; xN for N sequential programs at once."""
    way, number = kind[0], int(kind[1:] or 1)
    copies, workers = (number, 1) if way == "x" else (1, number)
    command = [WORK / f"{name}-{'S' if way == 'x' else way}", *arguments]

    def start(first):
        return subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "HEIST_WORKERS": str(workers)},
            preexec_fn=lambda: os.sched_setaffinity(0, range(first, first + workers)),
        )

    before = time.perf_counter()
    started = [start(number) for number in range(copies)]
    done = [one.communicate(timeout=60) for one in started]
    elapsed = time.perf_counter() - before
    for one, (_, error) in zip(started, done):
        if one.returncode != 0:
            sys.exit(f"{name} ({kind}): exit code {one.returncode}: {error.decode()[-500:]}")
    return elapsed / copies, done[0][0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--clones", action="store_true")
    parser.add_argument("--raw")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    names = options.names or list(PROGRAMS)
    for name in names:
        if name not in PROGRAMS:
            sys.exit(f"pml-parallel.py: no program {name}; there are {', '.join(PROGRAMS)}")
    workers = [int(number) for number in options.workers.split(",")]
    limits = [f"x{number}" for number in workers if number > 1]
    ways = [("S", ["--sequential"]), ("T", [])]
    if options.clones:
        ways.append(("C", ["--forks", "clones"]))
    kinds = ["S", *(f"{way}{number}" for way, _ in ways[1:] for number in workers), *limits]
    WORK.mkdir(parents=True, exist_ok=True)
    driver = os.environ.get("HEIST")
    if not driver:
        subprocess.run(
            ["cargo", "build", "--profile", "measure", "--quiet", "-p", "heist-cli", "--features", "pml"],
            cwd=ROOT,
            check=True,
        )
        driver = ROOT / "target" / "measure" / "heist"
    for name in names:
        build(driver, name, ways)
    raw = open(options.raw, "w") if options.raw else None
    times = {(name, kind): [] for name in names for kind in kinds}
    outputs = {}
    for number in range(options.rounds):
        order = list(times)
        random.shuffle(order)
        for name, kind in order:
            elapsed, output = run(name, kind, PROGRAMS[name])
            if outputs.setdefault(name, output) != output:
                sys.exit(f"{name} ({kind}): another output than before: {output[:200]!r}")
            times[name, kind].append(elapsed)
            if raw:
                print(number + 1, name, kind, f"{elapsed * 1e3:.1f}", file=raw, flush=True)
    heads = [f"limit {kind[1:]}" if kind[0] == "x" else f"{kind}/S" for kind in kinds[1:]]
    print(f"{'program':14} {'S ms':>8}" + "".join(f"{head:>9}" for head in heads))
    ratios = {kind: [] for kind in kinds[1:]}
    for name in names:
        base = statistics.median(times[name, "S"])
        line = f"{name:14} {base * 1e3:8.0f}"
        for kind in ratios:
            ratio = statistics.median(times[name, kind]) / base
            ratios[kind].append(ratio)
            line += f"{ratio:9.3f}"
        print(line)
    means = (math.exp(statistics.mean(map(math.log, each))) for each in ratios.values())
    print(f"{'geometric mean':23}" + "".join(f"{mean:9.3f}" for mean in means))


if __name__ == "__main__":
    main()
