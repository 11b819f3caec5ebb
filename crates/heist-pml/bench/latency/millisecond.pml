(* Measures a millisecond of parallel work, in thousandths of the time of the same work without forks: in the first run, after sleeps of
   5 ms, and after 2 ms of sequential work. Then measures ten milliseconds of work. All values except the first are medians. *)

fun fib 0 = 0
  | fib 1 = 1
  | fib n = let val (a, b) = (| fib (n - 1), fib (n - 2) |) in a + b end

fun sequential 0 = 0
  | sequential 1 = 1
  | sequential n = let val a = sequential (n - 1) val b = sequential (n - 2) in a + b end

fun time f n =
  let
    val from = Time.now ()
    val _ : int = f n
  in
    LargeInt.toInt (Time.toNanoseconds (Time.- (Time.now (), from)))
  end

fun insert (t : int, []) = [t]
  | insert (t, u :: us) = if t <= u then t :: u :: us else u :: insert (t, us)

fun median ts = List.nth (foldl insert [] ts, length ts div 2)

fun ratio n =
  let
    val parallel = time fib n
    val (s, s') = (time sequential n, time sequential n)
  in
    parallel * 2000 div (s + s')
  end

fun pause () = OS.Process.sleep (Time.fromMilliseconds 5)

fun many (count, prepare, n) = median (List.tabulate (count, fn _ => (prepare () : unit; ratio n)))

fun main () =
  let
    val first = time fib 27
    val first = first * 1000 div time sequential 27
    fun say (what, number) = print (what ^ " " ^ Int.toString number ^ "\n")
  in
    say ("the first time", first);
    say ("after a sleep", many (101, pause, 27));
    say ("after sequential work", many (301, fn () => (), 27));
    say ("10 ms", many (51, fn () => (), 32))
  end

val () = main ()
