(* For programs from the time when operations on parallel arrays took their arguments as tuples. *)

structure PArray =
struct
  open PArray
  fun map (f, a) = PArray.map f a
  fun app (f, a) = PArray.app f a
  fun filter (f, a) = PArray.filter f a
  fun reduce (f, unit, a) = PArray.reduce f unit a
  fun scan (f, unit, a) = PArray.scan f unit a
end

structure Ropes =
struct
  open Rope
  val reduceP = PArray.reduce
  val mapP = PArray.map
  val tabP = Rope.tab
end

val mapP = PArray.map
val filterP = PArray.filter
val reduceP = PArray.reduce
val scanP = PArray.scan
