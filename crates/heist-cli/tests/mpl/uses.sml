structure X : S = Make (val n = 20)
val Hidden = "free" and op +++ = "plain"
val () = print (Int.toString X.result ^ " " ^ Int.toString L.mine ^ " " ^ Hidden ^ " " ^ Int.toString (Old.length [1, 2]) ^ "\n")
