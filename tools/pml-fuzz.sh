#!/bin/sh
# Fuzzes the compiler of Parallel ML: tools/pml-fuzz.sh [parse|check|compile] [RUNS] [SEED] [FOLDER]
# or its runtime: tools/pml-fuzz.sh forks [HOURS] [SEED] [FOLDER] compares random programs that fork, on 1, 2 and 8 workers and in the
# stress modes, with what they print in sequence.
# Mutants of the programs of the repository go through the lexer and parser; or the elaborator and the coverage of matches too; or
# everything up to an object file. Each batch is a process of its own, since names are never forgotten. What fails stays in FOLDER.
set -eu
cd "$(dirname "$0")/.."
if [ "${1:-}" = forks ]; then
    out=${4:-target/pml-fuzz/forks}
    exec cargo run --quiet --release --config 'profile.release.package.heist-pml-runtime.debug-assertions=true' \
        -p heist-pml --example forks -- --hours "${2:-24}" --seed "${3:-1}" --out "$out"
fi
stage=${1:-parse} runs=${2:-1000000} seed=${3:-1} out=${4:-target/pml-fuzz/$stage}
# With the compiler's own checks of what its passes make.
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
    # A hang or a dead process ends its batch; the number of its run is in the file "now".
    # shellcheck disable=SC2086
    "$fuzz" --stage "$stage" --seed "$seed" --runs "$batch" --out "$out" $corpus || {
        failed=1
        echo "seed $seed failed at or before run $(cat "$out/now")"
    }
    runs=$((runs - batch)) seed=$((seed + 1))
done
exit $failed
