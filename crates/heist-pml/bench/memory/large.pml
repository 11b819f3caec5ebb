(* A gigabyte of trees. Each new tree replaces the oldest tree, so full collections happen while all data is live. Arguments: the depth
   of the trees (22, 100 MB each), the number of live trees (10), and the number of trees that the program makes after these (12). *)

datatype tree = Empty | Node of tree * tree

fun make 0 = Empty
  | make d = let val (l, r) = (| make (d - 1), make (d - 1) |) in Node (l, r) end

fun count Empty = 0
  | count (Node (l, r)) = let val (a, b) = (| count l, count r |) in a + b + 1 end

fun main () =
  let
    val numbers = List.mapPartial Int.fromString (CommandLine.arguments ())
    val (depth, live, more) = case numbers of [a, b, c] => (a, b, c) | _ => (22, 10, 12)
    val trees = Array.tabulate (live, fn _ => make depth)
    fun replace i = if i = more then () else (Array.update (trees, i mod live, make depth); replace (i + 1))
  in
    replace 0;
    print (Int.toString (Array.foldl (fn (tree, n) => n + count tree) 0 trees) ^ " nodes\n")
  end

val () = main ()
