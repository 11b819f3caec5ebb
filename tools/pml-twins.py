#!/usr/bin/env python3
"""Compares the times of programs in Parallel ML with the same programs in Rust, on Heist and on rayon.

    tools/pml-twins.py [--rounds N] [--workers 1,2] [--runs N] [--cpu] [--raw FILE] [name ...]

Each round runs all contenders of all programs in a new order. A process with N workers is pinned to N processors. It runs the kernel
several times (--runs, 3 by default) on one input, which it makes first. Its time is the median of these runs, without the first run
if there are several. The table has the medians of the rounds, in milliseconds, for Parallel ML, for Rust on Heist and for Rust on rayon.
It also has the medians of two ratios within rounds: ML to Rust on Heist, and ML to Rust on rayon. The script compares the checksums of
all contenders.

--cpu measures the processor time of all threads in place of the elapsed time. Use it for one worker if the machine runs other programs.

The variable HEIST names the program `heist`, and TWINS names the example `twins` of heist-suite. If a variable is not set, the script
builds the program.
"""

import argparse
import math
import os
import random
import re
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "pml-twins"
FOLDER = ROOT / "crates" / "heist-pml" / "bench" / "twins"
SHARED = ["twin.sml", "prose.sml", "network.sml"]
KERNEL = re.compile(r"^kernel ([0-9.]+) ([0-9.]+)$", re.MULTILINE)


def cargo(*arguments):
    subprocess.run(["cargo", "build", "--profile", "measure", "--quiet", *arguments], cwd=ROOT, check=True)


def seconds(command, workers, column, environment=None):
    """Runs a program. Returns its time and its output."""
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **(environment or {})},
        preexec_fn=lambda: os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:workers]),
    )
    if done.returncode != 0:
        sys.exit(f"{command}: exit code {done.returncode}: {done.stderr[-500:]}")
    times = [float(time[column]) for time in KERNEL.findall(done.stderr)]
    return statistics.median(times[1:] or times), done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--raw")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    workers = [int(number) for number in options.workers.split(",")]
    WORK.mkdir(parents=True, exist_ok=True)
    driver = os.environ.get("HEIST")
    if not driver:
        cargo("-p", "heist-cli", "--features", "pml")
        driver = ROOT / "target" / "measure" / "heist"
    rust = os.environ.get("TWINS")
    if not rust:
        cargo("-p", "heist-suite", "--example", "twins")
        rust = ROOT / "target" / "measure" / "examples" / "twins"
    listed = subprocess.run([rust], capture_output=True, text=True, check=True).stdout
    sizes = {line.split()[0]: line.split()[1] for line in listed.splitlines()}
    names = options.names or list(sizes)
    for name in names:
        if name not in sizes:
            sys.exit(f"pml-twins.py: no program {name}; there are {', '.join(sizes)}")
        files = [FOLDER / file for file in [*SHARED, f"{name}.pml"]]
        subprocess.run([driver, "build", "--native", "-o", WORK / name, *files], check=True)

    def run(name, kind, number):
        if kind == "ml":
            command = [WORK / name, sizes[name], options.runs]
            return seconds(command, number, column, {"HEIST_WORKERS": str(number)})
        return seconds([rust, name, kind, number, sizes[name], options.runs], number, column)

    column = 1 if options.cpu else 0
    kinds = ["ml", "heist", "rayon"]
    runs = [(name, kind, number) for name in names for number in workers for kind in kinds]
    times = {one: [] for one in runs}
    outputs = {}
    raw = open(options.raw, "w") if options.raw else None
    for round_number in range(options.rounds):
        random.shuffle(runs)
        for name, kind, number in runs:
            time, output = run(name, kind, number)
            if outputs.setdefault(name, output) != output:
                sys.exit(f"{name} ({kind}, {number} workers): another checksum than before: {output!r}")
            times[name, kind, number].append(time)
            if raw:
                print(round_number + 1, name, kind, number, f"{time * 1e3:.3f}", file=raw, flush=True)

    def ratio(name, rival, number):
        pairs = zip(times[name, "ml", number], times[name, rival, number])
        return statistics.median(ml / other for ml, other in pairs)

    heads = [f"{head} {number}" for number in workers for head in ("ML ms", "Heist", "rayon", "ML/Heist", "ML/rayon")]
    print(f"{'program':14}" + "".join(f"{head:>11}" for head in heads))
    for name in names:
        line = f"{name:14}"
        for number in workers:
            for kind in kinds:
                line += f"{statistics.median(times[name, kind, number]) * 1e3:11.2f}"
            for rival in kinds[1:]:
                line += f"{ratio(name, rival, number):11.2f}"
        print(line)
    line = f"{'geometric mean':14}"
    for number in workers:
        line += " " * 33
        for rival in kinds[1:]:
            ratios = [ratio(name, rival, number) for name in names]
            line += f"{math.exp(statistics.mean(map(math.log, ratios))):11.2f}"
    print(line)


if __name__ == "__main__":
    main()
