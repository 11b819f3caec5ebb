#!/bin/sh
# Fuzzes the compiler of Parallel ML: tools/pml-fuzz.sh [parse|check|compile] [RUNS] [SEED] [FOLDER]
# or its runtime: tools/pml-fuzz.sh forks [HOURS] [SEED] [FOLDER]. The second form runs random programs that fork, on 1, 2 and 8 workers and
# in the stress modes, and compares their outputs with those of sequential runs.
# The first form mutates the programs of the repository. `parse` runs the lexer and the parser; `check` also runs the elaborator and the
# check of matches; `compile` runs all phases up to an object file. Each batch is a separate process, because the compiler never forgets
# names. Inputs that fail stay in FOLDER.
set -eu
cd "$(dirname "$0")/.."
if [ "${1:-}" = forks ]; then
    out=${4:-target/pml-fuzz/forks}
    exec cargo run --quiet --release --config 'profile.release.package.heist-pml-runtime.debug-assertions=true' \
        -p heist-pml --example forks -- --hours "${2:-24}" --seed "${3:-1}" --out "$out"
fi
stage=${1:-parse} runs=${2:-1000000} seed=${3:-1} out=${4:-target/pml-fuzz/$stage}
# The build includes the compiler's own checks of the results of its passes.
cargo build --quiet --release --config 'profile.release.package.heist-pml.debug-assertions=true' -p heist-pml --example fuzz
fuzz=${CARGO_TARGET_DIR:-target}/release/examples/fuzz
corpus="crates/heist-pml/tests crates/heist-pml/bench examples"
case $stage in
parse) batch=500000 corpus="$corpus crates/heist-pml/basis" ;;
check) batch=50000 ;;
*) batch=2000 ;;
esac
failed=0
while [ "$runs" -gt 0 ]; do
    [ "$runs" -ge "$batch" ] || batch=$runs
    # A hang or a crash ends the batch. The number of the current run is in the file "now".
    # shellcheck disable=SC2086
    "$fuzz" --stage "$stage" --seed "$seed" --runs "$batch" --out "$out" $corpus || {
        failed=1
        echo "seed $seed failed at or before run $(cat "$out/now")"
    }
    runs=$((runs - batch)) seed=$((seed + 1))
done
exit $failed
