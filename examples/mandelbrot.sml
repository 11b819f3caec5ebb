(* The Mandelbrot set, as text or as a count. Arguments: columns (400); any second argument prints the text. *)

val limit = 200

fun escapes (cr, ci) =
  let
    fun go (zr, zi, k) =
      let
        val r2 = zr * zr
        val i2 = zi * zi
      in
        if k = limit orelse r2 + i2 > 4.0 then
          k
        else
          go (r2 - i2 + cr, 2.0 * zr * zi + ci, k + 1)
      end
  in
    go (0.0, 0.0, 0)
  end

fun at (columns, rows, x, y) =
  escapes (3.0 * real x / real columns - 2.2, 2.4 * real y / real rows - 1.2)

fun total (columns, rows) =
  let
    fun row (y, x, inside, steps) =
      if x = columns then
        (inside, steps)
      else
        let
          val k = at (columns, rows, x, y)
        in
          row (y, x + 1, if k = limit then inside + 1 else inside, steps + k)
        end
    fun all (y, inside, steps) =
      if y = rows then
        (inside, steps)
      else
        let val (inside, steps) = row (y, 0, inside, steps) in all (y + 1, inside, steps) end
  in
    all (0, 0, 0)
  end

fun shade k = if k = limit then #"*" else String.sub (" .:-=+%#@", k mod 9)

fun picture (columns, rows) =
  List.app
    (fn y => print (CharVector.tabulate (columns, fn x => shade (at (columns, rows, x, y))) ^ "\n"))
    (List.tabulate (rows, fn y => y))

fun main () =
  let
    val arguments = CommandLine.arguments ()
    val columns = case arguments of s :: _ => valOf (Int.fromString s) | [] => 400
    val rows = case arguments of _ :: _ :: _ => columns div 2 | _ => columns
    val (inside, steps) = total (columns, rows)
  in
    if length arguments > 1 then picture (columns, rows) else ();
    print (Int.toString inside ^ " points inside, " ^ Int.toString steps ^ " steps\n")
  end

val () = main ()
