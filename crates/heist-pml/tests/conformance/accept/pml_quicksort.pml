(* Quicksort over parallel arrays with three-way partition. *)
fun quicksort xs =
  if lengthP xs <= 1 then xs
  else
    let
      val p = xs ! (lengthP xs div 2)
      val (lt, eq, gt) =
        (| quicksort [| x | x in xs where x < p |],
           [| x | x in xs where x = p |],
           quicksort [| x | x in xs where x > p |] |)
    in
      concatP [lt, eq, gt]
    end
val data = [| (i * 7919) mod 101 | i in [| 1 to 40 |] |]
val sorted = quicksort data
fun ordered i = i >= lengthP sorted - 1 orelse (sorted ! i <= sorted ! (i + 1) andalso ordered (i + 1))
val () = print (Int.toString (lengthP sorted) ^ Bool.toString (ordered 0) ^ Bool.toString (sumP data = sumP sorted) ^ "\n")
