(* Permutations, subsets, partitions: three ways to count. *)
fun insertions x [] = [[x]] | insertions x (l as y :: ys) = (x :: l) :: map (fn r => y :: r) (insertions x ys)
fun perms [] = [[]] | perms (x :: xs) = List.concat (map (insertions x) (perms xs))
fun subsets [] = [[]] | subsets (x :: xs) = let val r = subsets xs in r @ map (fn s => x :: s) r end
fun partitions (0, _) = [[]] | partitions (n, k) = if k = 0 then [] else if k > n then partitions (n, n) else map (fn p => k :: p) (partitions (n - k, k)) @ partitions (n, k - 1)
val p = perms [1, 2, 3, 4, 5]
val () = print (Int.toString (length p) ^ " " ^ Int.toString (length (subsets (List.tabulate (10, fn i => i)))) ^ " " ^ Int.toString (length (partitions (20, 20))) ^ "\n")
val () = print (String.concatWith " " (map (concat o map Int.toString) (perms [1, 2, 3])) ^ "\n")
val derangements = List.filter (fn l => ListPair.all op <> (l, [1, 2, 3, 4, 5])) p
val () = print (Int.toString (length derangements) ^ "\n")
