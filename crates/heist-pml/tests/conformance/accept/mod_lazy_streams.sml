(* Lazy streams with memoisation behind an opaque signature. *)
signature STREAM = sig type 'a stream val cons : 'a * (unit -> 'a stream) -> 'a stream val head : 'a stream -> 'a val tail : 'a stream -> 'a stream end
structure Stream :> STREAM = struct
  datatype 'a stream = Cons of 'a * 'a state ref
  and 'a state = Delayed of unit -> 'a stream | Forced of 'a stream
  fun cons (x, f) = Cons (x, ref (Delayed f))
  fun head (Cons (x, _)) = x
  fun tail (Cons (_, r)) = case !r of Forced s => s | Delayed f => let val s = f () in r := Forced s; s end
end
val work = ref 0
fun from n = (work := !work + 1; Stream.cons (n, fn () => from (n + 1)))
fun nth (s, 0) = Stream.head s | nth (s, n) = nth (Stream.tail s, n - 1)
val s = from 0
val () = print (Int.toString (nth (s, 10) + nth (s, 5) + nth (s, 10)) ^ " " ^ Int.toString (!work) ^ "\n")
