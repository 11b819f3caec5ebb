(* let-polymorphism: one function at several types, also under lambda. *)
fun main x =
  let
    fun id y = y
    fun pair a = (id a, id x)
    val twice = fn f => fn y => f (f y)
    val k = fn a => fn _ => a
  in
    (pair 1, pair "s", twice (fn n => n * 2) 3, twice (fn s => s ^ "!") "hi", k x 9, k 9 x)
  end
val ((a, b), (c, d), e, f, g, h) = main true
val () = print (Int.toString (a + e + h) ^ c ^ f ^ Bool.toString (b andalso d andalso g) ^ "\n")
val compose = fn (f, g) => fn x => f (g x)
val () = print (compose (Int.toString, size) "four" ^ compose (str, chr) 33 ^ "\n")
