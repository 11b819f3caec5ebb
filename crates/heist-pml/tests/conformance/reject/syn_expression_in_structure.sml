(* error: E0218 *)
structure S = struct
  print "loading\n"
  val x = 1
end
