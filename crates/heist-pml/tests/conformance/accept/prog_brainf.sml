(* An interpreter of a small machine language, which first makes a jump table. *)
fun run program =
  let
    val n = size program
    val jump = Array.array (n, 0)
    fun link (i, stack) =
      if i = n then ()
      else case (String.sub (program, i), stack) of
          (#"[", _) => link (i + 1, i :: stack)
        | (#"]", j :: rest) => (Array.update (jump, i, j); Array.update (jump, j, i); link (i + 1, rest))
        | (#"]", []) => raise Fail "unbalanced"
        | _ => link (i + 1, stack)
    val () = link (0, [])
    val tape = Array.array (300, 0)
    fun get p = Array.sub (tape, p)
    fun step (i, p) =
      if i >= n then ()
      else case String.sub (program, i) of
          #">" => step (i + 1, p + 1)
        | #"<" => step (i + 1, p - 1)
        | #"+" => (Array.update (tape, p, (get p + 1) mod 256); step (i + 1, p))
        | #"-" => (Array.update (tape, p, (get p - 1) mod 256); step (i + 1, p))
        | #"." => (print (str (chr (get p))); step (i + 1, p))
        | #"[" => step (if get p = 0 then Array.sub (jump, i) + 1 else i + 1, p)
        | #"]" => step (Array.sub (jump, i), p)
        | _ => step (i + 1, p)
  in step (0, 0) end
val () = run "++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]>>.>---.+++++++..+++.>>.<-.<.+++.------.--------.>>+.>++."
