(* error: E0310 *)
fun f () =
  let
    val cell = ref nil
    datatype t = A
  in
    cell := [A]
  end
