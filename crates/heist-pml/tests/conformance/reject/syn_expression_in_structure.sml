(* error: E0218 *)
structure S = struct
  val x = 1
  print "loading\n"
end
