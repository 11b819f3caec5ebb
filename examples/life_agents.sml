(* The game of life as agents. Each cell is a thread. It sends its state to its eight neighbours, receives their states, and goes to the
   next generation. The program needs no clock: a cell is at most one generation ahead of a neighbour.
   Arguments: side of the torus (16), generations (30). *)

open CML

val (side, generations) =
  case List.mapPartial Int.fromString (CommandLine.arguments ()) of
      [n, g] => (n, g)
    | [n] => (n, 30)
    | _ => (16, 30)

(* One mailbox for each pair of neighbours and direction, so that no message of the next generation overtakes a message of this
   generation. *)
type link = bool Mailbox.mbox

fun places f =
  Vector.tabulate (side, fn row => Vector.tabulate (side, fn column => f (row, column)))
fun at (grid, (row, column)) = Vector.sub (Vector.sub (grid, row mod side), column mod side)

val directions = [(~1, ~1), (~1, 0), (~1, 1), (0, ~1), (0, 1), (1, ~1), (1, 0), (1, 1)]
(* The links to a cell. Each link comes from the neighbour in this direction. *)
val links : (int * int -> link) vector vector =
  places (fn _ =>
       let
         val boxes = List.map (fn direction => (direction, Mailbox.mailbox ())) directions
       in
         fn direction => #2 (valOf (List.find (fn (other, _) => other = direction) boxes))
       end)

val news : ((int * int) * bool) Mailbox.mbox = Mailbox.mailbox ()

fun cell (place as (row, column), isAlive) =
  let
    val from = List.map (at (links, place)) directions
    val to = List.map (fn (y, x) => at (links, (row + y, column + x)) (~y, ~x)) directions
    fun live (0, isAlive) = Mailbox.send (news, (place, isAlive))
      | live (generation, isAlive) =
          let
            val () = List.app (fn link => Mailbox.send (link, isAlive)) to
            val neighbours =
              List.foldl (fn (link, sum) => if Mailbox.recv link then sum + 1 else sum) 0 from
          in
            live (generation - 1, neighbours = 3 orelse isAlive andalso neighbours = 2)
          end
  in
    ignore (spawn (fn () => live (generations, isAlive)))
  end

(* A glider, and a blinker. *)
val living = [(1, 2), (2, 3), (3, 1), (3, 2), (3, 3), (12, 3), (12, 4), (12, 5)]
val start = places (fn place => List.exists (fn other => other = place) living)
val () =
  Vector.appi
    (fn (row, cells) => Vector.appi (fn (column, isAlive) => cell ((row, column), isAlive)) cells)
    start

fun collect (0, found) = found
  | collect (n, found) =
      let
        val (place, isAlive) = Mailbox.recv news
      in
        collect (n - 1, if isAlive then place :: found else found)
      end

val found = collect (side * side, nil)
fun show place = if List.exists (fn other => other = place) found then "#" else "."
val () =
  Vector.app (fn row => print (String.concat (Vector.foldr (op ::) nil row) ^ "\n")) (places show)
