(* The operators of `int` and `Int64.int` after int32.sml. They have a separate file, because the functors of the Basis use the operators
   that are in force at the end of the file that applies the functors. *)
_overload + as Int.+ and Int64.+
_overload - as Int.- and Int64.-
_overload * as Int.* and Int64.*
_overload div as Int.div and Int64.div
_overload mod as Int.mod and Int64.mod
_overload ~ as Int.~ and Int64.~
_overload < as Int.< and Int64.<
_overload <= as Int.<= and Int64.<=
_overload > as Int.> and Int64.>
_overload >= as Int.>= and Int64.>=
_overload abs as Int.abs and Int64.abs

(* Sums of parallel arrays. *)
structure SumP =
struct
  fun int a = PArray.reduce Int.+ 0 a
  fun int64 a = PArray.reduce Int64.+ (Int64.fromInt 0) a
end
_overload sumP as SumP.int and SumP.int64
