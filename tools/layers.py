#!/usr/bin/env python3
"""Checks that modules of crates/heist and of crates/heist-pml-runtime import only from layers below their own.

    tools/layers.py          fails if a module imports from a higher layer, or if no import needs an exception of the lists
    tools/layers.py --list   prints the modules that each module imports

An import is a path that begins with `crate::`, or with as many `super::` as lead to the root of the crate, outside of comments and
of modules for tests. The layers are those of docs/architecture.md and of crates/heist-pml-runtime/README.md. An import of a name that
the crate exports counts as an import from the module that defines the name.
"""

import re
import sys

from markdown import ROOT

# The layers of each crate, from the lowest to the highest. A module imports from the lines above its own; modules on the same line do not
# import each other.
LAYERS = {
    "heist": """
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
    """,
    "heist-pml-runtime": """
        protocol process value
        code memory
        measure
        state
        collect
        wait
        fork
        exception
        poll
        allocate
        thread
        run
        basis
        entry
        launch
    """,
}

# Imports from higher layers, each with its reason.
EXCEPTIONS = {
    "heist": {
        ("worker", "finish"): "types of a pointer in WorkerLocal and of the tracks that WorkerThread keeps",
        ("worker", "suspend"): "types of pointers in WorkerLocal",
        ("policy", "join"): "the public paths of forks are exported there",
        ("pool", "finish"): "the builder names the worker's hooks",
    },
    "heist-pml-runtime": {},
}

COMMENT = re.compile(r"//.*")
# A test module is at the end of its file, or has its own file.
TESTS = re.compile(r"^#\[cfg\((?:all\()?test\b[^\n]*\n(?:#\[[^\n]*\n)*(?:pub(?:\([^)]*\))? )?mod (\w+)( \{|;)", re.MULTILINE)
PATH = re.compile(r"(?<![$:])\b(crate::|(?:super::)+)(\w+|\{[^}]*\})")
EXPORT = re.compile(r"^pub use (\w+)::(\{[^}]*\}|\w+);", re.MULTILINE)


def exports(source):
    """Returns, for each name that the crate exports, the module that defines it."""
    text = (source / "lib.rs").read_text()
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


def test_files(source):
    """Returns the files and folders that contain only tests."""
    found = set()
    for path in source.rglob("*.rs"):
        folder = path.parent if path.name in ("mod.rs", "lib.rs") else path.with_suffix("")
        for match in TESTS.finditer(path.read_text()):
            if match.group(2) == ";":
                found |= {folder / match.group(1), folder / f"{match.group(1)}.rs"}
    return found


def imports(source):
    """Returns the modules that each module imports, and for each import a place in the source."""
    roots = exports(source)
    tests = test_files(source)
    found = {}
    for path in sorted(source.rglob("*.rs")):
        if path.name in ("lib.rs", "pages.rs") or any(part in tests for part in [path, *path.parents]):
            continue
        parts = path.relative_to(source).parts
        module = parts[0].removesuffix(".rs")
        # This path leads from the file's module to the root of the crate.
        to_root = "super::" * (len(parts) - (path.name == "mod.rs"))
        lines = without_tests(path.read_text()).splitlines()
        for number, line in enumerate(lines, 1):
            paths = PATH.findall(COMMENT.sub("", line))
            paths = [names for start, names in paths if start in ("crate::", to_root)]
            for name in (name for names in paths for name in re.findall(r"\w+", names)):
                used = name if (source / name).is_dir() or (source / f"{name}.rs").exists() else roots.get(name)
                if used and used != module:
                    found.setdefault(module, {}).setdefault(used, f"{path.relative_to(ROOT)}:{number}")
    return found


def faults_of(crate, found, rank):
    """Returns the imports from higher layers, and the exceptions that no import needs."""
    exceptions = EXCEPTIONS[crate]
    faults, used = [], set()
    for module, names in found.items():
        for name, place in names.items():
            if module not in rank or name not in rank:
                faults.append(f"{place}: no layer has {module if module not in rank else name}")
            elif (module, name) in exceptions:
                used.add((module, name))
            elif rank[name] >= rank[module]:
                faults.append(f"{place}: {module} imports {name}, which is not below it")
    faults += [f"tools/layers.py: in {crate}, {a} imports nothing from {b} any more" for a, b in exceptions.keys() - used]
    return faults


def main():
    faults = []
    for crate, layers in LAYERS.items():
        rank = {module: layer for layer, line in enumerate(layers.strip().splitlines()) for module in line.split()}
        found = imports(ROOT / "crates" / crate / "src")
        if "--list" in sys.argv:
            print(f"{crate}:")
            for module in sorted(found, key=rank.get):
                print(f"  {module:10} {' '.join(sorted(found[module], key=rank.get))}")
        else:
            faults += faults_of(crate, found, rank)
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


main()
