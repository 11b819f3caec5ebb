(* A functor whose result is opaque: each application makes new types. *)
signature DICT = sig type key type 'a dict val empty : 'a dict val insert : 'a dict * key * 'a -> 'a dict val find : 'a dict * key -> 'a option end
functor Dict (type k val eq : k * k -> bool) :> DICT where type key = k = struct
  type key = k
  type 'a dict = (key * 'a) list
  val empty = []
  fun insert (d, k, v) = (k, v) :: List.filter (fn (k', _) => not (eq (k, k'))) d
  fun find ([], _) = NONE | find ((k', v) :: d, k) = if eq (k, k') then SOME v else find (d, k)
end
structure D = Dict (type k = string val eq = op =)
structure E = Dict (type k = int fun eq (a, b) = a mod 10 = b mod 10)
val d = D.insert (D.insert (D.empty, "a", 1), "b", 2)
val e = E.insert (E.insert (E.empty, 13, "x"), 23, "y")
val () = print (Int.toString (valOf (D.find (d, "b"))) ^ valOf (E.find (e, 3)) ^ Bool.toString (isSome (D.find (d, "c"))) ^ "\n")
