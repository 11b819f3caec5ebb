(* The structures that Parallel ML adds to the Basis: lazy values, parallel arrays and ropes. *)

signature LAZY =
sig
  type 'a lazy
  val delay : (unit -> 'a) -> 'a lazy
  val value : 'a -> 'a lazy
  (* The first call computes the value. Later calls return the same value, or raise the same exception. *)
  val force : 'a lazy -> 'a
end

(* Lazy values, including those of `pval`. One strand computes a value, and other strands that need the value wait. *)
structure LazyCell =
struct
  datatype 'a state =
    DELAYED of unit -> 'a
  | VALUE of 'a
  | FAILED of exn
    (* A strand computes the value. The runtime uses further words, which are not objects, for this state: see `wait/lazy.rs`. *)
  | RUNNING
  type 'a lazy = 'a state ref

  fun claim (lazy, state) =
    if Core.Lazy.isRecorded () then Core.Lazy.claim (lazy, state) else (lazy := RUNNING; true)
  fun settle (lazy, state) =
    if not (Core.Lazy.isRecorded ()) then lazy := state
    else if Core.Lazy.settleOwn (lazy, state) then ()
    else Core.Lazy.settle (lazy, state)

  fun compute (lazy, f) =
    let val a = f () handle exn => (settle (lazy, FAILED exn); raise exn)
    in settle (lazy, VALUE a); a
    end

  fun wait lazy =
    if ! Core.Waits.areFibers andalso (! Core.Waits.leave) () then
      let val isOther = Core.Lazy.wait lazy
      in
        (! Core.Waits.back) ();
        isOther
      end
    else Core.Lazy.wait lazy

  fun delay f = ref (DELAYED f)
  fun value a = ref (VALUE a)
  fun force lazy =
    case ! lazy of
      VALUE a => a
    | FAILED exn => raise exn
    | state as DELAYED f => if claim (lazy, state) then compute (lazy, f) else force lazy
    | RUNNING => if wait lazy then force lazy else raise Fail "a lazy value that needs itself"

  (* Computes the value if no strand has begun to compute it. *)
  fun begin lazy =
    case ! lazy of
      state as DELAYED f => if claim (lazy, state) then settle (lazy, VALUE (f ()) handle exn => FAILED exn) else ()
    | _ => ()
end

structure Lazy :> LAZY = LazyCell

signature PARRAY =
sig
  type 'a parray
  val length : 'a parray -> int
  val sub : 'a parray * int -> 'a
  val fromList : 'a list -> 'a parray
  val toList : 'a parray -> 'a list
  val fromVector : 'a vector -> 'a parray
  val toVector : 'a parray -> 'a vector
  val tab : int * (int -> 'a) -> 'a parray
  val tabulate : int * (int -> 'a) -> 'a parray
  (* `tab2D (rows, columns, f)` returns an array of rows. *)
  val tab2D : int * int * (int * int -> 'a) -> 'a parray parray
  (* The range includes both ends. *)
  val range : int * int -> int parray
  (* The third argument is the step, which may be negative. A step of 0 raises Domain. *)
  val rangeBy : int * int * int -> int parray
  val map : ('a -> 'b) -> 'a parray -> 'b parray
  val mapi : (int * 'a -> 'b) -> 'a parray -> 'b parray
  val app : ('a -> unit) -> 'a parray -> unit
  val filter : ('a -> bool) -> 'a parray -> 'a parray
  (* The function must be associative, and the value must be its unit. *)
  val reduce : ('a * 'a -> 'a) -> 'a -> 'a parray -> 'a
  (* Element i of the result combines the elements before i, so element 0 is the unit. *)
  val scan : ('a * 'a -> 'a) -> 'a -> 'a parray -> 'a parray
  val concat : 'a parray list -> 'a parray
  val flatten : 'a parray parray -> 'a parray
  val append : 'a parray * 'a parray -> 'a parray
  val rev : 'a parray -> 'a parray
  val zip : 'a parray * 'b parray -> ('a * 'b) parray
  val zip3 : 'a parray * 'b parray * 'c parray -> ('a * 'b * 'c) parray
  val unzip : ('a * 'b) parray -> 'a parray * 'b parray
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a parray -> 'b
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a parray -> 'b
  val exists : ('a -> bool) -> 'a parray -> bool
  val all : ('a -> bool) -> 'a parray -> bool
  val collate : ('a * 'a -> order) -> 'a parray * 'a parray -> order
  val toString : ('a -> string) -> string -> 'a parray -> string
end

(* Loops over parallel arrays. A loop continues until an idle worker requests work: then the loop forks its remaining iterations into
   halves. This is lazy splitting (Rainey, chapter 4), applied to the loop's own state. So no threshold decides when to fork. *)
structure ParLoop =
struct
  (* Returns true if an idle worker requests work, and only a division of this loop can provide it. If no worker requests anything, the
     cost is the load of one word. The call is the loop's poll, so each iteration begins with it. *)
  val attend = Core.Par.attend
  fun wanted () = Core.Par.asked () andalso attend ()
  val next = fn i => Core.Int.add (i, 1)
  fun middle (i, n) = Core.Int.add (i, (Core.Int.sub (n, i)) div 2)
  fun several (i, n) = Core.Int.sub (n, i) > 1
  (* The strands that run parts of a loop fill the arrays below. Another strand reads an element only after the strand that has written
     it has settled the array or has ended. *)

  (* Calls `f i` for each `i` from `i` to `n - 1`. During each call of `f`, the rest of the loop is a fork, so thieves first take the
     rest of the outermost of several nested loops. A worker that has taken a rest begins by giving half of it away: its first `wanted`
     is true. If `f` calls nothing, the loop forks nothing, and only a request divides it. *)
  fun each (i, n, f) =
    let
      fun go (i, n) =
        if i >= n then ()
        else if wanted () andalso several (i, n) then halve (i, n)
        else
          let val (_, rest) = (| f i, go (next i, n) |)
          in rest
          end
      and halve (i, n) =
        let
          val m = middle (i, n)
          val (_, rest) = (| (ignore (attend ()); go (i, m)), go (m, n) |)
        in
          rest
        end
    in
      go (i, n)
    end

  (* Returns a vector of `f 0` to `f (n - 1)`. The caller must have checked the length. *)
  fun tabulate (n, f) =
    if n = 0 then Core.Vector.empty ()
    else
      let val a = Core.Array.blank n
      in each (0, n, fn i => Core.Array.fill (a, i, f i)); Core.Array.freeze a
      end

  (* The elements that one worker has found in a part of a loop: this number of elements at the beginning of an array. *)
  datatype 'a found =
    Found of 'a array * int
  | Both of 'a found * 'a found * int

  fun count (Found (_, n)) = n
    | count (Both (_, _, n)) = n

  fun copy (from, a, at, n) = each (0, n, fn i => Core.Array.fill (a, Core.Int.add (at, i), Core.Array.sub (from, i)))

  fun gather (Found (from, n), a, at) = copy (from, a, at, n)
    | gather (Both (left, right, _), a, at) =
        let val _ = (| gather (left, a, at), gather (right, a, Core.Int.add (at, count left)) |)
        in ()
        end

  (* The number of elements that `filter` finds before it begins another array. An array of this length is not a large object: most such
     arrays die young. *)
  val most = 2048

  fun both (left, right) = Both (left, right, Core.Int.add (count left, count right))

  (* Adds an array to the trees of a worker, newest first. Two trees of one rank become one tree, as in the increment of a binary number,
     so `gather` forks halves. *)
  fun add (found, rank, trees as (tree, k) :: older) =
        if k = rank then add (both (tree, found), next rank, older) else (found, rank) :: trees
    | add (found, rank, nil) = [(found, rank)]

  (* Returns all elements that a worker has found. *)
  fun close (found, (tree, _) :: older) = close (both (tree, found), older)
    | close (found, nil) = found

  (* Returns a vector of `f i` for each `i` from 0 to `n - 1` for which `keep i` is true. *)
  fun filter (n, keep, f) =
    let
      fun go (i, n, a, size, used, trees) =
        if i >= n then (Core.Array.settle a; close (Found (a, used), trees))
        else if wanted () andalso several (i, n) then halve (i, n, a, size, used, trees)
        else if not (keep i) then go (next i, n, a, size, used, trees)
        else if used < size then (Core.Array.fill (a, used, f i); go (next i, n, a, size, next used, trees))
        else
          let
            val () = Core.Array.settle a
            val size = Int.min (Core.Int.add (used, used), most)
          in
            go (i, n, Core.Array.blank size, size, 0, add (Found (a, used), 0, trees))
          end
      and halve (i, n, a, size, used, trees) =
        let
          val m = middle (i, n)
          val (left, right) = (| (ignore (attend ()); go (i, m, a, size, used, trees)), begin (m, n) |)
        in
          both (left, right)
        end
      and begin (i, n) =
        go (i, n, Core.Array.blank 16, 16, 0, nil)
      (* This is `begin (0, n)`, without a call of a function that the optimiser does not inline, because it also belongs to the loop. *)
      val found = go (0, n, Core.Array.blank 16, 16, 0, nil)
      val n = count found
    in
      if n = 0 then Core.Vector.empty ()
      else
        let val a = Core.Array.blank n
        in gather (found, a, 0); Core.Array.freeze a
        end
    end

  (* Combines `f 0` to `f (n - 1)`. The leftmost part begins with `x`, and all other parts with the unit. *)
  fun reduce (combine, unit, n, f) =
    let
      fun go (i, n, x) =
        if i >= n then x
        else if wanted () andalso several (i, n) then halve (i, n, x)
        else go (next i, n, combine (x, f i))
      and halve (i, n, x) =
        let
          val m = middle (i, n)
          val (left, right) = (| (ignore (attend ()); go (i, m, x)), go (m, n, unit) |)
        in
          combine (left, right)
        end
    in
      go (0, n, unit)
    end

  (* Returns true if `f i` is true for an `i` from 0 to `n - 1`. When a part has found such an `i`, the parts to its right are cancelled. *)
  fun exists (n, f) =
    let
      fun go (i, n) =
        if i >= n then false
        else if wanted () andalso several (i, n) then halve (i, n)
        else f i orelse go (next i, n)
      and halve (i, n) =
        let
          val m = middle (i, n)
          pval right = go (m, n)
        in
          (ignore (attend ()); go (i, m)) orelse right
        end
    in
      go (0, n)
    end

  (* The prefixes of a part of a loop, computed from the unit on, and the combination of all elements of the part. *)
  datatype 'a prefixes =
    Prefixes of int * int * 'a
  | Parts of 'a prefixes * 'a prefixes * 'a

  fun total (Prefixes (_, _, x)) = x
    | total (Parts (_, _, x)) = x

  fun scan (combine, unit, n, f) =
    let
      val a = Core.Array.blank n
      fun go (first, i, n, x) =
        if i >= n then (Core.Array.settle a; Prefixes (first, n, x))
        else if wanted () andalso several (i, n) then halve (first, i, n, x)
        else (Core.Array.fill (a, i, x); go (first, next i, n, combine (x, f i)))
      and halve (first, i, n, x) =
        let
          val m = middle (i, n)
          val (left, right) = (| (ignore (attend ()); go (first, i, m, x)), go (m, m, n, unit) |)
        in
          Parts (left, right, combine (total left, total right))
        end
      (* Combines the result of everything to the left of a part with each prefix of the part. *)
      fun correct (x, Prefixes (i, n, _)) =
            each (i, n, fn i => Core.Array.fill (a, i, combine (x, Core.Array.sub (a, i))))
        | correct (x, Parts (left, right, _)) =
            let val _ = (| correct (x, left), correct (combine (x, total left), right) |)
            in ()
            end
      (* The first part has nothing to its left. *)
      fun first (Prefixes _) = ()
        | first (Parts (left, right, _)) =
            let val _ = (| first left, correct (total left, right) |)
            in ()
            end
    in
      first (go (0, 0, n, unit));
      Core.Array.freeze a
    end
end

structure PArray :> PARRAY =
struct
  type 'a parray = 'a vector
  val length = Core.Vector.length
  val unsafeSub = Core.Vector.sub
  fun sub (a, i) = if Core.Int.within (i, length a) then unsafeSub (a, i) else raise Subscript
  val fromList = Vector.fromList
  fun foldr f b a = Vector.foldr f b a
  fun foldl f b a = Vector.foldl f b a
  fun toList a = Vector.foldr op :: nil a
  fun fromVector a = a
  fun toVector a = a
  fun tabulate (n, f) = if n < 0 orelse n > Vector.maxLen then raise Size else ParLoop.tabulate (n, f)
  fun tab (n, f) = tabulate (n, f)
  fun tab2D (rows, columns, f) = tab (rows, fn i => tab (columns, fn j => f (i, j)))

  (* The distance is a word, because the distance between the smallest and the largest int does not fit in an int. *)
  fun rangeBy (from, to, step) =
    if step = 0 then raise Domain
    else if (if step > 0 then from > to else from < to) then Core.Vector.empty ()
    else
      let
        fun distance (a, b) = Core.Word.- (Core.Int.toWord b, Core.Int.toWord a)
        val steps =
          if step > 0 then distance (from, to) div Core.Int.toWord step
          else distance (to, from) div ~ (Core.Int.toWord step)
        val count =
          if steps >= Core.Int.toWord Vector.maxLen then raise Size else Core.Word.toIntX steps + 1
      in
        ParLoop.tabulate (count, fn i => from + i * step)
      end
  fun range (from, to) = if from > to then Core.Vector.empty () else rangeBy (from, to, 1)

  fun map f a = ParLoop.tabulate (length a, fn i => f (unsafeSub (a, i)))
  fun mapi f a = ParLoop.tabulate (length a, fn i => f (i, unsafeSub (a, i)))
  fun app f a = Vector.app f a
  fun filter f a = ParLoop.filter (length a, fn i => f (unsafeSub (a, i)), fn i => unsafeSub (a, i))
  fun reduce f unit a = ParLoop.reduce (f, unit, length a, fn i => unsafeSub (a, i))
  fun scan f unit a =
    if length a = 0 then Core.Vector.empty () else ParLoop.scan (f, unit, length a, fn i => unsafeSub (a, i))

  (* Joins vectors. `starts` has the position at which each vector begins in the result. *)
  fun joined (n, vectors, starts) =
    if n = 0 then Core.Vector.empty ()
    else if n > Vector.maxLen then raise Size
    else
      let val a = Core.Array.blank n
      in
        ParLoop.each
          ( 0
          , length vectors
          , fn k =>
              let
                val from = unsafeSub (vectors, k)
                val at = unsafeSub (starts, k)
              in
                ParLoop.each
                  (0, length from, fn i => Core.Array.fill (a, Core.Int.add (at, i), unsafeSub (from, i)))
              end );
        Core.Array.freeze a
      end
  fun flatten a =
    let
      val k = length a
      val starts = scan Core.Int.+ 0 (map length a)
    in
      if k = 0 then Core.Vector.empty ()
      else joined (unsafeSub (starts, k - 1) + length (unsafeSub (a, k - 1)), a, starts)
    end
  fun concat arrays = flatten (fromList arrays)
  fun append (a, b) = concat [a, b]
  fun rev a =
    let val n = length a
    in ParLoop.tabulate (n, fn i => unsafeSub (a, n - 1 - i))
    end

  fun zip (a, b) =
    ParLoop.tabulate (Int.min (length a, length b), fn i => (unsafeSub (a, i), unsafeSub (b, i)))
  fun zip3 (a, b, c) =
    ParLoop.tabulate
      ( Int.min (length a, Int.min (length b, length c))
      , fn i => (unsafeSub (a, i), unsafeSub (b, i), unsafeSub (c, i)) )
  fun unzip a = (map (fn (x, _) => x) a, map (fn (_, y) => y) a)
  fun exists f a = ParLoop.exists (length a, fn i => f (unsafeSub (a, i)))
  fun all f a = not (exists (fn x => not (f x)) a)
  fun collate f ab = Vector.collate f ab
  fun toString f between a = String.concatWith between (List.map f (toList a))
end

(* The sequences of which comprehensions consist. Such a sequence is a length and a function of the index, and not an array. *)
structure Comprehension =
struct
  fun over a = (PArray.length a, fn i => Core.Vector.sub (PArray.toVector a, i))
  fun both ((m, f), (n, g)) = (Int.min (m, n), fn i => (f i, g i))
  fun map f (n, get) = PArray.fromVector (ParLoop.tabulate (n, fn i => f (get i)))
  (* Evaluates all conditions before the bodies. *)
  fun filter keep f (n, get) =
    let val kept = ParLoop.filter (n, fn i => keep (get i), fn i => i)
    in
      PArray.fromVector
        (ParLoop.tabulate (Core.Vector.length kept, fn k => f (get (Core.Vector.sub (kept, k)))))
    end
end

type 'a parray = 'a PArray.parray
val range = PArray.range
val subP = PArray.sub
val lengthP = PArray.length
val concatP = PArray.concat
fun mapP f a = PArray.map f a
fun filterP f a = PArray.filter f a
fun reduceP f unit a = PArray.reduce f unit a
fun scanP f unit a = PArray.scan f unit a

structure SumP =
struct
  fun int a = PArray.reduce Core.Int.+ 0 a
  fun real a = PArray.reduce Core.Real.+ 0.0 a
  fun word a = PArray.reduce Core.Word.+ 0w0 a
  fun intInf a = PArray.reduce Core.IntInf.+ 0 a
end

_overload sumP : 'a parray -> 'a as SumP.int and SumP.real and SumP.word and SumP.intInf

fun parN nil = nil
  | parN [f] = [f ()]
  | parN (f :: fs) =
      let val (x, xs) = (| f (), parN fs |)
      in x :: xs
      end

signature ROPE =
sig
  type 'a rope
  val tabulate : int * (int -> 'a) -> 'a rope
  val tabulateSequential : int * (int -> 'a) -> 'a rope
  val fromList : 'a list -> 'a rope
  val toList : 'a rope -> 'a list
  val length : 'a rope -> int
  val sub : 'a rope * int -> 'a
  val map : ('a -> 'b) -> 'a rope -> 'b rope
  val app : ('a -> unit) -> 'a rope -> unit
  val reduce : ('a * 'a -> 'a) -> 'a -> 'a rope -> 'a
  val concat : 'a rope * 'a rope -> 'a rope
  val toPArray : 'a rope -> 'a parray
  val fromPArray : 'a parray -> 'a rope
end

structure Rope :> ROPE =
struct
  type 'a rope = 'a parray
  val tabulate = PArray.tab
  val tabulateSequential = PArray.tab
  val fromList = PArray.fromList
  val toList = PArray.toList
  val length = PArray.length
  val sub = PArray.sub
  val map = PArray.map
  val app = PArray.app
  val reduce = PArray.reduce
  val concat = PArray.append
  fun toPArray a = a
  fun fromPArray a = a
end

signature RANDOM =
sig
  type rand
  (* Returns a generator with two seeds. *)
  val rand : int * int -> rand
  (* Returns any int. *)
  val randInt : rand -> int
  (* Returns any nonnegative int. *)
  val randNat : rand -> int
  (* Returns a real of at least 0.0 and less than 1.0. *)
  val randReal : rand -> real
  (* The range includes both ends. Raises Domain if it is empty. *)
  val randRange : int * int -> rand -> int
end

structure Random :> RANDOM =
struct
  type rand = word ref

  fun rand (a, b) =
    ref (Core.Word.xorb (Core.Int.toWord a * 0wx100000001B3, Core.Int.toWord b) * 0wxD1342543DE82EF5 + 0w1)

  (* The generator splitmix64: a counter whose bits are mixed. *)
  fun next state =
    let
      val z = ! state + Core.Word.orb (Core.Word.shl (0wx9E3779B9, 0w32), 0wx7F4A7C15)
      val _ = state := z
      val z =
        Core.Word.xorb (z, Core.Word.shr (z, 0w30))
        * Core.Word.orb (Core.Word.shl (0wxBF58476D, 0w32), 0wx1CE4E5B9)
      val z =
        Core.Word.xorb (z, Core.Word.shr (z, 0w27))
        * Core.Word.orb (Core.Word.shl (0wx94D049BB, 0w32), 0wx133111EB)
    in
      Core.Word.xorb (z, Core.Word.shr (z, 0w31))
    end

  fun randInt state = Core.Word.toIntX (next state)
  fun randNat state = Core.Word.toIntX (Core.Word.shr (next state, 0w2))
  (* Uses 53 bits, which a real represents exactly. *)
  fun randReal state = Core.Real.fromInt (Core.Word.toIntX (Core.Word.shr (next state, 0w11))) / 9007199254740992.0
  fun randRange (low, high) =
    if low > high then raise Domain
    else
      let val count = Core.Int.toWord high - Core.Int.toWord low + 0w1
      in
        fn state =>
          if count = 0w0 then randInt state
          else Core.Word.toIntX (Core.Int.toWord low + next state mod count)
      end
end
