"""Links and headings of Markdown files, for links.py and book.py."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^\s*(```+|~~~+)")
CODE = re.compile(r"(`+)(?:(?!\1).)*?\1", re.DOTALL)
# `[text](target)`, including images; the target contains no blanks, or is in angle brackets.
INLINE = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()(<[^>]*>|[^\s()]+(?:\([^()]*\))?)((?:\s+\"[^\"]*\")?\))")
DEFINITION = re.compile(r"^(\[[^\]]+\]:\s+)(\S+)()$", re.MULTILINE)
# A link to an item of Rust in an essay that rustdoc reads: `crate::Pool`, `mod@super`, `Self::join`, `item!`.
RUST = re.compile(r"^(?:(?:mod|fn|struct|macro|trait|type|method)@)?[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)*(?:!|\(\))?(?:#[a-z0-9-]+)?$")


def files():
    """Returns the Markdown files of the repository, without symbolic links."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    paths = (ROOT / line for line in listed.stdout.splitlines())
    return sorted(path for path in paths if path.exists() and not path.is_symlink())


def prose(text):
    """Yields the lines outside of fenced code, as (number, line)."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if fence:
            if mark and mark.group(1).startswith(fence):
                fence = None
        elif mark:
            fence = mark.group(1)
        else:
            yield number, line


def paragraphs(text):
    """Yields the paragraphs outside of fenced code, as (number of the first line, lines)."""
    block, last = [], 0
    for number, line in prose(text):
        if block and (not line.strip() or number != last + 1):
            yield last - len(block) + 1, block
            block = []
        if line.strip():
            block.append(line)
        last = number if line.strip() else 0
    if block:
        yield last - len(block) + 1, block


def map_links(text, change):
    """Returns the text with the target of each link replaced by change(number, target). None makes the link plain text."""
    lines = text.splitlines()
    for first, block in paragraphs(text):
        joined = "\n".join(block)
        # A code span contains no links, but the text of a link may be a code span.
        hidden = [(m.start(), m.end()) for m in CODE.finditer(joined)]

        def one(match):
            start = match.start(2)
            if any(a <= start < b for a, b in hidden):
                return match.group(0)
            new = change(first + joined.count("\n", 0, start), match.group(2).strip("<>"))
            if new is None:
                return match.group(1).lstrip("!").removeprefix("[").removesuffix("](")
            return match.group(1) + new + match.group(3)

        lines[first - 1 : first - 1 + len(block)] = DEFINITION.sub(one, INLINE.sub(one, joined)).split("\n")
    return "\n".join(lines) + "\n"


def slug(heading):
    """Returns the anchor of a heading, as GitHub and mdBook make it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    text = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return text.replace(" ", "-")


def anchors(path):
    """Returns the anchors of the headings of a file."""
    found, seen = set(), {}
    for _, line in prose(path.read_text()):
        match = re.match(r"^#{1,6}\s+(.*?)\s*#*$", line)
        if match:
            name = slug(match.group(1))
            count = seen.get(name, 0)
            seen[name] = count + 1
            found.add(f"{name}-{count}" if count else name)
    return found
