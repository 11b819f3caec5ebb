(* A program of the first Manticore: it has no structures, passes tuples of arguments, and ends with an expression. *)
fun loop (arr, i) = if (i < alength arr) then (aupdate (arr, i, i * i); loop (arr, i + 1)) else ();
fun toList arr = let
  fun build (i, l) = if (i >= 0) then build (i - 1, asub (arr, i) :: l) else l
  in build (alength arr - 1, nil) end;
val arr = array (6, 0);
val _ = loop (arr, 0);
val squares : int list = toList arr;
val _ = app (fn s => print (s ^ "\n"), map (itos, squares));
val _ = print (concatWith (",", map (itos, filter (fn n => n mod 2 = 0, squares))) ^ "\n");
val sum = foldl (fn (x, s) => x + s, 0, squares);
val h = compose (itos, fn n => n - 1);
val a = [| x * 2 | x in [| 1 to 5 |] |];
val _ = print (itos (plen a) ^ " " ^ itos (reduceP (fn (x, y) => x + y, 0, a)) ^ " " ^ itos (prev a ! 0) ^ "\n");
val _ = print (dtos (sqrtd 2.0) ^ " " ^ ftos (sqrtf 2.0) ^ " " ^ ltos 5 ^ "\n");
val ch = channel ();
val _ = spawn (send (ch, sum));
val _ = print (itos (recv ch) ^ "\n");
print ("the result is " ^ h 10 ^ "\n");
val img : image = newImage (2, 1);
(updateImage3f (img, 0, 0, 1.0, 0.5, 0.0); updateImage3d (img, 0, 1, 0.0, 1.0, 2.0));
outputImage (img, "/dev/null");
freeImage img;
print (ftos (log2f 8.0) ^ " " ^ ftos (log10f 0.01) ^ " " ^ itos (if getNumProcs () > 0 then 1 else 0) ^ "\n");
val n = readint () handle Fail s => (print (s ^ "\n"); 0);
val x : float = readfloat () + 1.0 handle Fail s => (print (s ^ "\n"); 0.0);
todo "more" handle Fail s => print (s ^ "\n")
