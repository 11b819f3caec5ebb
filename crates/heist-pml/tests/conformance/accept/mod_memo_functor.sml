(* A memoising functor with an array behind it. *)
functor Memo (val size : int type v val compute : (int -> v) -> int -> v) :> sig val get : int -> v val calls : unit -> int end = struct
  val cache : v option array = Array.array (size, NONE)
  val count = ref 0
  fun get n = case Array.sub (cache, n) of SOME v => v | NONE => let val () = count := !count + 1 val v = compute get n in Array.update (cache, n, SOME v); v end
  fun calls () = !count
end
structure Fib = Memo (val size = 80 type v = int fun compute self 0 = 0 | compute self 1 = 1 | compute self n = self (n - 1) + self (n - 2))
structure Col = Memo (val size = 100 type v = string fun compute self n = if n < 2 then Int.toString n else self (n div 2) ^ Int.toString (n mod 2))
val () = print (Int.toString (Fib.get 70) ^ " " ^ Int.toString (Fib.calls ()) ^ " " ^ Col.get 37 ^ " " ^ Int.toString (Col.calls ()) ^ "\n")
