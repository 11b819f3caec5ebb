(* The use of a pval raises its exception. Without a use, nothing raises the exception. *)
exception Unused
fun f b = let pval x = if b then raise Unused else 1 val y = 10 in if b then y else x + y end
fun g () = let pval x : int = raise Unused in (x + 1) handle Unused => 7 end
val n = (let pval x : int = raise Fail "late" in print "before "; x end) handle Fail m => size m
val () = print (Int.toString (f true) ^ " " ^ Int.toString (f false) ^ " " ^ Int.toString (g ()) ^ " " ^ Int.toString n ^ "\n")
