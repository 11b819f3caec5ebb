(* Memoisation in a reference to a list, in an array, and by laziness. *)
fun memoList f = let val m = ref [] in fn x => case List.find (fn (y, _) => x = y) (!m) of SOME (_, v) => v | NONE => let val v = f x in m := (x, v) :: !m; v end end
val slow = ref 0
val square = memoList (fn x => (slow := !slow + 1; x * x))
val l = map square [2, 3, 2, 4, 3, 2]
fun fibs n = let val a = Array.array (n + 1, NONE) fun fib k = if k < 2 then k else case Array.sub (a, k) of SOME v => v | NONE => let val v = fib (k - 1) + fib (k - 2) in Array.update (a, k, SOME v); v end in fib n end
datatype 'a susp = Thunk of unit -> 'a | Value of 'a
fun delay f = ref (Thunk f)
fun force r = case !r of Value v => v | Thunk f => let val v = f () in r := Value v; v end
val s = delay (fn () => (print "once "; 5))
val () = print (Int.toString (force s + force s) ^ " " ^ String.concatWith "," (map Int.toString l) ^ " " ^ Int.toString (!slow) ^ " " ^ Int.toString (fibs 60) ^ "\n")
