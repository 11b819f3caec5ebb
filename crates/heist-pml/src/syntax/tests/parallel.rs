//! Tests parallel forms, and names of Standard ML that look like parallel forms.

use super::{FixityEnv, Options, Parsed, check, check_codes, check_sml, parse};
use crate::diag::{Code, Diagnostics};
use crate::source::Sources;

#[test]
fn tuples_and_arrays() {
    check("val x = (| 1, f 2 |)", "(val x (par 1 (f 2)))");
    check("val x = (|1|)", "(val x (par 1))");
    check(
        "val x = ([||], [| |], [|1|], [|~1, 2|])",
        "(val x (tuple (parray) (parray) (parray 1) (parray -1 2)))",
    );
    check_sml("val x = (|1, 2|)", "(val x (par 1 2))");
    check_sml(
        "val x = (op ||) val y = f (fn a => a) || g",
        "(val x ||)\n(val y (((f (fn (a => a))) ||) g))",
    );
}

#[test]
fn ranges() {
    check("val x = [| 1 to n - 1 |]", "(val x (range 1 (- n 1)))");
    check(
        "val x = [| f a to g b by ~2 |]",
        "(val x (range (f a) (g b) -2))",
    );
    check_sml("val x = [| a to b |]", "(val x (range a b))");
    check("fun to by = by to to", "(fun (to by = ((by to) to)))");
}

#[test]
fn comprehensions() {
    check(
        "val x = [| a * b | a in xs, (b, _) in f ys where a > 0 |]",
        "(val x (comprehension (* a b) (in a xs) (in (tuple b _) (f ys)) where (> a 0)))",
    );
    check(
        "val x = [| case x of 0 => 1 | (_, y) => fn z => z | (x, {a, ...}) in xs |]",
        "(val x (comprehension (case x (0 => 1) ((tuple _ y) => (fn (z => z)))) \
         (in (tuple x (record a=a ...)) xs)))",
    );
    check(
        "val x = [| x | x in [| 1 to 3 |] |]",
        "(val x (comprehension x (in x (range 1 3))))",
    );
}

#[test]
fn indexing() {
    check("val x = a ! i + 1 :: l", "(val x (:: (! a (+ i 1)) l))");
    check("val x = f a ! i ! j", "(val x (! (! (f a) i) j))");
    check("val x = a!i", "(val x (! a i))");
    check("val x = !r + !s", "(val x (+ (! r) (! s)))");
    check("val x = map ! l", "(val x (! map l))");
    check("val x = (map !) l", "(val x ((map !) l))");
    check_sml("val x = map ! l", "(val x ((map !) l))");
    check(
        "fun ! (ref x) = x val x = map ! l",
        "(fun (! (ref x) = x))\n(val x ((map !) l))",
    );
    check(
        "infix 9 ! val x = a ! i + 1",
        "(infix 9 !)\n(val x (+ (! a i) 1))",
    );
}

#[test]
fn pval_and_spawn() {
    check(
        "val x = let pval y = f 1 in y end",
        "(val x (let ((pval y (f 1))) y))",
    );
    check(
        "pval (x, y) = (1, 2) val z = x",
        "(pval (tuple x y) (tuple 1 2))\n(val z x)",
    );
    check("val t = spawn f x", "(val t (spawn (f x)))");
    check(
        "fun spawn f = f () val t = g (spawn f)",
        "(fun (spawn f = (f (tuple))))\n(val t (g (spawn f)))",
    );
    check_sml("val t = spawn f x", "(val t ((spawn f) x))");
    check(
        "val pval = 1 val y = pval + 1",
        "(val pval 1)\n(val y (+ pval 1))",
    );
}

#[test]
fn pcase() {
    check(
        "val x = pcase f 1 & g 2 of SOME a & ? => a | ? & SOME b => b | otherwise => 0",
        "(val x (pcase (f 1) (g 2) ((SOME a) ? => a) (? (SOME b) => b) (otherwise => 0)))",
    );
    check_sml(
        "infix & val x = a & b val otherwise = 1",
        "(infix 0 &)\n(val x (& a b))\n(val otherwise 1)",
    );
    check_codes("val x = pcase a & b of p => 1", &[Code::PcaseArity]);
}

#[test]
fn words_of_the_basis() {
    let text = b"exception Div = _exn \"Div\" val f = _prim \"Int.add\" : int * int -> int
        _overload + : 'a * 'a -> 'a as Int.+ and Real.+";
    let parsed = Parsed::of(text, false, true);
    assert!(parsed.diagnostics.is_empty(), "{}", parsed.messages());
    assert_eq!(
        parsed.dump,
        "(exception Div _exn Div)\n(val f (_prim Int.add (-> (* int int) int)))\n\
         (_overload + (-> (* 'a 'a) 'a) Int.+ Real.+)\n"
    );
    check_codes(
        "val f = _prim \"Int.add\" : int exception E = _exn \"Div\"",
        &[Code::BuiltinOnly; 2],
    );
    check_codes(
        "structure A = struct _primcode ( define @f (x : int) : int = return (x) ) end",
        &[Code::BuiltinOnly],
    );
}

#[test]
fn do_is_a_name_where_there_are_no_loops() {
    let codes = |text: &str, manticore: bool| {
        let mut sources = Sources::default();
        let mut diagnostics = Diagnostics::default();
        let id = sources.add("test.pml", text, false);
        let options = Options {
            parallel_forms: true,
            manticore,
            ..Options::default()
        };
        let _ = parse(
            &sources,
            id,
            &mut FixityEnv::new(),
            options,
            &mut diagnostics,
        );
        diagnostics.errors()
    };
    assert_eq!(codes("fun do x = x val y = do 1", true), 0);
    assert_ne!(codes("fun do x = x val y = do 1", false), 0);
    assert_eq!(codes("val y = while false do ()", true), 0);
}

#[test]
fn continuations() {
    check(
        "cont k x = f x cont l A = 1 | l B = 2 val t = k",
        "(cont (k x = (f x)) (l A = 1) (l B = 2))\n(val t k)",
    );
    check("val t = cont k x", "(val t ((cont k) x))");
    check("open A cont k x = x", "(open A)\n(cont (k x = x))");
}
