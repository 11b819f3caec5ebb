#!/usr/bin/env bash
# Builds the book, target/book/html/index.html. If mdBook is missing, installs it into target/tools (two minutes).
set -euo pipefail
cd "$(dirname "$0")/.."
tools/book.py
mdbook=$(command -v mdbook || echo target/tools/bin/mdbook)
if [ ! -x "$mdbook" ]; then
    cargo install mdbook --version 0.5.4 --locked --no-default-features --features search --debug --root target/tools
fi
"$mdbook" build
