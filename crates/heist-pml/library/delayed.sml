(* Delayed sequences. A result computes the elements when it needs them, and each use computes them again. `tabulate`, `map`, `zip` and
   similar functions make no array. `scan`, `filter` and `flatten` compute the data with which each block begins, and their results are
   streams of blocks (Westrick, Rainey, Anderson, Blelloch: Parallel block-delayed sequences, PPoPP 2022). *)

signature DELAYED =
sig
  type 'a delayed
  val tabulate : int * (int -> 'a) -> 'a delayed
  (* The range includes both ends. *)
  val range : int * int -> int delayed
  (* Returns the elements of an array, which are already computed. *)
  val delay : 'a parray -> 'a delayed
  val force : 'a delayed -> 'a parray
  val length : 'a delayed -> int

  val map : ('a -> 'b) -> 'a delayed -> 'b delayed
  val mapi : (int * 'a -> 'b) -> 'a delayed -> 'b delayed
  (* The result is as long as the shorter sequence. *)
  val zip : 'a delayed * 'b delayed -> ('a * 'b) delayed
  val zipWith : ('a * 'b -> 'c) -> 'a delayed * 'b delayed -> 'c delayed
  val enumerate : 'a delayed -> (int * 'a) delayed

  (* The functions must be associative, and the values must be their units. *)
  val reduce : ('a * 'a -> 'a) -> 'a -> 'a delayed -> 'a
  val scan : ('a * 'a -> 'a) -> 'a -> 'a delayed -> 'a delayed
  val scanIncl : ('a * 'a -> 'a) -> 'a -> 'a delayed -> 'a delayed
  val scanTotal : ('a * 'a -> 'a) -> 'a -> 'a delayed -> 'a delayed * 'a
  val each : ('a -> unit) -> 'a delayed -> unit
  val eachi : (int * 'a -> unit) -> 'a delayed -> unit
  val count : ('a -> bool) -> 'a delayed -> int

  val filter : ('a -> bool) -> 'a delayed -> 'a delayed
  val flatten : 'a parray delayed -> 'a delayed

  (* These functions force a result of `scan`, `filter` or `flatten`. *)
  val take : 'a delayed * int -> 'a delayed
  val drop : 'a delayed * int -> 'a delayed
  val subseq : 'a delayed * int * int -> 'a delayed
  val append : 'a delayed * 'a delayed -> 'a delayed
  val rev : 'a delayed -> 'a delayed
end

structure Delayed :> DELAYED =
struct
  structure A = Core.Array
  val add = Core.Int.add

  (* A length, and one of two functions. The first returns the element at an index. The second takes the number of a block, and returns a
     function that returns the elements of the block one after the other. *)
  datatype 'a delayed =
    INDEXED of int * (int -> 'a)
  | BLOCKS of int * (int -> unit -> 'a)

  (* Returns the length of the blocks of a sequence. This length is near the root of the sequence's length, so there are enough blocks,
     and each block is long enough. *)
  fun blockOf n =
    let fun go b = if b < 2048 andalso b * b < n then go (b + b) else b
    in go 16
    end
  fun blocksOf n = (n + blockOf n - 1) div blockOf n

  fun at (a, i) = Core.Vector.sub (PArray.toVector a, i)
  fun make (n, f) = PArray.fromVector (ParLoop.tabulate (n, f))

  fun length (INDEXED (n, _)) = n
    | length (BLOCKS (n, _)) = n
  fun tabulate (n, f) = if n < 0 then raise Size else INDEXED (n, f)
  fun delay a = INDEXED (PArray.length a, fn i => at (a, i))
  fun range (from, to) = if from > to then INDEXED (0, fn i => i) else INDEXED (to - from + 1, fn i => add (from, i))

  (* Returns the elements of a block, one after the other. *)
  fun stream (BLOCKS (_, next)) = next
    | stream (INDEXED (n, f)) =
        let val size = blockOf n
        in
          fn b =>
            let val i = ref (b * size)
            in fn () => let val k = ! i in i := add (k, 1); f k end
            end
        end

  (* Calls `act` for each element of a block, in order. *)
  fun inBlock (d, b, act) =
    let
      val n = length d
      val size = blockOf n
      val first = b * size
      val stop = Int.min (add (first, size), n)
    in
      case d of
        INDEXED (_, f) =>
          let fun go i = if i >= stop then () else (act (i, f i); go (add (i, 1)))
          in go first
          end
      | BLOCKS (_, next) =>
          let
            val next = next b
            fun go i = if i >= stop then () else (act (i, next ()); go (add (i, 1)))
          in
            go first
          end
    end

  fun eachi act (INDEXED (n, f)) = ParLoop.each (0, n, fn i => act (i, f i))
    | eachi act d = ParLoop.each (0, blocksOf (length d), fn b => inBlock (d, b, act))
  fun each act d = eachi (fn (_, x) => act x) d

  fun force (INDEXED (n, f)) = PArray.tabulate (n, f)
    | force d =
        if length d = 0 then PArray.fromVector (Core.Vector.empty ())
        else
          let val a = A.blank (length d)
          in
            ParLoop.each (0, blocksOf (length d), fn b => inBlock (d, b, fn (i, x) => A.fill (a, i, x)));
            PArray.fromVector (A.freeze a)
          end

  (* Returns the combination of all elements of a block. *)
  fun total (f, unit, d) b =
    let val sum = ref unit
    in inBlock (d, b, fn (_, x) => sum := f (! sum, x)); ! sum
    end

  fun reduce f unit (INDEXED (n, get)) = ParLoop.reduce (f, unit, n, get)
    | reduce f unit d = ParLoop.reduce (f, unit, blocksOf (length d), total (f, unit, d))

  fun map f (INDEXED (n, get)) = INDEXED (n, fn i => f (get i))
    | map f (BLOCKS (n, next)) = BLOCKS (n, fn b => let val next = next b in fn () => f (next ()) end)
  fun count keep d = reduce Core.Int.add 0 (map (fn x => if keep x then 1 else 0) d)

  fun indexed (d as INDEXED _) = d
    | indexed d = delay (force d)
  fun get (INDEXED (_, f)) = f
    | get d = get (indexed d)
  fun cut (d, i, n) =
    let val f = get d
    in INDEXED (n, fn k => f (add (i, k)))
    end
  (* Returns the first n elements. *)
  fun fit (d, n) = if length d = n then d else cut (d, 0, n)

  fun zipWith f (INDEXED (m, get), INDEXED (n, get')) = INDEXED (Int.min (m, n), fn i => f (get i, get' i))
    | zipWith f (d, e) =
        let
          val n = Int.min (length d, length e)
          val next = stream (fit (d, n))
          val next' = stream (fit (e, n))
        in
          BLOCKS (n, fn b => let val (next, next') = (next b, next' b) in fn () => f (next (), next' ()) end)
        end
  fun mapi f (INDEXED (n, get)) = INDEXED (n, fn i => f (i, get i))
    | mapi f d = zipWith f (INDEXED (length d, fn i => i), d)
  fun zip de = zipWith (fn xy => xy) de
  fun enumerate d = mapi (fn ix => ix) d

  fun subseq (d, i, n) =
    if i < 0 orelse n < 0 orelse i > length d - n then raise Subscript else cut (d, i, n)
  fun take (d, n) = subseq (d, 0, n)
  fun drop (d, n) = if n < 0 then raise Subscript else subseq (d, n, length d - n)
  fun append (d, e) =
    let
      val (m, n) = (length d, length e)
      val (f, g) = (get d, get e)
    in
      tabulate (m + n, fn i => if i < m then f i else g (i - m))
    end
  fun rev d =
    let val (n, f) = (length d, get d)
    in INDEXED (n, fn i => f (n - 1 - i))
    end

  (* Returns the streams of a scan, and the combination of all elements. If `inclusive`, element i of the result includes element i of
     the input. *)
  fun scanned (f, unit, d, inclusive) =
    let
      val n = length d
      val totals = make (blocksOf n, total (f, unit, d))
      val starts = PArray.scan f unit totals
      val next = stream d
      fun block b =
        let
          val sum = ref (at (starts, b))
          val next = next b
        in
          if inclusive then fn () => (sum := f (! sum, next ()); ! sum)
          else fn () => let val x = ! sum in sum := f (x, next ()); x end
        end
      val last = PArray.length totals - 1
    in
      (BLOCKS (n, block), if last < 0 then unit else f (at (starts, last), at (totals, last)))
    end
  fun scanTotal f unit d = scanned (f, unit, d, false)
  fun scan f unit d = #1 (scanned (f, unit, d, false))
  fun scanIncl f unit d = #1 (scanned (f, unit, d, true))

  fun flatten d =
    let
      val arrays = force d
      val k = PArray.length arrays
      val starts = PArray.scan Core.Int.+ 0 (PArray.map PArray.length arrays)
      val n = if k = 0 then 0 else at (starts, k - 1) + PArray.length (at (arrays, k - 1))
      val size = blockOf n
      (* Returns the last array that begins at this index or before it. *)
      fun arrayAt (i, low, high) =
        if high - low <= 1 then low
        else
          let val m = ParLoop.middle (low, high)
          in if at (starts, m) <= i then arrayAt (i, m, high) else arrayAt (i, low, m)
          end
      fun block b =
        let
          val first = b * size
          val number = ref (arrayAt (first, 0, k))
          val array = ref (at (arrays, ! number))
          val i = ref (first - at (starts, ! number))
          fun next () =
            let val k = ! i
            in
              if k < PArray.length (! array) then (i := add (k, 1); at (! array, k))
              else (number := add (! number, 1); array := at (arrays, ! number); i := 0; next ())
            end
        in
          next
        end
    in
      BLOCKS (n, block)
    end

  fun filter keep d =
    let
      val size = blockOf (length d)
      fun kept b =
        let
          val a = A.blank size
          val n = ref 0
        in
          inBlock (d, b, fn (_, x) => if keep x then (A.fill (a, ! n, x); n := add (! n, 1)) else ());
          A.settle a;
          let
            val n = ! n
            val exact = if n = 0 then A.empty () else A.blank n
            fun copy i = if i >= n then () else (A.fill (exact, i, A.sub (a, i)); copy (add (i, 1)))
          in
            copy 0;
            PArray.fromVector (A.freeze exact)
          end
        end
    in
      flatten (INDEXED (blocksOf (length d), kept))
    end
end
