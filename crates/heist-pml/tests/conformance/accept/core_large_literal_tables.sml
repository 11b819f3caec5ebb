(* Long lists, tuples and strings written out. *)
val primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173]
val months = [("January", 31), ("February", 28), ("March", 31), ("April", 30), ("May", 31), ("June", 30), ("July", 31), ("August", 31), ("September", 30), ("October", 31), ("November", 30), ("December", 31)]
fun dayOfYear (d, m) = let fun go (_, []) = raise Domain | go (n, (name, k) :: r) = if name = m then n + d else go (n + k, r) in go (0, months) end
fun month "jan" = 1 | month "feb" = 2 | month "mar" = 3 | month "apr" = 4 | month "may" = 5 | month "jun" = 6 | month "jul" = 7 | month "aug" = 8 | month "sep" = 9 | month "oct" = 10 | month "nov" = 11 | month "dec" = 12 | month _ = 0
val () = print (Int.toString (foldl op + 0 primes) ^ " " ^ Int.toString (dayOfYear (1, "March")) ^ " " ^ Int.toString (foldl op + 0 (map #2 months)) ^ " " ^ String.concatWith "," (map (Int.toString o month) ["mar", "dec", "xyz", "ma", "jann"]) ^ "\n")
