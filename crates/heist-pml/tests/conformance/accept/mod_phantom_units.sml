(* Phantom types behind an opaque signature distinguish units of measurement. *)
structure Length :> sig
  type metre type foot
  type 'u t
  val metres : real -> metre t
  val feet : real -> foot t
  val add : 'u t * 'u t -> 'u t
  val toMetres : foot t -> metre t
  val show : 'u t -> string
end = struct
  datatype metre = M and foot = F
  type 'u t = real
  fun metres r = r
  fun feet r = r
  fun add (a, b) = a + b : real
  fun toMetres f = f * 0.25
  val show = Real.toString
end
val () = print (Length.show (Length.add (Length.metres 1.0, Length.toMetres (Length.add (Length.feet 4.0, Length.feet 6.0)))) ^ "\n")
