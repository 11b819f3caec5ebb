(* Each application of a functor makes the state and the exceptions of its body anew. *)
functor Counter (val start : int) = struct
  val count = ref start
  exception Limit
  fun next () = (count := !count + 1; if !count > 5 then raise Limit else !count)
end
structure A = Counter (val start = 0)
structure B = Counter (val start = 3)
val () = ignore (A.next ())
val x = A.next () and y = B.next () and z = B.next ()
val () = print (Int.toString x ^ Int.toString y ^ Int.toString z ^ "\n")
val () = (ignore (B.next ()) handle A.Limit => print "A's\n" | B.Limit => print "B's\n")
