(* Measures the memory of waiting strands. Each strand computes a published fork, which waits for one variable. Argument: number of
   strands (10000). *)

val count = ref 0
val variable : int SyncVar.ivar = SyncVar.iVar ()

fun resident () =
  let
    val file = TextIO.openIn "/proc/self/statm"
    val line = valOf (TextIO.inputLine file)
  in
    TextIO.closeIn file;
    4 * valOf (Int.fromString (List.nth (String.tokens Char.isSpace line, 1)))
  end

fun await n = if !count < n then await n else ()

fun wait () = (ignore (MLton.Parallel.fetchAndAdd count 1); SyncVar.iGet variable)

fun go (0, n, start) =
  (await n;
   print (Int.toString (resident () - start) ^ " KiB for " ^ Int.toString n ^ " strands\n");
   SyncVar.iPut (variable, 1);
   0)
  | go (k, n, start) = let val (a, b) = (| go (k - 1, n, start), wait () |) in a + b end

fun main () =
  let
    val n = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 10000
    val sum = go (n, n, resident ())
  in
    print (if sum = n then "all went on\n" else "WRONG\n")
  end

val () = main ()
