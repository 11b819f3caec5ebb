(* The structure List. *)
fun show l = print ("[" ^ String.concatWith "," (map Int.toString l) ^ "] ")
val l = [5, 3, 8, 1]
val () = (show (List.take (l, 2)); show (List.drop (l, 3)); show (List.rev l); show (List.revAppend ([1, 2], [3])); show (List.concat [[1], [], [2, 3]]))
val () = (show (List.filter (fn x => x > 2) l); show (List.mapPartial (fn x => if x > 2 then SOME (x * 10) else NONE) l); show (List.tabulate (4, fn i => i * i)))
val (a, b) = List.partition (fn x => x mod 2 = 0) [1, 2, 3, 4, 5]
val () = (show a; show b; show [List.last l, List.nth (l, 2), List.length l, hd l, foldl op - 0 l, foldr op - 0 l])
val () = print (Bool.toString (List.exists (fn x => x = 8) l) ^ Bool.toString (List.all (fn x => x > 1) l) ^ Bool.toString (List.null []) ^ "\n")
val () = print (Int.toString (valOf (List.find (fn x => x < 4) l)) ^ Bool.toString (isSome (List.find (fn x => x > 9) l)) ^ Bool.toString (isSome (List.getItem [])) ^ "\n")
val () = print (case List.collate Int.compare ([1, 2], [1, 3]) of LESS => "less\n" | EQUAL => "equal\n" | GREATER => "greater\n")
fun try f = (ignore (f ()); print "no ") handle Subscript => print "Subscript " | Empty => print "Empty " | Size => print "Size "
val () = (try (fn () => List.take (l, 5)); try (fn () => List.drop (l, ~1)); try (fn () => [List.last ([] : int list)]); try (fn () => tl ([] : int list)); try (fn () => List.tabulate (~1, fn i => i)))
val () = print "\n"
