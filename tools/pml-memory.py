#!/usr/bin/env python3
"""Measures the memory of parallel programs on one and two workers: bytes that promotion copies, resident memory, pauses.

    tools/pml-memory.py [--rounds N] [name ...]

The programs are those of tools/pml-parallel.py, and two other programs: `steady` allocates 10 GB with 50 MB alive, and `large` makes major
collections with 1 GB alive. The column `share` has the promoted bytes divided by the allocated bytes, on two workers. The column
`more` shows how many more bytes leave the young generations on two workers than on one worker, divided by the allocated bytes. Promotions
and minor collections both count. The columns of resident memory (RSS) and of the longest pause have values for one and for two workers. All
values are medians of N rounds (3 by default). The variable HEIST names the program `heist`; without it, the script builds the program.
"""

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OWN = ROOT / "crates" / "heist-pml" / "bench" / "memory"
MIB = 1 << 20

spec = importlib.util.spec_from_file_location("parallel", ROOT / "tools" / "pml-parallel.py")
parallel = importlib.util.module_from_spec(spec)
spec.loader.exec_module(parallel)


def source(name):
    for folder in [OWN, ROOT / "examples", parallel.MORE]:
        if (folder / f"{name}.pml").exists():
            return folder / f"{name}.pml"
    sys.exit(f"pml-memory.py: no program {name}")


def wait(process, what):
    """Waits for a process, and returns its greatest resident memory, in bytes."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if status != 0:
        sys.exit(f"{what}: it has failed")
    return usage.ru_maxrss * 1024


def stats(driver, name, arguments, workers, memory="lazy"):
    """Runs a program, and returns the numbers that --stats-json writes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "stats.json"
        options = ["--memory", memory, "--workers", str(workers), "--stats-json", file]
        command = [driver, "run", *options, source(name), *arguments]
        wait(subprocess.Popen(command, stdout=subprocess.DEVNULL), name)
        return json.loads(file.read_text())


def resident(program, arguments, workers):
    """Runs an executable, and returns its greatest resident memory."""
    environment = {**os.environ, "HEIST_WORKERS": str(workers)}
    return wait(subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL, env=environment), program)


def total(report, field):
    return sum(worker[field] for worker in report["workers"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    own = {"steady": ["105000"], "large": ["22", "10", "12"]}
    programs = {**parallel.PROGRAMS, **own}
    names = options.names or list(programs)
    for name in names:
        if name not in programs:
            sys.exit(f"pml-memory.py: no program {name}; there are {', '.join(programs)}")
    driver = os.environ.get("HEIST")
    if not driver:
        build = ["cargo", "build", "--profile", "measure", "--quiet", "-p", "heist-cli", "--features", "pml"]
        subprocess.run(build, cwd=ROOT, check=True)
        driver = ROOT / "target" / "measure" / "heist"
    parallel.WORK.mkdir(parents=True, exist_ok=True)
    print(f"{'program':14}{'allocated':>11}{'promoted':>10}{'share':>8}{'more':>10}{'RSS 1':>8}{'RSS 2':>8}{'2/1':>6}{'pause 1':>9}{'pause 2':>9}")
    for name in names:
        arguments, executable = programs[name], parallel.WORK / f"{name}-P"
        subprocess.run([driver, "build", "-o", executable, source(name)], check=True)
        rounds = range(options.rounds)
        two = [stats(driver, name, arguments, 2) for _ in rounds]
        one = [stats(driver, name, arguments, 1) for _ in rounds]
        memory = [statistics.median(resident(executable, arguments, workers) for _ in rounds) for workers in (1, 2)]
        allocated = statistics.median(total(report, "allocated") for report in two)
        promoted = statistics.median(total(report, "promoted") for report in two)
        # The bytes that leave young generations in any way: a promotion makes the next minor collection copy less.
        left = [
            statistics.median(total(report, "minor_bytes") + total(report, "promoted") for report in reports)
            for reports in (one, two)
        ]
        more = 100 * (left[1] - left[0]) / max(allocated, 1)
        pauses = [
            statistics.median(max(worker["longest_s"] for worker in report["workers"]) for report in reports)
            for reports in (one, two)
        ]
        print(
            f"{name:14}{allocated / MIB:9.0f} M{promoted / MIB:8.1f} M{100 * promoted / max(allocated, 1):6.2f} %{more:8.2f} %"
            f"{memory[0] / MIB:6.0f} M{memory[1] / MIB:6.0f} M{memory[1] / memory[0]:6.2f}"
            f"{pauses[0] * 1e3:6.1f} ms{pauses[1] * 1e3:6.1f} ms",
            flush=True,
        )


if __name__ == "__main__":
    main()
