(* Datatypes with one constructor: with an argument, without an argument, and with a function as argument. *)
datatype token = Token
datatype wrap = Wrap of int
datatype 'a lazy = Lazy of unit -> 'a
datatype counter = Counter of {next : unit -> int * counter}
fun force (Lazy f) = f ()
fun from n = Counter {next = fn () => (n, from (n + 1))}
fun take 0 _ = [] | take n (Counter {next}) = let val (x, c) = next () in x :: take (n - 1) c end
val Wrap n = Wrap 5
val () = print (Int.toString (n + force (Lazy (fn () => 37))) ^ Bool.toString (Token = Token) ^ "\n")
val () = print (String.concatWith "," (map Int.toString (take 5 (from 10))) ^ "\n")
