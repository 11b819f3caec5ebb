//! Tests the formatter.

use std::path::Path;

use super::mutants::{PROGRAM, Random, programs};
use super::{INFIXES, with_stack};
use crate::diag::{Diagnostics, Style, render};
use crate::source::Sources;
use crate::syntax::lexer::lex;
use crate::syntax::{FixityEnv, Options, format, parse};

/// Returns the formatted text of a program, or `None` if the program has errors.
fn layout(text: &[u8], parallel_forms: bool, builtin: bool) -> Option<Vec<u8>> {
    let mut sources = Sources::default();
    let mut fixity = FixityEnv::new();
    let mut diagnostics = Diagnostics::default();
    let options = Options {
        parallel_forms,
        ..Options::default()
    };
    let prelude = sources.add("prelude.sml", INFIXES, true);
    let _ = parse(&sources, prelude, &mut fixity, options, &mut diagnostics);
    let id = sources.add("test.pml", text, builtin);
    let _ = parse(&sources, id, &mut fixity.clone(), options, &mut diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    // The program has no errors, so an error of `format` is a fault of the formatter.
    let formatted = format(&sources, id, &fixity, options, &mut diagnostics);
    let messages = render(&sources, diagnostics.items(), Style::default());
    let text = String::from_utf8_lossy(text);
    Some(formatted.unwrap_or_else(|| panic!("{messages}\nof\n{text}")))
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let formatted = layout(text.as_bytes(), true, false).expect("no errors");
    let formatted = String::from_utf8(formatted).expect("as the input");
    assert_eq!(formatted, expected, "\n{formatted}");
}

/// Checks that the output of the formatter has the same comments and the same syntax tree as the program, and that the formatter does not
/// change its own output.
fn check_stable(text: &[u8], parallel_forms: bool, builtin: bool) {
    let Some(once) = layout(text, parallel_forms, builtin) else {
        return;
    };
    let twice = layout(&once, parallel_forms, builtin).expect("it was parsed before");
    assert_eq!(
        String::from_utf8_lossy(&once),
        String::from_utf8_lossy(&twice)
    );
    assert_eq!(comments(text), comments(&once));
}

/// Returns all comments, in order.
fn comments(text: &[u8]) -> Vec<Vec<u8>> {
    let mut sources = Sources::default();
    let id = sources.add("test.pml", text, false);
    let file = sources.file(id).expect("just added").clone();
    let lexed = lex(&file, id, Options::default(), &mut Diagnostics::default());
    let places = lexed.comments.into_iter();
    places
        .map(|(start, end)| text[start as usize..end as usize].to_vec())
        .collect()
}

#[test]
fn short_things_stay_on_a_line() {
    check(
        "val   x=let val y=1 in  y+2*3 end;fun f 0=1|f n=n*f(n-1)",
        "val x = let val y = 1 in y + 2 * 3 end\nfun f 0 = 1\n  | f n = n * f (n - 1)\n",
    );
    check("f x; val y = 1; g y", "f x;\nval y = 1;\ng y;\n");
    check(
        "val f = fn(x,y)=>case x of 1=>[2]|_=>{a=1,b= #2 y}",
        "val f = fn (x, y) => case x of 1 => [2] | _ => {a = 1, b = #2 y}\n",
    );
    check(
        "nonfix ** val x = ( **) (op *, !r) handle E=>1|F=>2",
        "nonfix **\nval x = ( **) (op *, !r) handle E => 1 | F => 2\n",
    );
}

#[test]
fn op_stays_where_it_is_needed() {
    check(
        "infix ** fun f(op ** as (x,_))=x ** x|f(op** :int*int  as _)=1",
        "infix **\nfun f (op ** as (x, _)) = x ** x\n  | f (op ** : int * int as _) = 1\n",
    );
}

#[test]
fn blocks_stay_blocks() {
    check(
        "fun f x = let\n val y = 1\n\n\n fun g z = z in\n g y;\n x end",
        "fun f x =\n  let\n    val y = 1\n\n    fun g z = z\n  in\n    g y;\n    x\n  end\n",
    );
    check(
        "fun g x = case x of\n A => 1 | B y =>\n if y then 2 else 3",
        "fun g x =\n  case x of\n      A => 1\n    | B y => if y then 2 else 3\n",
    );
    check(
        "structure S:>sig val x:int type 'a t end=struct val x=1 type 'a t='a list end",
        "structure S :> sig\n  val x : int\n  type 'a t\nend = struct\n  val x = 1\n  type 'a t = 'a list\nend\n",
    );
    check(
        "datatype t = A\n | B of int",
        "datatype t =\n    A\n  | B of int\n",
    );
}

#[test]
fn long_lines_are_broken() {
    let item = "a_rather_long_name_of_a_thing";
    check(
        &format!("val x = f {item} {item} {item} {item}"),
        &format!("val x =\n  f {item} {item} {item}\n    {item}\n"),
    );
    check(
        &format!("val x = [{item}, {item}, {item}, {item}]"),
        &format!("val x =\n  [{item},\n   {item},\n   {item},\n   {item}]\n"),
    );
}

#[test]
fn comments_stay_with_their_things() {
    check(
        "(* head *)\n\nval x = 1 (* one *)\n(* two *)\nval y = (* three *) 2\n\n(* end *)\n",
        "(* head *)\n\nval x = 1 (* one *)\n(* two *)\nval y = (* three *) 2\n\n(* end *)\n",
    );
    check(
        "fun f 0 = 1 (* zero *)\n  | f _ = 2 (* more *)\nval r = {a = 1, (* a *)\n b = 2 (* b *)}",
        "fun f 0 = 1 (* zero *)\n  | f _ = 2 (* more *)\nval r =\n  {a = 1, (* a *)\n   b = 2 (* b *)}\n",
    );
}

#[test]
fn programs_are_stable() {
    check_stable(PROGRAM.as_bytes(), true, false);
    assert!(layout(PROGRAM.as_bytes(), true, false).is_some());
}

/// Checks programs into which the test has put comments and line breaks between any two tokens.
#[test]
fn comments_anywhere() {
    let mut sources = Sources::default();
    let id = sources.add("test.pml", PROGRAM, false);
    let file = sources.file(id).expect("just added").clone();
    let tokens = lex(&file, id, Options::default(), &mut Diagnostics::default()).tokens;
    let mut random = Random(0xA076_1D64_78BD_642F);
    with_stack(|| {
        for round in 0..60 {
            let mut text = Vec::new();
            let mut last = 0;
            for token in &tokens {
                let start = token.start as usize;
                text.extend_from_slice(&PROGRAM.as_bytes()[last..start]);
                last = start;
                if random.below(if round % 2 == 0 { 10 } else { 100 }) == 0 {
                    let pieces = [
                        " (* c *) ",
                        "\n(* d *)\n",
                        " (* e\n   f *) ",
                        "\n",
                        "\n\n",
                        " (* g *)\n",
                    ];
                    text.extend_from_slice(pieces[random.below(pieces.len())].as_bytes());
                }
            }
            check_stable(&text, true, false);
        }
    });
}

#[test]
fn programs_of_the_repository_are_stable() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["basis", "../../examples", "bench", "tests"] {
        programs(&root.join(folder), &mut files);
    }
    with_stack(|| {
        for path in files {
            let text = std::fs::read(&path).expect("it was listed");
            let pml = path.extension().is_some_and(|end| end == "pml");
            let builtin = path.starts_with(root.join("basis"));
            check_stable(&text, pml, builtin);
        }
    });
}
