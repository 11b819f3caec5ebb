(* error: E0103 *)
val greeting = "hello
val () = print greeting
