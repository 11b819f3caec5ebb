(* What Parallel ML adds: lazy values, parallel arrays and ropes. They run with their sequential meaning. *)

signature LAZY =
sig
  type 'a lazy
  val delay : (unit -> 'a) -> 'a lazy
  val value : 'a -> 'a lazy
  (* Computes it the first time; afterwards gives the same value, or raises the same exception. *)
  val force : 'a lazy -> 'a
end

structure Lazy :> LAZY =
struct
  datatype 'a state =
    DELAYED of unit -> 'a
  | VALUE of 'a
  | FAILED of exn
  type 'a lazy = 'a state ref

  fun delay f = ref (DELAYED f)
  fun value a = ref (VALUE a)
  fun force lazy =
    case ! lazy of
      VALUE a => a
    | FAILED exn => raise exn
    | DELAYED f =>
        let val a = f () handle exn => (lazy := FAILED exn; raise exn)
        in lazy := VALUE a; a
        end
end

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

structure PArray :> PARRAY =
struct
  type 'a parray = 'a vector
  val length = Core.Vector.length
  val unsafeSub = Core.Vector.sub
  val unsafeTabulate = Vector.unsafeTabulate
  fun sub (a, i) = if Core.Int.within (i, length a) then unsafeSub (a, i) else raise Subscript
  val fromList = Vector.fromList
  fun foldr f b a = Vector.foldr f b a
  fun foldl f b a = Vector.foldl f b a
  fun toList a = Vector.foldr op :: nil a
  fun fromVector a = a
  fun toVector a = a
  val tabulate = Vector.tabulate
  val tab = tabulate
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
        unsafeTabulate (count, fn i => from + i * step)
      end
  fun range (from, to) = if from > to then Core.Vector.empty () else rangeBy (from, to, 1)

  fun map f a = Vector.map f a
  fun mapi f a = Vector.mapi f a
  fun app f a = Vector.app f a

  fun filter f a =
    let
      val n = length a
      fun go i =
        if i >= n then nil
        else
          let val x = unsafeSub (a, i)
          in if f x then x :: go (Core.Int.add (i, 1)) else go (Core.Int.add (i, 1))
          end
    in
      Vector.fromList (go 0)
    end

  fun reduce f unit a =
    let
      val n = length a
      fun go (i, x) = if i >= n then x else go (Core.Int.add (i, 1), f (x, unsafeSub (a, i)))
    in
      go (0, unit)
    end

  fun scan f unit a =
    let
      val n = length a
    in
      if n = 0 then Core.Vector.empty ()
      else
        let
          val result = Core.Array.new (n, unit)
          fun go (i, x) =
            if i >= n then Core.Array.freeze result
            else
              let val next = f (x, unsafeSub (a, Core.Int.sub (i, 1)))
              in Core.Array.update (result, i, next); go (Core.Int.add (i, 1), next)
              end
        in
          go (1, unit)
        end
    end

  val concat = Vector.concat
  fun flatten a = concat (toList a)
  fun append (a, b) = concat [a, b]
  fun rev a =
    let val n = length a
    in unsafeTabulate (n, fn i => unsafeSub (a, n - 1 - i))
    end

  fun zip (a, b) =
    unsafeTabulate (Int.min (length a, length b), fn i => (unsafeSub (a, i), unsafeSub (b, i)))
  fun zip3 (a, b, c) =
    unsafeTabulate
      ( Int.min (length a, Int.min (length b, length c))
      , fn i => (unsafeSub (a, i), unsafeSub (b, i), unsafeSub (c, i)) )
  fun unzip a = (map (fn (x, _) => x) a, map (fn (_, y) => y) a)
  fun exists f a = Vector.exists f a
  fun all f a = Vector.all f a
  fun collate f ab = Vector.collate f ab
  fun toString f between a = String.concatWith between (List.map f (toList a))
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

fun parN fs = List.map (fn f => f ()) fs

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
