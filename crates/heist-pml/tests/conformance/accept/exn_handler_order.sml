(* The innermost handler that matches catches an exception. Effects before the exception stay. *)
exception A exception B of int exception C of {code : int, text : string}
val log = ref ""
fun say s = log := !log ^ s
fun f 1 = raise A | f 2 = raise B 2 | f 3 = raise C {code = 3, text = "three"} | f n = (say "f"; n)
fun g n = (say "g"; f n) handle B k => (say "b"; k * 10)
fun h n = ((say "h"; g n + 1) handle A => (say "a"; 100)) handle C {code, ...} => (say "c"; code * 1000)
val results = map h [0, 1, 2, 3]
val () = print (String.concatWith " " (map Int.toString results) ^ " " ^ !log ^ "\n")
val nested = (h 0; (raise C {text = "x", code = 1}) handle A => 0 | B n => n) handle C {text, code} => size text + code
val () = print (Int.toString nested ^ "\n")
