(* Counts the ways to place n queens. The subtrees of the first rows are counted in parallel. Argument: n (10). *)

fun safe (_, _, []) = true
  | safe (column, distance, q :: qs) =
      column <> q andalso column <> q + distance andalso column <> q - distance
        andalso safe (column, distance + 1, qs)

fun count (n, row, placed) =
  if row = n then
    1
  else
    let
      fun try column = if safe (column, 1, placed) then count (n, row + 1, column :: placed) else 0
    in
      if row < 3 then
        reduceP (op +) 0 [| try column | column in [| 1 to n |] |]
      else
        let
          fun all column = if column > n then 0 else try column + all (column + 1)
        in
          all 1
        end
    end

fun main () =
  let
    val n = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 10
  in
    print (Int.toString n ^ " queens: " ^ Int.toString (count (n, 0, [])) ^ " solutions\n")
  end

val () = main ()
