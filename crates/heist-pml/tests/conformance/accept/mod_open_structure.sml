(* open in structures re-exports; later bindings shadow. *)
structure A = struct val x = 1 val y = 2 fun f n = n + x end
structure B = struct open A val y = 20 fun g n = f n * y end
structure C = struct local open B in val z = g 1 end open A end
open B
val () = print (Int.toString x ^ " " ^ Int.toString y ^ " " ^ Int.toString (g 3) ^ " " ^ Int.toString C.z ^ " " ^ Int.toString C.y ^ "\n")
