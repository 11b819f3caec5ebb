(* An expression at top level binds `it`. *)
1 + 1;
print (Int.toString it ^ "\n");
it;
val x = 3;
x * x;
val y = it + 1;
print (Int.toString y ^ "\n");
"text" ^ "\n";
print it
