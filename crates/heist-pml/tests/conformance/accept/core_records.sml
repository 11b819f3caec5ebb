(* Records: labels in any order, selectors, nested, numeric labels. *)
type person = {name : string, age : int, address : {street : string, no : int}}
val p : person = {age = 41, address = {no = 7, street = "Elm"}, name = "Ada"}
fun older ({name, age, address} : person) = {name = name, age = age + 1, address = address}
fun street ({address = {street, ...}, ...} : person) = street
val q = older p
val () = print (#name q ^ " " ^ Int.toString (#age q) ^ " " ^ street q ^ " " ^ Int.toString (#no (#address q)) ^ "\n")
val {name = n, age, ...} = q
val () = print (n ^ Int.toString age ^ "\n")
val () = print (Bool.toString ({a = 1, b = 2} = {b = 2, a = 1}) ^ "\n")
val tuple = {2 = "two", 1 = "one", 3 = "three"}
val (a, b, c) = tuple
val () = print (a ^ b ^ c ^ #2 tuple ^ "\n")
