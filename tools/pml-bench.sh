#!/usr/bin/env bash
# Runs the example programs on heist, OCaml, Poly/ML and, for fib, rustc. Each round runs all programs in a new order, on one processor:
# tools/pml-bench.sh [rounds] [name ...]
# Variables: HEIST (the driver; built if not set), CPU (the processor, by default 0), MODE (`build` runs executables; `run` runs `heist
# run`, whose time includes the compilation; by default executables if the driver can make them).
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-5}
shift $(($# < 1 ? $# : 1))
bench=crates/heist-pml/bench
work=$PWD/target/pml-bench
mkdir -p "$work"
if [ -z "${HEIST:-}" ]; then
    cargo build --profile measure --quiet -p heist-cli --features pml
    HEIST=$PWD/target/measure/heist
fi
mode=${MODE:-$("$HEIST" build --help >/dev/null 2>&1 && echo build || echo run)}
names=("$@")
[ ${#names[@]} -gt 0 ] || mapfile -t names < <(cut -d. -f1 examples/expected/arguments)
for name in "${names[@]}"; do
    source=$(ls examples/"$name".[ps]ml)
    cp $bench/ocaml/"$name".ml "$work/"
    (cd "$work" && ocamlopt -o "$name-ocaml" "$name".ml)
    {
        # Poly/ML 5.7 has an internal error if it inlines more in this program.
        [ "$name" != mesh_tracer ] || echo 'PolyML.Compiler.maxInlineSize := 10;'
        case $source in
        *.pml) cat $bench/sml/prelude.sml $bench/sml/"$name".sml ;;
        *) cat "$source" ;;
        esac | grep -vx 'val () = main ()'
    } >"$work/$name.sml"
    polyc -o "$work/$name-poly" "$work/$name.sml" 2>/dev/null
    if [ "$mode" = build ]; then
        "$HEIST" build -o "$work/$name-heist" "$source" || echo "pml-bench.sh: heist cannot build $name" >&2
    else
        printf '#!/bin/sh\nexec "%s" run "%s" "$@"\n' "$HEIST" "$PWD/$source" >"$work/$name-heist"
        chmod +x "$work/$name-heist"
    fi
done
rustc -C opt-level=3 -o "$work/fib-rust" $bench/rust/fib.rs
python3 - "$work" "$rounds" "${CPU:-0}" "${names[@]}" <<'END'
import math, os, random, statistics, subprocess, sys
work, rounds, cpu, names = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
# Sizes with which a program takes some tenths of a second, if the sizes of the thesis are too small or too large to measure.
sizes = {"fib": ["36"], "barnes_hut": ["20000", "5"], "dmm": ["250"], "nqueens": ["11"], "json": ["20000"], "life": ["500"], "sudoku": ["6"], "nbody": ["1000000"],
         "spectral_norm": ["700"], "mandelbrot": ["600"], "raytracer": ["400"], "smvm": ["16614", "1091362"]}
kinds = ["heist", "ocaml", "poly", "rust"]
times = {}
for name in names:
    programs = [kind for kind in kinds if os.path.exists(f"{work}/{name}-{kind}")]
    outputs = {}
    for kind in programs:
        try:
            run = subprocess.run([f"{work}/{name}-{kind}", *sizes.get(name, [])], capture_output=True, timeout=300)
            outputs[kind] = run.stdout if run.returncode == 0 else b"exit code %d" % run.returncode
        except subprocess.TimeoutExpired:
            outputs[kind] = b"does not end"
    wrong = [kind for kind in programs if outputs[kind] != outputs["ocaml"]]
    for kind in wrong:
        print(f"{name}: {kind} differs: {outputs[kind][:200]!r}", file=sys.stderr)
    times[name] = {kind: [] for kind in programs if kind not in wrong}
for _ in range(rounds):
    jobs = [(name, kind) for name in times for kind in times[name]]
    random.shuffle(jobs)
    for name, kind in jobs:
        # Processor time, because other programs run on this machine too, and Poly/ML sleeps for a while when it ends.
        program = subprocess.Popen(["taskset", "-c", cpu, f"{work}/{name}-{kind}", *sizes.get(name, [])], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(program.pid, 0)
        program.returncode = status
        times[name][kind].append(used.ru_utime + used.ru_stime)
# A pair consists of two runs of the same round. The median of the ratios is robust against other activity of the machine.
print(f"{'program':<16}" + "".join(f"{kind + ' s':>10}" for kind in kinds) + "".join(f"{'to ' + kind:>10}" for kind in kinds[1:]))
ratios = {kind: [] for kind in kinds[1:]}
for name in names:
    row = times[name]
    text = f"{name:<16}"
    for kind in kinds:
        text += f"{statistics.median(row[kind]):>10.3f}" if row.get(kind) else f"{'-':>10}"
    for kind in kinds[1:]:
        if row.get(kind) and row.get("heist"):
            ratio = statistics.median(a / b for a, b in zip(row["heist"], row[kind]))
            ratios[kind].append(ratio)
            text += f"{ratio:>10.2f}"
        else:
            text += f"{'-':>10}"
    print(text)
for kind, all_ratios in ratios.items():
    if all_ratios:
        mean = math.exp(sum(map(math.log, all_ratios)) / len(all_ratios))
        print(f"heist takes {mean:.3f} times as long as {kind} (geometric mean of {len(all_ratios)} programs)")
END
