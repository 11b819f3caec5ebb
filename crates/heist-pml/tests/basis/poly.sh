#!/bin/sh
# Runs a program on this Basis, but on Poly/ML's primitives: `poly.sh FILE`.
here=$(dirname "$0")
{
  cat "$here/poly-core.sml"
  for file in $(grep -v core.sml "$here/../../basis/order"); do
    grep -v '^_overload' "$here/../../basis/$file"
    echo ';'
  done
  echo 'val () = print "\001start\n";'
  cat "$1"
} | poly -q | sed '1,/\x01start/d'
