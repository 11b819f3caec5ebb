(* Ways to change money: with lists, with memoisation in an array, and greedily. *)
fun ways (0, _) = 1 | ways (_, []) = 0 | ways (n, c :: cs) = if n < 0 then 0 else ways (n - c, c :: cs) + ways (n, cs)
fun table n cs = let val t = Array.array (n + 1, 0) in Array.update (t, 0, 1); app (fn c => let fun go i = if i > n then () else (Array.update (t, i, Array.sub (t, i) + Array.sub (t, i - c)); go (i + 1)) in go c end) cs; Array.sub (t, n) end
fun greedy (0, _) = [] | greedy (n, c :: cs) = if c <= n then c :: greedy (n - c, c :: cs) else greedy (n, cs) | greedy _ = raise Domain
val coins = [50, 25, 10, 5, 1]
val () = print (Int.toString (ways (100, coins)) ^ " " ^ Int.toString (table 1000 coins) ^ " " ^ String.concatWith "+" (map Int.toString (greedy (93, coins))) ^ "\n")
