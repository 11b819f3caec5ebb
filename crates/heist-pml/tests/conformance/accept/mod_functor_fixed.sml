(* Fixed-point arithmetic. The number of decimals is a parameter. *)
functor Fixed (val scale : int) :> sig
  type t
  val fromInt : int -> t val + : t * t -> t val * : t * t -> t val / : t * t -> t val toString : t -> string
end = struct
  type t = int
  fun fromInt n = Int.* (n, scale)
  fun a + b = Int.+ (a, b)
  fun a * b = Int.* (a, b) div scale
  fun a / b = Int.* (a, scale) div b
  fun toString n = Int.toString (n div scale) ^ "." ^ String.extract (Int.toString (Int.+ (scale, n mod scale)), 1, NONE)
end
structure F2 = Fixed (val scale = 100)
structure F4 = Fixed (val scale = 10000)
val a = F2./ (F2.fromInt 10, F2.fromInt 3)
val b = let open F4 in (fromInt 2 + fromInt 1) / fromInt 7 * fromInt 2 end
val () = print (F2.toString a ^ " " ^ F4.toString b ^ "\n")
