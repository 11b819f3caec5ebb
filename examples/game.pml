(* A game, as in the introduction of Rainey's thesis. The agents are threads that wait for each other; meanwhile, parallel loops in
   another thread draw the picture. Sheep that see the wolf run away; the wolf runs after the nearest sheep. *)

open CML

val (sheep, rounds, width, height) = (12, 20, 48, 16)

datatype kind = WOLF | SHEEP
(* The number, the kind and the place of each remaining agent. *)
type scene = (int * kind * (int * int)) list

(* In each round, the world shows the scene to all agents, and receives their moves. *)
val views : scene Multicast.mchan = Multicast.mChannel ()
val moves : (int * kind * (int * int)) chan = channel ()
val pictures : string chan = channel ()

fun distance ((a, b), (c, d)) = abs (a - c) + abs (b - d)

(* Returns the nearest place with an agent of this kind. *)
fun nearest (here, kind, scene : scene) =
  let
    fun nearer ((_, _, there), NONE) = SOME there
      | nearer ((_, _, there), SOME best) =
          SOME (if distance (here, there) < distance (here, best) then there else best)
  in
    List.foldl nearer NONE (List.filter (fn (_, other, _) => other = kind) scene)
  end

(* Returns the neighbour of a place with the smallest measure. *)
fun step (measure, (x, y)) =
  let
    fun isInside (x, y) = x >= 0 andalso x < width andalso y >= 0 andalso y < height
    fun better (a, b) = if isInside a andalso measure a < measure b then a else b
  in
    List.foldl better (x, y) [(x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)]
  end

fun agent (me, kind, here) =
  let
    val port = Multicast.port views
    val others = if kind = WOLF then SHEEP else WOLF
    fun move (scene, here) =
      case (kind, nearest (here, others, scene)) of
          (_, NONE) => here
        | (WOLF, SOME prey) =>
            let fun far place = distance (place, prey) in step (far, step (far, here)) end
        | (SHEEP, SOME wolf) =>
            step
              (fn place => if distance (here, wolf) > 9 then 0 else ~(distance (place, wolf)), here)
    fun act here =
      let
        val scene = Multicast.recv port
        val next = move (scene, here)
      in
        if List.exists (fn (other, _, _) => other = me) scene then
          (send (moves, (me, kind, next)); act next)
        else
          ()
      end
  in
    spawn (act here)
  end

(* Draws the agents, and dots at the places near the wolf. *)
fun draw (scene : scene) =
  let
    fun point place =
      case List.find (fn (_, _, there) => there = place) scene of
          SOME (_, WOLF, _) => "W"
        | SOME (_, SHEEP, _) => "s"
        | NONE => if distance (place, valOf (nearest (place, WOLF, scene))) < 6 then "." else " "
    val rows =
      [| PArray.toList [| point (x, y) | x in [| 0 to width - 1 |] |]
         | y in [| 0 to height - 1 |] |]
  in
    String.concat (List.map (fn row => String.concat row ^ "|\n") (PArray.toList rows))
  end

fun world (0, scene) =
  send (pictures, draw scene ^ Int.toString (length scene - 1) ^ " sheep are left\n")
  | world (round, scene) =
      let
        val () = Multicast.multicast (views, scene)
        val (_, heard) = (| draw scene, List.map (fn _ => recv moves) scene |)
        val wolf = valOf (nearest ((0, 0), WOLF, heard))
      in
        world
          (round - 1,
           List.filter (fn (_, kind, place) => kind = WOLF orelse distance (place, wolf) > 1) heard)
      end

fun place 0 = (0, WOLF, (width div 2, height div 2))
  | place i = (i, SHEEP, (i * 7 mod width, i * 5 mod height))
val scene = List.tabulate (sheep + 1, place)
val (_, _) = (List.map agent scene, spawn (world (rounds, scene)))
val () = print (recv pictures)
