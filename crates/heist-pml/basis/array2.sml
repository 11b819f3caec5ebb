(* Arrays of two dimensions. An array stores its rows in one array, one after the other. *)

signature ARRAY2 =
sig
  eqtype 'a array
  type 'a region = {base : 'a array, row : int, col : int, nrows : int option, ncols : int option}
  datatype traversal = RowMajor | ColMajor
  val array : int * int * 'a -> 'a array
  val fromList : 'a list list -> 'a array
  val tabulate : traversal -> int * int * (int * int -> 'a) -> 'a array
  val sub : 'a array * int * int -> 'a
  val update : 'a array * int * int * 'a -> unit
  val dimensions : 'a array -> int * int
  val nRows : 'a array -> int
  val nCols : 'a array -> int
  val row : 'a array * int -> 'a vector
  val column : 'a array * int -> 'a vector
  val copy : {src : 'a region, dst : 'a array, dst_row : int, dst_col : int} -> unit
  val appi : traversal -> (int * int * 'a -> unit) -> 'a region -> unit
  val app : traversal -> ('a -> unit) -> 'a array -> unit
  val foldi : traversal -> (int * int * 'a * 'b -> 'b) -> 'b -> 'a region -> 'b
  val fold : traversal -> ('a * 'b -> 'b) -> 'b -> 'a array -> 'b
  val modifyi : traversal -> (int * int * 'a -> 'a) -> 'a region -> unit
  val modify : traversal -> ('a -> 'a) -> 'a array -> unit
end

structure Array2 : ARRAY2 =
struct
  (* Two arrays are equal if they have the same `cells`. This also holds for empty arrays, because each empty array has `cells` of its
     own. *)
  datatype 'a array = Array of {cells : 'a Array.array, rows : int, cols : int}
  type 'a region = {base : 'a array, row : int, col : int, nrows : int option, ncols : int option}
  datatype traversal = RowMajor | ColMajor

  fun dimensions (Array {rows, cols, ...}) = (rows, cols)
  fun nRows (Array {rows, ...}) = rows
  fun nCols (Array {cols, ...}) = cols

  fun checked (rows, cols) =
    if rows < 0 orelse cols < 0 then raise Size else rows * cols handle Overflow => raise Size

  fun array (rows, cols, x) = Array {cells = Array.array (checked (rows, cols), x), rows = rows, cols = cols}

  (* Returns the index of an element in `cells`. The index is less than the number of elements, so the computation does not overflow. *)
  fun place (i, cols, j) = Core.Int.add (Core.Int.mul (i, cols), j)
  fun unsafeSub (Array {cells, cols, ...}, i, j) = Core.Array.sub (cells, place (i, cols, j))
  fun unsafeUpdate (Array {cells, cols, ...}, i, j, x) = Core.Array.update (cells, place (i, cols, j), x)
  fun within (Array {rows, cols, ...}, i, j) = Core.Int.within (i, rows) andalso Core.Int.within (j, cols)
  fun sub (a, i, j) = if within (a, i, j) then unsafeSub (a, i, j) else raise Subscript
  fun update (a, i, j, x) = if within (a, i, j) then unsafeUpdate (a, i, j, x) else raise Subscript

  fun fromList nil = Array {cells = Array.fromList nil, rows = 0, cols = 0}
    | fromList (lists as first :: _) =
        let val cols = List.length first
        in
          if List.exists (fn l => List.length l <> cols) lists then raise Size
          else Array {cells = Array.fromList (List.concat lists), rows = List.length lists, cols = cols}
        end

  (* Visits all elements of a range, in the given order. *)
  fun visit RowMajor (i0, i1, j0, j1, f) =
        let
          fun go (i, j) = if i >= i1 then () else if j >= j1 then go (i + 1, j0) else (f (i, j); go (i, j + 1))
        in
          go (i0, j0)
        end
    | visit ColMajor (i0, i1, j0, j1, f) =
        let
          fun go (i, j) = if j >= j1 then () else if i >= i1 then go (i0, j + 1) else (f (i, j); go (i + 1, j))
        in
          go (i0, j0)
        end

  fun tabulate order (rows, cols, f) =
    let val n = checked (rows, cols)
    in
      if n = 0 then Array {cells = Array.fromList nil, rows = rows, cols = cols}
      else
        let
          val first = f (0, 0)
          val a = array (rows, cols, first)
          (* The first element was set already. *)
          fun fill (0, 0) = ()
            | fill (i, j) = unsafeUpdate (a, i, j, f (i, j))
        in
          visit order (0, rows, 0, cols, fill);
          a
        end
    end

  fun row (a as Array {rows, cols, ...}, i) =
    if Core.Int.within (i, rows) then Vector.tabulate (cols, fn j => unsafeSub (a, i, j)) else raise Subscript
  fun column (a as Array {rows, cols, ...}, j) =
    if Core.Int.within (j, cols) then Vector.tabulate (rows, fn i => unsafeSub (a, i, j)) else raise Subscript

  fun bounds {base = Array {rows, cols, ...}, row, col, nrows, ncols} =
    let
      val n = Range.check (rows, row, nrows)
      val m = Range.check (cols, col, ncols)
    in
      (row, row + n, col, col + m)
    end
  fun whole a = {base = a, row = 0, col = 0, nrows = NONE, ncols = NONE}

  fun appi order f (region : 'a region) =
    let
      val (i0, i1, j0, j1) = bounds region
      val a = #base region
    in
      visit order (i0, i1, j0, j1, fn (i, j) => f (i, j, unsafeSub (a, i, j)))
    end
  fun app order f a = appi order (fn (_, _, x) => f x) (whole a)

  fun foldi order f b region =
    let val result = ref b
    in
      appi order (fn (i, j, x) => result := f (i, j, x, ! result)) region;
      ! result
    end
  fun fold order f b a = foldi order (fn (_, _, x, b) => f (x, b)) b (whole a)

  fun modifyi order f (region : 'a region) =
    appi order (fn (i, j, x) => unsafeUpdate (#base region, i, j, f (i, j, x))) region
  fun modify order f a = modifyi order (fn (_, _, x) => f x) (whole a)

  fun copy {src : 'a region, dst, dst_row, dst_col} =
    let
      val (i0, i1, j0, j1) = bounds src
      val a = #base src
      val (n, m) = (i1 - i0, j1 - j0)
      val _ = Range.check (nRows dst, dst_row, SOME n)
      val _ = Range.check (nCols dst, dst_col, SOME m)
      fun place (i, j) = unsafeUpdate (dst, dst_row + i, dst_col + j, unsafeSub (a, i0 + i, j0 + j))
      (* The regions may be in one array and overlap. So the copy begins at the end where it does not overwrite elements that it still
         has to read. *)
      fun row i =
        if dst_col <= j0 then let fun go j = if j >= m then () else (place (i, j); go (j + 1)) in go 0 end
        else let fun go j = if j < 0 then () else (place (i, j); go (j - 1)) in go (m - 1) end
      fun down i = if i < 0 then () else (row i; down (i - 1))
      fun up i = if i >= n then () else (row i; up (i + 1))
    in
      if dst_row <= i0 then up 0 else down (n - 1)
    end
end
