(* Closures with many captured values of all kinds, nested three deep. *)
fun outer (a, b : real, s, l) =
  let val c = a * 2 val d = b + 0.5
  in fn x =>
    let val e = x + c
    in fn (y : real) =>
      let val z = y * d + b
      in fn w => s ^ Int.toString (a + e + length l) ^ " " ^ Real.toString z ^ " " ^ w ^ concat l end
    end
  end
val f = outer (1, 2.0, "s", ["p", "q"])
val g = f 10
val h = g 4.0
val () = print (h "w" ^ "\n" ^ f 20 1.0 "v" ^ "\n" ^ g 0.0 "u" ^ "\n")
