#!/usr/bin/env bash
# Runs programs on rayon's iterators, alternately with rayon-core and with crates/rayon-core in its place:
# tools/rayon-bench.sh [pairs] [rounds in each] [name ...]
#
# The script removes two random effects from the comparison. First, the address of a loop changes its time by 6 % (the smallest loops: 30 %)
# on processors that do not cache the instructions of a jump across a boundary of 32 bytes (Intel, Mitigations for Jump Conditional Code
# Erratum, 2019). So both programs are compiled without such jumps, and their loops begin at cache lines. Second, the allocator may return
# freed memory to the system; then the thread that freed the previous vector of megabytes decides whether the next vector gets fresh pages,
# which changes the time of a sort by 15 %. So the allocator keeps freed memory.
set -euo pipefail
cd "$(dirname "$0")/.."
pairs=${1:-11}
rounds=${2:-31}
shift $(($# < 2 ? $# : 2))
work=$PWD/target/rayon
mkdir -p "$work/bench"
flags=""
[ "$(uname -m)" != x86_64 ] || flags="-C llvm-args=-align-loops=64 -C llvm-args=-x86-branches-within-32B-boundaries"
export MALLOC_TRIM_THRESHOLD_=1000000000 MALLOC_MMAP_THRESHOLD_=1000000000
for which in theirs ours; do
    rm -rf "$work/bench/$which"
    mkdir -p "$work/bench/$which"
    cp -r crates/rayon-core/bench/Cargo.toml crates/rayon-core/bench/src "$work/bench/$which/"
    [ "$which" = theirs ] ||
        printf '\n[patch.crates-io]\nrayon-core = { path = "%s" }\n' "$PWD/crates/rayon-core" >>"$work/bench/$which/Cargo.toml"
    (cd "$work/bench/$which" && CARGO_TARGET_DIR="$work/bench-$which" RUSTFLAGS="$flags" cargo build --release --quiet)
done
core=$PWD/crates/rayon-core
(cd "$work/bench/ours" && cargo tree -i rayon-core | head -1 | grep -qF "($core)" ||
    { echo "rayon-bench.sh: the patch is not used" >&2; exit 1; })
python3 - "$work" "$pairs" "$rounds" "$@" <<'END'
import math, random, statistics, subprocess, sys
work, pairs, rounds, names = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
times = {"theirs": {}, "ours": {}}
for pair in range(pairs):
    order = list(times)
    random.shuffle(order)
    for which in order:
        out = subprocess.run([f"{work}/bench-{which}/release/rayon-bench", rounds, *names],
                             check=True, capture_output=True, text=True).stdout
        for line in out.splitlines():
            name, least, median = line.split()
            times[which].setdefault(name, []).append((float(least), float(median)))
print(f"{'program':<18}{'rayon-core':>12}{'Heist':>12}{'faster':>9}{'by best':>9}")
ratios = []
for name in times["ours"]:
    theirs, ours = times["theirs"][name], times["ours"][name]
    by_median = statistics.median(t[1] / o[1] for t, o in zip(theirs, ours))
    by_least = min(t[0] for t in theirs) / min(o[0] for o in ours)
    ratios.append(by_median)
    us = lambda runs: f"{statistics.median(t[1] for t in runs) / 1000:.1f} us"
    print(f"{name:<18}{us(theirs):>12}{us(ours):>12}{by_median:>9.2f}{by_least:>9.2f}")
mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
print(f"How many times as fast, medians of {pairs} pairs: geometric mean {mean:.3f}, the slowest program {min(ratios):.3f}")
END
