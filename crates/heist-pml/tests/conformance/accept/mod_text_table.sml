(* A functor of fixed-width tables over a row type. *)
functor Table (type row val columns : (string * (row -> string)) list) = struct
  fun width (name, f) rows = foldl (fn (r, w) => Int.max (w, size (f r))) (size name) rows
  fun render rows =
    let
      val ws = map (fn c => width c rows) columns
      fun line cells = String.concatWith " | " (ListPair.map (fn (w, s) => StringCvt.padRight #" " w s) (ws, cells)) ^ "\n"
    in line (map #1 columns) ^ concat (map (fn r => line (map (fn (_, f) => f r) columns)) rows) end
end
structure People = Table (type row = {name : string, age : int} val columns = [("name", #name), ("age", Int.toString o #age), ("old", fn {age, ...} => if age > 40 then "yes" else "")])
val () = print (People.render [{name = "Ada", age = 36}, {name = "Grace", age = 85}])
