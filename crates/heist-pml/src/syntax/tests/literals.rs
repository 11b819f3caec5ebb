//! Tests literals and their errors.

use super::{Parsed, check, check_codes};
use crate::diag::Code;

#[test]
fn numbers() {
    check(
        "val x = [12, ~5, 0x1F, ~0xa, 007]",
        "(val x (list 12 -5 31 -10 7))",
    );
    check("val x = [0w12, 0wxFF]", "(val x (list 0w12 0w255))");
    check(
        "val x = [1.5, ~1.5e~3, 2E10]",
        "(val x (list 1.5r -1.5e-3r 2E10r))",
    );
    check("val x = a ~- b", "(val x ((a ~-) b))");
    check(
        "val x = 123456789012345678901234567890",
        "(val x 123456789012345678901234567890)",
    );
}

#[test]
fn strings() {
    check(
        r#"val x = "a\n\t\"\\\065\^A\u0041\u00e9" "#,
        r#"(val x "a\n\t\"\\A\x01A\xe9")"#,
    );
    check("val x = \"a\\  \n  \\b\" ", "(val x \"ab\")");
    check("val x = \"\\u20AC\"", "(val x \"\\xe2\\x82\\xac\")");
    check("val x = [#\"a\", #\"\\n\"]", "(val x (list #a #\\n))");
    let latin = Parsed::of(b"val x = \"\xE9\" (* \xE9 *)", true, false);
    assert_eq!(latin.dump, "(val x \"\\xe9\")\n");
    assert!(latin.diagnostics.is_empty());
}

#[test]
fn broken() {
    check_codes("val x = \"abc\nval y = 1", &[Code::UnclosedString]);
    check_codes(
        r#"val x = "\q" val y = "\300" val z = "\12""#,
        &[Code::BadEscape; 3],
    );
    check_codes(r#"val x = #"ab" val y = #"" "#, &[Code::BadCharLiteral; 2]);
    check_codes("val x = 1 (* (* *) val y = 2", &[Code::UnclosedComment]);
    check_codes("val x = 1.", &[Code::BadNumber]);
    check_codes("val x = § + 1", &[Code::BadCharacter, Code::InfixAlone]);
    check_codes("val x = A.val", &[Code::BadLongName]);
    check_codes("val x = '", &[Code::UnexpectedToken]);
}

#[test]
fn columns_of_latin_1() {
    let text = b"val s = \"\xE9\xE8\" val val";
    let parsed = Parsed::of(text, true, false);
    let messages = parsed.messages();
    assert!(messages.contains("test.pml:1:18"), "{messages}");
    assert!(messages.contains("\u{E9}\u{E8}"), "{messages}");
}
