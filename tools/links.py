#!/usr/bin/env python3
"""Checks the links of all Markdown files: relative paths exist, and anchors are headings.

    tools/links.py

Links to Rust items are allowed in files that a `#![doc = include_str!(...)]` puts into rustdoc,
which checks these links itself. The script does not check links to other hosts.
"""

import re
import subprocess
import sys

from markdown import ROOT, RUST, anchors, files, map_links


def read_by_rustdoc():
    """Returns the Markdown files that Rust sources include."""
    listed = subprocess.run(["git", "ls-files", "*.rs"], cwd=ROOT, check=True, capture_output=True, text=True)
    found = set()
    for name in listed.stdout.splitlines():
        source = ROOT / name
        for included in re.findall(r'^#!\[doc = include_str!\("([^"]+\.md)"\)\]', source.read_text(), re.MULTILINE):
            found.add((source.parent / included).resolve())
    return found


def main():
    essays = read_by_rustdoc()
    faults = []
    for path in files():
        name = path.relative_to(ROOT)

        def check(number, target):
            where = f"{name}:{number}"
            if re.match(r"^[a-z]+:", target):
                return target
            if path in essays and RUST.match(target) and not (path.parent / target).exists():
                return target
            file, _, anchor = target.partition("#")
            place = (path.parent / file).resolve() if file else path
            if not place.exists():
                faults.append(f"{where}: there is no {target}")
            elif not place.is_relative_to(ROOT):
                faults.append(f"{where}: {target} is outside of the repository")
            elif anchor and place.suffix == ".md" and anchor not in anchors(place):
                faults.append(f"{where}: {file or name} has no heading #{anchor}")
            return target

        map_links(path.read_text(), check)
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


main()
