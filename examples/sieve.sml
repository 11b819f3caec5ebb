(* The sieve of Eratosthenes with a thread for each prime. A thread passes the numbers that its prime does not divide to the next thread.
   Arguments: primes (2000); any second argument prints all primes. *)

open CML

fun counter (c, n) = (send (c, n); counter (c, n + 1))

fun filter (p, from, to) =
  let
    val n = recv from
  in
    if n mod p = 0 then () else send (to, n);
    filter (p, from, to)
  end

(* The first remaining number is a prime. *)
fun sieve () =
  let
    val primes : int chan = channel ()
    fun head c =
      let
        val p = recv c
        val next = channel ()
      in
        send (primes, p);
        ignore (spawn (fn () => filter (p, c, next)));
        head next
      end
    val numbers = channel ()
  in
    ignore (spawn (fn () => counter (numbers, 2)));
    ignore (spawn (fn () => head numbers));
    primes
  end

val (count, isShown) =
  case CommandLine.arguments () of
      nil => (2000, false)
    | [n] => (valOf (Int.fromString n), false)
    | n :: _ => (valOf (Int.fromString n), true)

val primes = sieve ()

fun each (i, last) =
  if i = count then
    last
  else
    let
      val p = recv primes
    in
      if isShown then print (Int.toString p ^ " ") else ();
      each (i + 1, p)
    end

val last = each (0, 0)
val () = if isShown then print "\n" else ()
val () = print ("prime " ^ Int.toString count ^ " is " ^ Int.toString last ^ "\n")
