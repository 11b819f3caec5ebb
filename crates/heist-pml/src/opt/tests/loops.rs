//! Tests of loops: of functions that become loops, and of what the optimiser does with loops.

use crate::anf::{self, Rhs, Stmt};

use super::{count, prints, prints_with};

#[test]
fn two_functions_that_call_each_other_last_are_loops() {
    let program = prints(
        "fun even (n, s) = if n = 0 then s else odd (n - 1, s + 1) and odd (n, s) = if n = 0 then s * 2 else even (n - 1, s + 3)
         fun both n = even (n, 0) + 1
         val () = (show (both 1001); show (odd (4, 0) + even (6, 1)); show (even (0, 7)); show (odd (0, 7)))",
        &[4_003, 13 + 16, 7, 14],
    );
    let mutual = count(
        &program.main,
        &|stmt| matches!(stmt, Stmt::Funs(funs) if funs.len() > 1),
    );
    assert_eq!(mutual, 0, "{}", anf::dump(&program));
    // A pair does not become a loop if one of its functions has a use that is not a call in tail position.
    prints(
        "fun f (n, s) = if n = 0 then s else g (n - 1, s + 1) and g (n, s) = if n = 0 then s else 1 + f (n - 1, s)
         fun p (n, s) = if n = 0 then s else q (n - 1, s + 1)
         and q (n, s) = if n = 0 then foldl (fn (x, s) => p (0, s + x)) s (upto (1, 3)) else p (n - 1, s)
         val () = (show (f (9, 0)); show (q (7, 0)); show (p (7, 0)))",
        &[9, 3, 10],
    );
}

#[test]
fn a_turn_of_a_small_loop_is_four() {
    let program = prints(
        "fun far (nil, n) = n | far (_ :: xs, n) = far (xs, n + 17)
         fun sum (i, n, s) = if i > n then s else sum (i + 1, n, s + 19)
         fun each n = if n > 6 then () else (show (sum (1, n, 0)); show (far (upto (1, n), 0)); each (n + 1))
         val () = each 0
         fun rev (nil, ys) = ys | rev (x :: xs, ys) = rev (xs, x + 23 :: ys)
         val () = show (foldl (fn (x, s) => x + 100 * s) 0 (rev (upto (1, 3), nil)))",
        &[
            0, 0, 19, 17, 38, 34, 57, 51, 76, 68, 95, 85, 114, 102, 262_524,
        ],
    );
    let additions = |of: i64| {
        count(
            &program.main,
            &|stmt| matches!(stmt, Stmt::Let(_, Rhs::Prim { args, .. }, _) if args.contains(&anf::Atom::Int(of))),
        )
    };
    assert_eq!(additions(17), 4, "{}", anf::dump(&program));
    assert_eq!(additions(19), 4, "{}", anf::dump(&program));
    // A loop that allocates needs no poll, so it is not unrolled.
    assert_eq!(additions(23), 1, "{}", anf::dump(&program));
}

#[test]
fn the_code_behind_a_small_loop_is_not_copied() {
    let program = prints(
        "fun f (xs, k) =
           let
             fun last (x :: nil) = x | last (_ :: xs) = last xs | last nil = 0
             val x = last xs
             val y = if x > 3 then k * 29 + x else (k + x) * 31
           in
             show y; show (y + 37 * x); show (y * y)
           end
         val () = (f (upto (1, 3), 2); f (upto (1, 7), 2); f (upto (1, 6), 1); f (upto (1, 0), 5))",
        &[
            155, 266, 24_025, 65, 324, 4_225, 35, 257, 1_225, 155, 155, 24_025,
        ],
    );
    let multiplications = |of: i64| {
        count(
            &program.main,
            &|stmt| matches!(stmt, Stmt::Let(_, Rhs::Prim { args, .. }, _) if args.contains(&anf::Atom::Int(of))),
        )
    };
    assert_eq!(
        [29, 31, 37].map(multiplications),
        [1, 1, 1],
        "{}",
        anf::dump(&program)
    );
}

#[test]
fn a_parallel_loop_uses_results_of_the_code_around_it() {
    // The loop has the form of the loops of the Basis.
    let program = prints_with(
        r#"val asked = _prim "Par.asked" : unit -> bool val attend = _prim "Par.attend" : unit -> bool
           val length = _prim "Vector.length" : 'a Prim.vector -> int val sub = _prim "Vector.get" : 'a Prim.vector * int -> 'a
           val new = _prim "Array.new" : int * 'a -> 'a Prim.array val freeze = _prim "Vector.ofArray" : 'a Prim.array -> 'a Prim.vector
           fun each (i, n, f) =
             let
               fun go (i, n) =
                 if i >= n then ()
                 else if (if asked () then attend () else false) then halve (i, n)
                 else let val (_, rest) = (| f i, go (i + 1, n) |) in rest end
               and halve (i, n) =
                 let val m = i + (n - i) div 2
                     val (_, rest) = (| go (i, m), go (m, n) |)
                 in rest end
             in go (i, n) end
           fun total (xs, out) =
             let val n = length xs
             in
               each (0, n, fn i => out := !out + (if i < length xs then sub (xs, i) else raise Div));
               !out
             end
           val () = (show (total (freeze (new (5, 7)), ref 3)); show (total (freeze (new (0, 7)), ref 4)))"#,
        true,
        &[38, 4],
    );
    let lengths = count(
        &program.main,
        &|stmt| matches!(stmt, Stmt::Let(_, Rhs::Prim { prim, .. }, _) if *prim == crate::prim::Prim::VectorLength),
    );
    // One of each call of `total`, which is inlined.
    assert_eq!(lengths, 2, "{}", anf::dump(&program));
}
