(* Polynomials over a ring, over polynomials over a ring. *)
signature RING = sig type t val zero : t val one : t val + : t * t -> t val * : t * t -> t val show : t -> string end
structure Z : RING = struct type t = int val zero = 0 val one = 1 val op + = Int.+ val op * = Int.* val show = Int.toString end
functor Mod (val n : int) : RING = struct type t = int val zero = 0 val one = 1 mod n fun a + b = Int.+ (a, b) mod n fun a * b = Int.* (a, b) mod n val show = Int.toString end
functor Poly (R : RING) = struct
  type t = R.t list
  val zero = []
  val one = [R.one]
  val x = [R.zero, R.one]
  fun [] + q = q | p + [] = p | (a :: p) + (b :: q) = R.+ (a, b) :: p + q
  fun [] * _ = [] | (a :: p) * q = map (fn b => R.* (a, b)) q + (R.zero :: p * q)
  fun show p = "[" ^ String.concatWith "," (map R.show p) ^ "]"
  fun power (_, 0) = one | power (p, n) = p * power (p, Int.- (n, 1))
end
structure PZ = Poly (Z)
structure P3 = Poly (Mod (val n = 3))
structure PP = Poly (PZ)
val () = print (PZ.show (PZ.power (PZ.+ (PZ.one, PZ.x), 4)) ^ " " ^ P3.show (P3.power (P3.+ (P3.one, P3.x), 3)) ^ "\n")
val () = print (PP.show (PP.power (PP.+ ([PZ.x], PP.x), 2)) ^ "\n")
