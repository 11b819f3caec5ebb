#!/bin/sh
# Runs a program on this Basis with Poly/ML's primitives, but without the parts that need the bits of reals: `poly.sh FILE`. With `-n`, runs
# it on Poly/ML's own Basis.
here=$(dirname "$0")
whole=$(mktemp)
trap 'rm -f "$whole"' EXIT
if [ "$1" = -n ]; then
  shift
else
  {
    cat "$here/poly-core.sml"
    for file in $(grep -v -e core.sml -e real32.sml -e pack.sml "$here/../../basis/order"); do
      grep -v '^_overload' "$here/../../basis/$file"
      echo ';'
    done
  } > "$whole"
fi
cat "$1" >> "$whole"
poly --script "$whole"
