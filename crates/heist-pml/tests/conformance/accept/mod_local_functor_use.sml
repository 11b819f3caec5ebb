(* Structures declared in local and by functors within structures. *)
functor Offset (val by' : int) = struct fun shift n = n + by' end
structure Shifts = struct
  local structure Small = Offset (val by' = 1) structure Large = Offset (val by' = 100) in
    structure Both = struct fun shift n = Large.shift (Small.shift n) end
    val small = Small.shift
  end
  structure Neg = Offset (val by' = ~5)
end
val () = print (Int.toString (Shifts.Both.shift 0) ^ " " ^ Int.toString (Shifts.small 10) ^ " " ^ Int.toString (Shifts.Neg.shift 10) ^ "\n")
