(* Days of the week, leap years and a printed month. *)
fun leap y = y mod 4 = 0 andalso (y mod 100 <> 0 orelse y mod 400 = 0)
fun days (y, m) = case m of 2 => if leap y then 29 else 28 | 4 => 30 | 6 => 30 | 9 => 30 | 11 => 30 | _ => 31
fun weekday (y, m, d) = let val t = Vector.fromList [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4] val y = if m < 3 then y - 1 else y in (y + y div 4 - y div 100 + y div 400 + Vector.sub (t, m - 1) + d) mod 7 end
fun month (y, m) =
  let
    fun go (d, w) = if d > days (y, m) then (if w > 0 then print "\n" else ()) else (print (StringCvt.padLeft #" " 3 (Int.toString d)); if w = 6 then print "\n" else (); go (d + 1, (w + 1) mod 7))
    val first = weekday (y, m, 1)
  in print (" Su Mo Tu We Th Fr Sa\n" ^ StringCvt.padLeft #" " (3 * first) ""); go (1, first) end
val () = month (2024, 2)
val () = print (String.concatWith " " (map (Int.toString o weekday) [(1970, 1, 1), (2000, 2, 29), (1900, 3, 1)]) ^ " " ^ Bool.toString (leap 1900 orelse leap 2023) ^ "\n")
