#!/usr/bin/env python3
"""Writes the index of the Basis as one HTML page with a search, which needs no server.

    tools/basis.py [FILE]     by default target/basis.html

The names and their types are those of docs/pml/basis-index.md, which a test compares with the Basis.
"""

import pathlib
import re
import sys
from html import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent
INDEX = ROOT / "docs" / "pml" / "basis-index.md"

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>The Basis of Parallel ML</title>
<style>
body {{ font-family: sans-serif; margin: 0 auto; max-width: 62em; padding: 0 1em 4em; }}
header {{ background: Canvas; position: sticky; top: 0; padding: .6em 0; }}
input {{ box-sizing: border-box; font-size: 1.1em; padding: .4em; width: 100%; }}
li {{ font-family: monospace; list-style: none; padding: .1em 0 .1em 2em; text-indent: -2em; }}
li:target {{ background: Mark; }}
ul {{ padding: 0; }}
li b, h2 {{ color: LinkText; }}
a {{ color: inherit; text-decoration: none; }}
.kind {{ opacity: .6; }}
:root {{ color-scheme: light dark; }}
</style>
</head>
<body>
<header>
<h1>The Basis of Parallel ML</h1>
<input id="wanted" type="search" autofocus placeholder="foldl, String.to, int -> string: names, or parts of types" aria-label="search">
<p id="count" role="status"></p>
</header>
<main>
{sections}
</main>
<script>
const wanted = document.getElementById("wanted"), count = document.getElementById("count");
const squeeze = text => text.toLowerCase().replace(/\\s+/g, "");
const lines = [...document.querySelectorAll("li")].map(line => {{
  return {{ line, section: line.closest("section"), text: squeeze(line.dataset.name + ":" + line.textContent) }};
}});
function search() {{
  // Parts of a type have spaces: a text with a sign is looked for as a whole, others word by word.
  const typed = wanted.value, whole = /[-*:>(]/.test(typed);
  const parts = (whole ? [typed] : typed.split(/\\s+/)).map(squeeze).filter(part => part);
  let found = 0;
  const sections = new Set();
  for (const {{ line, section, text }} of lines) {{
    const fits = parts.every(part => text.includes(part));
    line.hidden = !fits;
    if (fits) {{ found += 1; sections.add(section); }}
  }}
  for (const section of document.querySelectorAll("section")) section.hidden = !sections.has(section);
  count.textContent = found + (found === 1 ? " name" : " names");
}}
wanted.addEventListener("input", search);
wanted.value = decodeURIComponent(new URLSearchParams(location.search).get("q") || "");
search();
</script>
</body>
</html>
"""

LINE = re.compile(r"^(type|datatype|exception|val) (\S+)(.*)$")


def sections(text):
    """Returns the sections of the index. Each section has the name of a structure and the structure's lines."""
    found = []
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        name, rest = section.split("\n", 1)
        block = re.search(r"^```\n(.*?)^```", rest, re.MULTILINE | re.DOTALL)
        if block is None:
            sys.exit(f"{INDEX}: the section {name} has no block")
        found.append((name, block.group(1).splitlines()))
    return found


def entry(structure, line):
    match = LINE.match(line)
    if match is None:
        sys.exit(f"{INDEX}: this line is not of the index: {line}")
    kind, name, rest = match.groups()
    # A top-level name has no structure in front of it.
    full = name if structure == "Top level" else f"{structure}.{name}"
    anchor = escape(f"{'type:' if kind in ('type', 'datatype') else ''}{full}", quote=True)
    return (
        f'<li id="{anchor}" data-name="{escape(full, quote=True)}"><span class="kind">{kind}</span> '
        f'<a href="#{anchor}"><b>{escape(name)}</b></a>{escape(rest)}</li>'
    )


def page(text):
    parts = []
    for structure, lines in sections(text):
        entries = "\n".join(entry(structure, line) for line in lines)
        parts.append(f"<section>\n<h2>{escape(structure)}</h2>\n<ul>\n{entries}\n</ul>\n</section>")
    return PAGE.format(sections="\n".join(parts))


def main():
    file = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "target" / "basis.html"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(page(INDEX.read_text()))
    print(file)


if __name__ == "__main__":
    main()
