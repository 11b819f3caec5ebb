(* An abstract type constructor with a parameter. *)
signature STACK = sig
  type 'a stack
  exception Empty
  val empty : 'a stack
  val push : 'a * 'a stack -> 'a stack
  val pop : 'a stack -> 'a * 'a stack
  val depth : 'a stack -> int
end
structure Stack :> STACK = struct
  type 'a stack = int * 'a list
  exception Empty
  val empty = (0, [])
  fun push (x, (n, l)) = (n + 1, x :: l)
  fun pop (_, []) = raise Empty | pop (n, x :: l) = (x, (n - 1, l))
  fun depth (n, _) = n
end
val s = Stack.push ("b", Stack.push ("a", Stack.empty))
val (top, rest) = Stack.pop s
val t = Stack.push (1, Stack.empty)
val () = print (top ^ Int.toString (Stack.depth rest + Stack.depth t) ^ "\n")
val () = (ignore (Stack.pop Stack.empty : int * int Stack.stack)) handle Stack.Empty => print "empty\n"
