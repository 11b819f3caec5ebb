(* Finds primes by trial division by the primes up to the root, which it finds first. Argument: the limit (2000000). *)

fun primes n =
  if n < 2 then
    [| |]
  else
    let
      val small = primes (floor (Math.sqrt (real n)))
      val count = lengthP small
      fun prime k =
        let
          fun go j =
            j = count
            orelse let val p = subP (small, j)
                   in p * p > k orelse k mod p <> 0 andalso go (j + 1)
                   end
        in
          go 0
        end
    in
      filterP prime [| 2 to n |]
    end

fun main () =
  let
    val n = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 2000000
    val all = primes n
  in
    print (Int.toString (lengthP all) ^ " primes, the greatest " ^ Int.toString (subP (all, lengthP all - 1)) ^ "\n")
  end

val () = main ()
