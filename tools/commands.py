#!/usr/bin/env python3
"""Checks that Markdown files name things that exist: packages, examples, tests and scripts in quoted
commands, and functions in phrases like "`force` in [`steal.rs`](path/to/steal.rs)".

    tools/commands.py
"""

import re
import sys

from markdown import ROOT, files

OWN = {path.parent.name for path in ROOT.glob("crates/*/Cargo.toml")}


def named(kind, name):
    """Whether a package has an example or a test of that name."""
    folders = ROOT.glob(f"crates/*/{kind}")
    return any((folder / f"{name}.rs").exists() or (folder / name / "main.rs").exists() for folder in folders)


def faults(text):
    """The parts of a command that do not exist, as (offset, message)."""
    for match in re.finditer(r"\btools/[\w.-]+", text):
        name = match.group(0).rstrip(".")
        if not (ROOT / name).exists() and name != "tools/bin":
            yield match.start(), f"there is no {name}"
    # A flag may stand on the next line, where a code span was wrapped.
    for match in re.finditer(r"\bcargo\b[^`|]*", text):
        command = match.group(0).split("\n\n")[0]
        for flag in re.finditer(r"--example\s+([a-z][\w-]*)", command):
            if not named("examples", flag.group(1)):
                yield match.start(), f"there is no example {flag.group(1)}"
        for flag in re.finditer(r"--test\s+([a-z][\w-]*)", command):
            if not named("tests", flag.group(1)):
                yield match.start(), f"there is no test {flag.group(1)}"
        for flag in re.finditer(r"\s-p\s+([a-z][\w-]*)", command):
            if flag.group(1) not in OWN:
                yield match.start(), f"there is no package {flag.group(1)}"


def functions(path, text):
    """The functions that a page places in a file which does not have them."""
    for match in re.finditer(r"`(\w+)` in \[`[\w./]+`\]\(([^)]+\.rs)\)", text):
        source = path.parent / match.group(2)
        if source.exists() and not re.search(rf"\bfn {match.group(1)}\b", source.read_text()):
            yield match.start(), f"{match.group(2)} has no function {match.group(1)}"


def main():
    found = False
    for path in files():
        text = path.read_text()
        for offset, message in [*faults(text), *functions(path, text)]:
            print(f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, offset) + 1}: {message}", file=sys.stderr)
            found = True
    sys.exit(found)


main()
