(* The product of the leaves of a tree, modulo a prime. Arguments: depth (21), repetitions (10). *)

datatype tree = Leaf of int | Node of tree * tree

val prime = 1000003

fun build (0, n) = Leaf (n mod prime + 1)
  | build (d, n) =
      let val (l, r) = (| build (d - 1, 2 * n), build (d - 1, 2 * n + 1) |)
      in Node (l, r)
      end

fun product (Leaf n) = n
  | product (Node (l, r)) =
      let val (a, b) = (| product l, product r |)
      in a * b mod prime
      end

fun main () =
  let
    val (depth, times) =
      case map (valOf o Int.fromString) (CommandLine.arguments ()) of
        d :: t :: _ => (d, t)
      | [d] => (d, 10)
      | [] => (21, 10)
    val tree = build (depth, 1)
    fun go (0, sum) = sum
      | go (k, sum) = go (k - 1, sum + product tree)
  in
    print (Int.toString (go (times, 0)) ^ "\n")
  end

val () = main ()
