#!/usr/bin/env bash
# Compares the public interfaces of the libraries with the interfaces of an earlier commit, by default the last tag:
#
#   tools/semver.sh [COMMIT]
#
# Fails if a change requires a higher version than the package has. If cargo-semver-checks is missing, installs it, which takes minutes to
# compile.
set -euo pipefail
cd "$(dirname "$0")/.."
since=${1:-$(git describe --tags --abbrev=0 2>/dev/null || true)}
[ -n "$since" ] || { echo "semver.sh: there is no tag to compare with; name a commit" >&2; exit 2; }
command -v cargo-semver-checks >/dev/null || cargo install --locked cargo-semver-checks
for package in heist-deque heist heist-sim; do
    cargo semver-checks --package "$package" --baseline-rev "$since"
done
