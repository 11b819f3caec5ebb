(* Three functions of different types in one recursive group, inside another function. *)
fun describe (n : int) =
  let
    fun evens 0 = [] | evens k = if k mod 2 = 0 then show k :: odds (k - 1) else odds k
    and odds 0 = [] | odds k = if k mod 2 = 1 then (show k ^ "'") :: evens (k - 1) else evens k
    and show k = if big k then "*" else Int.toString k
    and big k = k > n div 2 + length (if k = 1 then evens 0 else [])
  in String.concat (evens n) end
val () = print (describe 9 ^ " " ^ describe 4 ^ "\n")
