(* The operators of `int` after int32.sml. They have a file of their own, because the functors of the Basis use the operators that are in
   force at the end of the file that applies them. *)
_overload + as Int.+
_overload - as Int.-
_overload * as Int.*
_overload div as Int.div
_overload mod as Int.mod
_overload ~ as Int.~
_overload < as Int.<
_overload <= as Int.<=
_overload > as Int.>
_overload >= as Int.>=
_overload abs as Int.abs
