(* The sequential twin of smvm.pml, after prelude.sml. *)

type row = (int * real) parray
type matrix = row parray

fun sumP xs = reduceP (op +) 0.0 xs

fun dotp (row : row, v) = sumP (mapP (fn (i, x) => x * subP (v, i)) row)

fun smvm (m : matrix, v) = mapP (fn row => dotp (row, v)) m

(* Rows of different lengths: at most twice `per`, on average `per`. Many rows are short. *)
fun sparse (n, elements) : matrix =
  let
    val per = elements div n
    fun row i =
      let
        val length = Int.min (n, (i * 7919 mod (2 * per + 1)))
        val step = Int.max (1, n div Int.max (1, length))
      in
        mapP (fn k => ((i + k * step) mod n, real ((i + k) mod 10) / 2.0)) (range (0, length - 1))
      end
  in
    mapP row (range (0, n - 1))
  end

fun argument (k, default) =
  case List.drop (CommandLine.arguments (), k) handle Subscript => [] of
    s :: _ => valOf (Int.fromString s)
  | [] => default

fun main () =
  let
    val n = argument (0, 16614)
    val m = sparse (n, argument (1, 1091362))
    val v = mapP (fn i => real (i mod 17) / 4.0) (range (0, n - 1))
    fun times 0 = smvm (m, v)
      | times k = (ignore (smvm (m, v)); times (k - 1))
    val result = times 9
    val nonzeros = reduceP (op +) 0 (mapP lengthP m)
  in
    print (Int.toString nonzeros ^ " elements, sum of the product " ^ Real.fmt (StringCvt.FIX (SOME 3)) (sumP result) ^ "\n")
  end

val () = main ()
