(* Sets and tables that the parts of a program share. Each key has a list at its own place in an array. A part adds a new entry at the
   front of the list by a compare-and-swap, and entries are never moved. So no part waits, and the order in which parts insert does not
   change the content. A table does not grow: with many more keys than expected, it becomes slower. *)

signature HASH_KEY =
sig
  type key
  val equal : key * key -> bool
  val hash : key -> word
end

signature HASH_TABLE =
sig
  type key
  type 'a table
  (* Returns an empty table for about this number of keys. *)
  val table : int -> 'a table
  (* Inserts a value if the key has no value yet. Returns true if it had none. *)
  val insert : 'a table -> key * 'a -> bool
  (* Inserts a value, or combines it with the value that the key already has. The table may call the function several times. If the
     function is associative and commutative, the result does not depend on the order. *)
  val insertWith : ('a * 'a -> 'a) -> 'a table -> key * 'a -> unit
  (* Adds a number to the number of a key, which is 0 at first. *)
  val count : int table -> key * int -> unit
  val find : 'a table -> key -> 'a option
  val member : 'a table -> key -> bool
  (* These functions visit all entries. No other part may insert into the table meanwhile. *)
  val size : 'a table -> int
  val toSeq : 'a table -> (key * 'a) parray
end

signature HASH_SET =
sig
  type key
  type set
  (* Returns an empty set for about this number of keys. *)
  val set : int -> set
  (* Inserts a key. Returns true if the key is new. *)
  val insert : set -> key -> bool
  val member : set -> key -> bool
  val size : set -> int
  val toSeq : set -> key parray
  val fromSeq : key parray -> set
end

functor HashTable (Key : HASH_KEY) :> HASH_TABLE where type key = Key.key =
struct
  type key = Key.key
  structure A = Core.Array
  datatype 'a entries =
    NIL
  | ENTRY of word * key * 'a ref * 'a entries
  type 'a table = 'a entries array

  fun table n =
    let
      fun power k = if k >= n orelse k >= 0x40000000 then k else power (k + k)
    in
      Array.array (power 16, NIL)
    end

  (* A user's hash function may change only few bits from key to key. *)
  fun spread h =
    let val h = Core.Word.* (Core.Word.xorb (h, Core.Word.shr (h, 0w32)), 0wx9e3779b97f4a7c15)
    in Core.Word.xorb (h, Core.Word.shr (h, 0w29))
    end
  fun place (t, h) = Core.Word.toIntX (Core.Word.andb (h, Core.Int.toWord (A.length t - 1)))

  (* Returns the value of a key in a list of entries, up to the entries that the caller has seen already. *)
  fun look (NIL, _, _) = NONE
    | look (ENTRY (h', key', value, rest), h, key) =
        if h = h' andalso Key.equal (key, key') then SOME value else look (rest, h, key)

  (* Returns the value of a key, and whether the key is new. *)
  fun add (t, key, first) =
    let
      val h = spread (Key.hash key)
      val i = place (t, h)
      fun go () =
        let val entries = A.sub (t, i)
        in
          case look (entries, h, key) of
            SOME value => (value, false)
          | NONE =>
              let
                val value = ref first
                val found = A.swap (t, i, entries, ENTRY (h, key, value, entries))
              in
                if Core.Par.same (found, entries) then (value, true) else go ()
              end
        end
    in
      go ()
    end

  fun insert t (key, x) = #2 (add (t, key, x))
  fun insertWith combine t (key, x) =
    let
      val (value, isNew) = add (t, key, x)
      fun go () =
        let val old = ! value
        in if Core.Par.same (Core.Par.swap (value, old, combine (old, x)), old) then () else go ()
        end
    in
      if isNew then () else go ()
    end
  fun count t (key, n) =
    let val (value, isNew) = add (t, key, n)
    in if isNew then () else ignore (Core.Par.fetchAdd (value, n))
    end
  fun find t key =
    let val h = spread (Key.hash key)
    in Option.map ! (look (A.sub (t, place (t, h)), h, key))
    end
  fun member t key = isSome (find t key)

  fun size t =
    let
      fun length (NIL, n) = n
        | length (ENTRY (_, _, _, rest), n) = length (rest, n + 1)
    in
      ParLoop.reduce (op+, 0, A.length t, fn i => length (A.sub (t, i), 0))
    end
  fun toSeq t =
    Seq.mapMany
      (fn (i, emit) =>
         let
           fun go NIL = ()
             | go (ENTRY (_, key, value, rest)) = (emit (key, ! value); go rest)
         in
           go (A.sub (t, i))
         end)
      (Seq.range (0, A.length t - 1))
end

functor HashSet (Key : HASH_KEY) :> HASH_SET where type key = Key.key =
struct
  structure Table = HashTable (Key)
  type key = Key.key
  type set = unit Table.table
  val set = Table.table
  fun insert s key = Table.insert s (key, ())
  val member = Table.member
  val size = Table.size
  fun toSeq s = PArray.map #1 (Table.toSeq s)
  fun fromSeq keys =
    let val s = set (PArray.length keys)
    in Seq.each (fn key => ignore (insert s key)) keys; s
    end
end

structure StringKey : HASH_KEY =
struct
  type key = string
  val equal = op= : string * string -> bool
  fun hash s =
    let
      val n = Core.String.size s
      fun go (i, h) =
        if i >= n then h
        else
          go
            ( Core.Int.add (i, 1)
            , Core.Word.* (Core.Word.xorb (h, Core.Int.toWord (Core.Char.ord (Core.String.sub (s, i)))), 0wx100000001b3) )
    in
      go (0, 0wxcbf29ce484222325)
    end
end

structure IntKey : HASH_KEY =
struct
  type key = int
  val equal = op= : int * int -> bool
  val hash = Core.Int.toWord
end

structure StringTable = HashTable (StringKey)
structure StringSet = HashSet (StringKey)
structure IntTable = HashTable (IntKey)
structure IntSet = HashSet (IntKey)
