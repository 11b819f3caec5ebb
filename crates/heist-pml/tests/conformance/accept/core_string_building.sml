(* Long concatenations, comparison of strings, and characters as numbers. *)
fun caesar k s = String.map (fn c => if Char.isLower c then chr ((ord c - 97 + k) mod 26 + 97) else c) s
fun rle s = let fun go ([], _) = "" | go (c :: cs, n) = case cs of d :: _ => if c = d then go (cs, n + 1) else str c ^ Int.toString n ^ go (cs, 1) | [] => str c ^ Int.toString n in go (explode s, 1) end
fun palindrome s = let val l = List.filter Char.isAlpha (map Char.toLower (explode s)) in l = rev l end
val () = print (caesar 3 "hello, xyz" ^ " " ^ caesar ~3 (caesar 3 "back") ^ " " ^ rle "aaabccdddd" ^ " " ^ Bool.toString (palindrome "A man, a plan, a canal: Panama") ^ "\n")
val sorted = let fun ins (x, []) = [x] | ins (x, y :: t) = if x <= y then x :: y :: t else y :: ins (x, t) in foldr ins [] ["pear", "Zoo", "apple", "app", "", "zebra"] end
val () = print (String.concatWith "<" (sorted : string list) ^ "\n")
