//! Tests structures, signatures and functors.

use super::{accept, refuse, types};

#[test]
fn structures() {
    types(&[
        ("structure S = struct val x = 1 end val y = S.x", "y", "int"),
        (
            "structure S = struct fun id x = x end val y = (S.id 1, S.id true)",
            "y",
            "int * bool",
        ),
        (
            "structure S = struct structure T = struct val x = \"a\" end end open S val y = T.x",
            "y",
            "string",
        ),
        (
            "structure S = struct datatype t = A | B of int end val y = S.B 1",
            "y",
            "S.t",
        ),
        (
            "structure S = struct datatype t = A | B of int end fun f (S.B n) = n | f S.A = 0",
            "f",
            "S.t -> int",
        ),
        (
            "structure S = struct datatype 'a t = A of 'a end structure R = S val y = [S.A 1, R.A 2]",
            "y",
            "int S.t list",
        ),
        (
            "structure S = struct exception E of int end val y = (raise S.E 1) handle S.E n => n",
            "y",
            "int",
        ),
        (
            "local val x = 1 in structure S = struct val y = x end end val z = S.y",
            "z",
            "int",
        ),
        (
            "structure S = let val x = 1 in struct val y = (x, x) end end val z = S.y",
            "z",
            "int * int",
        ),
        (
            "structure S = struct type 'a pair = 'a * 'a end fun f (x : int S.pair) = #1 x",
            "f",
            "int * int -> int",
        ),
        (
            "structure S = struct local val h = 1 in val y = h end end open S val z = y",
            "z",
            "int",
        ),
    ]);
    refuse(&[
        (
            "structure S = struct local val h = 1 in val y = h end end val z = S.h",
            "E0311",
        ),
        ("val x = S.x", "E0401"),
        ("structure S = struct end val x = S.T.x", "E0401"),
        (
            "structure S = struct val x = 1 end and S = struct end",
            "E0414",
        ),
        ("open S val x = whatever", "E0401"),
        (
            "structure S = struct val foo = 1 end val x = S.fooo",
            "E0311",
        ),
        (
            "structure S = struct type t = int end val x : S.u = 1",
            "E0313",
        ),
    ]);
}

#[test]
fn transparent_signatures() {
    types(&[
        (
            "structure S : sig type t val x : t end = struct type t = int val x = 1 end val y = S.x + 1",
            "y",
            "int",
        ),
        (
            "structure S : sig val id : int -> int end = struct fun id x = x end val y = S.id",
            "y",
            "int -> int",
        ),
        (
            "structure S : sig val f : 'a -> 'b -> 'a end = struct fun f x _ = x end val y = S.f",
            "y",
            "'a -> 'b -> 'a",
        ),
        (
            "structure S : sig datatype t = A | B end = struct datatype t = A | B val C = A end fun f S.A = 1 | f S.B = 2",
            "f",
            "S.t -> int",
        ),
        (
            "structure S : sig type t val a : t end = struct datatype t = A val a = A end val y = S.a",
            "y",
            "S.t",
        ),
        (
            "structure S : sig val B : int -> int option end = struct datatype u = A val B = SOME end val y = S.B 1",
            "y",
            "int option",
        ),
        (
            "structure S : sig type u val A : int -> u end = struct datatype u = A of int end val y = S.A 1",
            "y",
            "S.u",
        ),
        (
            "signature E = sig exception X of int end structure S : E = struct exception X of int end val y = (raise S.X 1) handle S.X n => n",
            "y",
            "int",
        ),
        (
            "structure S : sig structure T : sig type t val x : t end val y : T.t end = struct structure T = struct type t = bool val x = true end val y = false end val z = (S.y, S.T.x)",
            "z",
            "bool * bool",
        ),
        (
            "structure S : sig type t = int val x : t end = struct type t = int val x = 1 end val y = S.x",
            "y",
            "int",
        ),
        (
            "signature S = sig type 'a t val x : int t end structure T : S = struct type 'a t = 'a * bool val x = (1, true) end val y = T.x",
            "y",
            "int * bool",
        ),
        (
            "structure S : sig datatype 'a t = A of 'a | B type u = int t val f : u -> int end = struct datatype 'a t = A of 'a | B type u = int t fun f (A n) = n | f B = 0 end val y = S.f (S.A 1)",
            "y",
            "int",
        ),
        (
            "structure S : sig datatype t = datatype bool end = struct datatype t = datatype bool end val y = S.true",
            "y",
            "bool",
        ),
        (
            "structure S : sig val x : int list ref end = struct val x = ref [] end val y = S.x",
            "y",
            "int list ref",
        ),
        (
            "structure S : sig datatype t = B | A end = struct datatype t = A | B end val y = S.A",
            "y",
            "S.t",
        ),
        (
            "structure S : sig val + : int * int -> int end = struct val op + = op + end val y = S.+ (1, 2)",
            "y",
            "int",
        ),
    ]);
    refuse(&[
        ("structure S : sig val x : int end = struct end", "E0404"),
        (
            "structure S : sig val x : int end = struct val x = true end",
            "E0406",
        ),
        (
            "structure S : sig val id : 'a -> 'a end = struct fun id x = x + 1 end",
            "E0406",
        ),
        (
            "structure S : sig val f : 'a -> 'b end = struct fun f x = x end",
            "E0406",
        ),
        ("structure S : sig type t end = struct end", "E0404"),
        (
            "structure S : sig type 'a t end = struct type t = int end",
            "E0407",
        ),
        (
            "structure S : sig eqtype t end = struct type t = int -> int end",
            "E0409",
        ),
        (
            "structure S : sig eqtype t end = struct type t = real end",
            "E0409",
        ),
        (
            "structure S : sig type t = int end = struct type t = bool end",
            "E0410",
        ),
        (
            "structure S : sig datatype t = A | B end = struct datatype t = A end",
            "E0408",
        ),
        (
            "structure S : sig datatype t = A end = struct datatype t = A | B end",
            "E0408",
        ),
        (
            "structure S : sig datatype t = A of int end = struct datatype t = A of bool end",
            "E0408",
        ),
        (
            "structure S : sig datatype t = A end = struct type t = int val A = 1 end",
            "E0408 E0405",
        ),
        (
            "structure S : sig exception E end = struct val E = Div end",
            "E0405",
        ),
        (
            "structure S : sig exception E of int end = struct exception E end",
            "E0406",
        ),
        (
            "structure S : sig structure T : sig end end = struct end",
            "E0404",
        ),
        (
            "structure S : sig val x : 'a list ref end = struct val x = ref [] end",
            "E0406",
        ),
        ("structure S : T = struct end", "E0402"),
        (
            "structure S : sig datatype t = A end = struct datatype t = A fun A x = 1 end",
            "E0405",
        ),
        (
            "structure S : sig val x : int end = struct val x = 1 val y = 2 end val z = S.y",
            "E0311",
        ),
        (
            "structure S : sig datatype t = datatype bool end = struct datatype t = true2 | false2 end",
            "E0408",
        ),
    ]);
}

#[test]
fn opaque_signatures() {
    types(&[
        (
            "structure S :> sig type t val x : t val f : t -> int end = struct type t = int val x = 1 fun f x = x end val y = S.f S.x",
            "y",
            "int",
        ),
        (
            "structure S :> sig type t val x : t end = struct type t = int val x = 1 end val y = S.x",
            "y",
            "S.t",
        ),
        (
            "structure S :> sig eqtype t val x : t end = struct type t = int val x = 1 end val y = S.x = S.x",
            "y",
            "bool",
        ),
        (
            "structure S :> sig datatype t = A | B of int end = struct datatype t = A | B of int end fun f (S.B n) = n | f S.A = 0 val y = f (S.B 1)",
            "y",
            "int",
        ),
        (
            "structure S :> sig type 'a t val mk : 'a -> 'a t val un : 'a t -> 'a end = struct type 'a t = 'a list fun mk x = [x] fun un (x :: _) = x | un [] = raise Div end val y = S.un (S.mk 1)",
            "y",
            "int",
        ),
        (
            "structure S :> sig type t end where type t = int = struct type t = int end val y : S.t = 1",
            "y",
            "int",
        ),
        (
            "structure S :> sig structure T : sig type t val x : t end val f : T.t -> int end = struct structure T = struct type t = int val x = 3 end fun f x = x end val y = S.f S.T.x",
            "y",
            "int",
        ),
        (
            "structure S :> sig datatype 'a t = L | N of 'a t * 'a * 'a t val e : 'a t end = struct datatype 'a t = L | N of 'a t * 'a * 'a t val e = L end val y = S.N (S.e, 1, S.L)",
            "y",
            "int S.t",
        ),
        (
            "signature S = sig type t val x : t end structure A = struct type t = int val x = 1 end structure B : S = A val y = B.x + A.x",
            "y",
            "int",
        ),
        (
            "structure S :> sig datatype t = A end = struct datatype t = A end val y = S.A = S.A",
            "y",
            "bool",
        ),
        (
            "structure S = struct datatype t = A end :> sig type t val A : t end val y = S.A",
            "y",
            "S.t",
        ),
    ]);
    refuse(&[
        (
            "structure S :> sig type t val x : t end = struct type t = int val x = 1 end val y = S.x + 1",
            "E0302",
        ),
        (
            "structure S :> sig type t val x : t end = struct type t = int val x = 1 end val y = S.x = S.x",
            "E0308",
        ),
        (
            "structure A = struct type t = int val x = 1 end structure B :> sig type t val x : t end = A val y = [A.x, B.x]",
            "E0301",
        ),
        (
            "structure A = struct type t = int val x = 1 end signature S = sig type t val x : t end structure B :> S = A structure C :> S = A val y = [B.x, C.x]",
            "E0301",
        ),
        (
            "structure S :> sig type t val f : t -> t end = struct type t = int fun f x = x end val y = S.f 1",
            "E0302",
        ),
    ]);
}

#[test]
fn signatures() {
    accept(&[
        "signature A = sig type t end signature B = sig include A val x : t end structure S : B = struct type t = int val x = 1 end",
        "signature A = sig type t type u sharing type t = u end structure S : A = struct type t = int type u = int end",
        "signature A = sig structure X : sig type t end structure Y : sig type t end sharing X = Y end structure S : A = struct structure X = struct type t = int end structure Y = X end",
        "signature A = sig type t end signature B = A where type t = int structure S : B = struct type t = int end val x : S.t = 1",
        "signature A = sig type t type u end structure S : A where type t = int and type u = bool = struct type t = int type u = bool end",
        "signature A = sig datatype t = T end structure X = struct datatype t = T end signature B = A where type t = X.t structure S : B = X",
        "signature A = sig structure X : sig type 'a t end end where type 'a X.t = 'a list structure S : A = struct structure X = struct type 'a t = 'a list end end",
        "signature A = sig type t and u val x : t and y : u end",
        "signature A = sig exception E and F of int end",
        "signature A = sig eqtype t val f : t * t -> bool end structure S : A = struct type t = int fun f (a, b) = a = b end",
        "signature A = sig datatype t = A of u withtype u = t list end structure S : A = struct datatype t = A of u withtype u = t list end",
        "signature A = sig type t sharing type t = t end",
        "signature A = sig structure X : sig datatype t = T end structure Y : sig type t end sharing type X.t = Y.t end structure S : A = struct structure X = struct datatype t = T end structure Y = X end",
    ]);
    refuse(&[
        ("signature A = sig type t type t end", "E0413"),
        ("signature A = sig val x : int val x : bool end", "E0413"),
        (
            "signature A = sig datatype t = A datatype u = A end",
            "E0413",
        ),
        (
            "signature A = sig type t = int type u sharing type t = u end",
            "E0411",
        ),
        (
            "signature A = sig type t type 'a u sharing type t = u end",
            "E0411",
        ),
        (
            "signature A = sig type t = int end where type t = bool",
            "E0412",
        ),
        ("signature A = sig type t end where type u = bool", "E0313"),
        (
            "signature A = sig type t end where type 'a t = 'a list",
            "E0316",
        ),
        (
            "signature A = sig eqtype t end where type t = int -> int",
            "E0412",
        ),
        ("signature A = sig val x : t end", "E0313"),
        (
            "signature A = sig type t type u sharing type t = u end structure S : A = struct type t = int type u = bool end",
            "E0410",
        ),
        ("signature A = sig val true : bool end", "E0332"),
        ("signature A = sig end and A = sig end", "E0414"),
        ("signature A = sig include B end", "E0402"),
        ("signature A = sig sharing type t = u end", "E0313 E0313"),
    ]);
}

#[test]
fn functors() {
    types(&[
        (
            "functor F (X : sig type t val x : t end) = struct val y = (X.x, X.x) end structure A = F (struct type t = int val x = 1 end) val z = A.y",
            "z",
            "int * int",
        ),
        (
            "functor F (type t val x : t) = struct val y = [x] end structure A = F (type t = bool val x = true) val z = A.y",
            "z",
            "bool list",
        ),
        (
            "functor F (X : sig val x : int end) = struct datatype t = T of int val t = T X.x end structure A = F (struct val x = 1 end) val z = A.t",
            "z",
            "A.t",
        ),
        (
            "signature ORD = sig type t val lt : t * t -> bool end functor Max (O : ORD) = struct fun max (a, b) = if O.lt (a, b) then b else a end structure M = Max (struct type t = int val lt = op < : int * int -> bool end) val z = M.max (1, 2)",
            "z",
            "int",
        ),
        (
            "functor F (X : sig type t end) : sig type u val f : u -> u end = struct type u = X.t list fun f x = x end structure A = F (struct type t = int end) val z = A.f [1]",
            "z",
            "int list",
        ),
        (
            "functor F (X : sig type t val x : t end) :> sig type u val y : u end where type u = X.t = struct type u = X.t val y = X.x end structure A = F (struct type t = int val x = 1 end) val z = A.y + 1",
            "z",
            "int",
        ),
        (
            "functor F () = struct val x = 1 end structure A = F () val z = A.x",
            "z",
            "int",
        ),
        (
            "functor F (X : sig type t end) = struct structure Y = X type u = Y.t end functor G (X : sig type t end) = F (struct type t = X.t list end) structure A = G (struct type t = int end) val z : A.u = [1]",
            "z",
            "int list",
        ),
        (
            "val k = 1 functor F () = struct val y = k end val k = true structure A = F () val z = A.y",
            "z",
            "int",
        ),
        (
            "functor F (eqtype t) = struct fun mem (x : t, xs) = case xs of [] => false | y :: ys => x = y orelse mem (x, ys) end structure A = F (type t = int) val z = A.mem (1, [1])",
            "z",
            "bool",
        ),
        (
            "functor F (X : sig datatype t = A | B end) = struct fun f X.A = 1 | f X.B = 2 end structure M = F (struct datatype t = A | B end) val z = M.f",
            "z",
            "M.t -> int",
        ),
        (
            "functor F (structure A : sig type t val x : t end structure B : sig type t val f : t -> int end sharing type A.t = B.t) = struct val y = B.f A.x end structure R = F (structure A = struct type t = int val x = 1 end structure B = struct type t = int fun f x = x end) val z = R.y",
            "z",
            "int",
        ),
        (
            "functor F (X : sig exception E of int end) = struct fun f g = g () handle X.E n => n end structure A = struct exception E of int end structure R = F (A) val z = R.f (fn () => raise A.E 2)",
            "z",
            "int",
        ),
    ]);
    refuse(&[
        ("structure A = F (struct end)", "E0403"),
        (
            "functor F (X : sig type t val x : t end) = struct val y = X.x + 1 end",
            "E0302",
        ),
        (
            "functor F (X : sig type t val x : t end) = struct val y = X.x = X.x end",
            "E0308",
        ),
        (
            "functor F (X : sig type t end) = struct end structure A = F (struct end)",
            "E0404",
        ),
        (
            "functor F () = struct datatype t = T end structure A = F () structure B = F () val x = [A.T, B.T]",
            "E0301",
        ),
        (
            "functor F () :> sig type t val x : t end = struct type t = int val x = 1 end structure A = F () structure B = F () val x = [A.x, B.x]",
            "E0301",
        ),
        (
            "functor F (X : sig val x : int end) = struct val y = X.z end",
            "E0311",
        ),
        (
            "functor F (X : sig val x : int end) = struct val y = X.z end structure A = F (struct val x = 1 end)",
            "E0311",
        ),
        (
            "functor F (X : sig type t end) : sig val y : X.t end = struct val y = 1 end",
            "E0406",
        ),
        ("functor F () = struct end and F () = struct end", "E0414"),
        (
            "functor F (structure A : sig type t end structure B : sig type t end sharing type A.t = B.t) = struct end structure R = F (structure A = struct type t = int end structure B = struct type t = bool end)",
            "E0410",
        ),
    ]);
}
