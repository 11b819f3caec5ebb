(* A function on records whose labels only the context determines is polymorphic in the fields. *)
val pick = #key
val a = pick {key = 1, other = true}
val b = pick {key = "one", other = 2.0}
val () = print (Int.toString a ^ b ^ "\n")

fun two {x, y, ...} = (y, x)
val (c, d) = two {x = 1, y = "y", z = ()}
val (e, f) = two {x = "x", y = 2, z = 3.0}
val () = print (c ^ Int.toString d ^ Int.toString e ^ f ^ "\n")

(* A structure, a functor and another function determine the labels. *)
structure S = struct val first = #1 end
functor F (type t val x : t) =
struct
  fun g {a, ...} = a
  val r = g {a = x, b = 2}
  val s = g {a = "s", b = x}
end
structure T = F (type t = int val x = 3)
structure U = F (type t = string val x = "u")
val () = print (Int.toString (S.first (1, "a")) ^ S.first ("b", 2) ^ T.s ^ Int.toString T.r ^ U.s ^ U.r ^ "\n")

fun through (r as {left, ...}) = (pick' r, left) and pick' {right, ...} = right
val (g, h) = through {left = 1, right = "right"}
val (i, j) = through {left = "left", right = 2}
val () = print (g ^ Int.toString h ^ Int.toString i ^ j ^ "\n")

fun inner () =
  let
    fun h {m, ...} = m
    val x = h {m = 1, n = 2}
  in
    h {m = "in", n = x}
  end
val () = print (inner () ^ "\n")
