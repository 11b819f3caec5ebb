#!/usr/bin/env python3
"""Brings the pages of docs/SUMMARY.md together in target/book/src, from which mdBook makes the book.

    tools/book.py

Each page keeps its path, except that README.md becomes index.md. The script adapts the links, copies
sources that pages link to as text, and turns links to Rust items into plain code. The script fails if
a page links to a Markdown file that is not in the summary, or if the summary lacks a file below docs/.
"""

import os
import pathlib
import re
import shutil
import sys

from markdown import ROOT, RUST, map_links

SOURCE = ROOT / "target" / "book" / "src"
SUMMARY = ROOT / "docs" / "SUMMARY.md"
# Browsers show these files unchanged.
AS_IS = {".svg", ".png", ".json", ".txt", ".csv", ".html"}


def in_book(path):
    """Returns the path at which the book has the page of a file."""
    relative = path.relative_to(ROOT)
    return relative.with_name("index.md") if relative.name == "README.md" else relative


def main():
    pages = []
    map_links(SUMMARY.read_text(), lambda _, target: pages.append((SUMMARY.parent / target).resolve()) or target)
    faults = [f"docs/SUMMARY.md: there is no {page}" for page in pages if not page.exists()]
    listed = set(pages)
    for path in sorted((ROOT / "docs").rglob("*.md")):
        if path != SUMMARY and path not in listed:
            faults.append(f"docs/SUMMARY.md does not have {path.relative_to(ROOT)}")
    if SOURCE.exists():
        shutil.rmtree(SOURCE)
    copies = set()

    def page(path, home):
        """Returns the text of a page, with links that are right in the folder `home` of the book."""

        def change(number, target):
            if re.match(r"^[a-z]+:", target) or target.startswith("#"):
                return target
            file, mark, anchor = target.partition("#")
            place = (path.parent / file).resolve()
            if place.is_dir() or (not place.exists() and RUST.match(target)):
                return None
            if place.suffix == ".md":
                if place not in listed:
                    faults.append(f"{path.relative_to(ROOT)}:{number}: {target} is not in docs/SUMMARY.md")
                to = in_book(place)
            else:
                copies.add(place)
                to = place.relative_to(ROOT)
                if place.suffix not in AS_IS:
                    to = to.with_name(to.name + ".txt")
            return pathlib.PurePath(os.path.relpath(to, home)).as_posix() + mark + anchor

        return map_links(path.read_text(), change)

    for path in pages:
        if path.exists():
            to = in_book(path)
            (SOURCE / to).parent.mkdir(parents=True, exist_ok=True)
            (SOURCE / to).write_text(page(path, to.parent))
    SOURCE.mkdir(parents=True, exist_ok=True)
    (SOURCE / "SUMMARY.md").write_text(page(SUMMARY, pathlib.PurePath(".")))
    for path in copies:
        if not path.exists():
            faults.append(f"there is no {path}")
            continue
        to = path.relative_to(ROOT)
        if path.suffix not in AS_IS:
            to = to.with_name(to.name + ".txt")
        (SOURCE / to).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, SOURCE / to)
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


main()
