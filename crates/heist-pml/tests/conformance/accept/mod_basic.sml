(* A structure, its members by qualified names, and a nested structure. *)
structure Complex = struct
  type t = real * real
  val zero = (0.0, 0.0) : t
  fun add ((a, b) : t, (c, d) : t) : t = (a + c, b + d)
  fun mul ((a, b), (c, d)) : t = (a * c - b * d, a * d + b * c)
  structure Show = struct
    fun toString (a, b) = Real.toString a ^ "+" ^ Real.toString b ^ "i"
  end
end
val z : Complex.t = Complex.mul (Complex.add ((1.0, 2.0), Complex.zero), (3.0, ~1.0))
val () = print (Complex.Show.toString z ^ "\n")
