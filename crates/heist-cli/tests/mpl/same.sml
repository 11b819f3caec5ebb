(* Code passes records from cells as their fields, and boxes them again. Two such records are the same if their fields are the same. *)
val cell = ref (0, 0)

fun bump () =
  let val old as (a, b) = !cell
  in if MLton.eq (Concurrency.cas cell (old, (a + 1, b + 2)), old) then () else bump ()
  end

fun get () = !cell

fun bumpFrom (old as (a, b)) =
  if MLton.eq (Concurrency.cas cell (old, (a + 1, b + 2)), old) then () else bumpFrom (get ())

val () = ForkJoin.parfor 1 (0, 20000) (fn i => if i mod 2 = 0 then bump () else bumpFrom (get ()))
val (a, b) = !cell

(* A strand finds its own value again after it has stored the value, although the store has promoted the value. *)
val cells = Array.tabulate (5000, fn _ => ref (NONE : int list option))
val missed = ref 0
val () =
  ForkJoin.parfor 1 (0, 5000) (fn i =>
    let
      val mine = SOME [i, i + 1]
      val cell = Array.sub (cells, i)
      val () = cell := mine
      val theirs = SOME (List.tabulate (i mod 40, fn k => k))
    in
      if MLton.eq (Concurrency.cas cell (mine, theirs), mine) then () else ignore (Concurrency.faa missed 1)
    end)

(* The numbers of processors are those of the workers. *)
val counts = Array.array (MLton.Parallel.numberOfProcessors, 0)
val () =
  ForkJoin.parfor 1 (0, 100000) (fn _ =>
    ignore (Concurrency.faaArray (counts, MLton.Parallel.processorNumber ()) 1))

fun reals (x : real, y) = if MLton.eq (x, y) then "same " else "other "
fun ints (x : int, y) = if MLton.eq (x, y) then "same " else "other "
fun lists (x : int list, y) = if MLton.eq (x, y) then "same " else "other "
fun pairs (x : int * real, y) = if MLton.eq (x, y) then "same " else "other "
val list = List.tabulate (3, fn i => i)
val zero = 0.0

val () = print (Int.toString a ^ " " ^ Int.toString b ^ " " ^ Int.toString (!missed) ^ " "
  ^ Int.toString (Array.foldl op+ 0 counts) ^ "\n")
val () = print (reals (1.5, 1.5) ^ reals (zero, ~zero) ^ ints (3, 3) ^ ints (3, 4) ^ lists (list, list)
  ^ lists (list, List.tabulate (3, fn i => i)) ^ pairs ((1, 2.0), (1, 2.0)) ^ pairs ((1, 2.0), (2, 2.0))
  ^ (if MLton.eq ((), ()) then "same\n" else "other\n"))
