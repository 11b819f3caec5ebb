#!/usr/bin/env python3
"""Checks that each public name of rayon is in heist::rayon, or in the table of docs/guide/from-rayon.md.

    tools/rayon_names.py          fails if a name is in neither
    tools/rayon_names.py --list   prints where each name is

The names of rayon come from the sources of the versions in Cargo.lock: functions, traits, types, methods
and modules, but not deprecated items. Two kinds of names are in heist::rayon: names that a `use` in
crates/heist/tests/rayon_names/types.rs imports, and methods that a `calls!` in the other files of this
folder calls. The compiler and the tests check these names. A name is in the table if a cell of its first
column has it in code. There, `Type::method` names one method; `method` names this method of all types; and
`module::*` names all items of a module.
"""

import json
import pathlib
import re
import subprocess
import sys

from markdown import ROOT

TESTS = ROOT / "crates/heist/tests/rayon_names"
GUIDE = ROOT / "docs/guide/from-rayon.md"

# Modules that only name types of iterators, or that implement iterators. Each needs a row as a whole.
MODULES = ("array", "collections", "option", "range", "range_inclusive", "result", "string", "vec", "iter::plumbing")
COMMENT = re.compile(r"//.*")
BLOCK = re.compile(r"^(?:unsafe )?(?:pub )?(impl|trait|enum)\b([^{]*)\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
METHOD = re.compile(r"^    (pub )?fn (\w+)", re.MULTILINE)


def sources(package):
    """Returns the folder with the sources of a package."""
    listed = subprocess.run(
        ["cargo", "metadata", "--format-version", "1", "--locked"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for found in json.loads(listed.stdout)["packages"]:
        if found["name"] == package and found["source"]:
            return pathlib.Path(found["manifest_path"]).parent / "src"
    sys.exit(f"{package}: not among the packages of Cargo.lock")


def without_deprecated(text):
    text = re.sub(r"^#\[allow\(deprecated\)\]\npub use [^;]*;\n", "", text, flags=re.MULTILINE)
    return re.sub(r"^( *)#\[deprecated.*?^\1\}\n", "", text, flags=re.MULTILINE | re.DOTALL)


def read(path):
    return without_deprecated(COMMENT.sub("", path.read_text()))


def names_of_uses(text, start=r"(?:pub )?use "):
    """Yields the paths that `use` declarations import, without the crate's name: `iter::Map`."""
    for tree in re.findall(rf"^ *{start}([^;]*);", text, re.MULTILINE):
        yield from flattened(re.sub(r"\s", "", re.sub(r"\bas\b *\w+", "", tree)))


def flattened(tree, prefix=""):
    head, brace, rest = tree.partition("{")
    if not brace:
        yield prefix + tree
        return
    depth, begin = 0, 0
    rest = rest[: rest.rindex("}")]
    for at, letter in enumerate(rest + ","):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            if rest[begin:at]:
                yield from flattened(rest[begin:at], prefix + head)
            begin = at + 1


def methods(text):
    """Yields the methods of types and traits, as (owner, name)."""
    for kind, head, body in BLOCK.findall(text):
        if kind == "impl" and re.search(r"\bfor\b", re.sub(r"for<[^>]*>", "", head.split("where")[0])):
            continue
        head = re.sub(r"^<.*?>\s+(?=\w)", "", head.strip()) if kind == "impl" else head.strip()
        owner = re.match(r"\w+", head).group(0)
        for public, name in METHOD.findall(body):
            if public or kind == "trait":
                yield owner, name


def names_of_rayon():
    """Returns rayon's public names, relative to the crate."""
    rayon, core = sources("rayon"), sources("rayon-core")
    root = read(rayon / "lib.rs")
    names = set(MODULES)
    names.update(name for name in re.findall(r"^pub mod (\w+);", root, re.MULTILINE))
    names.update(path.rsplit("::", 1)[-1] for path in names_of_uses(root, "pub use "))
    own = {}
    for module, path in (("iter", "iter/mod.rs"), ("slice", "slice/mod.rs"), ("str", "str.rs"), ("prelude", "prelude.rs")):
        text = read(rayon / path)
        public = {path.rsplit("::", 1)[-1] for path in names_of_uses(text, "pub use ")}
        public.update(re.findall(r"^pub (?:struct|trait|fn|enum) (\w+)", text, re.MULTILINE))
        own[module] = public
        names.update(f"{module}::{name}" for name in public)
    parts = {"iter": (rayon / "iter").glob("*.rs"), "slice": (rayon / "slice").glob("*.rs"), "str": [rayon / "str.rs"]}
    for module, files in parts.items():
        for path in files:
            if path.stem != "test":
                names.update(f"{owner}::{name}" for owner, name in methods(read(path)) if owner in own[module])
    for path in core.rglob("*.rs"):
        if path.stem not in ("test", "tests"):
            names.update(f"{owner}::{name}" for owner, name in methods(read(path)) if owner in names)
    return names


def until_brace(text):
    """Returns the text up to the brace that closes the block in which the text begins."""
    depth = 1
    for at, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if depth == 0:
            return text[:at]
    return text


def names_of_tests():
    names = set()
    for path in sorted(TESTS.glob("*.rs")):
        text = COMMENT.sub("", path.read_text())
        for found in re.finditer(r"calls! \{\s*(\w+):", text):
            owner, body = found.group(1), until_brace(text[found.end() :])
            for name, call in re.findall(r"(?:^|;)\s*(\w+): (.*?)=>", body, re.MULTILINE | re.DOTALL):
                if not re.search(rf"\b{name}\b", call):
                    sys.exit(f"{path.relative_to(ROOT)}: the call for {owner}::{name} does not have this name")
                names.add(f"{owner}::{name}")
    text = COMMENT.sub("", (TESTS / "types.rs").read_text())
    names.update(re.sub(r"^(?:super::)?rayon::", "", path) for path in names_of_uses(text))
    return names


def names_of_table():
    """Returns the names in code spans of the first column."""
    names = set()
    for line in GUIDE.read_text().splitlines():
        if line.startswith("| `"):
            first = re.split(r"(?<!\\)\|", line)[1]
            for code in re.findall(r"`([^`]*)`", first):
                names.update(re.findall(r"[A-Za-z_]\w*(?:::(?:\w+|\*))*", code))
                # `a.b::c` also counts as its last name, `c`.
                names.update(re.findall(r"\w+(?=[(<]|$)", code))
    return names


def main():
    wanted, present, rows = names_of_rayon(), names_of_tests(), names_of_table()
    missing = []
    for name in sorted(wanted):
        owner, _, last = name.rpartition("::")
        if name in present:
            where = "heist::rayon"
        elif name in rows or last in rows or f"{owner}::*" in rows:
            where = "table"
        else:
            where = "nowhere"
            missing.append(name)
        if "--list" in sys.argv[1:]:
            print(f"{where:14}{name}")
    for name in missing:
        print(f"rayon::{name}: neither in {TESTS.relative_to(ROOT)} nor in the table of {GUIDE.relative_to(ROOT)}")
    # The script must see rayon's sources as they are written.
    if len(wanted) < 250:
        sys.exit(f"only {len(wanted)} names of rayon found")
    sys.exit(bool(missing))


main()
