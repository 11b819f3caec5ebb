(* Parallel forms inside each other and inside ordinary ones. *)
datatype 'a tree = E | T of 'a tree * 'a * 'a tree
fun build (lo, hi) = if lo > hi then E else let val m = (lo + hi) div 2 val (l, r) = (| build (lo, m - 1), build (m + 1, hi) |) in T (l, m, r) end
fun toP E = [| |] | toP (T (l, x, r)) = let val (a, b) = (| toP l, toP r |) in concatP [a, [| x |], b] end
fun depth E = 0 | depth (T (l, _, r)) = 1 + Int.max (| depth l, depth r |)
val t = build (1, 20)
val () = print (PArray.toString Int.toString "," (toP t) ^ " " ^ Int.toString (depth t) ^ "\n")
val total = reduceP (fn (a, b) => #1 (| a + b, () |)) 0 [| case i mod 2 of 0 => i | _ => if i > 5 then 100 else 0 | i in [| 1 to 7 |] |]
val () = print (Int.toString total ^ "\n")
