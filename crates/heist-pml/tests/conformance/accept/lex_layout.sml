(* Tabs, carriage returns,	form feeds and lines that break anywhere. *)
val
	x
  =
	1 +
2 *
	3
fun
f
(
a
)
=
a
+
x
val () = print (Int.toString
(f
4) ^
"\n")
