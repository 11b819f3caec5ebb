(* Local mutually recursive functions that capture and escape. *)
fun make k =
  let
    fun ping (n, trace) = if n <= 0 then trace else pong (n - 1, "i" :: trace)
    and pong (n, trace) = if n <= k then rev trace else ping (n - 2, "o" :: trace)
  in (ping, pong) end
val (p, q) = make 1
val (r, s) = make 4
val () = app (fn f => print (concat (f (10, [])) ^ " ")) [p, q, r, s]
val () = print "\n"
fun fix f x = f (fix f) x
val () = print (Int.toString (fix (fn self => fn n => if n < 2 then n else self (n - 1) + self (n - 2)) 20) ^ "\n")
