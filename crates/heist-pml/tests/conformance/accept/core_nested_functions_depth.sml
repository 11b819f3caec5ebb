(* Functions nested several levels deep. Each uses variables of all functions around it. *)
fun a x =
  let fun b y =
        let fun c z =
              let fun d w = if w = 0 then x * 1000 + y * 100 + z * 10 + w else e (w - 1)
                  and e v = d v + 1
              in d z end
        in c (y + 1) + b' y end
      and b' y = if y > 3 then 0 else b (y + 1)
  in b x end
val () = print (Int.toString (a 1) ^ " " ^ Int.toString (a 2) ^ "\n")
