(* A variable that a pattern binds to a part of a value is polymorphic, even if the pattern can fail. *)
val SOME swap = SOME (fn (x, y) => (y, x))
val [first, second] = [fn (x, _) => x, fn (_, y) => y]
val (a, b) = swap (1, "one")
val () = print (a ^ Int.toString b ^ Int.toString (first (2, 3)) ^ second ("", "two") ^ "\n")
val empty :: _ = [nil]
val () = print (Int.toString (length (1 :: empty)) ^ Int.toString (length ("x" :: empty)) ^ "\n")
(* The pattern fails at its declaration, even if the program does not use the variable. *)
val () = (let val SOME (f : 'a -> 'a) = NONE in print "not here\n" end) handle Bind => print "Bind\n"
val () = (let val x :: _ = nil in print "nor here\n" end) handle Bind => print "Bind\n"
val () = (let val SOME f = NONE in f (f 1); f "x"; print "nor here\n" end) handle Bind => print "Bind\n"
