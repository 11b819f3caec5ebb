(* Parser combinators over a polymorphic parser type. *)
type 'a parser = char list -> ('a * char list) option
infix 3 <|> infix 5 *> infix 4 >>=
fun return x : 'a parser = fn s => SOME (x, s)
fun fail _ = NONE
fun (p >>= f) s = case p s of NONE => NONE | SOME (x, rest) => f x rest
fun (p <|> q) s = case p s of NONE => q s | r => r
fun (p *> q) = p >>= (fn _ => q)
fun sat f (c :: s) = if f c then SOME (c, s) else NONE | sat _ [] = NONE
fun char c = sat (fn d => c = d)
fun many p s = ((p >>= (fn x => many p >>= (fn xs => return (x :: xs)))) <|> return []) s
fun many1 p = p >>= (fn x => many p >>= (fn xs => return (x :: xs)))
val number = many1 (sat Char.isDigit) >>= (fn ds => return (valOf (Int.fromString (implode ds))))
fun expr s = (term >>= (fn a => (char #"+" *> expr >>= (fn b => return (a + b))) <|> return a)) s
and term s = (factor >>= (fn a => (char #"*" *> term >>= (fn b => return (a * b))) <|> return a)) s
and factor s = (number <|> (char #"(" *> expr >>= (fn e => char #")" *> return e))) s
fun run text = case expr (explode text) of SOME (n, []) => Int.toString n | SOME (n, rest) => Int.toString n ^ " then " ^ implode rest | NONE => "no"
val () = app (fn t => print (t ^ " = " ^ run t ^ "\n")) ["1+2*3", "(1+2)*3", "12*(3+4)*5", "2+", "x"]
