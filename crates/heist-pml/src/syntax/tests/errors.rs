//! Tests the messages about errors, and the way in which parsing continues after errors.

use super::{Parsed, check_codes, with_stack};
use crate::diag::Code;

#[track_caller]
fn check_messages(text: &str, expected: &str) {
    let parsed = Parsed::of(text.as_bytes(), true, false);
    let trim = |text: &str| -> Vec<String> {
        let lines = text.lines().map(str::trim_end);
        lines
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(
        trim(&parsed.messages()),
        trim(expected),
        "\n{}",
        parsed.messages()
    );
}

#[test]
fn one_message_a_broken_spot() {
    use Code::*;
    let parsed = check_codes(
        "val a = val b = 2\nfun f x = \nval c = (1, ) + 3 and d = 4\nval e = [1, 2\nval g = if x then y\nval h = 1",
        &[
            UnexpectedToken,
            UnexpectedToken,
            UnexpectedToken,
            Unclosed,
            UnexpectedToken,
        ],
    );
    for kept in ["(val b 2)", "d 4)", "(val h 1)", "(f x = <error>)"] {
        assert!(parsed.dump.contains(kept), "{kept} in\n{}", parsed.dump);
    }
}

#[test]
fn blocks_go_on() {
    use Code::*;
    check_codes(
        "fun f x = let val y = 1 y + 1 end val z = 3 val w = )",
        &[UnexpectedToken, UnexpectedToken],
    );
    check_codes(
        "fun f x = let val y = in y end val z = )",
        &[UnexpectedToken, UnexpectedToken],
    );
    check_codes(
        "structure S = struct val x = ) val y = 2 end val = 3",
        &[UnexpectedToken, UnexpectedToken],
    );
    check_codes("structure S = struct val x = 1", &[Unclosed]);
    check_codes(
        "signature S = sig val x int val y : int end val z = )",
        &[UnexpectedToken, UnexpectedToken],
    );
    check_codes(
        "val x = 1 end val y = 2 ) val z = 3",
        &[StrayToken, StrayToken],
    );
    check_codes(
        "local val x = 1 val y = 2 end val z = )",
        &[UnexpectedToken, UnexpectedToken],
    );
}

#[test]
fn codes_of_the_grammar() {
    use Code::*;
    check_codes("fun f 0 = 1 | g x = 2", &[ClauseNames]);
    check_codes("fun f 0 = 1 | f x y = 2", &[ClauseArity]);
    check_codes("val rec f = g", &[RecNeedsFn]);
    check_codes("val rec f = (fn x => f x) : int -> int", &[]);
    check_codes("val x = 1 + * 2", &[InfixAlone]);
    check_codes("val x = 1 + )", &[InfixAlone]);
    check_codes("val x = foldl (+) 0 l", &[InfixAlone]);
    check_codes("infixr 6 ++ val x = a + b ++ c", &[MixedAssociativity]);
    check_codes("val (x, y) as z = 1", &[AsNeedsVariable]);
    check_codes("val x = 1 + if a then b else c", &[NeedsParentheses]);
    check_codes("val x = f fn y => y", &[NeedsParentheses]);
    check_codes("infix 10 f", &[BadPrecedence]);
    check_codes("val x = #0 y", &[BadLabel]);
    check_codes(
        "fun f SOME x y = 1 val (C a b) = 2 val (1 x) = 2",
        &[PatternApplication, PatternApplication],
    );
    check_codes(
        "structure S = struct print \"a\" end",
        &[ExpressionInDeclarations],
    );
    check_codes("fun f = 1 val x = 2", &[FunNeedsArgument]);
    check_codes("fun f x => x", &[UnexpectedToken]);
    check_codes("fun f (x, y = x val z = )", &[Unclosed, UnexpectedToken]);
    check_codes(
        "val type = 3 val x = )",
        &[UnexpectedToken, UnexpectedToken],
    );
    check_codes("val x = case y of 1 = 2", &[UnexpectedToken]);
    check_codes("val x = let val y = 1 in y; end", &[UnexpectedToken]);
    check_codes("val x = (1; 2;)", &[UnexpectedToken]);
}

#[test]
fn texts() {
    check_messages(
        "val x = let\n  val y = 1\nin\n  (y + 2\nend\n",
        "error[E0202]: expected `)`, found `end`
  ┌─ test.pml:5:1
  │
4 │   (y + 2
  │   - no `)` closes this
5 │ end
  │ ^^^
",
    );
    check_messages(
        "fun f x = if x then 1\nval y = 2\n",
        "error[E0201]: expected `else`, found `val`
  ┌─ test.pml:2:1
  │
1 │ fun f x = if x then 1
  │           -- in the `if` that starts here
2 │ val y = 2
  │ ^^^
  │
  = in Standard ML an `if` always has an `else`
",
    );
}

#[test]
fn deep_nests_are_errors() {
    let count = 100_000;
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("(|", "|)"),
        ("[| ", " |]"),
        ("{a=", "}"),
        ("let val x = ", " in x end"),
        ("let in ", " end"),
        ("fn x => ", ""),
        ("if a then b else ", ""),
        ("case x of y => ", ""),
        ("raise ", ""),
        ("(f ", ")"),
        ("spawn ", ""),
        ("1 :: (", ")"),
    ] {
        let text = format!("val x = {}1{}", open.repeat(count), close.repeat(count));
        with_stack(|| check_codes(&text, &[Code::TooDeep]));
    }
    for (before, part, after) in [
        ("val ", "(", "x"),
        ("val ", "[", "x"),
        ("val ", "{a=", "x"),
        ("val ", "x as ", "y = 1"),
        ("type t = ", "(", "int"),
        ("type t = ", "int -> ", "int"),
        ("type t = int", " list", ""),
        ("type t = ", "{a : ", "int"),
        ("structure A = ", "struct structure A = ", "B"),
        ("structure A = ", "F (", "B"),
        ("structure A = ", "let in ", "B"),
        ("signature A = ", "sig structure A : ", "B"),
        ("", "local ", ""),
        ("val x = 1", " + 1", ""),
        ("val x = 1", " :: 1", ""),
        ("val x = f", " 1", ""),
        ("val x = a", " ! i", ""),
        ("val x = a", " andalso b", ""),
        ("val x = a", " orelse b", ""),
        ("val x = a", " : t", ""),
        ("val x = a", " handle x => x", ""),
        ("val x", " :: x", " = y"),
        ("abstype t = A with ", "abstype t = A with ", ""),
    ] {
        let text = format!("{before}{}{after}", part.repeat(count));
        with_stack(|| check_codes(&text, &[Code::TooDeep]));
    }
}

#[test]
fn chains_in_chains_are_too_deep() {
    let chain = |inner: &str| format!("({inner}{})", " + 1".repeat(3_000));
    let three = chain(&chain(&chain("1")));
    with_stack(|| check_codes(&format!("val x = {three}"), &[]));
    let four = chain(&three);
    with_stack(|| check_codes(&format!("val x = {four}"), &[Code::TooDeep]));
}

#[test]
fn long_sequences_are_fine() {
    let count = 50_000;
    for (before, part, after) in [
        ("val x = [", "1, ", "1]"),
        ("val x = (", "f (); ", "1)"),
        ("val x = let val _ = 1 in ", "f (1 + 2); ", "1 end"),
        ("", "val x = f 1 + 2 ", ""),
        ("val x = case y of ", "1 => 2 + 3 | ", "_ => 3"),
        ("fun f x = 1 ", "| f (x :: y) = 2 ", ""),
        ("datatype t = A", " | B of int list list", ""),
        ("signature S = sig ", "val x : int -> int ", "end"),
    ] {
        let text = format!("{before}{}{after}", part.repeat(count));
        with_stack(|| check_codes(&text, &[]));
    }
}
