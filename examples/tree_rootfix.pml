(* Tree rootfix: for each node of a tree, the sum of the values from the root down to the node. As in NESL, an Euler tour represents the
   tree. Each node has an entry that adds its value, and an entry that subtracts the value again. A scan of the tour yields the sums.
   Argument: depth of the tree (18). *)

(* A complete binary tree. Nodes are numbered from 1, and the children of node i are the nodes 2i and 2i + 1. *)
fun value i = i mod 10 + 1

(* Returns the tour of a tree with this number of nodes: the entries (node, amount), in order. The tour of a node begins and ends with
   the node's own entries, and the entries of its children are between them. So the path down to a position determines the entry at this
   position. *)
fun tour nodes =
  let
    fun entry (node, size, at) =
      if at = 0 then
        (node, value node)
      else if at = 2 * size - 1 then
        (0, ~(value node))
      else
        let
          val half = size div 2
        in
          if at <= 2 * half then
            entry (2 * node, half, at - 1)
          else
            entry (2 * node + 1, half, at - 1 - 2 * half)
        end
  in
    [| entry (1, nodes, at) | at in [| 0 to 2 * nodes - 1 |] |]
  end

(* For each position, the sum of the entries before the position, plus the entry itself. *)
fun rootfix entries =
  let
    val amounts = mapP (fn (_, amount) => amount) entries
    val before_ = scanP (op +) 0 amounts
    val sums = [| (node, sum + amount) | (node, amount) in entries,   sum in before_ |]
  in
    filterP (fn (node, _) => node > 0) sums
  end

fun main () =
  let
    val depth = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 18
    fun power 0 = 1
      | power k = 2 * power (k - 1)
    val sums = rootfix (tour (power depth - 1))
    val total = reduceP (op +) 0 (mapP (fn (_, sum) => sum) sums)
    val greatest = reduceP Int.max 0 (mapP (fn (_, sum) => sum) sums)
  in
    print
      (Int.toString (lengthP sums) ^ " nodes, greatest " ^ Int.toString greatest ^ ", total "
         ^ Int.toString total ^ "\n")
  end

val () = main ()
