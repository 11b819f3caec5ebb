(* Words have 64 bits here. *)
val all = 0w0 - 0w1
val () = print (String.concatWith " " (map Word.toString [all, Word.>> (all, 0w60), Word.~>> (all, 0w60), Word.<< (0w1, 0w63), Word.<< (0w1, 0w64), Word.>> (all, 0w64), Word.~>> (all, 0w100), Word.notb 0w0, all * all, 0wxFFFFFFFFFFFFFFFF div 0w16]) ^ "\n")
val () = print (Int.toString (Word.toIntX all) ^ " " ^ (Int.toString (Word.toInt all) handle Overflow => "Overflow") ^ " " ^ Word.toString (Word.fromInt ~2) ^ " " ^ Bool.toString (all > 0w1) ^ "\n")
