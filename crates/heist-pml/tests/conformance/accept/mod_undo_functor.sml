(* A functor that adds undo to any state machine. *)
signature MACHINE = sig type state type event val initial : state val step : event * state -> state val show : state -> string end
functor Undoable (M : MACHINE) : sig include MACHINE val undo : event end where type state = M.state list = struct
  type state = M.state list
  datatype event' = Do of M.event | Undo
  type event = event'
  val initial = [M.initial]
  val undo = Undo
  fun step (Do e, s :: ss) = M.step (e, s) :: s :: ss
    | step (Undo, _ :: (ss as _ :: _)) = ss
    | step (_, ss) = ss
  fun show ss = String.concatWith "<" (map M.show ss)
end
structure Counter = struct type state = int type event = int val initial = 0 val step = op + val show = Int.toString end
structure U = Undoable (Counter)
val s = foldl U.step U.initial [U.undo, U.undo]
val () = print (U.show s ^ " " ^ U.show ([5, 4] : U.state) ^ " " ^ U.show (U.step (U.undo, [3, 2, 1])) ^ "\n")
