(* Functions that wait until a descriptor is ready. While a thread waits, its worker runs other threads. *)
structure Ready =
struct
  structure T = Core.Thread

  (* Returns the events that a descriptor has now: of the requested events, and of the events that the system always reports. *)
  val events = _prim "rt.Io.ready" : int * int -> int
  val constant = _prim "rt.Posix.constant" : string -> int
  val input = constant "POLLIN"
  val output = constant "POLLOUT"
  val urgent = constant "POLLPRI"
  val fault = constant "POLLERR"
  val hangUp = constant "POLLHUP"
  val closed = constant "POLLNVAL"

  fun fail number = raise Core.SysErr (Core.System.errorMessage number, SOME number)
  fun has (events, event) = Word.andb (Word.fromInt events, Word.fromInt event) <> 0w0

  (* An event that happens when the descriptor has one of `events` or is closed. A close makes `isOpen` false before another file can get
     the number. *)
  fun event (file, events, isOpen) =
    Events.BASES
      [{made = 0,
        try = fn () => NONE,
        leave = fn (offer : Wait.offer) =>
          let
            val watch = T.watch (#thread offer, file, events)
            (* The thread calls this function once before it waits, too. *)
            fun due offer = not (T.isWatched watch andalso isOpen ()) andalso (Events.settle offer; true)
          in
            Events.LEFT {get = Events.nothing, due = SOME due, undo = fn () => T.unwatch watch}
          end}]
  fun wait watched = Events.sync (event watched)
  fun pause nanoseconds = Events.sync (Events.after nanoseconds)

  (* Calls `find` until it returns a value, or until this number of nanoseconds is over. In the second case, the result is `nothing`. *)
  fun look (find : unit -> 'a option, nothing : 'a, watched, limit) =
    let
      val stop = Option.map (fn span => Core.Int.+ (Core.System.monotonic (), span)) limit
      fun left () = Option.map (fn stop => Core.Int.- (stop, Core.System.monotonic ())) stop
      fun again () =
        case (find (), left ()) of
          (SOME found, _) => found
        | (NONE, SOME rest) =>
            if rest <= 0 then nothing else (Events.select (Events.after rest :: waits ()); settled ())
        | (NONE, NONE) => (Events.select (waits ()); settled ())
      and waits () = List.map event watched
      (* An event that the caller did not request, such as the end of a connection, would happen again at once. *)
      and settled () =
        case find () of
          SOME found => found
        | NONE =>
            case left () of
              SOME rest => if rest <= 0 then nothing else (pause (Int.min (rest, 1000000)); again ())
            | NONE => (pause 1000000; again ())
    in
      again ()
    end

  (* Returns the number of nanoseconds to wait, at most a century. *)
  fun span time =
    if Time.< (time, Time.zeroTime) then fail (Core.System.errorNumber "inval")
    else IntInf.toInt (IntInf.min (Time.toNanoseconds time, 3000000000000000000))
end
