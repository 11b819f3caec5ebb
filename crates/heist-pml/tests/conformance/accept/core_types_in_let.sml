(* Types, datatypes and exceptions declared inside functions. *)
fun classify n =
  let
    datatype size = Small | Large of int
    exception Negative
    type pair = size * string
    fun size k : pair = if k < 0 then raise Negative else if k < 10 then (Small, "s") else (Large (k div 10), "l")
  in
    (case size n of (Small, s) => s | (Large m, s) => s ^ Int.toString m) handle Negative => "neg"
  end
fun generic x = let datatype 'a box = Box of 'a fun get (Box y) = y in get (Box x) end
val () = print (String.concatWith " " (map classify [3, 57, ~1]) ^ " " ^ generic "g" ^ Int.toString (generic 7) ^ "\n")
