(* Makes, counts and drops many trees. Argument: the maximum depth (18). *)

datatype tree = Empty | Node of tree * tree

fun make 0 = Node (Empty, Empty)
  | make d = let val (l, r) = (| make (d - 1), make (d - 1) |) in Node (l, r) end

fun count Empty = 0
  | count (Node (l, r)) = let val (a, b) = (| count l, count r |) in a + b + 1 end

fun power 0 = 1
  | power k = 2 * power (k - 1)

fun main () =
  let
    val most = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 18
    val long = make most
    fun each d =
      if d > most then
        ()
      else
        let
          val times = power (most - d + 4)
          val sum = sumP [| count (make d) | _ in [| 1 to times |] |]
        in
          print (Int.toString times ^ " trees of depth " ^ Int.toString d ^ ": " ^ Int.toString sum ^ "\n");
          each (d + 4)
        end
  in
    each 4;
    print ("long lived: " ^ Int.toString (count long) ^ "\n")
  end

val () = main ()
