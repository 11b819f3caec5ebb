#!/usr/bin/env bash
# Runs the tests of rayon and rayon-core on crates/rayon-core: tools/rayon.sh [rounds] [debug|release ...]
#
# The sources come from the registry, and the repository keeps no copy of them. RAYON_THREADS has the numbers of threads, by default "1 2
# 8". RAYON_TARGETS selects some of rayon's own tests, with the flags of cargo test ("--lib").
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-1}
shift || true
profiles=${*:-debug release}
threads=${RAYON_THREADS:-1 2 8}
core=$PWD/crates/rayon-core
work=$PWD/target/rayon
mkdir -p "$work"

# Gets the published packages: a manifest requires them, and the script copies them from Cargo's cache.
fetch() {
    local package=$1 version=$2
    [ -d "$work/$package-$version" ] && return
    mkdir -p "$work/fetch/src"
    printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n%s = "=%s"\n[workspace]\n' \
        "$package" "$version" >"$work/fetch/Cargo.toml"
    : >"$work/fetch/src/lib.rs"
    rm -f "$work/fetch/Cargo.lock"
    local at
    at=$(cargo metadata --manifest-path "$work/fetch/Cargo.toml" --format-version 1 |
        python3 -c "import json,sys,os
print([os.path.dirname(p['manifest_path']) for p in json.load(sys.stdin)['packages'] if p['name']=='$package'][0])")
    cp -r "$at" "$work/$package-$version"
    chmod -R u+w "$work/$package-$version"
}
fetch rayon 1.12.0
fetch rayon-core 1.13.0

# rayon, with this package in place of rayon-core.
rayon=$work/rayon-1.12.0
if ! grep -q 'patch.crates-io' "$rayon/Cargo.toml"; then
    printf '\n[patch.crates-io]\nrayon-core = { path = "%s" }\n\n[workspace]\n' "$core" >>"$rayon/Cargo.toml"
    rm -f "$rayon/Cargo.lock"
fi
(cd "$rayon" && cargo tree -i rayon-core | head -1 | grep -qF "($core)" ||
    { echo "rayon.sh: the patch is not used" >&2; exit 1; })

# The tests of rayon-core on this package: the tests in its folder tests/, and the tests next to its sources. After a change of their
# imports, the latter use only the public interface.
tests=$work/core-tests
mkdir -p "$tests/tests" "$tests/src"
cat >"$tests/Cargo.toml" <<END
[package]
name = "core-tests"
version = "0.0.0"
edition = "2021"
[dependencies]
rayon-core = { path = "$core" }
[dev-dependencies]
crossbeam-utils = "0.8"
libc = "0.2"
rand = "0.9"
rand_xorshift = "0.4"
scoped-tls = "1.0"
[workspace]
END
: >"$tests/src/lib.rs"
from=$work/rayon-core-1.13.0
cp "$from"/tests/*.rs "$tests/tests/"
python3 - "$from" "$tests/tests" <<'END'
import re, sys
source, to = sys.argv[1:]
# The internals of rayon-core that the tests next to the sources use, rebuilt from the public interface.
PRELUDE = """#![allow(dead_code, unused_imports, deprecated)]
mod unwind {
    pub fn halt_unwinding<R>(work: impl FnOnce() -> R) -> std::thread::Result<R> {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
    }
}
mod registry {
    pub fn in_worker<R: Send>(work: impl FnOnce((), bool) -> R + Send) -> R {
        rayon_core::scope(|_| work((), false))
    }
}
"""
for name in ["test", "broadcast/test", "join/test", "scope/test", "spawn/test", "thread_pool/test"]:
    text = open(f"{source}/src/{name}.rs").read()
    text = text.replace("#![cfg(test)]\n", "")
    text = re.sub(r"use super::\*;", "use rayon_core::*;", text)
    text = re.sub(r"use super::", "use rayon_core::", text)
    text = text.replace("use crate::unwind;\n", "")
    text = re.sub(r"crate::(?!unwind|registry)", "rayon_core::", text)
    text = re.sub(r"use crate::\{", "use rayon_core::{", text)
    # Two tests use the registry to wait for the end of the threads.
    for test in ["workers_stop", "sleeper_stop"]:
        text = re.sub(r"#\[test\]\n(?:#\[cfg_attr[^\n]*\n)?fn %s\(\) \{.*?\n\}\n" % test, "", text, flags=re.S)
    docs = "".join(line for line in text.splitlines(True) if line.startswith("//!"))
    text = "".join(line for line in text.splitlines(True) if not line.startswith("//!"))
    open(f"{to}/src_{name.replace('/', '_')}.rs", "w").write(docs + PRELUDE + text)
END

run() {
    local where=$1
    shift
    (cd "$where" && CARGO_TARGET_DIR="$work/target" cargo test --quiet "$@")
}
what=${RAYON_TARGETS:-}
for profile in $profiles; do
    flag=""
    [ "$profile" = release ] && flag=--release
    for count in $threads; do
        for round in $(seq "$rounds"); do
            echo "== $profile, $count threads, round $round"
            RAYON_NUM_THREADS=$count run "$tests" $flag
            RAYON_NUM_THREADS=$count run "$rayon" $flag $what
        done
    done
done
echo "rayon.sh: all passed"
