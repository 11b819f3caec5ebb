#!/usr/bin/env bash
# Checks the instructions of the owners of the idempotent deques: no locked instruction, no exchange with memory, no fence.
#
#   tools/disassembly.sh
#
# Compiles crates/heist-deque/examples/hot_paths.rs with the profile `measure`, and prints the assembly of each function with its number of
# instructions. Each function of this example is one operation. The script fails if a put or take with at-least-once delivery has such an
# instruction. It also fails if a control has none: the takes of the same deques with exactly-once delivery, and those of Chase and Lev's
# deque.
#
# Growth, new tags and similar operations are in cold functions out of line, which the compiler puts into separate sections
# (.text.unlikely). The script does not check these functions. A checked function may call or jump only to a cold function: any other target
# would hide instructions, so the script fails.
set -euo pipefail
cd "$(dirname "$0")/.."
host=$(rustc -vV | sed -n 's/^host: //p')
case $host in
x86_64-*-linux-*) ;;
*) echo "disassembly.sh: reads the assembly of x86-64 Linux only, not $host; nothing was checked"; exit 0 ;;
esac

example=crates/heist-deque/examples/hot_paths.rs
assembly=${CARGO_TARGET_DIR:-target}/hot_paths.s
mkdir -p "$(dirname "$assembly")"
rm -f "$assembly"
touch "$example" # Cargo does not know of the assembly, and would not make it again.
cargo rustc --quiet --profile measure -p heist-deque --example hot_paths -- --emit asm="$assembly"

# Prints the instructions and labels of function $1, without directives and comments.
instructions_of() {
    sed -n "/^$1:/,/^\t\.size\t$1,/p" "$assembly" |
        sed -E 's/[[:space:]]*#.*//; /^[[:space:]]*$/d; /^\t\./d; /^\.L(tmp|func)/d' | tail -n +2
}

# The forbidden instructions. An xchg with memory has an implicit lock.
serialising='^[[:space:]]*(lock|mfence|lfence|sfence|cpuid|xchg[a-z]*[[:space:]].*\()'
# All cold functions, one on each line.
cold=$(sed -nE 's/^\t\.section\t"?\.text\.unlikely\.([^",]+).*/\1/p' "$assembly")
failures=0
fail() {
    echo "FAIL  $1"
    failures=$((failures + 1))
}

# check FUNCTION free|locked
check() {
    local code count found target
    code=$(instructions_of "$1")
    count=$(grep -cvE '^\.L' <<<"$code") || true
    printf '\n%s: %d instructions\n%s\n' "$1" "$count" "$(sed -E 's/17h[0-9a-f]{16}E//' <<<"$code")"
    [ "$count" -gt 3 ] || { fail "$1 is not there"; return; }
    found=$(grep -E "$serialising" <<<"$code" || true)
    case $2 in
    free) [ -z "$found" ] || fail "$1 has"$'\n'"$found" ;;
    locked) [ -n "$found" ] || fail "$1 is a control and has no such instruction: this check sees nothing" ;;
    esac
    for target in $(sed -nE 's/^[[:space:]]*(call|j)[a-z]*[[:space:]]+([^.].*)$/\2/p' <<<"$code"); do
        grep -qxF "${target%@PLT}" <<<"$cold" || fail "$1 goes on in $target, which is not cold"
    done
}

for deque in lifo fifo double_ended; do
    check "${deque}_put" free
    check "${deque}_take" free
done
for deque in lifo_exactly_once fifo_exactly_once double_ended_exactly_once chase_lev; do
    check "${deque}_take" locked
done
echo
[ "$failures" = 0 ] && echo "ok    no locked instruction and no fence in the puts and takes; all controls have one"
