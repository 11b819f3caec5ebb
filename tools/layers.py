#!/usr/bin/env python3
"""Checks that modules of crates/heist import only from layers below their own.

    tools/layers.py          fails if a module imports from a higher layer, or if no import needs an exception of the list
    tools/layers.py --list   prints the modules that each module imports

An import is a path that begins with `crate::`, outside of comments and of modules for tests. The
layers are those of docs/architecture.md. An import of a name that the crate exports counts as an
import from the module that defines the name.
"""

import re
import sys

from markdown import ROOT

SOURCE = ROOT / "crates/heist/src"

# The layers, from the lowest to the highest. A module imports from the lines above its own; modules on the same line do not import each
# other.
LAYERS = """
    platform
    cancel
    park fiber trace spans task timer
    waiting policy
    worker
    latch suspend
    deadlock
    pool
    join finish spawn cancellable
    sync worklist embed race
    par
    rayon
"""

# Imports from higher layers, each with its reason.
EXCEPTIONS = {
    ("worker", "finish"): "types of a pointer in WorkerLocal and of the tracks that WorkerThread keeps",
    ("worker", "suspend"): "types of pointers in WorkerLocal",
    ("policy", "join"): "the public paths of forks are exported there",
    ("pool", "finish"): "the builder names the worker's hooks",
}

COMMENT = re.compile(r"//.*")
# A test module is at the end of its file, or has its own file.
TESTS = re.compile(r"^#\[cfg\((?:all\()?test\b[^\n]*\n(?:#\[[^\n]*\n)*(?:pub(?:\([^)]*\))? )?mod (\w+)( \{|;)", re.MULTILINE)
PATH = re.compile(r"(?<!\$)\bcrate::(\w+|\{[^}]*\})")
EXPORT = re.compile(r"^pub use (\w+)::(\{[^}]*\}|\w+);", re.MULTILINE)


def exports():
    """Returns, for each name that the crate exports, the module that defines it."""
    text = (SOURCE / "lib.rs").read_text()
    found = {}
    for module, names in EXPORT.findall(text):
        for name in re.findall(r"\w+", names):
            found[name] = module
    return found


def without_tests(text):
    for match in TESTS.finditer(text):
        if match.group(2) == " {":
            return text[: match.start()]
    return text


def test_files():
    """Returns the files and folders that contain only tests."""
    found = set()
    for path in SOURCE.rglob("*.rs"):
        folder = path.parent if path.name in ("mod.rs", "lib.rs") else path.with_suffix("")
        for match in TESTS.finditer(path.read_text()):
            if match.group(2) == ";":
                found |= {folder / match.group(1), folder / f"{match.group(1)}.rs"}
    return found


def imports():
    """Returns the modules that each module imports, and for each import a place in the source."""
    roots = exports()
    tests = test_files()
    found = {}
    for path in sorted(SOURCE.rglob("*.rs")):
        if path.name in ("lib.rs", "pages.rs") or any(part in tests for part in [path, *path.parents]):
            continue
        module = path.relative_to(SOURCE).parts[0].removesuffix(".rs")
        lines = without_tests(path.read_text()).splitlines()
        for number, line in enumerate(lines, 1):
            paths = PATH.findall(COMMENT.sub("", line))
            for name in (name for names in paths for name in re.findall(r"\w+", names)):
                used = name if (SOURCE / name).is_dir() or (SOURCE / f"{name}.rs").exists() else roots.get(name)
                if used and used != module:
                    found.setdefault(module, {}).setdefault(used, f"{path.relative_to(ROOT)}:{number}")
    return found


def main():
    rank = {module: layer for layer, line in enumerate(LAYERS.strip().splitlines()) for module in line.split()}
    found = imports()
    if "--list" in sys.argv:
        for module in sorted(found, key=rank.get):
            print(f"{module:10} {' '.join(sorted(found[module], key=rank.get))}")
        return
    faults, used = [], set()
    for module, names in found.items():
        for name, place in names.items():
            if module not in rank or name not in rank:
                faults.append(f"{place}: no layer has {module if module not in rank else name}")
            elif (module, name) in EXCEPTIONS:
                used.add((module, name))
            elif rank[name] >= rank[module]:
                faults.append(f"{place}: {module} imports {name}, which is not below it")
    faults += [f"tools/layers.py: {a} imports nothing from {b} any more" for a, b in EXCEPTIONS.keys() - used]
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


main()
