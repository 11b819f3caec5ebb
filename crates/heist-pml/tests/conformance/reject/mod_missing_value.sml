(* error: E0404 *)
signature STACK = sig type 'a t val empty : 'a t val push : 'a * 'a t -> 'a t val pop : 'a t -> 'a t end
structure Stack : STACK = struct type 'a t = 'a list val empty = [] fun push (x, s) = x :: s end
