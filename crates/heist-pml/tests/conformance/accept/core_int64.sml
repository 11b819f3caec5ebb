(* Integers have 64 bits; a result out of range raises Overflow. *)
val big = 9223372036854775807
val small = ~9223372036854775808
fun try f = Int.toString (f ()) handle Overflow => "Overflow"
val () = print (String.concatWith " " [Int.toString big, Int.toString small, try (fn () => big + 1), try (fn () => small - 1), try (fn () => small div ~1), try (fn () => ~ small), try (fn () => 3037000500 * 3037000500), try (fn () => 3037000499 * 3037000499), try (fn () => big mod ~1), try (fn () => abs small)] ^ "\n")
val () = print (Int.toString (valOf Int.precision) ^ Bool.toString (Int.maxInt = SOME big) ^ Int.toString Word.wordSize ^ " " ^ Word.toString (0w0 - 0w1) ^ " " ^ (Int.toString (valOf (Int.fromString "9223372036854775808")) handle Overflow => "Overflow") ^ "\n")
