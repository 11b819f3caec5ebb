(* The structures that programs written for MPL and MLton use in addition to the Basis: fork-join parallelism on the forms of the
   language, atomic operations, and a part of the structure `MLton`. *)

signature FORK_JOIN =
sig
  (* Runs both functions in parallel. `fork` is another name for `par`. *)
  val par : (unit -> 'a) * (unit -> 'b) -> 'a * 'b
  val fork : (unit -> 'a) * (unit -> 'b) -> 'a * 'b
  (* `parfor grain (lo, hi) f` calls `f i` for each `i` from `lo` to `hi - 1`. One strand makes at least `grain` of these calls in
     sequence. *)
  val parfor : int -> int * int -> (int -> unit) -> unit
  (* As `parfor`, but without a grain. *)
  val parform : int * int -> (int -> unit) -> unit
  (* Returns an array. The caller must write each element before it reads the element. *)
  val alloc : int -> 'a array
  val alloc_flat : int -> 'a array
  (* `reducem combine unit (lo, hi) f` combines `f lo` to `f (hi - 1)`. `combine` must be associative. *)
  val reducem : ('a * 'a -> 'a) -> 'a -> int * int -> (int -> 'a) -> 'a
  (* `pareduce (lo, hi) unit step merge` divides the range into parts. Each part folds `step`, beginning with the unit, and `merge`
     combines the results of the parts. *)
  val pareduce : int * int -> 'a -> (int * 'a -> 'a) -> ('a * 'a -> 'a) -> 'a
  (* Same as `pareduce`: MPL compiles the three functions in different ways. *)
  val pareduce' : int * int -> 'a -> (int * 'a -> 'a) -> ('a * 'a -> 'a) -> 'a
  val pareduceInlineable : int * int -> 'a -> (int * 'a -> 'a) -> ('a * 'a -> 'a) -> 'a
  val pareduceSplit : int * int -> 'a -> (int * 'a -> 'a) -> ('a * 'a -> 'a) -> 'a
  (* As `pareduce`, but a step that returns false is the last step: the result ignores all indices to the right of it. *)
  val pareduceBreak : int * int -> 'a -> (int * 'a -> 'a * bool) -> ('a * 'a -> 'a) -> 'a
  (* As `pareduce`, but a step ends the loop by an exception: it applies the function that it gets to its result, and raises the
     exception that this function returns. *)
  val pareduceBreakExn : int * int -> 'a -> (('a -> exn) * int * 'a -> 'a) -> ('a * 'a -> 'a) -> 'a
  val communicate : unit -> unit
  val getIdleTime : int -> Time.time
  val idleTimeSoFar : unit -> Time.time
  val workTimeSoFar : unit -> Time.time
  val maxForkDepthSoFar : unit -> int
  val numSpawnsSoFar : unit -> int
  val numEagerSpawnsSoFar : unit -> int
  val numHeartbeatsSoFar : unit -> int
  val numSkippedHeartbeatsSoFar : unit -> int
  val numStealsSoFar : unit -> int
end

structure ForkJoin :> FORK_JOIN =
struct
  fun par (f, g) = (| f (), g () |)
  val fork = par

  fun parform (lo, hi) f = ParLoop.each (lo, hi, f)
  fun parfor grain (lo, hi) f =
    if grain <= 1 then parform (lo, hi) f
    else if lo >= hi then ()
    else
      let
        fun go (i, n) = if i >= n then () else (f i; go (Core.Int.add (i, 1), n))
        val n = hi - lo
        val parts = (n - 1) div grain + 1
      in
        if parts = 1 then go (lo, hi)
        else
          ParLoop.each
            ( 0
            , parts
            , fn part =>
                let val first = Core.Int.add (lo, part * grain)
                in go (first, if Core.Int.sub (hi, first) > grain then Core.Int.add (first, grain) else hi)
                end )
      end

  fun alloc n =
    if n < 0 orelse n > Core.Array.maxLen then raise Size
    else if n = 0 then Core.Array.empty ()
    else Core.Array.unset n
  val alloc_flat = alloc

  fun pareduce (lo, hi) unit step merge =
    let
      fun go (i, n, x) =
        if i >= n then x
        else if ParLoop.wanted () andalso ParLoop.several (i, n) then halve (i, n, x)
        else go (ParLoop.next i, n, step (i, x))
      and halve (i, n, x) =
        let
          val m = ParLoop.middle (i, n)
          val (left, right) = (| (ignore (ParLoop.attend ()); go (i, m, x)), go (m, n, unit) |)
        in
          merge (left, right)
        end
    in
      go (lo, hi, unit)
    end
  val (pareduce', pareduceInlineable, pareduceSplit) = (pareduce, pareduce, pareduce)
  fun reducem combine unit range f = pareduce range unit (fn (i, x) => combine (x, f i)) combine

  fun pareduceBreak (lo, hi) unit step merge =
    let
      fun go (i, n, x) =
        if i >= n then (x, true)
        else if ParLoop.wanted () andalso ParLoop.several (i, n) then halve (i, n, x)
        else
          case step (i, x) of
            (x, true) => go (ParLoop.next i, n, x)
          | last => last
      and halve (i, n, x) =
        let
          val m = ParLoop.middle (i, n)
          pval right = go (m, n, unit)
        in
          case (ignore (ParLoop.attend ()); go (i, m, x)) of
            (left, true) =>
              let val (right, goes) = right
              in (merge (left, right), goes)
              end
          | last => last
        end
    in
      #1 (go (lo, hi, unit))
    end
  fun 'a pareduceBreakExn range (unit : 'a) step merge =
    let exception Break of 'a
    in pareduceBreak range unit (fn (i, x) => (step (Break, i, x), true) handle Break x => (x, false)) merge
    end

  (* Heist does not count any of these times. *)
  fun communicate () = ()
  fun getIdleTime (_ : int) = Time.zeroTime
  fun idleTimeSoFar () = Time.zeroTime
  fun workTimeSoFar () = Time.zeroTime
  fun none () = 0
  val (maxForkDepthSoFar, numSpawnsSoFar, numEagerSpawnsSoFar) = (none, none, none)
  val (numHeartbeatsSoFar, numSkippedHeartbeatsSoFar, numStealsSoFar) = (none, none, none)
end

signature MLTON_PARALLEL =
sig
  val numberOfProcessors : int
  val processorNumber : unit -> int
  (* `compareAndSwap cell (old, new)` stores `new` if the cell contains `old`; it compares as `MLton.eq` does. Returns the previous
     contents. *)
  val compareAndSwap : 'a ref -> 'a * 'a -> 'a
  val arrayCompareAndSwap : 'a array * int -> 'a * 'a -> 'a
  (* Returns the previous contents. A sum that does not fit in an int wraps round. *)
  val fetchAndAdd : int ref -> int -> int
  val arrayFetchAndAdd : int array * int -> int -> int
  structure Unsafe :
  sig
    val arrayUninit : int -> 'a array
    val arrayCompareAndSwap : 'a array * int -> 'a * 'a -> 'a
    val arrayFetchAndAdd : int array * int -> int -> int
  end
end

structure Parallel :> MLTON_PARALLEL =
struct
  val numberOfProcessors = Core.Par.workers ()
  val processorNumber = Core.Par.worker
  fun compareAndSwap cell (old, new) = Core.Par.swap (cell, old, new)
  fun checked (a, i) = if Core.Int.within (i, Core.Array.length a) then i else raise Subscript
  fun arrayCompareAndSwap (a, i) (old, new) = Core.Array.swap (a, checked (a, i), old, new)
  fun fetchAndAdd cell n = Core.Par.fetchAdd (cell, n)
  fun arrayFetchAndAdd (a, i) n = Core.Array.fetchAdd (a, checked (a, i), n)
  structure Unsafe =
  struct
    val arrayUninit = ForkJoin.alloc
    (* These functions check the index, too. *)
    val arrayCompareAndSwap = arrayCompareAndSwap
    val arrayFetchAndAdd = arrayFetchAndAdd
  end
end

signature CONCURRENCY =
sig
  val numberOfProcessors : int
  val cas : 'a ref -> 'a * 'a -> 'a
  val casArray : 'a array * int -> 'a * 'a -> 'a
  val faa : int ref -> int -> int
  val faaArray : int array * int -> int -> int
end

structure Concurrency :> CONCURRENCY =
struct
  val numberOfProcessors = Parallel.numberOfProcessors
  val cas = Parallel.compareAndSwap
  val casArray = Parallel.arrayCompareAndSwap
  val faa = Parallel.fetchAndAdd
  val faaArray = Parallel.arrayFetchAndAdd
end

(* These functions do not copy, so the program must not write the array afterwards. *)
structure ArrayExtra =
struct
  open Array
  val alloc = ForkJoin.alloc
  val unsafeToVector = Core.Array.freeze
end

signature MPL_GC =
sig
  val currentHeapSize : unit -> IntInf.int
  val getControlMaxCCDepth : unit -> int
  val numberDisentanglementChecks : unit -> IntInf.int
  val numberEntanglementsDetected : unit -> IntInf.int
  val numberSuspectsMarked : unit -> IntInf.int
  val numberSuspectsCleared : unit -> IntInf.int
  val bytesAllocated : unit -> IntInf.int
  val bytesAllocatedOfProc : int -> IntInf.int
  val localBytesReclaimed : unit -> IntInf.int
  val localBytesReclaimedOfProc : int -> IntInf.int
  val numLocalGCs : unit -> IntInf.int
  val numLocalGCsOfProc : int -> IntInf.int
  val localGCTime : unit -> Time.time
  val localGCTimeOfProc : int -> Time.time
  val promoTime : unit -> Time.time
  val promoTimeOfProc : int -> Time.time
  val rootBytesReclaimed : unit -> IntInf.int
  val rootBytesReclaimedOfProc : int -> IntInf.int
  val internalBytesReclaimed : unit -> IntInf.int
  val internalBytesReclaimedOfProc : int -> IntInf.int
  val numRootCCs : unit -> IntInf.int
  val numRootCCsOfProc : int -> IntInf.int
  val numInternalCCs : unit -> IntInf.int
  val numInternalCCsOfProc : int -> IntInf.int
  val rootCCTime : unit -> Time.time
  val rootCCTimeOfProc : int -> Time.time
  val internalCCTime : unit -> Time.time
  val internalCCTimeOfProc : int -> Time.time
  (* These functions exist in MPL versions in which programs share recently allocated objects. *)
  val bytesInScopeForLocal : unit -> IntInf.int
  val bytesInScopeForLocalOfProc : int -> IntInf.int
  val bytesInScopeForCC : unit -> IntInf.int
  val bytesInScopeForCCOfProc : int -> IntInf.int
  val ccBytesReclaimed : unit -> IntInf.int
  val ccBytesReclaimedOfProc : int -> IntInf.int
  val numCCs : unit -> IntInf.int
  val numCCsOfProc : int -> IntInf.int
  val ccTime : unit -> Time.time
  val ccTimeOfProc : int -> Time.time
  val numberEntanglements : unit -> IntInf.int
  val bytesPinnedEntangled : unit -> IntInf.int
  val bytesPinnedEntangledWatermark : unit -> IntInf.int
  (* These functions exist in MPL versions that promote frames of the stack. *)
  val maxStackSizeForHeartbeat : unit -> IntInf.int
  val maxStackFramesWalkedForHeartbeat : unit -> IntInf.int
end

structure MPL =
struct
  structure File :> MPL_FILE = MPLFile
  structure GC :> MPL_GC =
  struct
    (* A running program counts only the time of its collections; `heist run --stats` prints the other numbers. *)
    fun none () = IntInf.fromInt 0
    fun noneOf (_ : int) = IntInf.fromInt 0
    fun noTime () = Time.zeroTime
    fun noTimeOf (_ : int) = Time.zeroTime
    fun getControlMaxCCDepth () = 0
    fun localGCTime () = Time.fromNanoseconds (IntInf.fromInt (Core.System.collectorTime ()))
    val (currentHeapSize, numberDisentanglementChecks, numberEntanglementsDetected) = (none, none, none)
    val (numberSuspectsMarked, numberSuspectsCleared) = (none, none)
    val (bytesAllocated, localBytesReclaimed, numLocalGCs, rootBytesReclaimed) = (none, none, none, none)
    val (internalBytesReclaimed, numRootCCs, numInternalCCs) = (none, none, none)
    val (bytesAllocatedOfProc, localBytesReclaimedOfProc, numLocalGCsOfProc) = (noneOf, noneOf, noneOf)
    val (rootBytesReclaimedOfProc, internalBytesReclaimedOfProc) = (noneOf, noneOf)
    val (numRootCCsOfProc, numInternalCCsOfProc) = (noneOf, noneOf)
    val (promoTime, rootCCTime, internalCCTime) = (noTime, noTime, noTime)
    val (localGCTimeOfProc, promoTimeOfProc) = (noTimeOf, noTimeOf)
    val (rootCCTimeOfProc, internalCCTimeOfProc) = (noTimeOf, noTimeOf)
    val (bytesInScopeForLocal, bytesInScopeForCC, ccBytesReclaimed, numCCs) = (none, none, none, none)
    val (bytesInScopeForLocalOfProc, bytesInScopeForCCOfProc) = (noneOf, noneOf)
    val (ccBytesReclaimedOfProc, numCCsOfProc) = (noneOf, noneOf)
    val (ccTime, ccTimeOfProc) = (noTime, noTimeOf)
    val (numberEntanglements, bytesPinnedEntangled, bytesPinnedEntangledWatermark) = (none, none, none)
    val (maxStackSizeForHeartbeat, maxStackFramesWalkedForHeartbeat) = (none, none)
  end
  (* Arrays of tuples and records. They have the same layout as all other arrays here. *)
  structure ArrayFlat = struct open ArrayExtra type 'a t = 'a array end
  structure ArrayFlatSlice = ArraySlice
  structure VectorFlat =
  struct
    open Vector
    type 'a t = 'a vector
    (* The `tabulate` of the Basis itself does not check the length. *)
    val unsafeTabulate = tabulate
    val unsafeFromArray = Core.Array.freeze
  end
  structure VectorFlatSlice = VectorSlice
end

structure CharArrayExtra = struct open CharArray fun alloc n = CharArray.array (n, #"\000") end
structure Word8ArrayExtra = struct open Word8Array fun alloc n = Word8Array.array (n, Word8.fromInt 0) end

structure VectorExtra =
struct
  open Vector
  (* The `tabulate` of the Basis itself does not check the length. *)
  val unsafeTabulate = tabulate
  val unsafeFromArray = Core.Array.freeze
end
