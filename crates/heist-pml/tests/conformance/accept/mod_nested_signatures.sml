(* Structures in signatures, several levels down. *)
signature INNER = sig type t val x : t end
signature OUTER = sig
  structure A : INNER
  structure B : sig structure C : INNER val f : C.t -> string end
  val g : A.t -> int
end
structure O : OUTER = struct
  structure A = struct type t = int val x = 3 end
  structure B = struct structure C = struct type t = string val x = "c" val hidden = 0 end fun f s = s ^ "!" end
  fun g n = n * 2
end
val () = print (Int.toString (O.g O.A.x) ^ O.B.f O.B.C.x ^ "\n")
