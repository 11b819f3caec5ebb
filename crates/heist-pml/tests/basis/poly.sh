#!/bin/sh
# Runs a program on this Basis, without what needs the bits of reals, but on Poly/ML's primitives: `poly.sh FILE`. With `-n`, on Poly/ML's own Basis.
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
