(* Two threads send two million messages to each other, one at a time. Prints the time of a message. *)

val count = 1000000

fun answer (_, _, 0) = ()
  | answer (from, to, n) = (CML.send (to, CML.recv from + 1); answer (from, to, n - 1))

fun ask (_, _, 0, last) = last
  | ask (from, to, n, last) = (CML.send (to, last); ask (from, to, n - 1, CML.recv from))

fun main () =
  let
    val (a, b) = (CML.channel (), CML.channel ())
    val _ = CML.spawn (fn () => answer (a, b, count))
    val begin = Time.now ()
    val last = ask (b, a, count, 0)
    val span = Time.toReal (Time.- (Time.now (), begin))
  in
    if last <> count then
      raise Fail "a message was lost"
    else
      print (Real.fmt (StringCvt.FIX (SOME 1)) (span * 1E9 / real (2 * count)) ^ " ns a message\n")
  end

val _ = RunCML.doit (main, NONE)
