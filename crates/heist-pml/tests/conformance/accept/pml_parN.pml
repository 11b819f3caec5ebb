(* parN runs a list of functions. It returns the results in order, and raises the leftmost exception. *)
exception E of int
val l = parN [fn () => 1, fn () => 2 + 2, fn () => 9]
val s = parN (map (fn s => fn () => s ^ s) ["a", "b"])
val n = (length (parN [fn () => 1, fn () => raise E 2, fn () => raise E 3])) handle E n => n * 100
val none = parN ([] : (unit -> int) list)
val () = print (String.concatWith "," (map Int.toString l) ^ concat s ^ Int.toString n ^ Int.toString (length none) ^ "\n")
