#!/usr/bin/env python3
"""Checks that Markdown files name things that exist: packages, examples, tests and scripts in quoted
commands, and functions in phrases like "`force` in [`steal.rs`](path/to/steal.rs)".

    tools/commands.py
"""

import re
import sys

from markdown import ROOT, files

NAME = re.compile(r'^name = "([^"]+)"', re.MULTILINE)
# Folders that the workspace excludes have their own manifests, which a command selects by --manifest-path.
DEFAULT = "Cargo.toml"


def packages(manifest):
    """Returns the names of the packages that a command with this manifest can have after `-p`."""
    if manifest == DEFAULT:
        excluded = re.search(r"^exclude = \[(.*?)\]", (ROOT / DEFAULT).read_text(), re.MULTILINE | re.DOTALL).group(1)
        found = [path for path in ROOT.glob("crates/*/Cargo.toml") if f'"crates/{path.parent.name}"' not in excluded]
    else:
        found = [ROOT / manifest, *(ROOT / manifest).parent.glob("*/Cargo.toml")]
    names = (NAME.search(path.read_text()) for path in found if path.exists())
    return {name.group(1) for name in names if name}


def named(kind, name):
    """Returns whether a package has an example or a test of that name."""
    folders = ROOT.glob(f"crates/*/{kind}")
    return any((folder / f"{name}.rs").exists() or (folder / name / "main.rs").exists() for folder in folders)


def faults(text):
    """Yields each part of a command that names a missing thing, as (offset, message)."""
    for match in re.finditer(r"\btools/[\w.-]+", text):
        name = match.group(0).rstrip(".")
        if not (ROOT / name).exists() and name != "tools/bin":
            yield match.start(), f"there is no {name}"
    # A flag may be on the next line, if a code span was wrapped.
    for match in re.finditer(r"\bcargo\b(?:(?!\bcargo\b)[^`|])*", text):
        command = match.group(0).split("\n\n")[0]
        for flag in re.finditer(r"--example\s+([a-z][\w-]*)", command):
            if not named("examples", flag.group(1)):
                yield match.start(), f"there is no example {flag.group(1)}"
        for flag in re.finditer(r"--test\s+([a-z][\w-]*)", command):
            if not named("tests", flag.group(1)):
                yield match.start(), f"there is no test {flag.group(1)}"
        manifest = re.search(r"--manifest-path\s+([\w./-]+)", command)
        manifest = manifest.group(1) if manifest else DEFAULT
        if not (ROOT / manifest).exists():
            yield match.start(), f"there is no {manifest}"
        for flag in re.finditer(r"\s-p\s+([a-z][\w-]*)", command):
            # After `cargo update`, `-p` may also name a dependency.
            if not command.startswith("cargo update") and flag.group(1) not in packages(manifest):
                yield match.start(), f"there is no package {flag.group(1)}"


def functions(path, text):
    """Yields each function that a page names with a file, if this file has no such function."""
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
