(* Merge sort over slices, with arrays from `alloc`, and a scan by blocks. *)
fun merge less (a, b, out, at) =
  let
    fun go (i, j, k) =
      if i < ArraySlice.length a andalso
         (j >= ArraySlice.length b orelse not (less (ArraySlice.sub (b, j), ArraySlice.sub (a, i))))
      then (Array.update (out, k, ArraySlice.sub (a, i)); go (i + 1, j, k + 1))
      else if j < ArraySlice.length b
      then (Array.update (out, k, ArraySlice.sub (b, j)); go (i, j + 1, k + 1))
      else ()
  in
    go (0, 0, at)
  end
fun sort less s =
  let val n = ArraySlice.length s
  in
    if n <= 1 then Array.tabulate (n, fn i => ArraySlice.sub (s, i))
    else
      let
        val m = n div 2
        val (a, b) =
          ForkJoin.par (fn () => sort less (ArraySlice.subslice (s, 0, SOME m)),
                        fn () => sort less (ArraySlice.subslice (s, m, NONE)))
        val out = ForkJoin.alloc n
      in
        merge less (ArraySlice.full a, ArraySlice.full b, out, 0);
        out
      end
  end
val n = 5000
val input = ForkJoin.alloc n
val () = ForkJoin.parfor 100 (0, n) (fn i => Array.update (input, i, Int.toString (i * 7919 mod n)))
val sorted = sort String.< (ArraySlice.full input)
fun ordered i = i + 1 >= n orelse (String.<= (Array.sub (sorted, i), Array.sub (sorted, i + 1)) andalso ordered (i + 1))
fun scan (block, a) =
  let
    val n = Array.length a
    val blocks = (n - 1) div block + 1
    val sums = ForkJoin.alloc blocks
    fun fold f b x = let val hi = Int.min ((b + 1) * block, n)
                         fun go (i, x) = if i >= hi then x else go (i + 1, f (i, x))
                     in go (b * block, x) end
    val () = ForkJoin.parfor 1 (0, blocks) (fn b => Array.update (sums, b, fold (fn (i, x) => x + Array.sub (a, i)) b 0))
    val starts = if blocks = 1 then Array.array (1, 0) else scan (block, sums)
    val out = ForkJoin.alloc n
  in
    ForkJoin.parfor 1 (0, blocks) (fn b =>
      ignore (fold (fn (i, x) => (Array.update (out, i, x); x + Array.sub (a, i))) b (Array.sub (starts, b))));
    out
  end
val sums = scan (8, Array.tabulate (1000, fn i => i))
val () = print (Bool.toString (ordered 0) ^ " " ^ Array.sub (sorted, 17) ^ " " ^ Int.toString (Array.sub (sums, 999)) ^ "\n")
