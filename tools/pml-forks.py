#!/usr/bin/env python3
"""Counts the instructions that forks of Parallel ML add to sequential programs, and fails if a program exceeds its limit.

Usage: tools/pml-forks.py [HEIST], by default target/release/heist. Needs valgrind.

The script compiles each program with forks and with --sequential, and counts the instructions of runs of two sizes on one worker. For
each of the two executables, the script takes the difference between the two sizes, which does not include the start of the program. The
ratio is the difference with forks, divided by the difference with --sequential."""

import os
import re
import subprocess
import sys
import tempfile

# The file, the two sizes, and the maximum ratio. fib takes fewer instructions with forks, because the sequential program polls more often.
PROGRAMS = [
    ("examples/fib.pml", ["18"], ["24"], 0.93),
    ("examples/nqueens.pml", ["6"], ["8"], 1.01),
    ("crates/heist-pml/bench/parallel/tree_product.pml", ["8"], ["12"], 1.00),
    ("crates/heist-pml/bench/parallel/binary_trees.pml", ["8"], ["12"], 1.08),
    ("examples/quicksort.pml", ["2000"], ["20000"], 1.08),
]


def count(command):
    """Returns the number of instructions that a command executes."""
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    environment = dict(os.environ, HEIST_WORKERS="1")
    run = subprocess.run(tool + command, env=environment, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", run.stderr)[1])


def main():
    heist = sys.argv[1] if len(sys.argv) > 1 else "target/release/heist"
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for file, small, large, limit in PROGRAMS:
            name = os.path.basename(file).removesuffix(".pml")
            counts = []
            for kind in ([], ["--sequential"]):
                program = os.path.join(folder, name + "".join(kind))
                subprocess.run([heist, "build", *kind, file, "-o", program], check=True)
                counts.append(count([program, *large]) - count([program, *small]))
            ratio = counts[0] / counts[1]
            miss = ratio > limit
            failed |= miss
            print(f"{name:14}{ratio:6.3f} of the instructions of --sequential (limit {limit:.2f})" + ("  MISSED" if miss else ""))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
