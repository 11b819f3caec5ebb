(* sharing among three parameters, and one inside a nested structure. *)
signature LEX = sig type token val lex : string -> token list end
signature PARSE = sig type token type tree val parse : token list -> tree end
signature SHOW = sig structure In : sig type tree end val show : In.tree -> string end
functor Front (structure L : LEX structure P : PARSE structure S : SHOW sharing type L.token = P.token sharing type P.tree = S.In.tree) = struct fun run s = S.show (P.parse (L.lex s)) end
structure Parser = struct type token = char datatype tree = Leaf of char | Node of tree list fun parse cs = Node (map Leaf cs) end
structure Shower = struct structure In = Parser fun show (In.Leaf c) = str c | show (In.Node ts) = "(" ^ String.concatWith " " (map show ts) ^ ")" end
structure F = Front (structure L = struct type token = char val lex = explode end structure P = Parser structure S = Shower)
val () = print (F.run "abc" ^ "\n")
