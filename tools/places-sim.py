#!/usr/bin/env python3
"""Compares `heist simulate places` with runs of heist-places' example uts on this machine.

    cargo build --release -p heist-places --example uts
    cargo build --release -p heist-cli
    tools/places-sim.py [--rounds 15] [--depth 10] [--latency 200ns] [--bandwidth 1GB/s] [PLACESxWORKERS ...]

Runs of all configurations alternate. Each round has two runs of a configuration: the first run gives the time, and the second run, with
HEIST_PLACES_TRACE, gives the counts. Each measured column has the least, the median and the greatest value of the rounds. Each simulated
column has the same three values of as many seeds. In the simulation, a visit of a node takes the least CPU time that a node took in the
runs of one place with one worker. "CPU" is the CPU time of all processes of a run, minus the CPU time of a run on a tree without children:
the simulation leaves this time out. Other programs lengthen the time of a run, so the last lines compare times of the same round.
"""
import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import tempfile

ROWS = ["time ms", "CPU ms", "requests", "bags", "share most %"]


def measured(program, depth, places, workers, trace=None):
    environment = dict(os.environ, HEIST_PLACES=str(places), HEIST_PLACES_WORKERS=str(workers))
    if trace:
        environment["HEIST_PLACES_TRACE"] = trace
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = subprocess.run(
        [program, str(depth)], env=environment, check=True, capture_output=True, text=True
    ).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    number, unit = re.search(r"nodes in ([\d.]+)(ms|s|µs)", text).groups()
    nodes = json.loads(re.search(r"\[.*\]", text).group())
    nodes[0] += 1  # the root
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "nodes": sum(nodes),
        "time ms": float(number) * {"µs": 0.001, "ms": 1, "s": 1000}[unit],
        "CPU ms": 1000 * cpu,
        "share most %": 100 * max(nodes) / sum(nodes),
    }


def start(program, places, workers):
    """Returns the CPU time, in ms, of a run without work."""
    return statistics.median(measured(program, 0, places, workers)["CPU ms"] for _ in range(9))


def counts(trace):
    """Returns the number of tasks of each type that all places sent. The name of a type has no path."""
    sums = {}
    with open(trace) as file:
        for place in json.load(file)["places"]:
            for name, count in place["tasks_sent"].items():
                name = re.sub(r"<.*", "", name).rsplit("::")[-1]
                sums[name] = sums.get(name, 0) + count
    return {"requests": sums.get("Steal", 0), "bags": sums.get("Gift", 0)}


def simulated(heist, options, places, workers, seed):
    words = ["simulate", "places", "--places", str(places), "--workers", str(workers)]
    words += ["--seed", str(seed), "--json", "-"] + options
    text = subprocess.run([heist] + words, check=True, capture_output=True, text=True).stdout
    run = json.loads(text)["data"]["runs"][0]
    messages = run["messages"]
    return {
        "time ms": 1000 * run["seconds"],
        "CPU ms": 1000 * (run["busy"] + run["lost"] + run["progress"]),
        "requests": messages["steal"] + messages["lifeline"],
        "bags": messages["gift"],
        "share most %": 100 * max(run["nodes"]) / sum(run["nodes"]),
    }


def spread(samples):
    number = "{:.1f}".format if isinstance(samples[0], float) else "{:.0f}".format
    return "  ".join(f"{number(f(samples)):>7}" for f in (min, statistics.median, max))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("configurations", nargs="*", default=["1x1", "1x2", "2x1", "2x2", "4x1"])
    arguments.add_argument("--rounds", type=int, default=15)
    arguments.add_argument("--depth", type=int, default=10)
    arguments.add_argument("--latency", default="200ns")
    arguments.add_argument("--bandwidth", default="1GB/s")
    arguments.add_argument("--uts", default="target/release/examples/uts")
    arguments.add_argument("--heist", default="target/release/heist")
    given = arguments.parse_args()
    pairs = [tuple(map(int, pair.split("x"))) for pair in given.configurations]
    found = {pair: [] for pair in pairs}
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.json")
        for _ in range(given.rounds):
            for pair in pairs:
                run = measured(given.uts, given.depth, *pair)
                measured(given.uts, given.depth, *pair, trace)
                found[pair].append(run | counts(trace))
    starts = {pair: start(given.uts, *pair) for pair in {(1, 1), *pairs}}
    single = found.get((1, 1)) or [measured(given.uts, given.depth, 1, 1) for _ in range(given.rounds)]
    for run in single if (1, 1) not in found else []:
        run["CPU ms"] -= starts[1, 1]
    for pair in pairs:
        for run in found[pair]:
            run["CPU ms"] -= starts[pair]
    node = min(1e6 * run["CPU ms"] / run["nodes"] for run in single)
    options = ["--size", str(given.depth), "--latency", given.latency, "--bandwidth", given.bandwidth]
    options += ["--node", f"{node:.1f}ns"]
    load = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    print(f"{single[0]['nodes']} nodes of {node:.1f} ns, {given.rounds} rounds, load average {load}")
    print(f"simulated with {' '.join(options)}, {given.rounds} seeds\n")
    print(f"{'':34}{'measured':>20}{'simulated':>34}")
    print(f"{'places x workers':34}{'least   median     most':>25}{'least   median     most':>32}")
    models = {}
    for pair in pairs:
        models[pair] = [simulated(given.heist, options, *pair, seed) for seed in range(given.rounds)]
        for row in ROWS:
            name = f"{pair[0]} x {pair[1]}  {row}"
            ours = spread([run[row] for run in found[pair]])
            print(f"{name:34}{ours}       {spread([model[row] for model in models[pair]])}")
        print()
    for one in pairs:
        for other in pairs[pairs.index(one) + 1 :]:
            if one[0] * one[1] != other[0] * other[1]:
                continue
            rounds = zip(found[other], found[one])
            ratios = [run["time ms"] / base["time ms"] for run, base in rounds]
            model, base = (
                statistics.median(run["time ms"] for run in models[pair]) for pair in (other, one)
            )
            print(
                f"{other[0]} x {other[1]} takes {statistics.median(ratios):.2f} times as long as {one[0]} x {one[1]}"
                f" ({min(ratios):.2f} to {max(ratios):.2f}), simulated {model / base:.2f}"
            )


main()
