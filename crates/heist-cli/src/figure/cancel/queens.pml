(* n queens as a tree of `por`, for `heist figure cancel-5.7` and `cancel-5.8`. Arguments: n, rounds, and the time of a search in
   microseconds. Prints one line per round: the microseconds until no part of the search runs any more, and the number of cancelled parts.

   No solution ends the search, and a search that has found all solutions begins again. So the search continues until another thread
   cancels it. *)

fun number (text, default) = case Int.fromString text of SOME n => n | NONE => default
val (n : int, rounds : int, micros : int) =
  case CommandLine.arguments () of
      [n, rounds, micros] => (number (n, 14), number (rounds, 11), number (micros, 3000))
    | _ => (14, 11, 3000)

(* The number of branches that have begun or can be stolen, and the number of these that have ended. *)
val opened : int ref = ref 0
val closed : int ref = ref 0
fun add (cell : int ref, k : int) : unit =
  let val old = ! cell in if Scheduler.atomicCompareAndSwap (cell, old, old + k) = old then () else add (cell, k) end

fun safe (_, _, nil) = true
  | safe (row : int, k : int, q :: rest) = q <> row andalso q <> row + k andalso q <> row - k andalso safe (row, k + 1, rest)

fun queens (placed : int, board : int list) : bool option =
  if placed = n then NONE else row (placed, board, 0, n)
and row (placed, board, from : int, upto : int) =
  if upto - from = 1 then
    (if safe (from, 1, board) then queens (placed + 1, from :: board) else NONE)
  else
    let
      val middle = (from + upto) div 2
      fun branch f () = let val found = f () in add (closed, 1); found end
    in
      add (opened, 2);
      por (branch (fn () => row (placed, board, from, middle)), branch (fn () => row (placed, board, middle, upto)))
    end

fun search () : bool option = case queens (0, nil) of NONE => search () | found => found

fun report (time : long) = print (Long.toString time ^ " " ^ Int.toString (! opened - ! closed) ^ "\n")

(* Waits until the time of round k is over. Later rounds are longer, so that searches are cancelled in many places. *)
fun end_of (k : int) = Time.now () + Long.fromInt (micros + 7 * k)
fun wait time = if Time.now () >= time then () else (CML.sync (CML.timeOutEvt 20000); wait time)

fun cancel (k : int) =
  let
    val c = Cancel.makeCancelable ()
    val gone = CML.channel ()
    val _ = CML.spawn (fn () => (ignore (Cancel.wrap (c, search) ()) handle Cancel.Cancelled => (); CML.send (gone, ())))
    val () = wait (end_of k)
    val begun = Time.now ()
    val () = Cancel.cancel c
    val time = Time.now () - begun
  in
    CML.recv gone;
    report time
  end

fun each k = if k = rounds then () else (opened := 0; closed := 0; cancel k; each (k + 1))
val () = each 0
