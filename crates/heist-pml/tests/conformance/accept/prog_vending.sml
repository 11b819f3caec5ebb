(* A small bank: commands as data, an undo stack, and a log. *)
datatype command = Deposit of string * int | Withdraw of string * int | Transfer of {from : string, to : string, amount : int} | Undo
exception Refused of string * command
type accounts = (string * int) list
fun balance (a : accounts, n) = case List.find (fn (m, _) => m = n) a of SOME (_, b) => b | NONE => 0
fun set (a : accounts, n, b) = (n, b) :: List.filter (fn (m, _) => m <> n) a
fun apply (c as Withdraw (n, k), a) = let val b = balance (a, n) in if b < k then raise Refused ("too little", c) else set (a, n, b - k) end
  | apply (Deposit (n, k), a) = set (a, n, balance (a, n) + k)
  | apply (c as Transfer {from, to, amount}, a) = if from = to then raise Refused ("same account", c) else apply (Deposit (to, amount), apply (Withdraw (from, amount), a))
  | apply (c as Undo, _) = raise Refused ("nothing to undo", c)
fun run (a, _, []) = a
  | run (_, old :: history, Undo :: cs) = (print "undone\n"; run (old, history, cs))
  | run (a, history, c :: cs) = run (apply (c, a), a :: history, cs) handle Refused (why, Transfer {from, ...}) => (print (from ^ ": " ^ why ^ "\n"); run (a, history, cs)) | Refused (why, _) => (print (why ^ "\n"); run (a, history, cs))
val final = run ([], [], [Undo, Deposit ("ann", 50), Withdraw ("bob", 5), Transfer {from = "ann", to = "bob", amount = 30}, Transfer {to = "cy", from = "bob", amount = 31}, Deposit ("bob", 1), Undo, Transfer {from = "cy", to = "cy", amount = 0}])
val () = app (fn n => print (n ^ " " ^ Int.toString (balance (final, n)) ^ "\n")) ["ann", "bob", "cy"]
