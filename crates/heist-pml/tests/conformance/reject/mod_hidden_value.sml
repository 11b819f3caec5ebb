(* error: E0311 *)
structure S : sig val public : int end = struct val private = 1 val public = private + 1 end
val x = S.private
