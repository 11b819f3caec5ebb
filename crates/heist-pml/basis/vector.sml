(* Vectors and arrays of any element, and slices of them. Functions check an index by one unsigned comparison, and then use the unchecked
   primitives. *)

signature VECTOR =
sig
  eqtype 'a vector
  val maxLen : int
  val fromList : 'a list -> 'a vector
  val tabulate : int * (int -> 'a) -> 'a vector
  val length : 'a vector -> int
  val sub : 'a vector * int -> 'a
  val update : 'a vector * int * 'a -> 'a vector
  val concat : 'a vector list -> 'a vector
  val appi : (int * 'a -> unit) -> 'a vector -> unit
  val app : ('a -> unit) -> 'a vector -> unit
  val mapi : (int * 'a -> 'b) -> 'a vector -> 'b vector
  val map : ('a -> 'b) -> 'a vector -> 'b vector
  val foldli : (int * 'a * 'b -> 'b) -> 'b -> 'a vector -> 'b
  val foldri : (int * 'a * 'b -> 'b) -> 'b -> 'a vector -> 'b
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a vector -> 'b
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a vector -> 'b
  val findi : (int * 'a -> bool) -> 'a vector -> (int * 'a) option
  val find : ('a -> bool) -> 'a vector -> 'a option
  val exists : ('a -> bool) -> 'a vector -> bool
  val all : ('a -> bool) -> 'a vector -> bool
  val collate : ('a * 'a -> order) -> 'a vector * 'a vector -> order
end

signature VECTOR_SLICE =
sig
  type 'a slice
  val length : 'a slice -> int
  val sub : 'a slice * int -> 'a
  val full : 'a vector -> 'a slice
  val slice : 'a vector * int * int option -> 'a slice
  val subslice : 'a slice * int * int option -> 'a slice
  val base : 'a slice -> 'a vector * int * int
  val vector : 'a slice -> 'a vector
  val concat : 'a slice list -> 'a vector
  val isEmpty : 'a slice -> bool
  val getItem : 'a slice -> ('a * 'a slice) option
  val appi : (int * 'a -> unit) -> 'a slice -> unit
  val app : ('a -> unit) -> 'a slice -> unit
  val mapi : (int * 'a -> 'b) -> 'a slice -> 'b vector
  val map : ('a -> 'b) -> 'a slice -> 'b vector
  val foldli : (int * 'a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  val foldri : (int * 'a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  val findi : (int * 'a -> bool) -> 'a slice -> (int * 'a) option
  val find : ('a -> bool) -> 'a slice -> 'a option
  val exists : ('a -> bool) -> 'a slice -> bool
  val all : ('a -> bool) -> 'a slice -> bool
  val collate : ('a * 'a -> order) -> 'a slice * 'a slice -> order
end

signature ARRAY =
sig
  eqtype 'a array
  eqtype 'a vector
  val maxLen : int
  val array : int * 'a -> 'a array
  val fromList : 'a list -> 'a array
  val tabulate : int * (int -> 'a) -> 'a array
  val length : 'a array -> int
  val sub : 'a array * int -> 'a
  val update : 'a array * int * 'a -> unit
  val vector : 'a array -> 'a vector
  val copy : {src : 'a array, dst : 'a array, di : int} -> unit
  val copyVec : {src : 'a vector, dst : 'a array, di : int} -> unit
  val appi : (int * 'a -> unit) -> 'a array -> unit
  val app : ('a -> unit) -> 'a array -> unit
  val modifyi : (int * 'a -> 'a) -> 'a array -> unit
  val modify : ('a -> 'a) -> 'a array -> unit
  val foldli : (int * 'a * 'b -> 'b) -> 'b -> 'a array -> 'b
  val foldri : (int * 'a * 'b -> 'b) -> 'b -> 'a array -> 'b
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a array -> 'b
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a array -> 'b
  val findi : (int * 'a -> bool) -> 'a array -> (int * 'a) option
  val find : ('a -> bool) -> 'a array -> 'a option
  val exists : ('a -> bool) -> 'a array -> bool
  val all : ('a -> bool) -> 'a array -> bool
  val collate : ('a * 'a -> order) -> 'a array * 'a array -> order
end

(* Ranges of indices, which all kinds of sequences share. *)
structure Range =
struct
  (* Returns the length of the range from `i` of a sequence of length `length`. Raises Subscript if there is no such range. *)
  fun check (length, i, NONE) = if i < 0 orelse i > length then raise Subscript else length - i
    | check (length, i, SOME n) =
        if i < 0 orelse n < 0 orelse i > length orelse n > length - i then raise Subscript else n
end

structure Vector : sig
  include VECTOR
  val unsafeTabulate : int * (int -> 'a) -> 'a vector
end =
struct
  type 'a vector = 'a vector
  val maxLen = Core.Array.maxLen
  val length = Core.Vector.length
  val unsafeSub = Core.Vector.sub

  fun sub (v, i) = if Core.Int.within (i, length v) then unsafeSub (v, i) else raise Subscript

  (* The length must not be negative. *)
  fun unsafeTabulate (n, f) =
    if n = 0 then Core.Vector.empty ()
    else
      let
        val a = Core.Array.new (n, f 0)
        fun fill i =
          if i >= n then Core.Array.freeze a
          else (Core.Array.fill (a, i, f i); fill (Core.Int.add (i, 1)))
      in
        fill 1
      end

  fun tabulate (n, f) = if n < 0 orelse n > maxLen then raise Size else unsafeTabulate (n, f)

  fun fromList nil = Core.Vector.empty ()
    | fromList (l as x :: rest) =
        let
          val a = Core.Array.new (List.length l, x)
          fun fill (nil, _) = Core.Array.freeze a
            | fill (x :: rest, i) = (Core.Array.fill (a, i, x); fill (rest, Core.Int.add (i, 1)))
        in
          fill (rest, 1)
        end

  fun update (v, i, x) =
    if Core.Int.within (i, length v) then
      unsafeTabulate (length v, fn j => if i = j then x else unsafeSub (v, j))
    else raise Subscript

  fun concat vs =
    let
      fun count (nil, n) = n
        | count (v :: rest, n) = count (rest, n + length v)
      val n = count (vs, 0)
      fun fill (_, nil, _) = ()
        | fill (a, v :: rest, at) =
            let
              val n = length v
              fun go i =
                if i >= n then ()
                else (Core.Array.fill (a, Core.Int.add (at, i), unsafeSub (v, i)); go (Core.Int.add (i, 1)))
            in
              go 0;
              fill (a, rest, Core.Int.add (at, n))
            end
      fun first (v :: rest) = if length v = 0 then first rest else unsafeSub (v, 0)
        | first nil = raise Size
    in
      if n = 0 then Core.Vector.empty ()
      else if n > maxLen then raise Size
      else
        let val a = Core.Array.new (n, first vs)
        in fill (a, vs, 0); Core.Array.freeze a
        end
    end

  fun appi f v =
    let
      val n = length v
      fun go i = if i >= n then () else (f (i, unsafeSub (v, i)); go (Core.Int.add (i, 1)))
    in
      go 0
    end

  fun mapi f v =
    let
      val n = length v
    in
      unsafeTabulate (n, fn i => f (i, unsafeSub (v, i)))
    end

  fun foldli f b v =
    let
      val n = length v
      fun go (i, b) = if i >= n then b else go (Core.Int.add (i, 1), f (i, unsafeSub (v, i), b))
    in
      go (0, b)
    end

  fun foldri f b v =
    let
      val n = length v
      fun go (i, b) = if i < 0 then b else go (Core.Int.sub (i, 1), f (i, unsafeSub (v, i), b))
    in
      go (n - 1, b)
    end

  fun findi f v =
    let
      val n = length v
      fun go i =
        if i >= n then NONE
        else
          let val found = (i, unsafeSub (v, i))
          in if f found then SOME found else go (Core.Int.add (i, 1))
          end
    in
      go 0
    end

  fun app f v =
    let
      val n = length v
      fun go i = if i >= n then () else (f (unsafeSub (v, i)); go (Core.Int.add (i, 1)))
    in
      go 0
    end

  fun map f v =
    let
      val n = length v
    in
      unsafeTabulate (n, fn i => f (unsafeSub (v, i)))
    end

  fun foldl f b v =
    let
      val n = length v
      fun go (i, b) = if i >= n then b else go (Core.Int.add (i, 1), f (unsafeSub (v, i), b))
    in
      go (0, b)
    end

  fun foldr f b v =
    let
      val n = length v
      fun go (i, b) = if i < 0 then b else go (Core.Int.sub (i, 1), f (unsafeSub (v, i), b))
    in
      go (n - 1, b)
    end

  fun find f v =
    let
      val n = length v
      fun go i =
        if i >= n then NONE
        else
          let val x = unsafeSub (v, i)
          in if f x then SOME x else go (Core.Int.add (i, 1))
          end
    in
      go 0
    end

  fun exists f v =
    let
      val n = length v
      fun go i = i < n andalso (f (unsafeSub (v, i)) orelse go (Core.Int.add (i, 1)))
    in
      go 0
    end

  fun all f v =
    let
      val n = length v
      fun go i = i >= n orelse (f (unsafeSub (v, i)) andalso go (Core.Int.add (i, 1)))
    in
      go 0
    end

  fun collate f (a, b) =
    let
      val m = length a
      val n = length b
      fun go i =
        if i >= m then if i >= n then EQUAL else LESS
        else if i >= n then GREATER
        else
          case f (unsafeSub (a, i), unsafeSub (b, i)) of
            EQUAL => go (Core.Int.add (i, 1))
          | other => other
    in
      go 0
    end
end

structure VectorSlice : VECTOR_SLICE =
struct
  datatype 'a slice = Slice of 'a vector * int * int
  val unsafeSub = Core.Vector.sub
  val unsafeTabulate = Vector.unsafeTabulate

  fun length (Slice (_, _, n)) = n
  fun sub (Slice (base, from, n), i) =
    if Core.Int.within (i, n) then unsafeSub (base, Core.Int.add (from, i)) else raise Subscript
  fun full base = Slice (base, 0, Core.Vector.length base)
  fun slice (base, i, n) = Slice (base, i, Range.check (Core.Vector.length base, i, n))
  fun subslice (Slice (base, from, length), i, n) =
    let val n = Range.check (length, i, n)
    in Slice (base, from + i, n)
    end
  fun base (Slice parts) = parts
  fun isEmpty (Slice (_, _, n)) = n = 0
  fun getItem (Slice (base, from, n)) =
    if n = 0 then NONE else SOME (unsafeSub (base, from), Slice (base, from + 1, n - 1))

  fun vector (Slice (base, from, n)) =
    if n = Core.Vector.length base then base
    else unsafeTabulate (n, fn i => unsafeSub (base, Core.Int.add (from, i)))
  fun concat slices = Vector.concat (List.map vector slices)

  fun appi f (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go i = if i >= stop then () else (f (i - from, unsafeSub (base, i)); go (Core.Int.add (i, 1)))
    in
      go from
    end

  fun mapi f (Slice (base, from, n)) =
    unsafeTabulate (n, fn i => f (i, unsafeSub (base, (Core.Int.add (i, from)))))

  fun foldli f b (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go (i, b) = if i >= stop then b else go (Core.Int.add (i, 1), f (i - from, unsafeSub (base, i), b))
    in
      go (from, b)
    end

  fun foldri f b (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go (i, b) = if i < from then b else go (Core.Int.sub (i, 1), f (i - from, unsafeSub (base, i), b))
    in
      go (stop - 1, b)
    end

  fun findi f (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go i =
        if i >= stop then NONE
        else
          let val found = (i - from, unsafeSub (base, i))
          in if f found then SOME found else go (Core.Int.add (i, 1))
          end
    in
      go from
    end

  fun app f (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go i = if i >= stop then () else (f (unsafeSub (base, i)); go (Core.Int.add (i, 1)))
    in
      go from
    end

  fun map f (Slice (base, from, n)) =
    unsafeTabulate (n, fn i => f (unsafeSub (base, (Core.Int.add (i, from)))))

  fun foldl f b (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go (i, b) = if i >= stop then b else go (Core.Int.add (i, 1), f (unsafeSub (base, i), b))
    in
      go (from, b)
    end

  fun foldr f b (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go (i, b) = if i < from then b else go (Core.Int.sub (i, 1), f (unsafeSub (base, i), b))
    in
      go (stop - 1, b)
    end

  fun find f (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go i =
        if i >= stop then NONE
        else
          let val x = unsafeSub (base, i)
          in if f x then SOME x else go (Core.Int.add (i, 1))
          end
    in
      go from
    end

  fun exists f (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go i = i < stop andalso (f (unsafeSub (base, i)) orelse go (Core.Int.add (i, 1)))
    in
      go from
    end

  fun all f (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go i = i >= stop orelse (f (unsafeSub (base, i)) andalso go (Core.Int.add (i, 1)))
    in
      go from
    end

  fun collate f (Slice (a, i0, m), Slice (b, j0, n)) =
    let
      fun go i =
        if i >= m then if i >= n then EQUAL else LESS
        else if i >= n then GREATER
        else
          case f (unsafeSub (a, Core.Int.add (i0, i)), unsafeSub (b, Core.Int.add (j0, i))) of
            EQUAL => go (Core.Int.add (i, 1))
          | other => other
    in
      go 0
    end
end

structure Array : ARRAY =
struct
  type 'a array = 'a array
  type 'a vector = 'a vector
  val maxLen = Core.Array.maxLen
  val length = Core.Array.length
  val unsafeSub = Core.Array.sub
  val unsafeUpdate = Core.Array.update

  fun array (n, x) = if Core.Word.<= (Core.Int.toWord n, Core.Int.toWord maxLen) then Core.Array.new (n, x) else raise Size

  fun sub (a, i) = if Core.Int.within (i, length a) then unsafeSub (a, i) else raise Subscript
  fun update (a, i, x) = if Core.Int.within (i, length a) then unsafeUpdate (a, i, x) else raise Subscript

  fun tabulate (n, f) =
    if n = 0 then Core.Array.empty ()
    else if n < 0 orelse n > maxLen then raise Size
    else
      let
        val a = Core.Array.new (n, f 0)
        fun fill i = if i >= n then a else (unsafeUpdate (a, i, f i); fill (Core.Int.add (i, 1)))
      in
        fill 1
      end

  fun fromList nil = Core.Array.empty ()
    | fromList (l as x :: rest) =
        let
          val a = Core.Array.new (List.length l, x)
          fun fill (nil, _) = a
            | fill (x :: rest, i) = (unsafeUpdate (a, i, x); fill (rest, Core.Int.add (i, 1)))
        in
          fill (rest, 1)
        end

  fun vector a = Vector.unsafeTabulate (length a, fn i => unsafeSub (a, i))

  fun copy {src, dst, di} =
    let
      val n = length src
      fun up i =
        if i >= n then () else (unsafeUpdate (dst, Core.Int.add (di, i), unsafeSub (src, i)); up (Core.Int.add (i, 1)))
      fun down i =
        if i < 0 then ()
        else (unsafeUpdate (dst, Core.Int.add (di, i), unsafeSub (src, i)); down (Core.Int.sub (i, 1)))
    in
      if di < 0 orelse di > length dst orelse n > length dst - di then raise Subscript
      else if di = 0 then up 0
      else down (n - 1)
    end

  fun copyVec {src, dst, di} =
    let
      val n = Core.Vector.length src
      fun up i =
        if i >= n then ()
        else (unsafeUpdate (dst, Core.Int.add (di, i), Core.Vector.sub (src, i)); up (Core.Int.add (i, 1)))
    in
      if di < 0 orelse di > length dst orelse n > length dst - di then raise Subscript else up 0
    end

  fun appi f a =
    let
      val n = length a
      fun go i = if i >= n then () else (f (i, unsafeSub (a, i)); go (Core.Int.add (i, 1)))
    in
      go 0
    end

  fun modifyi f a =
    let
      val n = length a
      fun go i = if i >= n then () else (unsafeUpdate (a, i, f (i, unsafeSub (a, i))); go (Core.Int.add (i, 1)))
    in
      go 0
    end

  fun foldli f b a =
    let
      val n = length a
      fun go (i, b) = if i >= n then b else go (Core.Int.add (i, 1), f (i, unsafeSub (a, i), b))
    in
      go (0, b)
    end

  fun foldri f b a =
    let
      val n = length a
      fun go (i, b) = if i < 0 then b else go (Core.Int.sub (i, 1), f (i, unsafeSub (a, i), b))
    in
      go (n - 1, b)
    end

  fun findi f a =
    let
      val n = length a
      fun go i =
        if i >= n then NONE
        else
          let val found = (i, unsafeSub (a, i))
          in if f found then SOME found else go (Core.Int.add (i, 1))
          end
    in
      go 0
    end

  fun app f a =
    let
      val n = length a
      fun go i = if i >= n then () else (f (unsafeSub (a, i)); go (Core.Int.add (i, 1)))
    in
      go 0
    end

  fun modify f a =
    let
      val n = length a
      fun go i = if i >= n then () else (unsafeUpdate (a, i, f (unsafeSub (a, i))); go (Core.Int.add (i, 1)))
    in
      go 0
    end

  fun foldl f b a =
    let
      val n = length a
      fun go (i, b) = if i >= n then b else go (Core.Int.add (i, 1), f (unsafeSub (a, i), b))
    in
      go (0, b)
    end

  fun foldr f b a =
    let
      val n = length a
      fun go (i, b) = if i < 0 then b else go (Core.Int.sub (i, 1), f (unsafeSub (a, i), b))
    in
      go (n - 1, b)
    end

  fun find f a =
    let
      val n = length a
      fun go i =
        if i >= n then NONE
        else
          let val x = unsafeSub (a, i)
          in if f x then SOME x else go (Core.Int.add (i, 1))
          end
    in
      go 0
    end

  fun exists f a =
    let
      val n = length a
      fun go i = i < n andalso (f (unsafeSub (a, i)) orelse go (Core.Int.add (i, 1)))
    in
      go 0
    end

  fun all f a =
    let
      val n = length a
      fun go i = i >= n orelse (f (unsafeSub (a, i)) andalso go (Core.Int.add (i, 1)))
    in
      go 0
    end

  fun collate f (a, b) =
    let
      val m = length a
      val n = length b
      fun go i =
        if i >= m then if i >= n then EQUAL else LESS
        else if i >= n then GREATER
        else
          case f (unsafeSub (a, i), unsafeSub (b, i)) of
            EQUAL => go (Core.Int.add (i, 1))
          | other => other
    in
      go 0
    end
end

signature ARRAY_SLICE =
sig
  type 'a slice
  val length : 'a slice -> int
  val sub : 'a slice * int -> 'a
  val update : 'a slice * int * 'a -> unit
  val full : 'a array -> 'a slice
  val slice : 'a array * int * int option -> 'a slice
  val subslice : 'a slice * int * int option -> 'a slice
  val base : 'a slice -> 'a array * int * int
  val vector : 'a slice -> 'a vector
  val copy : {src : 'a slice, dst : 'a array, di : int} -> unit
  val copyVec : {src : 'a VectorSlice.slice, dst : 'a array, di : int} -> unit
  val isEmpty : 'a slice -> bool
  val getItem : 'a slice -> ('a * 'a slice) option
  val appi : (int * 'a -> unit) -> 'a slice -> unit
  val app : ('a -> unit) -> 'a slice -> unit
  val modifyi : (int * 'a -> 'a) -> 'a slice -> unit
  val modify : ('a -> 'a) -> 'a slice -> unit
  val foldli : (int * 'a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  val foldri : (int * 'a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  val findi : (int * 'a -> bool) -> 'a slice -> (int * 'a) option
  val find : ('a -> bool) -> 'a slice -> 'a option
  val exists : ('a -> bool) -> 'a slice -> bool
  val all : ('a -> bool) -> 'a slice -> bool
  val collate : ('a * 'a -> order) -> 'a slice * 'a slice -> order
end

structure ArraySlice : ARRAY_SLICE =
struct
  datatype 'a slice = Slice of 'a array * int * int
  val unsafeSub = Core.Array.sub
  val unsafeUpdate = Core.Array.update

  fun length (Slice (_, _, n)) = n
  fun sub (Slice (base, from, n), i) =
    if Core.Int.within (i, n) then unsafeSub (base, Core.Int.add (from, i)) else raise Subscript
  fun full base = Slice (base, 0, Core.Array.length base)
  fun slice (base, i, n) = Slice (base, i, Range.check (Core.Array.length base, i, n))
  fun subslice (Slice (base, from, length), i, n) =
    let val n = Range.check (length, i, n)
    in Slice (base, from + i, n)
    end
  fun base (Slice parts) = parts
  fun isEmpty (Slice (_, _, n)) = n = 0
  fun getItem (Slice (base, from, n)) =
    if n = 0 then NONE else SOME (unsafeSub (base, from), Slice (base, from + 1, n - 1))

  fun update (Slice (base, from, n), i, x) =
    if Core.Int.within (i, n) then unsafeUpdate (base, Core.Int.add (from, i), x) else raise Subscript
  fun vector (Slice (base, from, n)) =
    Vector.unsafeTabulate (n, fn i => unsafeSub (base, Core.Int.add (from, i)))

  fun copy {src = Slice (base, from, n), dst, di} =
    let
      fun up i =
        if i >= n then ()
        else
          (unsafeUpdate (dst, Core.Int.add (di, i), unsafeSub (base, Core.Int.add (from, i))); up (Core.Int.add (i, 1)))
      fun down i =
        if i < 0 then ()
        else
          (unsafeUpdate (dst, Core.Int.add (di, i), unsafeSub (base, Core.Int.add (from, i))); down (Core.Int.sub (i, 1)))
    in
      if di < 0 orelse di > Core.Array.length dst orelse n > Core.Array.length dst - di then raise Subscript
      else if di <= from then up 0
      else down (n - 1)
    end

  fun copyVec {src, dst, di} =
    let
      val (base, from, n) = VectorSlice.base src
      fun up i =
        if i >= n then ()
        else
          (unsafeUpdate (dst, Core.Int.add (di, i), Core.Vector.sub (base, Core.Int.add (from, i)));
           up (Core.Int.add (i, 1)))
    in
      if di < 0 orelse di > Core.Array.length dst orelse n > Core.Array.length dst - di then raise Subscript else up 0
    end

  fun appi f (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go i = if i >= stop then () else (f (i - from, unsafeSub (base, i)); go (Core.Int.add (i, 1)))
    in
      go from
    end

  fun modifyi f (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go i = if i >= stop then () else (unsafeUpdate (base, i, f (i - from, unsafeSub (base, i))); go (Core.Int.add (i, 1)))
    in
      go from
    end

  fun foldli f b (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go (i, b) = if i >= stop then b else go (Core.Int.add (i, 1), f (i - from, unsafeSub (base, i), b))
    in
      go (from, b)
    end

  fun foldri f b (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go (i, b) = if i < from then b else go (Core.Int.sub (i, 1), f (i - from, unsafeSub (base, i), b))
    in
      go (stop - 1, b)
    end

  fun findi f (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go i =
        if i >= stop then NONE
        else
          let val found = (i - from, unsafeSub (base, i))
          in if f found then SOME found else go (Core.Int.add (i, 1))
          end
    in
      go from
    end

  fun app f (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go i = if i >= stop then () else (f (unsafeSub (base, i)); go (Core.Int.add (i, 1)))
    in
      go from
    end

  fun modify f (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go i = if i >= stop then () else (unsafeUpdate (base, i, f (unsafeSub (base, i))); go (Core.Int.add (i, 1)))
    in
      go from
    end

  fun foldl f b (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go (i, b) = if i >= stop then b else go (Core.Int.add (i, 1), f (unsafeSub (base, i), b))
    in
      go (from, b)
    end

  fun foldr f b (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go (i, b) = if i < from then b else go (Core.Int.sub (i, 1), f (unsafeSub (base, i), b))
    in
      go (stop - 1, b)
    end

  fun find f (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go i =
        if i >= stop then NONE
        else
          let val x = unsafeSub (base, i)
          in if f x then SOME x else go (Core.Int.add (i, 1))
          end
    in
      go from
    end

  fun exists f (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go i = i < stop andalso (f (unsafeSub (base, i)) orelse go (Core.Int.add (i, 1)))
    in
      go from
    end

  fun all f (Slice (base, from, n)) =
    let
      val stop = from + n
      fun go i = i >= stop orelse (f (unsafeSub (base, i)) andalso go (Core.Int.add (i, 1)))
    in
      go from
    end

  fun collate f (Slice (a, i0, m), Slice (b, j0, n)) =
    let
      fun go i =
        if i >= m then if i >= n then EQUAL else LESS
        else if i >= n then GREATER
        else
          case f (unsafeSub (a, Core.Int.add (i0, i)), unsafeSub (b, Core.Int.add (j0, i))) of
            EQUAL => go (Core.Int.add (i, 1))
          | other => other
    in
      go 0
    end
end

val vector = Vector.fromList
