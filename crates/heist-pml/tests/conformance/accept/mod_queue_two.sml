(* Two implementations of one signature, tested by one functor. *)
signature QUEUE = sig type 'a queue val empty : 'a queue val add : 'a queue * 'a -> 'a queue val take : 'a queue -> ('a * 'a queue) option end
structure Simple :> QUEUE = struct
  type 'a queue = 'a list
  val empty = []
  fun add (q, x) = q @ [x]
  fun take [] = NONE | take (x :: q) = SOME (x, q)
end
structure Fast :> QUEUE = struct
  datatype 'a queue = Q of {front : 'a list, back : 'a list}
  val empty = Q {front = [], back = []}
  fun add (Q {front, back}, x) = Q {front = front, back = x :: back}
  fun take (Q {front = [], back = []}) = NONE
    | take (Q {front = [], back}) = take (Q {front = rev back, back = []})
    | take (Q {front = x :: front, back}) = SOME (x, Q {front = front, back = back})
end
functor Test (Q : QUEUE) = struct
  fun drain q = case Q.take q of NONE => [] | SOME (x, q) => x :: drain q
  fun run n = let fun go (0, q) = q | go (k, q) = go (k - 1, Q.add (case Q.take q of SOME (x, q') => if x mod 3 = 0 then q' else q | NONE => q, k)) in drain (go (n, Q.empty)) end
end
structure TS = Test (Simple) structure TF = Test (Fast)
val () = print (Bool.toString (TS.run 50 = TF.run 50) ^ " " ^ String.concatWith "," (map Int.toString (TF.run 12)) ^ "\n")
