(* A state machine of mutually tail-recursive functions over a string. *)
fun scan s =
  let
    val n = size s
    fun start (i, words, nums) = if i >= n then (words, nums) else
      let val c = String.sub (s, i) in if Char.isAlpha c then word (i + 1, words + 1, nums) else if Char.isDigit c then num (i + 1, words, nums + 1) else start (i + 1, words, nums) end
    and word (i, w, k) = if i < n andalso Char.isAlphaNum (String.sub (s, i)) then word (i + 1, w, k) else start (i, w, k)
    and num (i, w, k) = if i < n andalso Char.isDigit (String.sub (s, i)) then num (i + 1, w, k) else start (i, w, k)
  in start (0, 0, 0) end
val text = String.concat (List.tabulate (20000, fn i => if i mod 3 = 0 then "abc1 " else "42,x "))
val (w, k) = scan text
val () = print (Int.toString w ^ " " ^ Int.toString k ^ "\n")
