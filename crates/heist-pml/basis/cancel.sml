(* Computations that other threads may cancel, together with all forks of these computations (Rainey, section 5.1). *)

signature CANCEL =
sig
  (* A name for computations that are cancelled together. *)
  type cancelable
  (* `wrap` raises this exception if its function was cancelled. *)
  exception Cancelled
  val makeCancelable : unit -> cancelable
  (* Cancels all computations under the name, and waits until they have ended. Later computations under the name do nothing. *)
  val cancel : cancelable -> unit
  (* As `cancel`, but does not wait. *)
  val request : cancelable -> unit
  val isCancelled : cancelable -> bool
  (* Returns a function that runs the given function under the name. *)
  val wrap : cancelable * ('a -> 'b) -> 'a -> 'b
end

structure Cancel :> CANCEL =
struct
  structure T = Core.Thread

  datatype cancelable = CANCELABLE of {id : int, cancelled : bool ref}
  exception Cancelled

  val last = ref 0
  fun makeCancelable () = CANCELABLE {id = Core.Par.fetchAdd (last, 1) + 1, cancelled = ref false}
  fun isCancelled (CANCELABLE {cancelled, ...}) = ! cancelled

  fun request (CANCELABLE {id, cancelled}) =
    (cancelled := true;
     Core.Cancel.cancel id)

  (* Cancelled code ends at its next poll, which comes soon. So this function checks repeatedly for some time before it sleeps. *)
  fun await (id, turns, pause) =
    if not (Core.Cancel.isLive id) then ()
    else if turns > 0 then (ignore (T.giveWay ()); await (id, turns - 1, pause))
    else (Events.sync (Events.after pause); await (id, 100, Int.min (2 * pause, 1000000)))

  fun cancel (cancelable as CANCELABLE {id, ...}) =
    (request cancelable;
     ignore (T.current ());
     await (id, 10000, 20000))

  fun wrap (cancelable as CANCELABLE {id, cancelled}, f) x =
    let
      val wasMasked = Core.Waits.wasMasked ()
      val run = Core.Cancel.enter (id, fn () => f x)
    in
      let
        (* The scope exists by now. So a request either ends the scope, or has marked the name before. *)
        val result = if ! cancelled then raise Cancelled else run ()
      in
        ignore (Core.Cancel.leave ());
        result
      end
      handle exn => if Core.Cancel.leave () then (Core.Waits.comeBack wasMasked; raise Cancelled) else raise exn
    end
end
