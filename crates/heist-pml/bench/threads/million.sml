(* A million threads send one message each. The program spawns all threads before it receives the first message, so nearly all threads
   wait at the same time. Prints the time of a thread, from its spawn to the end of its message. *)

val count = 1000000

fun spawn (_, 0) = ()
  | spawn (c, n) = (ignore (CML.spawn (fn () => CML.send (c, n))); spawn (c, n - 1))

fun receive (_, 0, sum) = sum
  | receive (c, n, sum) = receive (c, n - 1, sum + CML.recv c)

fun main () =
  let
    val c = CML.channel ()
    val begin = Time.now ()
    val () = spawn (c, count)
    val sum = receive (c, count, 0)
    val span = Time.toReal (Time.- (Time.now (), begin))
  in
    if sum <> count * (count + 1) div 2 then
      raise Fail "a message was lost"
    else
      print (Real.fmt (StringCvt.FIX (SOME 2)) (span * 1E6 / real count) ^ " us a thread\n")
  end

val _ = RunCML.doit (main, NONE)
