(* A functor's body runs at each application, in order. *)
functor Say (X : sig val name : string end) = struct
  val () = print ("start " ^ X.name ^ "\n")
  val length = size X.name
  val () = print ("end " ^ X.name ^ "\n")
end
structure A = Say (val name = "first")
val () = print "between\n"
structure B = Say (struct val () = print "argument\n" val name = "second" end)
val () = print (Int.toString (A.length + B.length) ^ "\n")
