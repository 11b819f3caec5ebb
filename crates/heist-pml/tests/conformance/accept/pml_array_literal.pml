(* Literals of parallel arrays; length, subscript, empty arrays. *)
val a = [| 10, 20, 30 |]
val empty : int parray = [| |]
val nested = [| [| 1 |], [| |], [| 2, 3 |] |]
val mixed = [| (1, "a"), (2, "b") |]
val () = print (Int.toString (PArray.length a) ^ Int.toString (lengthP empty) ^ Int.toString (PArray.sub (a, 1)) ^ "\n")
val () = print (String.concatWith " " (map Int.toString (PArray.toList (PArray.map lengthP nested))) ^ "\n")
val () = print (#2 (subP (mixed, 1)) ^ (Int.toString (subP (a, 3)) handle Subscript => "!") ^ (Int.toString (subP (a, ~1)) handle Subscript => "?") ^ "\n")
