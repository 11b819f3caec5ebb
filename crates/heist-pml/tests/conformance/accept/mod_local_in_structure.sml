(* local in structures hides helper functions. *)
structure Rng :> sig val next : unit -> int val reset : int -> unit end = struct
  local
    val state = ref 1
    val a = 16807 and m = 2147483647
  in
    fun next () = (state := !state * a mod m; !state)
    fun reset n = state := n
  end
end
val a = Rng.next () val b = Rng.next ()
val () = Rng.reset 1
val c = Rng.next ()
val () = print (Int.toString a ^ " " ^ Int.toString b ^ " " ^ Bool.toString (a = c) ^ "\n")
