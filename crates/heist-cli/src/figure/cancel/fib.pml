(* The naive Fibonacci function with one parallel pair per call, for `heist figure cancel-5.6`. Arguments: n, rounds, and `both` or
   `plain`. Prints one line per round: the microseconds of a call and, with `both`, the microseconds of a cancellable call. *)

fun number (text, default) = case Int.fromString text of SOME n => n | NONE => default
val (n : int, rounds : int, both : bool) =
  case CommandLine.arguments () of
      [n, rounds, how] => (number (n, 30), number (rounds, 11), how = "both")
    | _ => (30, 11, true)

fun fib (n : int) : int =
  if n < 2 then n
  else let val (a, b) = (| fib (n - 1), fib (n - 2) |) in a + b end

fun serial (n : int, a : int, b : int) : int = if n = 0 then a else serial (n - 1, b, a + b)
val right : int = serial (n, 0, 1)

fun timed (f : int -> int) : long =
  let
    val begun = Time.now ()
    val value = f n
    val time = Time.now () - begun
  in
    if value = right then () else print ("wrong " ^ Int.toString value ^ "\n");
    time
  end

fun plain () = timed fib
fun within () = let val c = Cancel.makeCancelable () in timed (fn n => Cancel.wrap (c, fib) n) end

(* In even rounds, the plain call comes first; in odd rounds, the cancellable call comes first. *)
fun pair k =
  if k mod 2 = 0 then let val a = plain () val b = within () in (a, b) end
  else let val b = within () val a = plain () in (a, b) end

fun each k =
  if k = rounds then ()
  else
    (if both then
       let val (a, b) = pair k in print (Long.toString a ^ " " ^ Long.toString b ^ "\n") end
     else print (Long.toString (plain ()) ^ "\n");
     each (k + 1))
val () = each 0
