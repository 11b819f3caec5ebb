(* Lists. Functions that build a list from its front are not tail-recursive: the stack is deep, and one pass is faster than two passes. *)

signature LIST =
sig
  datatype list = datatype list
  exception Empty
  val null : 'a list -> bool
  val length : 'a list -> int
  val @ : 'a list * 'a list -> 'a list
  val hd : 'a list -> 'a
  val tl : 'a list -> 'a list
  val last : 'a list -> 'a
  val getItem : 'a list -> ('a * 'a list) option
  val nth : 'a list * int -> 'a
  val take : 'a list * int -> 'a list
  val drop : 'a list * int -> 'a list
  val rev : 'a list -> 'a list
  val concat : 'a list list -> 'a list
  val revAppend : 'a list * 'a list -> 'a list
  val app : ('a -> unit) -> 'a list -> unit
  val map : ('a -> 'b) -> 'a list -> 'b list
  val mapPartial : ('a -> 'b option) -> 'a list -> 'b list
  val find : ('a -> bool) -> 'a list -> 'a option
  val filter : ('a -> bool) -> 'a list -> 'a list
  val partition : ('a -> bool) -> 'a list -> 'a list * 'a list
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a list -> 'b
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a list -> 'b
  val exists : ('a -> bool) -> 'a list -> bool
  val all : ('a -> bool) -> 'a list -> bool
  val tabulate : int * (int -> 'a) -> 'a list
  val collate : ('a * 'a -> order) -> 'a list * 'a list -> order
end

structure List : LIST =
struct
  datatype list = datatype list
  exception Empty = Empty

  fun null nil = true
    | null (_ :: _) = false

  fun length l =
    let
      fun count (nil, n) = n
        | count (_ :: rest, n) = count (rest, Core.Int.add (n, 1))
    in
      count (l, 0)
    end

  fun nil @ b = b
    | (x :: a) @ b = x :: a @ b

  fun hd (x :: _) = x
    | hd nil = raise Empty
  fun tl (_ :: rest) = rest
    | tl nil = raise Empty
  fun last (x :: nil) = x
    | last (_ :: rest) = last rest
    | last nil = raise Empty
  fun getItem nil = NONE
    | getItem (x :: rest) = SOME (x, rest)

  fun nth (l, n) =
    let
      fun go (x :: _, 0) = x
        | go (_ :: rest, n) = go (rest, n - 1)
        | go (nil, _) = raise Subscript
    in
      if n < 0 then raise Subscript else go (l, n)
    end

  fun take (l, n) =
    let
      fun go (_, 0) = nil
        | go (x :: rest, n) = x :: go (rest, n - 1)
        | go (nil, _) = raise Subscript
    in
      if n < 0 then raise Subscript else go (l, n)
    end

  fun drop (l, n) =
    let
      fun go (l, 0) = l
        | go (_ :: rest, n) = go (rest, n - 1)
        | go (nil, _) = raise Subscript
    in
      if n < 0 then raise Subscript else go (l, n)
    end

  fun revAppend (nil, b) = b
    | revAppend (x :: a, b) = revAppend (a, x :: b)
  fun rev l = revAppend (l, nil)

  fun concat nil = nil
    | concat (l :: nil) = l
    | concat (l :: rest) = l @ concat rest

  fun app f l =
    let
      fun go nil = ()
        | go (x :: rest) = (f x; go rest)
    in
      go l
    end

  fun map f l =
    let
      fun go nil = nil
        | go (x :: rest) =
            let val y = f x
            in y :: go rest
            end
    in
      go l
    end

  fun mapPartial f l =
    let
      fun go nil = nil
        | go (x :: rest) =
            (case f x of
               NONE => go rest
             | SOME y => y :: go rest)
    in
      go l
    end

  fun find f l =
    let
      fun go nil = NONE
        | go (x :: rest) = if f x then SOME x else go rest
    in
      go l
    end

  fun filter f l =
    let
      fun go nil = nil
        | go (x :: rest) = if f x then x :: go rest else go rest
    in
      go l
    end

  fun partition f l =
    let
      fun go (nil, yes, no) = (rev yes, rev no)
        | go (x :: rest, yes, no) = if f x then go (rest, x :: yes, no) else go (rest, yes, x :: no)
    in
      go (l, nil, nil)
    end

  fun foldl f b l =
    let
      fun go (nil, b) = b
        | go (x :: rest, b) = go (rest, f (x, b))
    in
      go (l, b)
    end

  fun foldr f b l =
    let
      fun go nil = b
        | go (x :: rest) = f (x, go rest)
    in
      go l
    end

  fun exists f l =
    let
      fun go nil = false
        | go (x :: rest) = f x orelse go rest
    in
      go l
    end

  fun all f l =
    let
      fun go nil = true
        | go (x :: rest) = f x andalso go rest
    in
      go l
    end

  fun tabulate (n, f) =
    let
      fun go i =
        if i >= n then nil
        else
          let val x = f i
          in x :: go (Core.Int.add (i, 1))
          end
    in
      if n < 0 then raise Size else go 0
    end

  fun collate f (a, b) =
    let
      fun go (nil, nil) = EQUAL
        | go (nil, _ :: _) = LESS
        | go (_ :: _, nil) = GREATER
        | go (x :: a, y :: b) =
            (case f (x, y) of
               EQUAL => go (a, b)
             | other => other)
    in
      go (a, b)
    end
end

val null = List.null
val length = List.length
val op @ = List.@
val hd = List.hd
val tl = List.tl
val rev = List.rev
val app = List.app
val map = List.map
val foldl = List.foldl
val foldr = List.foldr

signature LIST_PAIR =
sig
  exception UnequalLengths
  val zip : 'a list * 'b list -> ('a * 'b) list
  val zipEq : 'a list * 'b list -> ('a * 'b) list
  val unzip : ('a * 'b) list -> 'a list * 'b list
  val app : ('a * 'b -> unit) -> 'a list * 'b list -> unit
  val appEq : ('a * 'b -> unit) -> 'a list * 'b list -> unit
  val map : ('a * 'b -> 'c) -> 'a list * 'b list -> 'c list
  val mapEq : ('a * 'b -> 'c) -> 'a list * 'b list -> 'c list
  val foldl : ('a * 'b * 'c -> 'c) -> 'c -> 'a list * 'b list -> 'c
  val foldr : ('a * 'b * 'c -> 'c) -> 'c -> 'a list * 'b list -> 'c
  val foldlEq : ('a * 'b * 'c -> 'c) -> 'c -> 'a list * 'b list -> 'c
  val foldrEq : ('a * 'b * 'c -> 'c) -> 'c -> 'a list * 'b list -> 'c
  val all : ('a * 'b -> bool) -> 'a list * 'b list -> bool
  val exists : ('a * 'b -> bool) -> 'a list * 'b list -> bool
  val allEq : ('a * 'b -> bool) -> 'a list * 'b list -> bool
end

structure ListPair : LIST_PAIR =
struct
  exception UnequalLengths

  fun zip (x :: a, y :: b) = (x, y) :: zip (a, b)
    | zip _ = nil

  fun zipEq (x :: a, y :: b) = (x, y) :: zipEq (a, b)
    | zipEq (nil, nil) = nil
    | zipEq _ = raise UnequalLengths

  fun unzip l =
    let
      fun go (nil, a, b) = (List.rev a, List.rev b)
        | go ((x, y) :: rest, a, b) = go (rest, x :: a, y :: b)
    in
      go (l, nil, nil)
    end

  fun app f (a, b) =
    let
      fun go (x :: a, y :: b) = (f (x, y); go (a, b))
        | go _ = ()
    in
      go (a, b)
    end

  fun appEq f (a, b) =
    let
      fun go (x :: a, y :: b) = (f (x, y); go (a, b))
        | go (nil, nil) = ()
        | go _ = raise UnequalLengths
    in
      go (a, b)
    end

  fun map f (a, b) =
    let
      fun go (x :: a, y :: b) =
            let val z = f (x, y)
            in z :: go (a, b)
            end
        | go _ = nil
    in
      go (a, b)
    end

  fun mapEq f (a, b) =
    let
      fun go (x :: a, y :: b) =
            let val z = f (x, y)
            in z :: go (a, b)
            end
        | go (nil, nil) = nil
        | go _ = raise UnequalLengths
    in
      go (a, b)
    end

  fun foldl f c (a, b) =
    let
      fun go (x :: a, y :: b, c) = go (a, b, f (x, y, c))
        | go (_, _, c) = c
    in
      go (a, b, c)
    end

  fun foldlEq f c (a, b) =
    let
      fun go (x :: a, y :: b, c) = go (a, b, f (x, y, c))
        | go (nil, nil, c) = c
        | go _ = raise UnequalLengths
    in
      go (a, b, c)
    end

  fun foldr f c (a, b) =
    let
      fun go (x :: a, y :: b) = f (x, y, go (a, b))
        | go _ = c
    in
      go (a, b)
    end

  fun foldrEq f c (a, b) =
    let
      fun go (x :: a, y :: b) = f (x, y, go (a, b))
        | go (nil, nil) = c
        | go _ = raise UnequalLengths
    in
      go (a, b)
    end

  fun all f (a, b) =
    let
      fun go (x :: a, y :: b) = f (x, y) andalso go (a, b)
        | go _ = true
    in
      go (a, b)
    end

  fun exists f (a, b) =
    let
      fun go (x :: a, y :: b) = f (x, y) orelse go (a, b)
        | go _ = false
    in
      go (a, b)
    end

  fun allEq f (a, b) =
    let
      fun go (x :: a, y :: b) = f (x, y) andalso go (a, b)
        | go (nil, nil) = true
        | go _ = false
    in
      go (a, b)
    end
end
