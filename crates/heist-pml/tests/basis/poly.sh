#!/bin/sh
# Runs a program on this Basis, but on Poly/ML's primitives: `poly.sh FILE`. With `-n`, on Poly/ML's own Basis.
here=$(dirname "$0")
whole=$(mktemp)
trap 'rm -f "$whole"' EXIT
if [ "$1" = -n ]; then
  shift
else
  {
    cat "$here/poly-core.sml"
    for file in $(grep -v core.sml "$here/../../basis/order"); do
      grep -v '^_overload' "$here/../../basis/$file"
      echo ';'
    done
  } > "$whole"
fi
cat "$1" >> "$whole"
poly --script "$whole"
