(* Sequences: the operations on parallel arrays that `PArray` does not have. A sequence is a parallel array, so programs can use both
   structures together. Both structures have some functions in common, which are the same. *)

signature SEQ =
sig
  type 'a seq = 'a parray

  val empty : unit -> 'a seq
  val singleton : 'a -> 'a seq
  val fromList : 'a list -> 'a seq
  val toList : 'a seq -> 'a list
  val fromVector : 'a vector -> 'a seq
  val toVector : 'a seq -> 'a vector
  val fromArray : 'a array -> 'a seq
  val toArray : 'a seq -> 'a array
  val tabulate : int * (int -> 'a) -> 'a seq
  (* The range includes both ends. *)
  val range : int * int -> int seq

  val length : 'a seq -> int
  val isEmpty : 'a seq -> bool
  val sub : 'a seq * int -> 'a
  val first : 'a seq -> 'a
  val last : 'a seq -> 'a

  val map : ('a -> 'b) -> 'a seq -> 'b seq
  val mapi : (int * 'a -> 'b) -> 'a seq -> 'b seq
  val app : ('a -> unit) -> 'a seq -> unit
  (* Calls the function in parallel, for its effect. *)
  val each : ('a -> unit) -> 'a seq -> unit
  val eachi : (int * 'a -> unit) -> 'a seq -> unit

  (* In these four functions, the function argument must be associative, and the value must be its unit. *)
  val reduce : ('a * 'a -> 'a) -> 'a -> 'a seq -> 'a
  (* Element i of the result combines the elements before i, so element 0 is the unit. *)
  val scan : ('a * 'a -> 'a) -> 'a -> 'a seq -> 'a seq
  (* Element i of the result combines the elements up to and including i. *)
  val scanIncl : ('a * 'a -> 'a) -> 'a -> 'a seq -> 'a seq
  (* Returns the result of `scan`, and the combination of all elements. *)
  val scanTotal : ('a * 'a -> 'a) -> 'a -> 'a seq -> 'a seq * 'a
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a seq -> 'b
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a seq -> 'b
  val count : ('a -> bool) -> 'a seq -> int
  val exists : ('a -> bool) -> 'a seq -> bool
  val all : ('a -> bool) -> 'a seq -> bool
  (* Return the first element for which the function is true, and with `findi` its index. *)
  val find : ('a -> bool) -> 'a seq -> 'a option
  val findi : (int * 'a -> bool) -> 'a seq -> (int * 'a) option
  (* Returns the index of the greatest element. If several elements are the greatest, returns the first of their indices. Raises Empty. *)
  val argMax : ('a * 'a -> order) -> 'a seq -> int

  val filter : ('a -> bool) -> 'a seq -> 'a seq
  val filteri : (int * 'a -> bool) -> 'a seq -> 'a seq
  val mapPartial : ('a -> 'b option) -> 'a seq -> 'b seq
  (* `f (x, emit)` passes each of its results to `emit`. Returns the results for all elements, in order. *)
  val mapMany : ('a * ('b -> unit) -> unit) -> 'a seq -> 'b seq
  (* Returns the elements for which the function is true, and the other elements. *)
  val partition : ('a -> bool) -> 'a seq -> 'a seq * 'a seq

  val concat : 'a seq list -> 'a seq
  val flatten : 'a seq seq -> 'a seq
  val append : 'a seq * 'a seq -> 'a seq
  val rev : 'a seq -> 'a seq
  (* Raise Subscript if the sequence has too few elements. *)
  val take : 'a seq * int -> 'a seq
  val drop : 'a seq * int -> 'a seq
  (* `subseq (a, i, n)` returns n elements, from index i on. *)
  val subseq : 'a seq * int * int -> 'a seq
  val zip : 'a seq * 'b seq -> ('a * 'b) seq
  val zipWith : ('a * 'b -> 'c) -> 'a seq * 'b seq -> 'c seq
  val unzip : ('a * 'b) seq -> 'a seq * 'b seq
  val enumerate : 'a seq -> (int * 'a) seq

  val update : 'a seq * int * 'a -> 'a seq
  (* Puts values at indices. If several values have the same index, the last value wins. *)
  val inject : 'a seq * (int * 'a) seq -> 'a seq

  (* The sort is stable. *)
  val sort : ('a * 'a -> order) -> 'a seq -> 'a seq
  val isSorted : ('a * 'a -> order) -> 'a seq -> bool
  (* Merges two sorted sequences. Among equal elements, those of the first sequence come first. *)
  val merge : ('a * 'a -> order) -> 'a seq * 'a seq -> 'a seq
  (* Drops each element that equals its predecessor. *)
  val unique : ('a * 'a -> order) -> 'a seq -> 'a seq
  (* `histogram (n, a)` returns how often each number from 0 to n - 1 occurs. *)
  val histogram : int * int seq -> int seq
  (* Returns the values of each key, in their order. The keys are sorted. *)
  val group : ('k * 'k -> order) -> ('k * 'v) seq -> ('k * 'v seq) seq
  (* Combines the values of each key. The function must be associative. *)
  val groupReduce : ('k * 'k -> order) -> ('v * 'v -> 'v) -> ('k * 'v) seq -> ('k * 'v) seq

  val equal : ('a * 'a -> bool) -> 'a seq * 'a seq -> bool
  val collate : ('a * 'a -> order) -> 'a seq * 'a seq -> order
  val toString : ('a -> string) -> string -> 'a seq -> string
end

(* Sorting by merges. The two halves of a part are a fork. When an idle worker requests work, a merge divides its remaining elements at
   the middle element of the longer part (Cormen and others, Introduction to Algorithms, 3rd edition, section 27.3). *)
structure SeqSort =
struct
  structure A = Core.Array
  structure V = Core.Vector
  val add = Core.Int.add
  val sub = Core.Int.sub

  (* The function sorts parts of this many elements by insertion. The reason is the cache, and not the cost of forks. *)
  val few = 12

  (* A merge of fewer elements is not divided. *)
  val short = 64

  (* `merge (compare, from, i, m, j, n, to, k)` merges elements i to m - 1 and elements j to n - 1 of an array into another array, from
     index k on. *)
  fun merge (compare, from, i, m, j, n, to, k) =
    let
      fun copy (i, n, k) =
        if i >= n then () else (A.fill (to, k, A.sub (from, i)); copy (add (i, 1), n, add (k, 1)))
      (* `lower` returns the first index whose element is not less than x. `upper` returns the first index whose element is greater than
         x. *)
      fun lower (x, i, n) =
        if i >= n then i
        else
          let val h = ParLoop.middle (i, n)
          in case compare (A.sub (from, h), x) of LESS => lower (x, add (h, 1), n) | _ => lower (x, i, h)
          end
      fun upper (x, i, n) =
        if i >= n then i
        else
          let val h = ParLoop.middle (i, n)
          in case compare (A.sub (from, h), x) of GREATER => upper (x, i, h) | _ => upper (x, add (h, 1), n)
          end
      fun go (i, m, j, n, k) =
        if i >= m then copy (j, n, k)
        else if j >= n then copy (i, m, k)
        else if ParLoop.wanted () andalso add (sub (m, i), sub (n, j)) > short then halve (i, m, j, n, k)
        else
          let
            val x = A.sub (from, i)
            val y = A.sub (from, j)
          in
            case compare (x, y) of
              GREATER => (A.fill (to, k, y); go (i, m, add (j, 1), n, add (k, 1)))
            | _ => (A.fill (to, k, x); go (add (i, 1), m, j, n, add (k, 1)))
          end
      and halve (i, m, j, n, k) =
        let
          val () = A.settle from
          val isLeft = sub (m, i) >= sub (n, j)
          val p = if isLeft then ParLoop.middle (i, m) else upper (A.sub (from, ParLoop.middle (j, n)), i, m)
          val q = if isLeft then lower (A.sub (from, p), j, n) else ParLoop.middle (j, n)
          val at = add (k, add (sub (p, i), sub (q, j)))
          val _ = (| (ignore (ParLoop.attend ()); go (i, p, j, q, k)), go (p, m, q, n, at) |)
        in
          ()
        end
    in
      go (i, m, j, n, k)
    end

  (* Copies elements i to n - 1 of an array to the same indices of another array. *)
  fun copy (from, i, n, to) =
    if i >= n then ()
    else if ParLoop.wanted () andalso sub (n, i) > short then
      let
        val () = A.settle from
        val m = ParLoop.middle (i, n)
        val _ = (| (ignore (ParLoop.attend ()); copy (from, i, m, to)), copy (from, m, n, to) |)
      in
        ()
      end
    else (A.fill (to, i, A.sub (from, i)); copy (from, add (i, 1), n, to))

  (* Returns a sorted vector of the n elements that `get` returns. *)
  fun sort (compare, n, get) =
    if n = 0 then V.empty ()
    else
      let
        val a = A.blank n
        val b = A.blank n
        (* Inserts an element into the sorted elements from index i on. *)
        fun insert (to, x, i, k) =
          if k > i then
            let val y = A.sub (to, sub (k, 1))
            in case compare (y, x) of GREATER => (A.fill (to, k, y); insert (to, x, i, sub (k, 1))) | _ => A.fill (to, k, x)
            end
          else A.fill (to, k, x)
        fun insertion (to, i, k, n) =
          if k >= n then () else (insert (to, get k, i, k); insertion (to, i, add (k, 1), n))
        fun go (i, n, to, other) =
          if sub (n, i) <= few then insertion (to, i, i, n)
          else
            let
              val m = ParLoop.middle (i, n)
              val _ = (| go (i, m, other, to), go (m, n, other, to) |)
            in
              case compare (A.sub (other, sub (m, 1)), A.sub (other, m)) of
                GREATER => merge (compare, other, i, m, m, n, to, i)
              | _ => copy (other, i, n, to)
            end
      in
        go (0, n, a, b);
        A.freeze a
      end
end

structure Seq :> SEQ =
struct
  open PArray
  type 'a seq = 'a parray
  structure A = Core.Array
  val add = Core.Int.add

  fun at (a, i) = Core.Vector.sub (toVector a, i)
  fun make (n, f) = fromVector (ParLoop.tabulate (n, f))
  fun ofArray a = fromVector (A.freeze a)

  fun empty () = fromVector (Core.Vector.empty ())
  fun singleton x = fromList [x]
  fun fromArray a = make (Array.length a, fn i => Array.sub (a, i))
  fun toArray a =
    let
      val n = length a
      val b = ForkJoin.alloc n
    in
      ParLoop.each (0, n, fn i => A.update (b, i, at (a, i)));
      b
    end
  fun isEmpty a = length a = 0
  fun first a = if isEmpty a then raise Empty else at (a, 0)
  fun last a = if isEmpty a then raise Empty else at (a, length a - 1)
  fun each f a = ParLoop.each (0, length a, fn i => f (at (a, i)))
  fun eachi f a = ParLoop.each (0, length a, fn i => f (i, at (a, i)))

  fun scanTotal f unit a =
    let
      val n = length a
      val before' = PArray.scan f unit a
    in
      (before', if n = 0 then unit else f (at (before', n - 1), at (a, n - 1)))
    end
  fun scanIncl f unit a =
    let val before' = PArray.scan f unit a
    in make (length a, fn i => f (at (before', i), at (a, i)))
    end
  fun count f a = ParLoop.reduce (Core.Int.add, 0, length a, fn i => if f (at (a, i)) then 1 else 0)

  (* The search ignores all indices from a bound on. The bound falls as parts find elements. *)
  fun search (n, f) =
    let
      val found = ref n
      fun lower i =
        let val old = ! found
        in if i >= old orelse Core.Par.same (Core.Par.swap (found, old, i), old) then () else lower i
        end
      val _ = ParLoop.exists (n, fn i => f i andalso (lower i; true))
    in
      ! found
    end
  fun findi f a =
    let val i = search (length a, fn i => f (i, at (a, i)))
    in if i = length a then NONE else SOME (i, at (a, i))
    end
  fun find f a = case findi (fn (_, x) => f x) a of SOME (_, x) => SOME x | NONE => NONE
  fun argMax compare a =
    if isEmpty a then raise Empty
    else
      ParLoop.reduce
        ( fn (i, j) =>
            if i < 0 then j
            else if j < 0 then i
            else case compare (at (a, i), at (a, j)) of LESS => j | _ => i
        , ~1
        , length a
        , fn i => i )

  (* Keeps the elements that a part of the loop has found in the same structure as `ParLoop.filter`. *)
  fun mapMany f a =
    let
      val n = length a
      fun begin (i, n) = part (i, n, ref (A.blank 16), ref 16, ref 0, ref nil)
      and part (i, n, buffer, size, used, trees) =
        let
          fun emit x =
            let val k = ! used
            in
              if k < ! size then ()
              else
                let
                  val () = A.settle (! buffer)
                  val () = trees := ParLoop.add (ParLoop.Found (! buffer, k), 0, ! trees)
                  val more = Int.min (add (k, k), ParLoop.most)
                in
                  buffer := A.blank more;
                  size := more;
                  used := 0
                end;
              A.fill (! buffer, ! used, x);
              used := add (! used, 1)
            end
          fun go (i, n) =
            if i >= n then (A.settle (! buffer); ParLoop.close (ParLoop.Found (! buffer, ! used), ! trees))
            else if ParLoop.wanted () andalso ParLoop.several (i, n) then halve (i, n)
            else (f (at (a, i), emit); go (add (i, 1), n))
          and halve (i, n) =
            let
              val m = ParLoop.middle (i, n)
              val (left, right) = (| (ignore (ParLoop.attend ()); go (i, m)), begin (m, n) |)
            in
              ParLoop.both (left, right)
            end
        in
          go (i, n)
        end
      val found = begin (0, n)
      val n = ParLoop.count found
    in
      if n = 0 then empty ()
      else
        let val to = A.blank n
        in ParLoop.gather (found, to, 0); ofArray to
        end
    end

  fun filteri f a = fromVector (ParLoop.filter (length a, fn i => f (i, at (a, i)), fn i => at (a, i)))
  fun mapPartial f a =
    let val found = PArray.filter (fn SOME _ => true | NONE => false) (PArray.map f a)
    in make (length found, fn i => valOf (at (found, i)))
    end
  fun partition f a =
    let
      val holds = PArray.map f a
      val (yes, no) = (| filteri (fn (i, _) => at (holds, i)) a, filteri (fn (i, _) => not (at (holds, i))) a |)
    in
      (yes, no)
    end

  fun subseq (a, i, n) =
    if i < 0 orelse n < 0 orelse i > length a - n then raise Subscript
    else make (n, fn k => at (a, add (i, k)))
  fun take (a, n) = subseq (a, 0, n)
  fun drop (a, n) = if n < 0 then raise Subscript else subseq (a, n, length a - n)
  fun zipWith f (a, b) = make (Int.min (length a, length b), fn i => f (at (a, i), at (b, i)))
  fun enumerate a = make (length a, fn i => (i, at (a, i)))

  fun checked (a, i) = if Core.Int.within (i, length a) then i else raise Subscript
  fun update (a, i, x) =
    let val i = checked (a, i)
    in make (length a, fn k => if k = i then x else at (a, k))
    end
  fun inject (a, updates) =
    let
      (* For each element, the number of its last update. *)
      val newest = A.new (length a, ~1)
      fun raiseTo (i, k) =
        let val old = A.sub (newest, i)
        in if k <= old orelse A.swap (newest, i, old, k) = old then () else raiseTo (i, k)
        end
    in
      eachi (fn (k, (i, _)) => raiseTo (checked (a, i), k)) updates;
      make (length a, fn i => case A.sub (newest, i) of ~1 => at (a, i) | k => #2 (at (updates, k)))
    end

  fun sort compare a = fromVector (SeqSort.sort (compare, length a, fn i => at (a, i)))
  fun isSorted compare a =
    not (ParLoop.exists (length a - 1, fn i => compare (at (a, i), at (a, add (i, 1))) = GREATER))
  fun merge compare (a, b) =
    let
      val m = length a
      val n = m + length b
    in
      if n = 0 then empty ()
      else
        let
          val from = A.blank n
          val to = A.blank n
        in
          ParLoop.each (0, n, fn i => A.fill (from, i, if i < m then at (a, i) else at (b, i - m)));
          A.settle from;
          SeqSort.merge (compare, from, 0, m, m, n, to, 0);
          ofArray to
        end
    end
  fun unique compare a = filteri (fn (i, x) => i = 0 orelse compare (at (a, i - 1), x) <> EQUAL) a

  (* Each part of the loop counts in a separate array. The number of parts is the number of requests by idle workers. *)
  fun histogram (n, a) =
    if n < 0 then raise Size
    else if n = 0 then if isEmpty a then empty () else raise Subscript
    else
      let
        fun new () = A.new (n, 0)
        fun go (i, m, counts) =
          if i >= m then counts
          else if ParLoop.wanted () andalso ParLoop.several (i, m) then halve (i, m, counts)
          else
            let val k = at (a, i)
            in
              if Core.Int.within (k, n) then A.update (counts, k, add (A.sub (counts, k), 1)) else raise Subscript;
              go (add (i, 1), m, counts)
            end
        and halve (i, m, counts) =
          let
            val h = ParLoop.middle (i, m)
            val (left, right) = (| (ignore (ParLoop.attend ()); go (i, h, counts)), go (h, m, new ()) |)
          in
            ParLoop.each (0, n, fn k => A.update (left, k, add (A.sub (left, k), A.sub (right, k))));
            left
          end
      in
        ofArray (go (0, length a, new ()))
      end

  (* Returns the pairs sorted by their keys, and the position at which each key begins. *)
  fun grouped compare pairs =
    let
      val sorted = sort (fn ((k, _), (l, _)) => compare (k, l)) pairs
      fun begins i = i = 0 orelse compare (#1 (at (sorted, i - 1)), #1 (at (sorted, i))) <> EQUAL
      val starts = fromVector (ParLoop.filter (length sorted, begins, fn i => i))
      fun stop g = if g + 1 = length starts then length sorted else at (starts, g + 1)
    in
      (sorted, starts, stop)
    end
  fun group compare pairs =
    let val (sorted, starts, stop) = grouped compare pairs
    in
      mapi
        (fn (g, i) => (#1 (at (sorted, i)), make (stop g - i, fn k => #2 (at (sorted, add (i, k))))))
        starts
    end
  fun groupReduce compare f pairs =
    let
      val (sorted, starts, stop) = grouped compare pairs
      fun combine (i, n) =
        if n - i = 1 then #2 (at (sorted, i))
        else
          let
            val m = ParLoop.middle (i, n)
            val (x, y) = (| combine (i, m), combine (m, n) |)
          in
            f (x, y)
          end
    in
      mapi (fn (g, i) => (#1 (at (sorted, i)), combine (i, stop g))) starts
    end

  fun equal same (a, b) =
    length a = length b andalso not (ParLoop.exists (length a, fn i => not (same (at (a, i), at (b, i)))))
end
