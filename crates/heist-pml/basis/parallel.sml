(* What Parallel ML adds: lazy values, parallel arrays and ropes. *)

signature LAZY =
sig
  type 'a lazy
  val delay : (unit -> 'a) -> 'a lazy
  val value : 'a -> 'a lazy
  (* Computes it the first time; afterwards gives the same value, or raises the same exception. *)
  val force : 'a lazy -> 'a
end

(* The values of `pval` too. One strand computes a value; others that need it wait. *)
structure LazyCell =
struct
  datatype 'a state =
    DELAYED of unit -> 'a
  | VALUE of 'a
  | FAILED of exn
    (* Some strand computes it. The runtime has other words for this that are no objects: see `lazy.rs`. *)
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

  (* Computes the value if no strand has begun to. *)
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
  (* Rows of columns: `tab2D (rows, columns, f)`. *)
  val tab2D : int * int * (int * int -> 'a) -> 'a parray parray
  (* Both ends are included. *)
  val range : int * int -> int parray
  (* The third is the step, which may be negative; 0 raises Domain. *)
  val rangeBy : int * int * int -> int parray
  val map : ('a -> 'b) -> 'a parray -> 'b parray
  val mapi : (int * 'a -> 'b) -> 'a parray -> 'b parray
  val app : ('a -> unit) -> 'a parray -> unit
  val filter : ('a -> bool) -> 'a parray -> 'a parray
  (* The function is associative, and the value its unit. *)
  val reduce : ('a * 'a -> 'a) -> 'a -> 'a parray -> 'a
  (* Element i combines the elements before i: the first is the unit. *)
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

(* Loops over parallel arrays. Each goes on as a loop until an idle worker asks for work: then it forks what is left into halves
   (Rainey, chapter 4: lazy splitting, where the loop's own state is what is split). So no length says when to fork. *)
structure ParLoop =
struct
  (* Whether an idle worker asks for work that only a division of this loop can give it. The load of one word if no worker asks for
     anything; it is the loop's poll, so each turn of a loop begins with it. *)
  val attend = Core.Par.attend
  fun wanted () = Core.Par.asked () andalso attend ()
  val next = fn i => Core.Int.add (i, 1)
  fun middle (i, n) = Core.Int.add (i, (Core.Int.sub (n, i)) div 2)
  fun several (i, n) = Core.Int.sub (n, i) > 1
  (* The arrays below are filled by the strands that run parts of a loop. Another strand reads an element only after the strand
     that has written it has settled the array or has come to its end. *)

  (* `f i` for each `i` from `i` to `n - 1`. The rest of the loop is a fork beside each call of `f`, so that of nested loops the
     outermost is given away first. A worker that has taken one begins by giving half of it away: its first `wanted` is true. If `f`
     calls nothing there is no fork, and the request is what divides the loop. *)
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

  (* A vector of `f 0` to `f (n - 1)`; the length was checked. *)
  fun tabulate (n, f) =
    if n = 0 then Core.Vector.empty ()
    else
      let val a = Core.Array.blank n
      in each (0, n, fn i => Core.Array.fill (a, i, f i)); Core.Array.freeze a
      end

  (* What one worker has found in a part of a loop: so many elements at the beginning of an array. *)
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

  (* Elements that `filter` finds before it begins another array. An array of so many is no large object: most die young. *)
  val most = 2048

  fun both (left, right) = Both (left, right, Core.Int.add (count left, count right))

  (* Adds what was found to the trees of a worker, newest first. Trees of one rank become one, as the digits of a binary number
     that is counted up, so `gather` forks halves. *)
  fun add (found, rank, trees as (tree, k) :: older) =
        if k = rank then add (both (tree, found), next rank, older) else (found, rank) :: trees
    | add (found, rank, nil) = [(found, rank)]

  (* All that a worker has found. *)
  fun close (found, (tree, _) :: older) = close (both (tree, found), older)
    | close (found, nil) = found

  (* A vector of `f i` for those `i` from 0 to `n - 1` for which `keep i`. *)
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
      val found = begin (0, n)
      val n = count found
    in
      if n = 0 then Core.Vector.empty ()
      else
        let val a = Core.Array.blank n
        in gather (found, a, 0); Core.Array.freeze a
        end
    end

  (* Combines `f 0` to `f (n - 1)`; the left part begins with `x`, others with the unit. *)
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

  (* Whether `f i` holds for an `i` from 0 to `n - 1`. Once it does in a part, what is to the right of the part is cancelled. *)
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

  (* Prefixes of a part of a loop that were computed from the unit on, and what the part combines to. *)
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
      (* What is to the left of a part is combined with its prefixes. *)
      fun correct (x, Prefixes (i, n, _)) =
            each (i, n, fn i => Core.Array.fill (a, i, combine (x, Core.Array.sub (a, i))))
        | correct (x, Parts (left, right, _)) =
            let val _ = (| correct (x, left), correct (combine (x, total left), right) |)
            in ()
            end
      (* To the left of the first part there is nothing. *)
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

  (* The distance as a word: of the farthest ends it is no int. *)
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

  (* Elements of vectors, one behind the other: `starts` says where each begins. *)
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

(* What comprehensions are made of: sequences that are not there as arrays, of a length and a function of the index. *)
structure Comprehension =
struct
  fun over a = (PArray.length a, fn i => Core.Vector.sub (PArray.toVector a, i))
  fun both ((m, f), (n, g)) = (Int.min (m, n), fn i => (f i, g i))
  fun map f (n, get) = PArray.fromVector (ParLoop.tabulate (n, fn i => f (get i)))
  (* All conditions are evaluated before the bodies. *)
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
  (* A generator, of two seeds. *)
  val rand : int * int -> rand
  (* Any int. *)
  val randInt : rand -> int
  (* Any int that is not negative. *)
  val randNat : rand -> int
  (* At least 0.0, less than 1.0. *)
  val randReal : rand -> real
  (* Both ends are included; raises Domain if there is nothing between. *)
  val randRange : int * int -> rand -> int
end

structure Random :> RANDOM =
struct
  type rand = word ref

  fun rand (a, b) =
    ref (Core.Word.xorb (Core.Int.toWord a * 0wx100000001B3, Core.Int.toWord b) * 0wxD1342543DE82EF5 + 0w1)

  (* splitmix64: a counter, whose bits are mixed. *)
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
  (* 53 bits, which are exact. *)
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
