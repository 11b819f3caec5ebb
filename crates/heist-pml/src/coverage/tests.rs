//! Tests the messages about matches.

use crate::diag::Diagnostics;
use crate::lower::tests::elaborate;
use crate::source::FileId;

/// Returns the codes and the examples of the messages about a program.
fn said(text: &str) -> Vec<String> {
    let program = elaborate(text);
    let mut diagnostics = Diagnostics::default();
    super::coverage(&program, &|span| span.file == FileId(1), &mut diagnostics);
    diagnostics
        .items()
        .iter()
        .map(|item| {
            let example = item.message.split('`').nth(1).unwrap_or_default();
            format!("{} {example}", item.code.number())
                .trim_end()
                .to_string()
        })
        .collect()
}

#[track_caller]
fn says(text: &str, expected: &[&str]) {
    assert_eq!(said(text), expected, "{text}");
}

#[test]
fn complete_matches() {
    says(
        "fun f [] = 0 | f (x :: xs) = 1 + f xs
         fun g (SOME (a, [])) = 1 | g (SOME (a, _ :: _)) = 2 | g NONE = 3
         fun h true true = 1 | h _ _ = 2
         val (a, {x, y}) = (1, {x = 2, y = 3})
         val k = fn (ref (n, ())) => n | r => 0
         datatype t = T of int val T n = T 1
         fun c #\"a\" = 1 | c _ = 2
         val e = (1 div 0) handle Div => 1 | Fail s => 2
         val w = case 1 of 1 => 2 | n => n",
        &["W0602"],
    );
}

#[test]
fn numbers_with_few_values() {
    says(
        "type one = Prim.word1 type two = Prim.word2 type int2 = Prim.int2
         fun f (0w0 : two) = 0 | f 0w1 = 1 | f 0w3 = 3 | f 0w2 = 2
         fun g (~2 : int2) = 0 | g 1 = 1 | g ~1 = 2 | g 0 = 3
         fun h (0w1 : one, 0w0 : one) = 0 | h (0w0, _) = 1 | h (_, 0w1) = 2",
        &[],
    );
    says(
        "type one = Prim.word1 fun f (0w0 : one) = 0",
        &["W0601 0w1"],
    );
    says(
        "type int2 = Prim.int2 fun f (0 : int2) = 0 | f 1 = 1",
        &["W0601 ~1"],
    );
    says(
        "type int1 = Prim.int1 fun f (0 : int1) = 0 | f ~1 = 1 | f _ = 2",
        &["W0602"],
    );
}

#[test]
fn examples_of_what_is_left_out() {
    says("fun f [] = 0", &["W0601 _ :: _"]);
    says("fun f (x :: xs) = 0", &["W0601 nil"]);
    says("fun f (SOME []) = 0 | f NONE = 1", &["W0601 SOME (_ :: _)"]);
    says("fun f [x] = 0 | f [] = 1", &["W0601 _ :: _ :: _"]);
    says(
        "fun f (x :: NONE :: _) = 0 | f [] = 1 | f [_] = 2",
        &["W0601 _ :: SOME _ :: _"],
    );
    says(
        "fun f true true = 0 | f false _ = 1",
        &["W0601 (true, false)"],
    );
    says("fun f 0 = 0 | f 1 = 1", &["W0601 2"]);
    says("fun f (0w0 : word) = 0", &["W0601 0w1"]);
    says("fun f #\"a\" = 0", &["W0601 #\"b\""]);
    says("fun f \"\" = 0 | f \"x\" = 1", &["W0601 \"a\""]);
    says("fun f {a = 1, b = _} = 0", &["W0601 {a = 0, ...}"]);
    says("fun f (ref NONE) = 0", &["W0601 ref (SOME _)"]);
    says("fun f (Fail s) = 0", &["W0601 _"]);
    says(
        "datatype t = A | B of int * t | C of {l : t} fun f A = 0 | f (B (_, A)) = 1 | f (C {l = A}) = 2",
        &["W0601 B (_, B _)"],
    );
    says(
        "infix ++ datatype t = ++ of int * t | N fun f (1 ++ N) = 0 | f N = 1",
        &["W0601 0 ++ _"],
    );
    says("val f = fn (1, x) => x", &["W0601 (0, _)"]);
    says("val x = case NONE of SOME n => n + 1", &["W0601 NONE"]);
}

#[test]
fn bindings() {
    says("val SOME x = SOME 1", &["W0604 NONE"]);
    says("fun f l = let val x :: _ = l in x end", &["W0604 nil"]);
    says("val (1, x) = (1, 2)", &["W0604 (0, _)"]);
}

#[test]
fn redundant_rules() {
    says("fun f _ = 0 | f 1 = 1", &["W0602"]);
    says("fun f [] = 0 | f (_ :: _) = 1 | f [x] = 2", &["W0602"]);
    says(
        "fun f (true, _) = 0 | f (_, true) = 1 | f (true, true) = 2 | f (false, false) = 3",
        &["W0602"],
    );
    says("fun f 1 = 0 | f 2 = 1 | f 1 = 2 | f _ = 3", &["W0602"]);
    says("fun f \"a\" = 0 | f \"a\" = 2 | f _ = 3", &["W0602"]);
    says("val x = 1 handle _ => 2 | Div => 3", &["W0602"]);
    says(
        "exception A exception B val x = 1 handle A => 2 | B => 3 | A => 4",
        &["W0602"],
    );
}

#[test]
fn large_matches_take_no_long_time() {
    let rules: Vec<String> = (0..1_000).map(|n| format!("f {n} = {n}")).collect();
    says(&format!("fun {}", rules.join(" | ")), &["W0601 1000"]);
    // The check of all combinations would take exponential time, so the compiler gives no message.
    let width = 24;
    let rules: Vec<String> = (0..width)
        .flat_map(|at| {
            ["A", "B"].map(|con| {
                let pats: Vec<&str> = (0..width)
                    .map(|place| {
                        if place == at || place == (at + 7) % width {
                            con
                        } else {
                            "_"
                        }
                    })
                    .collect();
                format!("({}) => 1", pats.join(", "))
            })
        })
        .collect();
    let _ = said(&format!(
        "datatype t = A | B | C val f = fn {}",
        rules.join(" | ")
    ));
}
