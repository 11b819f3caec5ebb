(* A server of locks, which clients call by events. A client that waits for a lock may do something else first, or give up after some
   time. A negative acknowledgement informs the server, which then withdraws the request (Reppy, Concurrent Programming in ML, section
   4.2).
   Arguments: clients (100). *)

open CML

datatype request =
    ACQUIRE of {lock : int, answer : unit chan, gaveUp : unit event}
  | RELEASE of int

val requests : request chan = channel ()

(* For each taken lock, the requests that wait for it, in the order of their arrival. *)
fun serve taken =
  let
    fun without (lock, taken) = List.filter (fn (other, _) => other <> lock) taken
    (* Gives the lock to the first client that still wants it. *)
    fun next (lock, nil) = without (lock, taken)
      | next (lock, (answer, gaveUp) :: rest) =
          if select [wrap (sendEvt (answer, ()), fn () => true), wrap (gaveUp, fn () => false)] then
            (lock, rest) :: without (lock, taken)
          else
            next (lock, rest)
  in
    case recv requests of
        ACQUIRE {lock, answer, gaveUp} =>
          (case List.find (fn (other, _) => other = lock) taken of
               SOME (_, waiting) =>
                 serve ((lock, waiting @ [(answer, gaveUp)]) :: without (lock, taken))
             | NONE => serve (next (lock, [(answer, gaveUp)])))
      | RELEASE lock =>
          case List.find (fn (other, _) => other = lock) taken of
              SOME (_, waiting) => serve (next (lock, waiting))
            | NONE => serve taken
  end

fun acquireEvt lock =
  withNack (fn gaveUp =>
       let
         val answer = channel ()
       in
         (* The caller does not wait for the server. *)
         ignore
           (spawn
              (fn () => send (requests, ACQUIRE {lock = lock, answer = answer, gaveUp = gaveUp})));
         recvEvt answer
       end)

fun release lock = send (requests, RELEASE lock)

val clients =
  case CommandLine.arguments () of
      nil => 100
    | n :: _ => valOf (Int.fromString n)

val _ = spawn (fn () => serve nil)
val balance = ref 0
val done : unit chan = channel ()

fun client lock () =
  (sync (acquireEvt lock);
   let
     val before' = !balance
   in
     yield ();
     balance := before' + 1
   end;
   release lock;
   send (done, ()))

fun impatient lock =
  select
    [wrap (acquireEvt lock, fn () => true),
     wrap (timeOutEvt (Time.fromMilliseconds 5), fn () => false)]

val () = sync (acquireEvt 1)
val () = List.app (fn _ => ignore (spawn (client 1))) (List.tabulate (clients, fn i => i))
val () = print (if impatient 1 then "the lock was free\n" else "gave up\n")
val () = release 1
val () = List.app (fn _ => recv done) (List.tabulate (clients, fn i => i))
val () = print (Int.toString (!balance) ^ " clients had the lock\n")
val () = sync (acquireEvt 1)
val () = print "the lock is free\n"
