(* Measures the pause of a full collection with 1 GB of live data, a tree of 2^25 nodes. Runs eight times. *)

datatype tree = LEAF | NODE of tree * int * tree

fun make (0, _) = LEAF
  | make (d, k) =
      let val (l, r) = (| make (d - 1, 2 * k), make (d - 1, 2 * k + 1) |) in NODE (l, k, r) end

fun sum LEAF = 0
  | sum (NODE (l, k, r)) = let val (a, b) = (| sum l, sum r |) in (a + k + b) mod 1000007 end

fun collect () =
  let
    val from = Time.now ()
  in
    MLton.GC.collect ();
    print (LargeInt.toString (Time.toMilliseconds (Time.- (Time.now (), from))) ^ " ms\n")
  end

fun main () =
  let
    val tree = make (25, 1)
    fun times 0 = ()
      | times n = (collect (); times (n - 1))
  in
    times 8;
    print (Int.toString (sum tree) ^ "\n")
  end

val () = main ()
