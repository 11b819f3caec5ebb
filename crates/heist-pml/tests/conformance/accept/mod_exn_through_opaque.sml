(* An exception that a signature hides can still leave the structure; only a wildcard matches it. *)
structure Risky :> sig val go : int -> int exception Known of int end = struct
  exception Known of int
  exception Hidden of string
  fun go 0 = raise Hidden "zero" | go 1 = raise Known 1 | go n = n
end
fun try n = Int.toString (Risky.go n) handle Risky.Known k => "known " ^ Int.toString k | e => "some " ^ exnName e
val () = print (String.concatWith ", " (map try [0, 1, 2]) ^ "\n")
