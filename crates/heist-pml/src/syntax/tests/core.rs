//! Tests the core language.

use super::{check, check_sml};

#[test]
fn operators_by_precedence() {
    check("val x = 1 + 2 * 3 - 4", "(val x (- (+ 1 (* 2 3)) 4))");
    check("val x = a :: b :: c @ d", "(val x (:: a (:: b (@ c d))))");
    check(
        "val b = x = y + 1 andalso p orelse q",
        "(val b (orelse (andalso (= x (+ y 1)) p) q))",
    );
    check("val _ = f x y + g ~1", "(val _ (+ ((f x) y) (g -1)))");
    check(
        "val _ = (f o g) x before h ()",
        "(val _ (before ((o f g) x) (h (tuple))))",
    );
    check("val r = !x := !y + 1", "(val r (:= (! x) (+ (! y) 1)))");
}

#[test]
fn op_makes_names_of_operators() {
    check("val f = op +", "(val f +)");
    check(
        "val f = foldl op:: nil (op = , op *)",
        "(val f (((foldl ::) nil) (tuple = *)))",
    );
    check("val op + = f", "(val + f)");
    check("fun op @ (a, b) = a", "(fun (@ (tuple a b) = a))");
    check("val x = Int.+ (1, 2)", "(val x (Int.+ (tuple 1 2)))");
}

#[test]
fn prefix_forms_reach_far() {
    check(
        "val _ = if a then b else c handle E => d | F => e",
        "(val _ (if a b (handle c (E => d) (F => e))))",
    );
    check(
        "val _ = raise E handle _ => 1",
        "(val _ (raise (handle E (_ => 1))))",
    );
    check(
        "val _ = a orelse if b then c else d orelse e",
        "(val _ (orelse a (if b c (orelse d e))))",
    );
    check(
        "val _ = while !i < 3 do (f i; g)",
        "(val _ (while (< (! i) 3) (; (f i) g)))",
    );
    check(
        "val _ = case x of SOME y => y | NONE => 0",
        "(val _ (case x ((SOME y) => y) (NONE => 0)))",
    );
    check(
        "val _ = fn x => fn (y, z) => x : int",
        "(val _ (fn (x => (fn ((tuple y z) => (: x int))))))",
    );
    check(
        "val _ = (fn | 0 => 1 | _ => 2) 3",
        "(val _ ((fn (0 => 1) (_ => 2)) 3))",
    );
}

#[test]
fn records_tuples_lists() {
    check(
        "val _ = ({a = 1, 2 = x}, {}, [1, 2], [], #a r, #1 (x, y))",
        "(val _ (tuple (record a=1 2=x) (record) (list 1 2) (list) (#a r) (#1 (tuple x y))))",
    );
    check(
        "fun f {a, b = (x, _), c as SOME _, d : int, e : t as y, ...} = a",
        "(fun (f (record a=a b=(tuple x _) c=(as c (SOME _)) d=(: d int) e=(as e : t y) ...) = a))",
    );
    check("val {...} = r", "(val (record ...) r)");
    check(
        "val _ = let val x = 1; val y = 2 in f x; g y end",
        "(val _ (let ((val x 1) (val y 2)) (f x) (g y)))",
    );
    check("val _ = let in () end", "(val _ (let () (tuple)))");
}

#[test]
fn patterns() {
    check(
        "val x :: (y, 1) :: _ = l",
        "(val (:: (tuple x (:: (tuple (tuple y 1) _)))) l)",
    );
    check(
        "val l as x :: _ : int list = e",
        "(val (as l (: (:: (tuple x _)) (list int))) e)",
    );
    check("val op :: (a, b) = e", "(val (:: (tuple a b)) e)");
    check(
        "val M.C [#\"a\", \"s\", 0w1, 1.5] = e",
        "(val (M.C (list #a \"s\" 0w1 1.5r)) e)",
    );
    check(
        "val (x as (y, z), ref w) = e",
        "(val (tuple (as x (tuple y z)) (ref w)) e)",
    );
}

#[test]
fn functions() {
    check(
        "fun f 0 y = y | f x y : int = x and g () = 1",
        "(fun (f 0 y = y) (f x y : int = x) (g (tuple) = 1))",
    );
    check(
        "infix ++ fun a ++ b = a | (x :: _) ++ y = y",
        "(infix 0 ++)\n(fun (++ (tuple a b) = a) (++ (tuple (:: (tuple x _)) y) = y))",
    );
    check(
        "infix ++ fun (a ++ b) c = a",
        "(infix 0 ++)\n(fun (++ (tuple a b) c = a))",
    );
    check("fun 'a id (x : 'a) = x", "(fun ('a) (id (: x 'a) = x))");
    check("fun ('a, ''b) f x = x", "(fun ('a ''b) (f x = x))");
    check(
        "val rec f = fn x => g x and g = fn x => f x",
        "(val rec f (fn (x => (g x))) rec g (fn (x => (f x))))",
    );
    check(
        "val 'a f = fn (x : 'a) => x",
        "(val ('a) f (fn ((: x 'a) => x)))",
    );
}

#[test]
fn fixity_ends_with_its_scope() {
    check_sml(
        "val _ = let infix f in a f b end val _ = a f b",
        "(val _ (let ((infix 0 f)) (f a b)))\n(val _ ((a f) b))",
    );
    check_sml(
        "local infix 3 f infixr g in infix 4 h val _ = a f b h c end val _ = a f b h c",
        "(local ((infix 3 f) (infixr 0 g)) ((infix 4 h) (val _ (f a (h b c)))))\n(val _ (h ((a f) b) c))",
    );
    check_sml(
        "structure S = struct infix f end val _ = a f b",
        "(structure S (struct (infix 0 f)))\n(val _ ((a f) b))",
    );
    check_sml(
        "nonfix + val _ = + (1, 2)",
        "(nonfix +)\n(val _ (+ (tuple 1 2)))",
    );
}

#[test]
fn types() {
    check(
        "type ('a, 'b) t = 'a list * {x : 'b, 1 : A.t} -> (int, 'a) M.t ref -> unit",
        "(type ('a 'b) t (-> (* (list 'a) (record x='b 1=A.t)) (-> (ref (M.t int 'a)) unit)))",
    );
    check(
        "type t = (int) and u = (int * int) list",
        "(type t int u (list (* int int)))",
    );
}

#[test]
fn datatypes_and_exceptions() {
    check(
        "datatype 'a t = A | op B of 'a * int | C of u list and v = | D withtype u = v t",
        "(datatype ('a) t (A) (B (* 'a int)) (C (list u)) v (D) withtype u (t v))",
    );
    check("datatype t = datatype M.t", "(datatype t datatype M.t)");
    check(
        "abstype t = A with fun f A = 1 end",
        "(abstype t (A) ((fun (f A = 1))))",
    );
    check(
        "exception A and B of int and C = M.D",
        "(exception A B : int C = M.D)",
    );
    check(
        "datatype 'a list = nil | :: of 'a * 'a list",
        "(datatype ('a) list (nil) (:: (* 'a (list 'a))))",
    );
}

#[test]
fn top_level() {
    check(
        "f 1; val x = 2; ; 3 + 4",
        "(do (f 1))\n(val x 2)\n(do (+ 3 4))",
    );
    check(
        "open A B.C local open D in end",
        "(open A B.C)\n(local ((open D)) ())",
    );
    check("#!/usr/bin/env heist\nval x = 1", "(val x 1)");
    check("", "");
}

#[test]
fn comments_nest() {
    check("val (* a (* b *) \" *) x = (*)*) 1", "(val x 1)");
}
