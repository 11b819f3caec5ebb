(* Transparent ascription hides members, but does not hide the definitions of types. *)
signature COUNTER = sig type t val zero : t val next : t -> t val read : t -> int end
structure Counter : COUNTER = struct
  type t = int
  val step = 2
  val zero = 0
  fun next n = n + step
  fun read n = n
end
val n = Counter.next (Counter.next Counter.zero)
val () = print (Int.toString (n + 1) ^ " " ^ Int.toString (Counter.read 40) ^ "\n")
