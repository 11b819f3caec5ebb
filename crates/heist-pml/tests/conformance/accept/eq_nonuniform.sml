(* Equality of datatypes that contain themselves at larger types. *)

fun say (what, b) = print (what ^ (if b then " equal\n" else " different\n"))

datatype 'a chain = Stop | Step of 'a * ('a * 'a) chain

fun ints n = Step (1, Step ((2, 3), Step (((4, 5), (6, n)), Stop)))
val () = say ("ints", ints 7 = ints 7)
val () = say ("ints at the end", ints 7 = ints 8)
val () = say ("lengths", Step (1, Stop) = Step (1, Step ((2, 3), Stop)))
val () = say ("stops", (Stop : int chain) = Stop)
val () = say ("not equal", ints 7 <> ints 8)

(* The values are made at run time, so that their pointers differ. *)
fun text n = "s" ^ Int.toString n
fun strings n = Step (text 1, Step ((text 2, text 3), Step (((text 4, text 5), (text 6, text n)), Stop)))
val () = say ("strings", strings 7 = strings 7)
val () = say ("strings at the end", strings 7 = strings 8)
fun larges n = Step (IntInf.pow (3, 90), Step ((IntInf.pow (5, n), IntInf.pow (7, 80)), Stop))
val () = say ("large integers", larges 70 = larges 70)
val () = say ("large integers", larges 70 = larges 71)
val () = say ("booleans", Step (true, Step ((false, true), Stop)) = Step (true, Step ((false, false), Stop)))
val () = say ("units", Step ((), Step (((), ()), Stop)) = Step ((), Step (((), ()), Stop)))

(* A polymorphic function that compares. *)
fun same (a : ''a chain, b) = a = b
val () = say ("polymorphic ints", same (ints 7, ints 7))
val () = say ("polymorphic strings", same (strings 7, strings 8))
val () = say ("in a list", [SOME (strings 1)] = [SOME (strings 1)])
val () = say ("in a list", [SOME (strings 1)] = [SOME (strings 2)])

(* References inside are compared by identity. *)
val r = ref 0
val () = say ("references", Step (r, Step ((r, r), Stop)) = Step (r, Step ((r, r), Stop)))
val () = say ("references", Step (r, Step ((r, r), Stop)) = Step (r, Step ((r, ref 0), Stop)))

(* Two parameters change places while one of them grows. *)
datatype ('a, 'b) braid = End | Turn of 'a * ('b, 'a list) braid
fun braid (n, s) = Turn (n, Turn (s, Turn ([n, n], Turn ([s, s ^ s], Turn ([[n], [n + 1]], End)))))
val () = say ("braids", braid (1, "x") = braid (1, "x"))
val () = say ("braids", braid (1, "x") = braid (1, "y"))
val () = say ("braids", braid (1, "x") = braid (2, "x"))
val () = say ("short braids", Turn (1, Turn ("a", Turn ([1], End))) = Turn (1, Turn ("a", Turn ([2], End))))

(* The datatype also contains itself through vectors and through other datatypes, one of which has it as its argument. *)
datatype 'a box = Box of 'a
datatype 'a tree = Leaf of 'a | Node of 'a box tree vector | Fork of 'a option forest
and 'a forest = Forest of 'a tree * 'a tree
fun tree n =
  Node (Vector.fromList [Leaf (Box (text 1)), Fork (Forest (Leaf (SOME (Box (text n))), Leaf NONE))])
val () = say ("trees", tree 3 = tree 3)
val () = say ("trees", tree 3 = tree 4)
val () = say ("trees of ints", Node (Vector.fromList [Leaf (Box 1), Leaf (Box 2)]) = Node (Vector.fromList [Leaf (Box 1), Leaf (Box 3)]))

(* Deep: a perfect tree of 2^16 strings, whose type has 16 levels. *)
datatype 'a perfect = Zero of 'a | Succ of ('a * 'a) perfect
val deep =
  let
    fun twice f n = (f (2 * n), f (2 * n + 1))
    val t = twice (twice (twice (twice (twice (twice (twice (twice text)))))))
  in
    fn n => Succ (Succ (Succ (Succ (Succ (Succ (Succ (Succ (Zero (t n)))))))))
  end
val () = say ("perfect trees", deep 1 = deep 1)
val () = say ("perfect trees", deep 1 = deep 2)

(* Comparison with a constant in a pattern, and in a functor's argument. *)
functor Member (type t val eq : t * t -> bool) =
struct
  fun member (x, l) = List.exists (fn y => eq (x, y)) l
end
structure M = Member (type t = string chain val eq = op =)
val () = say ("member", M.member (strings 3, [strings 1, strings 3]))
val () = say ("member", M.member (strings 4, [strings 1, strings 3]))

(* A list of a thousand steps of other constructors. *)
datatype 'a nest = Flat of 'a list | Deeper of 'a list nest * 'a
fun grow 0 = Deeper (Flat [[1, 2], [3]], 0)
  | grow n = if grow (n - 1) = grow (n - 1) then Deeper (Flat [[n]], n) else raise Fail "different"
val () = say ("grown", grow 10 = grow 10)
val () = say ("grown", grow 10 = grow 11)
