(* Tokens without spaces between them. *)
val(a,b)=(1,2)val c=a+b;val d=[a,b,c]fun f(x)=x*x;val r={l=1,m=(2)}
val()=print(Int.toString(f(c))^"\n")val()=app(fn x=>print(Int.toString x))d
val()=(print"\n";print(Int.toString(#l r+ #m r));print"\n")
