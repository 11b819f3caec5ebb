//! Tests parallel forms, and the elaboration of a program in several steps.

use super::{Session, accept, brief, refuse, types};

#[test]
fn parallel_forms() {
    types(&[
        ("val a = [| 1, 2 |]", "a", "int PArray.t"),
        ("val a = [| 1 to 10 by 2 |]", "a", "int PArray.t"),
        ("val a = [| 1 to 10 |] val x = a ! 3 + 1", "x", "int"),
        (
            "val a = [| (x, y) | x in [| 1, 2 |], y in [| true |] where x < 3 |]",
            "a",
            "(int * bool) PArray.t",
        ),
        (
            "val a = [| x + y + z | (x, _) in [| (1, 2) |], y in [| 3 |], z in [| 4 |] |]",
            "a",
            "int PArray.t",
        ),
        ("fun f a = a ! 0", "f", "'a PArray.t -> 'a"),
        ("val xs = map ! [ref 1, ref 2]", "xs", "int list"),
        ("val xs = map ! [ref 1] @ [3]", "xs", "int list"),
        (
            "fun f r = let pval x = !r + 1 in x + x end",
            "f",
            "int ref -> int",
        ),
        (
            "fun f y = let pval (a, SOME b) = (y, SOME 1) in (a, b) end",
            "f",
            "'a -> 'a * int",
        ),
        ("pval x = 3 val y = x + 1", "y", "int"),
        (
            "fun f (a, b) = pcase a & b of SOME x & ? => x | ? & y => y | otherwise => 0",
            "f",
            "int option * int -> int",
        ),
        (
            "fun f x = pcase x & () of 1 & () => true | ? & ? => false",
            "f",
            "int -> bool",
        ),
        ("val x = spawn (1 + 2)", "x", "CML.thread_id"),
        (
            "fun f n = if n < 2 then n else let val (a, b) = (| f (n - 1), f (n - 2) |) in a + b end",
            "f",
            "int -> int",
        ),
    ]);
    refuse(&[
        ("val a = [| 1, true |]", "E0301"),
        ("val a = [| x | x in [1] |]", "E0302"),
        ("val a = [| x | x in [| 1 |] where x |]", "E0336"),
        ("val a = [| 1 |] ! true", "E0302"),
        ("val a = pcase 1 & 2 of 1 & ? => 1 | ? & 2 => true", "E0303"),
        ("val a = pcase 1 & 2 of true & ? => 1", "E0305"),
        ("pval (x, y) = 1", "E0305"),
        ("pval r = [] val a = 1 :: r val b = true :: r", "E0302"),
    ]);
}

#[test]
fn forms_refer_to_the_basis_even_if_a_program_reuses_its_names() {
    accept(&[
        "structure PArray = struct end structure Lazy = struct end val a = [| 1 |] ! 0 pval b = a val c = b + 1",
        "datatype bool = Yes | No val x = if 1 < 2 andalso true then [1] else []",
        "datatype list = Nothing val x = [1, 2]",
    ]);
}

#[test]
fn steps_see_those_before() {
    let mut session = Session::new();
    for (text, codes) in [
        ("val x = 1", ""),
        ("val y = x + z", "E0311"),
        ("val y = x + 1", ""),
        ("val x = true", ""),
        ("val z = (x, y)", ""),
        (
            "fun f x = y + x structure S = struct datatype t = A end",
            "",
        ),
        ("val w = [S.A] val v = f 1", ""),
        ("val q = missing", "E0311"),
    ] {
        let diagnostics = session.declare(text, false, true);
        let found: Vec<&str> = diagnostics
            .items()
            .iter()
            .map(|item| item.code.number())
            .collect();
        assert_eq!(found.join(" "), codes, "{text}\n{}", brief(&diagnostics));
    }
    assert!(!session.elaborator.take_decs().is_empty());
    assert!(session.elaborator.take_decs().is_empty());
}

#[test]
fn facts_tell_types_and_places() {
    let text = "fun twice f x = f (f x)\nval y = twice not true";
    let mut session = Session::new();
    let before = session.elaborator.facts().names.len();
    let diagnostics = session.declare(text, false, true);
    assert!(diagnostics.is_empty());
    let facts = session.elaborator.facts().names[before..].to_vec();
    let facts: Vec<String> = facts
        .into_iter()
        .map(|fact| {
            let name = &text[fact.span.start as usize..fact.span.end as usize];
            let ty = session.elaborator.fact_text(&fact);
            let local = fact.bound.file == fact.span.file;
            format!("{name}: {ty}{}", if local { "" } else { " (elsewhere)" })
        })
        .collect();
    assert!(
        facts.contains(&"twice: (bool -> bool) -> bool -> bool".into()),
        "{facts:?}"
    );
    assert!(
        facts.contains(&"not: bool -> bool (elsewhere)".into()),
        "{facts:?}"
    );
    assert!(facts.contains(&"y: bool".into()), "{facts:?}");
}

#[test]
fn literals_have_the_types_that_the_basis_calls_int_and_real() {
    let mut session = Session::new();
    let basis = "structure M = struct type int = Prim.wrap32 val add = _prim \"Word.add\" : int * int -> int end\n\
        type int = M.int\n_overload + : 'a * 'a -> 'a as M.add and realAdd and intAdd";
    let diagnostics = session.declare(basis, true, true);
    assert!(diagnostics.is_empty(), "{}", brief(&diagnostics));
    let diagnostics = session.declare(
        "val x = 1 val y = x + 2 fun f x = x + x type int = bool val z = 3",
        false,
        true,
    );
    assert!(diagnostics.is_empty(), "{}", brief(&diagnostics));
    for (name, ty) in [
        ("x", "int"),
        ("y", "int"),
        ("f", "int -> int"),
        ("z", "int"),
    ] {
        let val = session
            .elaborator
            .scopes
            .val(crate::symbol::Symbol::new(name))
            .cloned();
        let found = val.map(|val| session.elaborator.show(val.ty));
        assert_eq!(found.as_deref(), Some(ty), "{name}");
    }
}
