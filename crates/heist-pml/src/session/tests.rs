//! Tests inputs and their answers.

use super::{Answer, Ended, Session};
use crate::diag::Style;
use crate::driver::{Dialect, on_large_stack};
use crate::runtime::state::options::Options;
use crate::runtime::state::worker::Worker;

/// Runs inputs and checks the answers. If an input succeeds, its expected answer is the text that lists all names that the input declares.
/// If the input fails, its expected answer is a part of the message. If `stress` is true, the collector runs at every allocation.
#[track_caller]
fn talk(stress: bool, inputs: &[(&str, &str)]) {
    on_large_stack(|| {
        let options = Options {
            heap: 256 << 20,
            stack: 64 << 20,
            stress,
            ..Options::default()
        };
        let worker = Worker::new(options).expect("memory");
        let mut session = Session::new(Dialect::Pml, worker, Style::default()).expect("the Basis");
        let options = Dialect::Pml.options("test.sml".as_ref());
        for (input, expected) in inputs {
            let Answer {
                end,
                messages,
                text,
            } = session.input("test.sml", input.as_bytes(), options);
            if end == Ended::Done {
                assert_eq!(text.trim_end(), *expected, "{input}\n{messages}");
            } else {
                assert!(
                    !expected.is_empty() && messages.contains(expected),
                    "{input}\n{messages}"
                );
            }
        }
        assert_eq!(session.end().end, Ended::Done);
    });
}

#[test]
fn files_on_demand_come_when_they_are_mentioned() {
    talk(
        false,
        &[
            (
                "structure I = struct val int = 5 end;",
                "structure I : sig\n  val int : int\nend",
            ),
            ("val a = Int5.fromInt 15;", "val a = 15 : Int5.int"),
            ("a + 1;", "uncaught exception Overflow"),
            ("(16 : Int5.int);", "does not fit"),
            // A declaration of the user takes precedence over files that are declared later.
            (
                "val SizedWord = 1; fun op + (x, y) = x;",
                "val SizedWord = 1 : int\nval + = fn : 'a * 'b -> 'a",
            ),
            (
                "val w = Word7.+ (0w100, 0w100);",
                "val w = 0wx48 : Word7.word",
            ),
            (
                "(w = 0w72, I.int, 1 + 2);",
                "val it = (true, 5, 1) : bool * int * int",
            ),
            ("JSON.INT 3;", "val it = INT 3 : JSON.value"),
        ],
    );
}

#[test]
fn values_are_shown_by_their_types() {
    talk(
        false,
        &[
            ("1 + 2;", "val it = 3 : int"),
            ("it * 2;", "val it = 6 : int"),
            (
                "val x = ~5 and y = 0w255;",
                "val x = ~5 : int\nval y = 0wxFF : word",
            ),
            ("fun id x = x;", "val id = fn : 'a -> 'a"),
            (
                "(id 1, id \"a\\n\", #\"b\", ());",
                "val it = (1, \"a\\n\", #\"b\", ()) : int * string * char * unit",
            ),
            (
                "{b = true, a = 1.5};",
                "val it = {a = 1.5, b = true} : {a: real, b: bool}",
            ),
            (
                "SOME (SOME ~3);",
                "val it = SOME (SOME ~3) : int option option",
            ),
            ("([], NONE);", "val it = ([], NONE) : 'a list * 'b option"),
            (
                "IntInf.pow (~2, 101);",
                "val it = ~2535301200456458802993406410752 : IntInf.int",
            ),
            ("ref (ref 1);", "val it = ref (ref 1) : int ref ref"),
            (
                "(Array.fromList [1.0], Vector.fromList [[true]]);",
                "val it = (fromList [1.0], fromList [[true]]) : real array * bool list vector",
            ),
            ("[| 1, 2 |];", "val it = [|1, 2|] : int PArray.parray"),
            (
                "datatype 'a t = L | N of 'a t * 'a * 'a t | W of 'a; datatype one = One of real;",
                "datatype 'a t = L | N of 'a t * 'a * 'a t | W of 'a\ndatatype one = One of real",
            ),
            (
                "(N (L, 1, W 2), One 2.5);",
                "val it = (N (L, 1, W 2), One 2.5) : int t * one",
            ),
            (
                "[Fail \"x\", Div, Option];",
                "val it = [Fail \"x\", Div, Option] : exn list",
            ),
            (
                "structure A :> sig type t val x : t end = struct type t = int val x = 3 end; A.x;",
                "structure A : sig\n  type t\n  val x : A.t\nend\nval it = - : A.t",
            ),
            (
                "val r = ref nil : int list ref;",
                "val r = ref [] : int list ref",
            ),
            ("pval p = 1;", "val p = - : int"),
            ("p + 1;", "val it = 2 : int"),
        ],
    );
}

#[test]
fn nothing_is_done_twice() {
    talk(
        true,
        &[
            ("val r = ref 0;", "val r = ref 0 : int ref"),
            (
                "fun bump () = (r := !r + 1; !r);",
                "val bump = fn : unit -> int",
            ),
            ("val a = bump ();", "val a = 1 : int"),
            ("val _ = bump (); val () = r := !r * 10;", ""),
            (
                "(a, !r, bump ());",
                "val it = (1, 20, 21) : int * int * int",
            ),
            (
                "local val n = ref 5 in fun tick x = (n := !n + 1; (x, !n)) end;",
                "val tick = fn : 'a -> 'a * int",
            ),
            ("tick true;", "val it = (true, 6) : bool * int"),
            ("tick \"s\";", "val it = (\"s\", 7) : string * int"),
            (
                "functor C (val start : int) = struct val c = ref start fun next () = (c := !c + 1; !c) end \
                 structure A = C (val start = 10) structure B = C (val start = 20);",
                "functor C\nstructure A : sig\n  val c : int ref\n  val next : unit -> int\nend\n\
                 structure B : sig\n  val c : int ref\n  val next : unit -> int\nend",
            ),
            (
                "(A.next (), A.next (), B.next ());",
                "val it = (11, 12, 21) : int * int * int",
            ),
            ("A.next ();", "val it = 13 : int"),
            (
                "val r = ref (SOME 1); val (f, ref (SOME y), n) = (fn z => z, r, nil);",
                "val r = ref (SOME 1) : int option ref\nval f = fn : 'a -> 'a\nval y = 1 : int\nval n = [] : 'b list",
            ),
            ("r := SOME 2;", "val it = () : unit"),
            (
                "(y, f 3, f \"s\", 1 :: n);",
                "val it = (1, 3, \"s\", [1]) : int * int * string * int list",
            ),
            ("r := NONE;", "val it = () : unit"),
            ("(y, f true);", "val it = (1, true) : int * bool"),
        ],
    );
}

#[test]
fn programs_call_each_others_closures_and_see_each_others_data() {
    talk(
        true,
        &[
            (
                "fun f a b c = a + b * c; val g = f 1; val h = g 2;",
                "val f = fn : int -> int -> int -> int\nval g = fn : int -> int -> int\nval h = fn : int -> int",
            ),
            ("h 3;", "val it = 7 : int"),
            (
                "val fs = [h, fn x => x * 2] and t = ref (fn (x, y, z) => x ^ y ^ z);",
                "val fs = [fn, fn] : (int -> int) list\nval t = ref fn : (string * string * string -> string) ref",
            ),
            ("map (fn f => f 10) fs;", "val it = [21, 20] : int list"),
            ("!t (\"a\", \"b\", \"c\");", "val it = \"abc\" : string"),
            ("t := (fn (x, _, _) => x);", "val it = () : unit"),
            ("!t (\"a\", \"b\", \"c\");", "val it = \"a\" : string"),
            (
                "val big = SOME (List.tabulate (100, fn i => (i, Int.toString i, real i))) val big = fn () => valOf big;",
                "val big = fn : unit -> (int * string * real) list",
            ),
            (
                "foldl (fn ((i, s, r), n) => i + size s + floor r + n) 0 (big ());",
                "val it = 10090 : int",
            ),
            (
                "val (n, w, c, r, u) = (1, 0w2, #\"c\", 2.5, ());",
                "val n = 1 : int\nval w = 0wx2 : word\nval c = #\"c\" : char\nval r = 2.5 : real\nval u = () : unit",
            ),
            (
                "(u, r, c, w, n);",
                "val it = ((), 2.5, #\"c\", 0wx2, 1) : unit * real * char * word * int",
            ),
        ],
    );
}

#[test]
fn exceptions_keep_their_identity() {
    talk(
        true,
        &[
            (
                "exception P; exception Q of int; val old = [P, Q 1];",
                "exception P\nexception Q of int\nval old = [P, Q 1] : exn list",
            ),
            (
                "fun kind P = 1 | kind (Q n) = 10 + n | kind Div = 3 | kind Subscript = 4 | kind (Fail _) = 5 | kind _ = 0;",
                "val kind = fn : exn -> int",
            ),
            ("map kind old;", "val it = [1, 11] : int list"),
            (
                "fun catch f = (f (); 0) handle e => kind e;",
                "val catch = fn : (unit -> 'a) -> int",
            ),
            ("catch (fn () => 1 div 0);", "val it = 3 : int"),
            (
                "catch (fn () => Vector.sub (Vector.fromList [1], 1));",
                "val it = 4 : int",
            ),
            ("catch (fn () => raise Fail \"\");", "val it = 5 : int"),
            ("catch (fn () => raise Q 7);", "val it = 17 : int"),
            ("exception P;", "exception P"),
            (
                "(kind P, catch (fn () => raise hd old));",
                "val it = (0, 1) : int * int",
            ),
            (
                "fun mk () = let exception L of int in (L, fn L n => n | _ => ~1) end; val (a, ofa) = mk (); val (b, _) = mk ();",
                "val mk = fn : unit -> (int -> exn) * (exn -> int)\nval a = fn : int -> exn\nval ofa = fn : exn -> int\n\
                 val b = fn : int -> exn",
            ),
            ("(ofa (a 1), ofa (b 1));", "val it = (1, ~1) : int * int"),
        ],
    );
}

#[test]
fn inputs_that_fail_bind_no_names() {
    talk(
        false,
        &[
            ("val x = 1;", "val x = 1 : int"),
            ("val x = 2 val y = 1 div 0;", "uncaught exception Div"),
            ("x;", "val it = 1 : int"),
            ("y;", "E0311"),
            ("val x = 3 + \"a\";", "E0302"),
            ("val x = ;", "E02"),
            ("infix ++ val x = bad;", "E0311"),
            (
                "fun ++ (a, b) = a - b; ++ (5, 3);",
                "val ++ = fn : int * int -> int\nval it = 2 : int",
            ),
            ("infix ++;", ""),
            ("5 ++ 1;", "val it = 4 : int"),
            ("val r = ref 1;", "val r = ref 1 : int ref"),
            ("(r := 2; raise Empty) : unit;", "uncaught exception Empty"),
            ("!r;", "val it = 2 : int"),
            (
                "datatype t = A; val a = A;",
                "datatype t = A\nval a = A : t",
            ),
            (
                "datatype t = B of int | A; (a, A);",
                "datatype t = B of int | A\nval it = (A, A) : t * t",
            ),
            ("open List;", ""),
            ("tl [1, 2];", "val it = [2] : int list"),
        ],
    );
}

#[test]
fn libraries_see_the_basis_and_each_other_only() {
    talk(
        false,
        &[
            ("fun not (x : bool) = x;", "val not = fn : bool -> bool"),
            ("infix 3 div;", ""),
            // `partition` calls `not`.
            (
                "PArray.length (#2 (Seq.partition (fn x => x > 1) (Seq.fromList [1, 2, 3])));",
                "val it = 1 : int",
            ),
            ("not true;", "val it = true : bool"),
            (
                "structure Seq = struct val mine = 5 end;",
                "structure Seq : sig\n  val mine : int\nend",
            ),
            // The function needs the library `Seq`, which stays hidden.
            (
                "val none = Graph.degree;",
                "val none = fn : Graph.graph * int -> int",
            ),
            ("Seq.mine;", "val it = 5 : int"),
        ],
    );
}
