(* The sequential twin of tree_rootfix.pml, after prelude.sml. *)

(* A complete binary tree. Nodes are numbered from 1, and the children of node i are the nodes 2i and 2i + 1. *)
fun value i = i mod 10 + 1

(* Returns the entries (node, amount) of the tour up to `limit`, in order. *)
fun tour limit =
  let
    fun go (i, rest) =
      if i > limit then rest
      else (i, value i) :: go (2 * i, go (2 * i + 1, (0, ~ (value i)) :: rest))
  in
    fromListP (go (1, []))
  end

(* For each position, the sum of the entries before the position, plus the entry itself. *)
fun rootfix entries =
  let
    val amounts = mapP (fn (_, amount) => amount) entries
    val before_ = scanP (op +) 0 amounts
    val sums = map2P (fn ((node, amount), sum) => (node, sum + amount)) (entries, before_)
  in
    filterP (fn (node, _) => node > 0) sums
  end

fun main () =
  let
    val depth = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 18
    fun power 0 = 1 | power k = 2 * power (k - 1)
    val limit = power depth - 1
    val sums = rootfix (tour limit)
    val total = reduceP (op +) 0 (mapP (fn (_, sum) => sum) sums)
    val greatest = reduceP Int.max 0 (mapP (fn (_, sum) => sum) sums)
  in
    print (Int.toString (lengthP sums) ^ " nodes, greatest " ^ Int.toString greatest ^ ", total " ^ Int.toString total ^ "\n")
  end

val () = main ()
