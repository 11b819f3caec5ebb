(* A swap channel: two threads that meet exchange values. Each thread offers to send and to receive, and takes the first opportunity; the
   other offer is withdrawn (Reppy, Concurrent Programming in ML, section 3.4).
   Arguments: swaps (10000). *)

signature SWAP_CHANNEL = sig
  type 'a swap_chan
  val swapChannel : unit -> 'a swap_chan
  val swapEvt : 'a swap_chan * 'a -> 'a CML.event
end

structure SwapChannel :> SWAP_CHANNEL = struct
  open CML

  (* The sender adds a channel for the answer. *)
  type 'a swap_chan = ('a * 'a chan) chan

  val swapChannel = channel

  fun swapEvt (c, mine) =
    guard (fn () =>
         let
           val answer = channel ()
           fun reply (theirs, to) = (send (to, mine); theirs)
         in
           choose
             [wrap (recvEvt c, reply), wrap (sendEvt (c, (mine, answer)), fn () => recv answer)]
         end)
end

val swaps =
  case CommandLine.arguments () of
      nil => 10000
    | n :: _ => valOf (Int.fromString n)

val meeting : int SwapChannel.swap_chan = SwapChannel.swapChannel ()
val results : (string * int) CML.chan = CML.channel ()

(* Each trader brings its own numbers, and keeps the sum of the numbers that it receives. *)
fun trader (name, first) =
  let
    fun trade (0, sum) = CML.send (results, (name, sum))
      | trade (i, sum) = trade (i - 1, sum + CML.sync (SwapChannel.swapEvt (meeting, first + i)))
  in
    ignore (CML.spawn (fn () => trade (swaps, 0)))
  end

val () = trader ("left", 0)
val () = trader ("right", 1000000)
val (one, other) = (CML.recv results, CML.recv results)

fun show name = Int.toString (#2 (if #1 one = name then one else other))
val () = print ("left got " ^ show "left" ^ ", right got " ^ show "right" ^ "\n")
(* If no other thread comes, the thread withdraws its offer. *)
val patient =
  CML.select
    [CML.wrap (SwapChannel.swapEvt (meeting, 1), fn _ => "somebody came"),
     CML.wrap (CML.timeOutEvt (Time.fromMilliseconds 10), fn () => "nobody came")]
val () = print (patient ^ "\n")
