#!/usr/bin/env python3
"""Finds sentences whose subject is a relative clause, and first sentences that begin with a condition, in doc comments and in Markdown.

    tools/prose.py [FILE ...]      all tracked files unless some are named

A sentence may not begin with Who, Whoever, Whom, What or Whatever in place of a noun. The first
sentence of a doc comment may not begin with Which, Where, When, Why or How either: it names what
the item is or does. Nor does it begin with a condition (If): it says first what the item is or
does. Questions and headings are exempt.
"""

import re
import subprocess
import sys

from markdown import ROOT, paragraphs

ANYWHERE = re.compile(r"(Who|Whoever|Whom|Whomever|What|Whatever)\b(?!')")
FIRST = re.compile(r"(Who|Whoever|Whom|Whose|What|Whatever|Which|Where|When|Why|How|If)\b(?!')")
# The end of a sentence, with the characters that may close behind it. The full stop of "et al." or of an initial does not count.
END = re.compile(r"(?<!\bal)(?<!\be\.g)(?<!\bi\.e)(?<![A-Z])[.!?][)\"*\]]*\s+(?=[(\"*\[`]*[A-Z])")


def sentences(text):
    """Yields the sentences of a paragraph, with the offset at which each begins."""
    start = 0
    for match in END.finditer(text):
        yield start, text[start : match.end()].strip()
        start = match.end()
    yield start, text[start:].strip()


def faults(lines, first):
    """Yields the sentences of a paragraph that begin with a relative clause or a condition, as (line within the paragraph, sentence)."""
    text = "\n".join(lines)
    for number, (offset, sentence) in enumerate(sentences(text)):
        rule = FIRST if first and number == 0 else ANYWHERE
        if rule.match(sentence.lstrip("(\"*[")) and not sentence.rstrip(")\"*]").endswith("?"):
            yield text.count("\n", 0, offset), sentence


def items(line):
    """Returns a line of Markdown without the mark of a list item or a quotation."""
    return re.sub(r"^\s*(?:[-*+]|\d+\.|>)\s+", "", line)


def of_markdown(path):
    for start, lines in paragraphs(path.read_text()):
        block, at = [], start
        for number, line in enumerate(lines, start):
            if line.startswith("#") or line.startswith("|") or items(line) != line:
                yield at, block, False
                block, at = [], number
            if not line.startswith(("#", "|")):
                block.append(items(line))
            else:
                at = number + 1
        yield at, block, False


def of_rust(path):
    """Yields the paragraphs of doc comments, outside of code."""
    block, at, first, mark, fenced = [], 0, False, None, False
    for number, line in enumerate(path.read_text().splitlines() + [""], 1):
        match = re.match(r"^\s*(///(?!/)|//!) ?(.*)$", line)
        text = match.group(2) if match else ""
        if not match or match.group(1) != mark:
            yield at, block, first
            block, fenced = [], False
            first, mark = True, match.group(1) if match else None
        if text.lstrip().startswith("```"):
            fenced = not fenced
        if not match:
            continue
        ends = not text.strip() or fenced or text.lstrip().startswith(("```", "#", "|"))
        if ends or items(text) != text:
            yield at, block, first
            first = first and not block
            block = []
            if ends:
                continue
        if not block:
            at = number
        block.append(items(text).strip())


def main():
    if sys.argv[1:]:
        paths = [ROOT / name for name in sys.argv[1:]]
    else:
        listed = subprocess.run(["git", "ls-files", "*.rs", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True)
        paths = [ROOT / name for name in listed.stdout.splitlines()]
    bad = 0
    for path in paths:
        if path.is_symlink() or not path.exists():
            continue
        for at, block, first in (of_markdown if path.suffix == ".md" else of_rust)(path):
            for line, sentence in faults(block, first):
                print(f"{path.relative_to(ROOT)}:{at + line}: {' '.join(sentence.split())[:160]}")
                bad += 1
    if bad:
        sys.exit(f"{bad} sentences begin with a relative clause or a condition: name the subject first")


main()
