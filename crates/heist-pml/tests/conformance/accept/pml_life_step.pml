(* A generation of Conway's game on a parallel array of parallel arrays. *)
val n = 5
val start = [| [| if (x = 2 andalso y > 0 andalso y < 4) then 1 else 0 | x in [| 0 to n - 1 |] |] | y in [| 0 to n - 1 |] |]
fun at (g, x, y) = if x < 0 orelse y < 0 orelse x >= n orelse y >= n then 0 else (g ! y) ! x
fun next g =
  [| [| let
          val around = sumP [| sumP [| at (g, x + dx, y + dy) | dx in [| ~1 to 1 |] |] | dy in [| ~1 to 1 |] |] - at (g, x, y)
        in
          if around = 3 orelse (around = 2 andalso at (g, x, y) = 1) then 1 else 0
        end
      | x in [| 0 to n - 1 |] |]
   | y in [| 0 to n - 1 |] |]
fun show g = PArray.app (fn row => print (PArray.toString (fn 1 => "#" | _ => ".") "" row ^ "\n")) g
val () = (show (next start); print "\n"; show (next (next start)))
