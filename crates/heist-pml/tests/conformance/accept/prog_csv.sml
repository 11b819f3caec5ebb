(* A reader of comma-separated values with quotes, and a summary by column. *)
fun parse text =
  let
    fun field (#"\"" :: cs, acc) = quoted (cs, acc)
      | field (cs, acc) = plain (cs, acc)
    and plain ([], acc) = (implode (rev acc), [])
      | plain (c :: cs, acc) = if c = #"," orelse c = #"\n" then (implode (rev acc), c :: cs) else plain (cs, c :: acc)
    and quoted (#"\"" :: #"\"" :: cs, acc) = quoted (cs, #"\"" :: acc)
      | quoted (#"\"" :: cs, acc) = plain (cs, acc)
      | quoted (c :: cs, acc) = quoted (cs, c :: acc)
      | quoted ([], _) = raise Fail "open quote"
    fun row cs = let val (f, rest) = field (cs, []) in case rest of #"," :: cs => let val (fs, rest) = row cs in (f :: fs, rest) end | _ => ([f], rest) end
    fun rows [] = [] | rows cs = let val (r, rest) = row cs in r :: (case rest of _ :: rest => rows rest | [] => []) end
  in rows (explode text) end
val table = parse "name,score\n\"Smith, J\",12\n\"O\"\"Hara\",30\nLee,x\n"
val () = app (fn r => print (String.concatWith "|" r ^ "\n")) table
val total = foldl (fn ([_, s], n) => n + getOpt (Int.fromString s, 0) | (_, n) => n) 0 table
val () = print (Int.toString total ^ " " ^ ((ignore (parse "\"x"); "ok") handle Fail m => m) ^ "\n")
