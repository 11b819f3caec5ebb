#!/bin/sh
# Compares the compiler of Parallel ML with Poly/ML on random programs: tools/pml-differential.sh [COUNT] [SEED] [FOLDER]
# If the outputs of a program differ, the program stays in FOLDER, with both outputs.
set -eu
cd "$(dirname "$0")/.."
count=${1:-1000} seed=${2:-1} out=${3:-target/pml-differential}
batch=40
mkdir -p "$out"
cargo build --quiet --release -p heist-pml --example generate
cargo build --quiet --release -p heist-cli --features pml
bin=${CARGO_TARGET_DIR:-target}/release
heist=${HEIST:-$bin/heist} generate=${GENERATE:-$bin/examples/generate}
# The variables HEIST and GENERATE name other programs to use in place of these.
command -v poly >/dev/null || { echo "Poly/ML is needed (Debian: polyml)"; exit 2; }

# Runs the file $1.sml on both compilers. Poly/ML also prints its input, so the programs mark their lines.
both() {
    timeout 300 "$heist" run "$1.sml" >"$1.heist" 2>"$1.err" </dev/null || echo "exit $?" >>"$1.heist"
    grep -v -E '^(@|warning)' "$1.err" | grep -E 'error|panick|heist:|uncaught' >>"$1.heist" || true
    timeout 300 poly --script "$1.sml" >"$1.said" 2>&1 </dev/null || true
    grep -E '^@' "$1.said" >"$1.poly" || true
    cmp -s "$1.heist" "$1.poly"
}

differ=0 done=0
while [ "$done" -lt "$count" ]; do
    first=$((seed + done))
    "$generate" "$first" "$batch" >"$out/batch.sml"
    if ! both "$out/batch"; then
        at=$first
        while [ "$at" -lt $((first + batch)) ]; do
            "$generate" "$at" 1 >"$out/$at.sml"
            if both "$out/$at"; then
                rm -f "$out/$at".*
            elif grep -q 'unexpectedly raised while compiling' "$out/$at.said"; then
                # When Poly/ML compiles, it evaluates an expression that raises (`valOf NONE`), and gives up.
                echo "seed $at is too much for Poly/ML"
                rm -f "$out/$at".*
            else
                differ=$((differ + 1))
                echo "seed $at differs: $out/$at.sml"
            fi
            at=$((at + 1))
        done
    fi
    done=$((done + batch))
done
rm -f "$out"/batch.*
echo "$done programs, $differ differ"
[ "$differ" -eq 0 ]
