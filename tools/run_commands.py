#!/usr/bin/env python3
"""Runs the commands that the code blocks of Markdown pages quote, and fails if one of them fails.

    tools/run_commands.py HEIST        HEIST: the program `heist` with all features

A command is not run if a pattern of ELSEWHERE matches it. Each pattern must match a command, so
that the list stays true. Commands that measure are in the list LONG, with the date of their last run:
they take too long for CI, whose `heist` is a debug build.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from markdown import FENCE, ROOT, files

# Commands that this script does not run, each with the reason.
ELSEWHERE = {
    r"cargo (run --|test|fmt|clippy|doc|build|tree)|RUSTDOCFLAGS|RUSTFLAGS|HEIST_TRACE=": "a step of CI, or a build",
    r"cargo (install|new|add)|apt-get|ADDRESS": "needs an address, or changes the machine",
    r"heist (repl|lsp)$|gdb|perf ": "needs a terminal, or another program",
    r"mpirun|tools/bin|HEIST_PLACES=|HEIST_NUM_THREADS=|tools/rayon.sh": "needs a program that the page tells to build",
    r"tools/book.sh": "installs mdBook",
    r"--stack 8M": "ends with an error, which a test checks",
}
# Commands that measure, with the date of their last run.
LONG = {
    r"bench --size paper": "not noted",
    r"bench fib nqueens": "2026-11-29, 4 s in a release build",
    r"figure (cooperative-3|policies-1|cancel-5.7|interrupts)": "2026-11-29, up to 33 s in a release build",
    r"figure idempotent-4": "2026-11-29, 158 s in a release build",
    r"figure (barriers|lazy-4.8)": "not noted",
    r"heist report$": "not noted",
    r"models/Cargo.toml": "each run of CI",
}
# Files that the commands name.
PROGRAM = 'val n = Option.getOpt (Option.mapPartial Int.fromString (List.find (fn _ => true) (CommandLine.arguments ())), 20)\n' \
    "fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)\nval () = print (Int.toString (fib (n mod 25)) ^ \"\\n\")\n"
FILES = {
    **{f"{name}.sml": PROGRAM for name in ("program", "life", "word_count")},
    "lib.sml": "structure Lib = struct\n  val one = 1\nend\n",
    "main.sml": "val () = print (Int.toString Lib.one)\n",
    "project.mlb": "$(SML_LIB)/basis/basis.mlb\nlib.sml\nmain.sml\n",
    "program.mlb": "$(SML_LIB)/basis/basis.mlb\nprogram.sml\n",
    "edges.txt": "".join(f"{v} {(7 * v + 1) % 40}\n{v} {(v + 1) % 40}\n" for v in range(40)),
}
# A command begins with one of these programs, perhaps after variables.
COMMAND = re.compile(r"^\s*(?:\$ )?((?:\w+=\S+ )*(?:(?:cargo|(?:target/\w+/)?heist|mpirun|apt-get|gdb|perf) [a-z-]|target/|tools/).*)")
LANGUAGES = re.compile(r"^\s*```(text|console|sh|bash|shell)?$")
# The commands that this script runs begin with `heist`, perhaps after variables.
OURS = re.compile(r"^((?:\w+=\S+ )*)(?:target/\w+/)?heist\b")
LIMIT = 120


def commands(path):
    """Yields the commands in the code blocks of a page, as (line, command without its explanation)."""
    fenced, runs = False, False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
            runs = fenced and LANGUAGES.match(line)
        elif runs and (match := COMMAND.match(line)):
            # An explanation follows after `#` or after several blanks.
            yield number, re.split(r"\s+#\s|\s{2,}", match.group(1))[0]


def run(command, heist, folder):
    """Runs a command. Returns its output if the command fails, else None."""
    if not OURS.match(command) or command.endswith("\\"):
        return "only commands of `heist` in one line are run; others belong to ELSEWHERE"
    command = OURS.sub(rf"\1{heist}", command)
    started = subprocess.Popen(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )
    try:
        output, _ = started.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)
        return f"it takes more than {LIMIT} s"
    return None if started.returncode == 0 else f"exit code {started.returncode}\n{output.decode(errors='replace')[-2000:]}"


def main():
    heist = pathlib.Path(sys.argv[1]).resolve()
    unused = {*ELSEWHERE, *LONG}
    done, failed = {}, False
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            (pathlib.Path(folder) / name).write_text(text)
        shutil.copytree(ROOT / "examples", pathlib.Path(folder) / "examples")
        for path in files():
            for number, command in commands(path):
                patterns = [pattern for pattern in (*ELSEWHERE, *LONG) if re.search(pattern, command)]
                unused.difference_update(patterns)
                if patterns or command in done:
                    continue
                done[command] = run(command, heist, folder)
                if done[command]:
                    print(f"{path.relative_to(ROOT)}:{number}: {command}: {done[command]}", file=sys.stderr)
                    failed = True
    for pattern in sorted(unused):
        print(f"no page has a command of the pattern {pattern}", file=sys.stderr)
    print(f"{len(done)} commands run")
    sys.exit(failed or bool(unused))


main()
