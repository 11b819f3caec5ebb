(* Declarations that begin with `do`. *)
do print "top\n"
structure S = struct val x = ref 0 do x := 1 do x := ! x + 1 end
local do S.x := 10 in do print (Int.toString (! S.x) ^ "\n") end;
do let val y = 3 do print (Int.toString y ^ "\n") in while ! S.x > 8 do S.x := ! S.x - 1 end
do print (Int.toString (! S.x) ^ "\n"); do ()
val n = 1 do print "after\n"
do if n = 1 then print "if\n" else ()
(* Annotations of MPL's compiler. *)
fun __inline_always__ twice f x = f (f x)
fun __inline_never__ add (x, y) = x + y
fun 'a __inline_always__ id (x : 'a) = x
val g = fn __inline_always__ x => __inline_always__ twice id x
do print (Int.toString (g (add (1, 2))) ^ "\n")
