(* Backtracking search as a functor that uses exceptions inside its body. *)
functor Search (type problem type answer val moves : problem -> problem list val solved : problem -> answer option) = struct
  exception Answer of answer
  fun go limit p = case solved p of SOME a => raise Answer a | NONE => if limit = 0 then () else app (go (limit - 1)) (moves p)
  fun run limit p = (go limit p; NONE) handle Answer a => SOME a
end
structure Jugs = Search (type problem = (int * int) * string type answer = string
  fun moves ((a, b), path) = map (fn (p, n) => (p, path ^ n)) [((3, b), "A"), ((a, 5), "B"), ((0, b), "a"), ((a, 0), "b"), (let val k = Int.min (a, 5 - b) in (a - k, b + k) end, ">"), (let val k = Int.min (b, 3 - a) in (a + k, b - k) end, "<")]
  fun solved ((a, b), path) = if a = 4 orelse b = 4 then SOME path else NONE)
structure Words = Search (type problem = int * string type answer = string fun moves (n, s) = [(n * 2, s ^ "d"), (n + 3, s ^ "p")] fun solved (25, s) = SOME s | solved _ = NONE)
val () = print (getOpt (Jugs.run 6 ((0, 0), ""), "none") ^ " " ^ getOpt (Words.run 6 (1, ""), "none") ^ " " ^ getOpt (Words.run 2 (1, ""), "none") ^ "\n")
