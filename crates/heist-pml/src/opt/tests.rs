//! Tests that optimisation does not change the outcome of programs, and that it removes the code that it should remove.

use std::fmt::Write;

use crate::anf::interp::{Outcome, run};
use crate::anf::{self, Block, Program, Rhs, Stmt};
use crate::diag::{Diagnostics, Style, render};
use crate::elab::{Elaborator, Options};
use crate::source::Sources;
use crate::syntax::{self, FixityEnv};

mod loops;

/// A Basis with only the declarations that the test programs need.
const PRELUDE: &str = r#"
infix 7 * div mod infix 6 + - infixr 5 :: infix 4 = <> < <= > >= infix 3 :=
datatype bool = false | true
datatype 'a list = nil | :: of 'a * 'a list
datatype 'a option = NONE | SOME of 'a
type unit = {} type int = Prim.int type string = Prim.string type real = Prim.real type exn = Prim.exn
type 'a ref = 'a Prim.ref type word = Prim.word type char = Prim.char
exception Overflow = _exn "Overflow" exception Div = _exn "Div"
val op + = _prim "Int.add" : int * int -> int
val op - = _prim "Int.sub" : int * int -> int
val op * = _prim "Int.mul" : int * int -> int
val op div = _prim "Int.div" : int * int -> int
val op mod = _prim "Int.mod" : int * int -> int
val op < = _prim "Int.lt" : int * int -> bool
val op <= = _prim "Int.le" : int * int -> bool
val op > = _prim "Int.gt" : int * int -> bool
val op >= = _prim "Int.ge" : int * int -> bool
val op = = _prim "Poly.eq" : ''a * ''a -> bool
val ! = _prim "Ref.get" : 'a ref -> 'a
val op := = _prim "Ref.set" : 'a ref * 'a -> unit
val print = _prim "rt.Io.print" : string -> unit
val bytes = _prim "Bytes.new" : int -> Prim.bytes
val set = _prim "Bytes.set" : Prim.bytes * int * char -> unit
val freeze = _prim "String.ofBytes" : Prim.bytes -> string
val chr = _prim "cast" : int -> char
fun show n =
  let
    fun digits (n, rest) = if n < 10 then n :: rest else digits (n div 10, n mod 10 :: rest)
    fun len (nil, n) = n | len (_ :: xs, n) = len (xs, n + 1)
    val ds = digits (if n < 0 then 0 - n else n, nil)
    val sign = if n < 0 then 1 else 0
    val buffer = bytes (len (ds, 0) + sign + 1)
    fun fill (_, nil) = () | fill (i, d :: ds) = (set (buffer, i, chr (d + 48)); fill (i + 1, ds))
    val () = if n < 0 then set (buffer, 0, #"~") else ()
    val () = fill (sign, ds)
    val () = set (buffer, len (ds, 0) + sign, #"\n")
  in print (freeze buffer) end
fun map f nil = nil | map f (x :: xs) = f x :: map f xs
fun foldl f b nil = b | foldl f b (x :: xs) = foldl f (f (x, b)) xs
fun upto (a, b) = if a > b then nil else a :: upto (a + 1, b)
"#;

pub(super) fn lowered(text: &str, parallel_forms: bool) -> Program {
    let mut sources = Sources::default();
    let mut diagnostics = Diagnostics::default();
    let mut fixity = FixityEnv::new();
    let mut elaborator = Elaborator::new(Options::default());
    for text in [PRELUDE, text] {
        let id = sources.add("test", text, true);
        let options = syntax::Options {
            parallel_forms,
            ..syntax::Options::default()
        };
        let decs = syntax::parse(&sources, id, &mut fixity, options, &mut diagnostics);
        elaborator.declare(&decs, true, &mut diagnostics);
    }
    let program = crate::mono::mono(elaborator.finish());
    let program = crate::lower::lower(program, crate::lower::Forms::default(), &mut diagnostics);
    assert!(
        !diagnostics.has_errors(),
        "{}",
        render(&sources, diagnostics.items(), Style::default())
    );
    program
}

/// Asserts that a program has the same outcome before optimisation, after optimisation, and after closure conversion. Returns the outcome
/// and the optimised program.
fn same(text: &str, parallel_forms: bool) -> (Outcome, Program) {
    let mut program = lowered(text, parallel_forms);
    anf::check(&program).expect("lowering makes programs that are well formed");
    let before = run(&program);
    super::optimise(&mut program);
    if let Err(why) = anf::check(&program) {
        panic!("{why}\n{}", anf::dump(&program));
    }
    assert_eq!(run(&program), before, "{}", anf::dump(&program));
    let optimised = program.clone();
    crate::close::close(&mut program);
    if let Err(why) = anf::check(&program) {
        panic!("{why}\n{}", anf::dump(&program));
    }
    assert_eq!(run(&program), before, "{}", anf::dump(&program));
    (before, optimised)
}

fn prints(text: &str, lines: &[i64]) -> Program {
    prints_with(text, false, lines)
}

fn prints_with(text: &str, parallel_forms: bool, lines: &[i64]) -> Program {
    let (outcome, program) = same(text, parallel_forms);
    let expected = lines.iter().fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "{}", line.to_string().replace('-', "~"));
        text
    });
    assert_eq!(outcome.output, expected);
    program
}

/// Returns the number of statements, in a block and in all blocks inside of it, for which `wanted` returns true.
fn count(block: &Block, wanted: &dyn Fn(&Stmt) -> bool) -> usize {
    let inside = |stmt: &Stmt| match stmt {
        Stmt::Let(..) => 0,
        Stmt::Funs(funs) => funs.iter().map(|fun| count(&fun.body, wanted)).sum(),
        Stmt::Join { body, .. } => count(body, wanted),
    };
    block
        .stmts
        .iter()
        .map(|stmt| usize::from(wanted(stmt)) + inside(stmt))
        .sum::<usize>()
        + block
            .end
            .blocks()
            .into_iter()
            .map(|block| count(block, wanted))
            .sum::<usize>()
}

fn allocations(program: &Program) -> usize {
    count(&program.main, &|stmt| {
        matches!(stmt, Stmt::Let(_, Rhs::Alloc(..), _))
    })
}

#[test]
fn functions_that_call_themselves() {
    prints(
        "fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2) val () = show (fib 15)",
        &[610],
    );
    prints(
        "fun even 0 = true | even n = odd (n - 1) and odd 0 = false | odd n = even (n - 1) val () = if even 1001 then show 1 else show 0",
        &[0],
    );
    prints(
        "fun ack (0, n) = n + 1 | ack (m, 0) = ack (m - 1, 1) | ack (m, n) = ack (m - 1, ack (m, n - 1)) val () = show (ack (2, 3))",
        &[9],
    );
}

#[test]
fn a_loop_with_an_accumulator_is_a_join_point_and_allocates_nothing() {
    let program = prints(
        "fun sum n = let fun go (i, (a, b)) = if i > n then a + b else go (i + 1, (a + i, b + 1)) in go (1, (0, 0)) end
         val () = if sum 10 = 65 then () else raise Div",
        &[],
    );
    assert_eq!(allocations(&program), 0, "{}", anf::dump(&program));
}

#[test]
fn curried_functions_with_all_arguments_make_no_closures() {
    let program = prints(
        "fun f a b c = if a < b then f (a + 1) b (c + a) else c val () = show (f 0 10 0)
         fun twice f x = f (f x) val () = show (twice (fn x => x * 3) 7)",
        &[45, 63],
    );
    let functions = count(&program.main, &|stmt| matches!(stmt, Stmt::Funs(_)));
    let mut closed = program.clone();
    crate::close::close(&mut closed);
    let closures = closed
        .funs
        .iter()
        .map(|fun| {
            count(&fun.body, &|stmt| {
                matches!(stmt, Stmt::Let(_, Rhs::Closure(..), _))
            })
        })
        .sum::<usize>();
    assert_eq!(closures, 0, "{functions} {}", anf::dump(&closed));
}

#[test]
fn a_large_curried_function_that_is_called_twice_makes_no_closures() {
    // The function is neither recursive nor small, so it is not inlined. Its calls become direct only through the function that `uncurry`
    // adds, which takes all arguments.
    let program = prints(
        "fun f x y z =
           let val a = x * y + z val b = y * z + x val c = z * x + y
           in if a < b then if b < c then a * b - c else a * c - b * y else if a < c then b * c + a * z else a * b * c + x
           end
         fun apply (g, nil) = 0 | apply (g, x :: rest) = g x + apply (g, rest)
         val () = (show (f 1 2 3 + f 4 5 6 + f 3 1 2); show (apply (fn x => f x 2 3, upto (1, 3)) + apply (fn x => f 2 x 1, upto (1, 3))))",
        &[640, 465],
    );
    let unknown = count(&program.main, &|stmt| {
        matches!(stmt, Stmt::Let(_, Rhs::Call(anf::Callee::Closure(_), _), _))
    });
    assert_eq!(unknown, 0, "{}", anf::dump(&program));
}

#[test]
fn a_curried_function_around_a_recursive_one_makes_no_closures() {
    let program = prints(
        "fun assoc x = let fun search nil = 0 | search ((k, v) :: rest) = if k = x then v else search rest in search end
         fun plus x = let fun all nil = nil | all (y :: rest) = (y, x + y) :: all rest in all end
         val l = plus 10 (upto (1, 5))
         val () = (show (assoc 3 l); show (assoc 9 l + assoc 5 l); show (assoc 11 (plus 1 (upto (10, 12)))))",
        &[13, 15, 12],
    );
    let unknown = count(&program.main, &|stmt| {
        matches!(stmt, Stmt::Let(_, Rhs::Call(anf::Callee::Closure(_), _), _))
    });
    assert_eq!(unknown, 0, "{}", anf::dump(&program));
}

#[test]
fn options_that_are_taken_apart_later_are_not_made() {
    let program = prints(
        "fun lookup l =
           let
             fun f nil = NONE | f (x :: rest) = if x > 5 then SOME x else f rest
             fun g nil = NONE | g (x :: rest) = if x > 7 then SOME (x * 2) else g rest
             val a = f l
             val b = g l
           in case (a, b) of (SOME x, SOME y) => x * 100 + y | (SOME x, NONE) => x | _ => ~1
           end
         val () = (show (lookup (upto (1, 9))); show (lookup (upto (4, 7))); show (lookup (upto (1, 2))))",
        &[616, 6, -1],
    );
    let options = count(
        &program.main,
        &|stmt| matches!(stmt, Stmt::Let(_, Rhs::Alloc(layout, _), _) if layout.ptrs == 0),
    );
    assert_eq!(options, 0, "{}", anf::dump(&program));
}

#[test]
fn functions_as_arguments_are_called_directly() {
    let program = prints(
        "val k = 3 val () = show (foldl (fn (x, s) => x * k + s) 0 (map (fn x => x + 1) (upto (1, 4))))",
        &[42],
    );
    let unknown = count(&program.main, &|stmt| {
        matches!(stmt, Stmt::Let(_, Rhs::Call(anf::Callee::Closure(_), _), _))
    });
    assert_eq!(unknown, 0, "{}", anf::dump(&program));
}

#[test]
fn closures_that_live_on() {
    prints(
        "fun adder n = fn x => x + n
         val fs = map adder (upto (1, 3))
         val () = show (foldl (fn (f, s) => f s) 0 fs)
         fun compose (f, g) = fn x => f (g x)
         fun power (f, 0) = (fn x => x) | power (f, n) = compose (f, power (f, n - 1))
         val () = show (power (adder 5, 4) 1)",
        &[6, 21],
    );
    prints(
        "fun outer n =
           let
             fun f 0 = [g] | f m = (fn x => g (x + m)) :: f (m - 1)
             and g x = if x > 100 then h x else g (x + n)
             and h x = x - n
           in f 2 end
         val () = show (foldl (fn (f, s) => f s) 0 (outer 7))",
        &[94],
    );
}

#[test]
fn exceptions_pass_through_inlined_code() {
    prints(
        "exception E of int
         fun f x = if x > 3 then raise E x else x
         fun g x = (f x + 1) handle E n => n * 10
         val () = (show (g 1); show (g 5))
         fun h x = (if x = 0 then raise Div else 10 div x) handle Div => ~1
         val () = (show (h 0); show (h 3))
         fun nested x = ((f x handle E 4 => 44) + 1) handle E n => n
         val () = (show (nested 4); show (nested 5); show (nested 2))
         fun first nil = raise E 0 | first (x :: _) = x
         fun go (xs, n) = if n = 0 then first xs else go (xs, n - 1)
         val () = show (go (nil, 3) handle E n => n + 7)",
        &[2, 50, -1, 3, 45, 5, 3, 7],
    );
}

#[test]
fn overflow_is_raised_where_it_was() {
    prints(
        "val big = 4611686018427387904
         fun f x = (x + x) handle Overflow => ~1
         val () = (show (f big); show (f 1); show ((big * 4) handle Overflow => ~2); show (0 - big - big + 1);
                   show ((0 - big - big - 1) handle Overflow => ~3))
         fun count (i, n) = if i < n then count (i + 1, n) else i
         val () = show (count (~5, 5))
         fun down 0 = 0 | down n = down (n - 1)
         val () = show (down 10)",
        &[-1, 2, -2, i64::MIN + 1, -3, 5, 0],
    );
}

#[test]
fn references_become_variables() {
    let program = prints(
        "fun sum n = let val i = ref 0 val s = ref 0 in while !i < n do (i := !i + 1; s := !s + !i); !s end
         val () = show (sum 10)
         fun odd n = let val c = ref 0 val () = if n > 3 then c := n else () in (c := !c + 1; !c) end
         val () = (show (odd 2); show (odd 9))",
        &[55, 1, 10],
    );
    let made = count(&program.main, &|stmt| {
        matches!(
            stmt,
            Stmt::Let(
                _,
                Rhs::Prim {
                    prim: crate::prim::Prim::RefNew,
                    ..
                },
                _
            )
        )
    });
    assert_eq!(made, 0, "{}", anf::dump(&program));
}

#[test]
fn references_that_are_seen_elsewhere_stay() {
    prints(
        "val r = ref 0
         fun next () = (r := !r + 1; !r)
         val () = (show (next ()); show (next ()))
         fun f x = let val s = ref x in ((s := !s + 1; raise Div) handle Div => !s) end
         val () = show (f 4)
         val cells = map (fn x => ref x) (upto (1, 3))
         val () = show (foldl (fn (c, s) => (c := !c * 2; !c + s)) 0 cells)",
        &[1, 2, 5, 12],
    );
}

#[test]
fn functions_that_reach_themselves_through_values() {
    prints(
        "datatype d = D of d -> int
         fun f (D g) = g (D g)
         datatype 'a obj = O of 'a obj -> 'a
         fun send (O m) = m (O m)
         fun constant _ = 42
         val yes = ref true
         val () = show (if ! yes then 1 else f (D f))
         val () = show (if ! yes then send (O constant) else send (O send))",
        &[1, 42],
    );
}

#[test]
fn a_tuple_that_is_taken_apart_and_passed_on_is_not_made_again() {
    let program = prints(
        "fun first (x :: _) = x | first nil = raise Div
         fun keep (xs : (int * int) list, out) = case xs of
             nil => out
           | _ :: rest =>
               let val pair = first xs val (k, _) = pair
               in if k > 3 then keep (rest, pair :: out) else keep (rest, out)
               end
         val kept = keep (map (fn i => (i, 10 * i)) (upto (1, 5)), nil)
         val () = foldl (fn ((k, n), ()) => show (k + n)) () kept",
        &[55, 44],
    );
    // Only `map` makes pairs, and not from fields of other pairs.
    let dump = anf::dump(&program);
    assert!(dump.contains("new object[0 0+2]("), "{dump}");
    assert!(!dump.contains("new object[0 0+2](_field"), "{dump}");
}

/// Two constructors may have the same fields in the same places, but their objects have different tags.
#[test]
fn an_object_of_one_constructor_does_not_become_one_of_another() {
    prints(
        "datatype either = A of int * int | B of int * int | C
         fun swap (A (x, y)) = B (x, y) | swap (B (x, y)) = A (x, y) | swap C = C
         fun value (A (x, y)) = x + y | value (B (x, y)) = x * y | value C = 0
         val all = map (fn i => if i > 2 then C else if i > 1 then A (i, 5) else B (i, 7)) (upto (1, 3))
         val () = foldl (fn (e, ()) => show (value (swap e))) () all",
        &[8, 10, 0],
    );
}

#[test]
fn options_that_are_looked_at_at_once_are_not_made() {
    prints(
        "fun find (p, nil) = NONE | find (p, x :: xs) = if p x then SOME x else find (p, xs)
         fun get xs = case find (fn x => x > 3, xs) of SOME x => x | NONE => ~1
         val () = (show (get (upto (1, 9))); show (get (upto (1, 2))))",
        &[4, -1],
    );
}

#[test]
fn small_functions_have_themselves_where_they_call_themselves() {
    let program = prints(
        "fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2) val () = show (fib 15)",
        &[610],
    );
    let calls = count(&program.main, &|stmt| match stmt {
        Stmt::Let(_, Rhs::Call(anf::Callee::Known(fun), _), _) => {
            program.vars[fun.0 as usize].name.as_str() == "fib"
        }
        _ => false,
    });
    // Each of the two copies has two calls of the function, and there is one call from outside.
    assert_eq!(calls, 5, "{}", anf::dump(&program));
}

#[test]
fn chains_of_curried_calls_end_in_one_walk() {
    // The calls in the copy that is inlined last are as direct as those in the first copy.
    let program = prints(
        "fun fold f c (x :: a, y :: b) = fold f (f (x, y, c)) (a, b) | fold _ c _ = c
         fun go (x, y, c) = if x > 5 then c else fold (fn (x, y, c) => go (x, y, x * y + c)) c (upto (x + 3, 7), upto (1, 3))
         val () = show (go (1, 2, 3))",
        &[42],
    );
    let unknown = count(&program.main, &|stmt| {
        matches!(stmt, Stmt::Let(_, Rhs::Call(anf::Callee::Closure(_), _), _))
    });
    assert_eq!(unknown, 0, "{}", anf::dump(&program));
}

#[test]
fn a_fork_beside_a_few_instructions_is_none() {
    let forks = |program: &Program| {
        count(&program.main, &|stmt| {
            matches!(stmt, Stmt::Let(_, Rhs::Fork { .. }, _))
        })
    };
    let program = prints_with(
        "fun f (x, y) = let val (a, b) = (| if x > 3 then raise Div else x * 2, show y |) in a end
         val () = (show (f (1, 2)); show (f (5, 2) handle Div => 0 - 7))",
        true,
        &[2, 2, -7],
    );
    assert_eq!(forks(&program), 0, "{}", anf::dump(&program));
    let program = prints_with(
        "fun f n = if n < 2 then n else let val (a, b) = (| f (n - 1), f (n - 2) |) in a + b end
         val () = show (f 12)",
        true,
        &[144],
    );
    assert!(forks(&program) > 0, "{}", anf::dump(&program));
}
