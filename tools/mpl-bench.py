#!/usr/bin/env python3
"""Measures times and memory of programs written for MPL: on one worker, on two, and compiled with --sequential.

    tools/mpl-bench.py FOLDER [--experiments FILE] [--args NAME=ARGUMENTS] [--workers 1,2] [--rounds N] [--published FILE]
                       [--mlb-path-var NAME=PATH] [name ...]

The script searches FOLDER for lists NAME/NAME.mlb, NAME/sources.mlb and NAME.mlb. Each list is a program NAME, which the script compiles
without changes, except for the library in a folder `lib`. --mlb-path-var sets a path variable of the lists (`GRAINS=small` for MPL's
benchmarks). The arguments of a program come from --args, or from a file in the format of MPL's own harness: JSON whose `specs` name a
`bench` and its `args`. Programs run in FOLDER, or in the folder that --cwd names. Each round runs all kinds of all programs in a new order.
A run with N workers is pinned to N processors.

The table has medians. If a program prints a line `average 1.2345s`, its time is the time in this line. Otherwise, its time is the time of
the whole run. TS is the time of the sequential program. The memory is the greatest resident memory of a run, in MiB. --published names a
JSON file {"NAME": {"T1": 1.23}} with published times for the same arguments; the table then has columns for these times. This tool has no
such file: MPL's repositories have no times, and MPL's papers have figures of other machines. The script compares the outputs of all kinds,
except lines with times. The variable HEIST names the program `heist`; without it, the script builds the program.
"""

import argparse
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "mpl-bench"
OWN_TIME = re.compile(r"^average\s+([0-9.]+)s", re.MULTILINE)
# Lines that differ between runs: times, and statistics of the collector.
VARIES = re.compile(r"[0-9]s\.?$|time|procs|reclaimed|num local|average|total|end-to-end|warmup")


def programs(folder):
    """Returns the list (`.mlb`) of each program, by the name of the program."""
    found = {}
    for path in sorted(folder.rglob("*.mlb")):
        name = path.stem
        if name in ("sources", "main"):
            name = path.parent.name
            if name == "lib":
                continue
        elif path.parent != folder and path.parent.name != name:
            continue
        found.setdefault(name, path)
    return found


def experiments(path):
    """Returns the arguments of each program, by the name of the program."""
    specs = json.loads(path.read_text())["specs"]
    return {bench: spec["args"][0].split() for spec in specs for bench in spec["bench"] if spec.get("args")}


def build(driver, name, path, variables):
    """Compiles a program with and without --sequential. Returns the error message if the compiler rejects it, else None."""
    given = [word for variable in variables for word in ("--mlb-path-var", variable)]
    for kind, flags in [("S", ["--sequential"]), ("P", [])]:
        command = [driver, "build", *flags, *given, "-o", WORK / f"{name}-{kind}", path]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            errors = [line for line in result.stderr.splitlines() if "error" in line or "heist:" in line]
            return errors[0] if errors else f"exit code {result.returncode}"
    return None


def run(name, kind, arguments, folder, limit):
    """Runs a program. Returns its time, its memory in MiB, and its output."""
    workers = 1 if kind == "S" else kind
    processors = sorted(os.sched_getaffinity(0))[:workers]
    start = time.monotonic()
    result = subprocess.run(
        ["/usr/bin/env", "python3", "-c", WATCH, WORK / f"{name}-{'S' if kind == 'S' else 'P'}", *arguments],
        capture_output=True,
        text=True,
        errors="replace",
        cwd=folder,
        timeout=limit,
        env={**os.environ, "HEIST_WORKERS": str(workers)},
        preexec_fn=lambda: os.sched_setaffinity(0, processors),
    )
    elapsed = time.monotonic() - start
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip().splitlines()[-1] if result.stderr.strip() else f"exit code {result.returncode}")
    memory = int(result.stderr.rsplit("KiB ", 1)[-1]) / 1024
    own = OWN_TIME.search(result.stdout)
    output = [line for line in result.stdout.splitlines() if not VARIES.search(line)]
    return float(own.group(1)) if own else elapsed, memory, output


# Runs a program, and prints its resident memory to standard error.
WATCH = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print("KiB", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(code if code >= 0 else 128 - code)
"""


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--experiments", type=Path)
    parser.add_argument("--args", action="append", default=[])
    parser.add_argument("--mlb-path-var", action="append", default=[])
    parser.add_argument("--cwd", type=Path)
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--published", type=Path)
    options = parser.parse_intermixed_args()
    driver = os.environ.get("HEIST")
    if driver is None:
        subprocess.run(["cargo", "build", "--release", "-p", "heist-cli", "--features", "pml"], cwd=ROOT, check=True)
        driver = ROOT / "target" / "release" / "heist"
    WORK.mkdir(parents=True, exist_ok=True)
    found = programs(options.folder)
    names = options.names or list(found)
    unknown = [name for name in names if name not in found]
    if unknown:
        sys.exit(f"no program {unknown[0]} in {options.folder}: there are {', '.join(found)}")
    arguments = experiments(options.experiments) if options.experiments else {}
    for given in options.args:
        name, _, text = given.partition("=")
        arguments[name] = text.split()
    published = json.loads(options.published.read_text()) if options.published else {}
    kinds = ["S", *map(int, options.workers.split(","))]
    failed = {}
    for name in list(names):
        refused = build(driver, name, found[name], options.mlb_path_var)
        if refused:
            failed[name] = refused
            names.remove(name)
    times, memory, outputs = {}, {}, {}
    for _ in range(options.rounds):
        runs = [(name, kind) for name in names for kind in kinds]
        random.shuffle(runs)
        for name, kind in runs:
            if name in failed:
                continue
            try:
                elapsed, used, output = run(name, kind, arguments.get(name, []), options.cwd or options.folder, options.timeout)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                failed[name] = f"{kind}: {error}"
                continue
            times.setdefault((name, kind), []).append(elapsed)
            memory[name] = max(memory.get(name, 0), used)
            if outputs.setdefault(name, output) != output:
                failed[name] = f"{kind}: another output than a run before"
    names = [name for name in names if name not in failed]
    columns = sorted({column for row in published.values() for column in row})
    heads = ["TS", *[f"T{kind}" for kind in kinds[1:]], *[f"T{kind}/TS" for kind in kinds[1:]], "MiB", *columns]
    print(f"{'program':24}" + "".join(f"{head:>10}" for head in heads))
    ratios = {kind: [] for kind in kinds[1:]}
    for name in names:
        medians = {kind: statistics.median(times[name, kind]) for kind in kinds}
        cells = [f"{medians[kind]:.3f}" for kind in kinds]
        for kind in kinds[1:]:
            # The program prints 0 for a time that is too short for its format.
            ratio = max(medians[kind], 5e-5) / max(medians["S"], 5e-5)
            ratios[kind].append(ratio)
            cells.append(f"{ratio:.2f}")
        cells.append(f"{memory[name]:.0f}")
        cells.extend(str(published.get(name, {}).get(column, "")) for column in columns)
        print(f"{name:24}" + "".join(f"{cell:>10}" for cell in cells))
    if names:
        means = [f"{geometric_mean(ratios[kind]):.2f}" for kind in kinds[1:]]
        print(f"{'geometric mean':24}" + " " * 10 * len(kinds) + "".join(f"{mean:>10}" for mean in means))
    for name, why in failed.items():
        print(f"{name}: {why}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
