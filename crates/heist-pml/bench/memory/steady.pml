(* Makes and drops trees, while 50 MB of other trees live for some time. Argument: number of trees (105000, which is 10 GB). *)

datatype tree = Empty | Node of tree * tree

fun make 0 = Empty
  | make d = let val (l, r) = (| make (d - 1), make (d - 1) |) in Node (l, r) end

fun count Empty = 0
  | count (Node (l, r)) = count l + count r + 1

fun main () =
  let
    val times = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 105000
    val live = PArray.tab (512, fn _ => ref (make 12))
    (* Each 64th tree replaces a live tree. *)
    fun step i =
      let val tree = make 12
      in
        if i mod 64 = 0 then subP (live, i div 64 mod 512) := tree else ();
        count tree
      end
    val sum = sumP [| step i | i in [| 1 to times |] |]
    val left = PArray.reduce (op +) 0 (PArray.map (fn tree => count (! tree)) live)
  in
    print (Int.toString sum ^ " nodes made, " ^ Int.toString left ^ " left\n")
  end

val () = main ()
