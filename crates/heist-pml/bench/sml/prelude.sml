(* Parallel arrays as vectors, for the sequential twins of the parallel programs. *)

type 'a parray = 'a vector

fun lengthP xs = Vector.length xs
fun subP (xs, i) = Vector.sub (xs, i)
fun mapP f xs = Vector.map f xs
fun map2P f (xs, ys) =
  Vector.tabulate (Int.min (Vector.length xs, Vector.length ys), fn i => f (Vector.sub (xs, i), Vector.sub (ys, i)))
fun filterP p xs = Vector.fromList (Vector.foldr (fn (x, kept) => if p x then x :: kept else kept) [] xs)
fun reduceP f b xs = Vector.foldl (fn (x, sum) => f (sum, x)) b xs
fun range (a, b) = Vector.tabulate (Int.max (0, b - a + 1), fn i => a + i)
fun concatP xss = Vector.concat xss
fun fromListP xs = Vector.fromList xs

(* For each position, combines the elements before the position. *)
fun scanP f b xs =
  let
    val sum = ref b
  in
    Vector.map (fn x => let val before_ = !sum in sum := f (before_, x); before_ end) xs
  end

(* Poly/ML 5.7 has an internal error on some of the programs if the whole program is one phrase. *)
;
