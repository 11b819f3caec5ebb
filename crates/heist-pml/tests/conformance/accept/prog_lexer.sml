(* A lexer and a parser by precedence, for expressions with variables. *)
datatype token = Num of int | Id of string | Op of char | Open | Close
fun lex [] = []
  | lex (c :: cs) =
      if Char.isSpace c then lex cs
      else if Char.isDigit c then take Char.isDigit (c :: cs) (fn s => Num (valOf (Int.fromString s)))
      else if Char.isAlpha c then take Char.isAlphaNum (c :: cs) Id
      else case c of #"(" => Open :: lex cs | #")" => Close :: lex cs | _ => Op c :: lex cs
and take p cs make = let fun go (c :: r, acc) = if p c then go (r, c :: acc) else (rev acc, c :: r) | go ([], acc) = (rev acc, []) val (a, r) = go (cs, []) in make (implode a) :: lex r end
exception Parse of string
fun level #"=" = 1 | level #"+" = 2 | level #"-" = 2 | level #"*" = 3 | level #"/" = 3 | level #"^" = 4 | level c = raise Parse ("operator " ^ str c)
fun atom (Num n :: ts) = (Int.toString n, ts) | atom (Id x :: ts) = (x, ts)
  | atom (Op #"-" :: ts) = let val (a, r) = atom ts in ("(neg " ^ a ^ ")", r) end
  | atom (Open :: ts) = (case expr 0 ts of (a, Close :: r) => (a, r) | _ => raise Parse ") expected")
  | atom _ = raise Parse "atom expected"
and expr min ts = let
    fun go (a, Op c :: r) = let val l = level c in if l < min then (a, Op c :: r) else let val (b, r') = expr (if c = #"^" then l else l + 1) r in go ("(" ^ str c ^ " " ^ a ^ " " ^ b ^ ")", r') end end
      | go done = done
  in go (atom ts) end
fun parse s = (case expr 0 (lex (explode s)) of (a, []) => a | _ => "rest") handle Parse m => "error: " ^ m
val () = app (fn s => print (parse s ^ "\n")) ["1+2*3", "(1+2)*3", "a-b-c", "2^3^2", "x = -y + 4/2", "(1+2", "1 ? 2", "3 4"]
