#!/usr/bin/env bash
# Weakens one memory order or leaves out one step at a time (a mutant), and runs the models of its protocol.
#
#   tools/mutants.sh heist|heist-deque|heist-places|heist-pml-runtime|heist-sim [NAME_PREFIX]
#
# The sources name the mutants (`heist_mutant = "..."`). A table of a README.md or DESIGN.md in the same folder or below has the expected
# verdict of each mutant, in rows like "| `name` | killed | why |" or "| `name` | survives | why |". The script fails if the unweakened
# models fail, if a verdict differs from its row, or if a row is missing or superfluous.
set -euo pipefail
cd "$(dirname "$0")/.."
crate=${1:?usage: tools/mutants.sh heist|heist-deque|heist-places|heist-pml-runtime|heist-sim [NAME_PREFIX]}
only=${2:-}
seconds=300
failures=0
tested=0

case $crate in
heist | heist-deque | heist-places | heist-pml-runtime | heist-sim) ;;
*) echo "no models in $crate" >&2; exit 2 ;;
esac
export CARGO_PROFILE_DEV_OPT_LEVEL=2
# The model of heist-places executes the steps of tables without atomics, and the simulator has no threads. So these models do not need
# loom, and are tests of their crates.
case $crate in
heist-places | heist-sim) models=(-p "$crate") ;;
*) models=(--manifest-path models/Cargo.toml -p "$crate-models") ;;
esac
build() {
    # Cargo builds only this crate again for each mutant: the flags do not affect its dependencies.
    cargo rustc --quiet "${models[@]}" --lib --profile test --message-format=json -- "$@" 2>/dev/null |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1
}

# Runs the models of folder $2 in the program $1, and prints the verdict.
verdict() {
    local log rc=0
    if [ -z "$1" ]; then echo "does not build"; return; fi
    log=$(timeout "$seconds" "$1" "$2::" 2>&1) || rc=$?
    if [ "$rc" = 124 ]; then
        echo "hangs"
    elif [ "$rc" != 0 ]; then
        # The models that failed.
        echo "killed" $(sed -n "s/^test $2::\(.*\) \.\.\. FAILED/\1/p" <<<"$log")
    elif grep -q "^running 0 tests" <<<"$log"; then
        echo "has no models"
    else
        echo "survives"
    fi
}

plain=$(build)
for folder in crates/"$crate"/src/*/; do
    module=$(basename "$folder")
    all=$(grep -rhoP 'heist_mutant = "\K[a-z0-9_]+' "$folder" --include='*.rs' | sort -u || true)
    names=$(grep "^$only" <<<"$all" || true)
    [ -n "$names" ] || continue
    found=$(verdict "$plain" "$module")
    if [ "$found" != survives ]; then
        echo "FAIL  $module without a mutant: $found"
        failures=$((failures + 1))
        continue
    fi
    for name in $names; do
        tested=$((tested + 1))
        expected=$(find "$folder" \( -name README.md -o -name DESIGN.md \) -exec sed -n "s/^| \`$name\` | \([a-z]*\) |.*/\1/p" {} +)
        found=$(verdict "$(build --cfg "heist_mutant=\"$name\"")" "$module")
        if [ "${found%% *}" = "$expected" ]; then
            echo "ok    $name $found"
        else
            echo "FAIL  $name $found, its table says: ${expected:-nothing}"
            failures=$((failures + 1))
        fi
    done
    for row in $(find "$folder" \( -name README.md -o -name DESIGN.md \) -exec sed -n 's/^| `\([a-z0-9_]*\)` | \(killed\|survives\) |.*/\1/p' {} +); do
        if ! grep -qx "$row" <<<"$all"; then
            echo "FAIL  $row stands in a table of $folder only"
            failures=$((failures + 1))
        fi
    done
done
[ "$tested" -gt 0 ] || { echo "no mutant of $crate begins with '$only'" >&2; exit 2; }
[ "$failures" = 0 ]
