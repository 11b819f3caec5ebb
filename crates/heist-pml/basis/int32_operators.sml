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

(* Sums of parallel arrays. *)
structure SumP =
struct
  fun int a = PArray.reduce Int.+ 0 a
  fun int64 a = PArray.reduce Int64.+ (Int64.fromInt 0) a
end
_overload sumP as SumP.int and SumP.int64
