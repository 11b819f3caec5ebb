//! Tests which bindings monomorphisation copies, and which it omits.

use super::mono;
use crate::lower::tests::elaborate;
use crate::typed::{Dec, Exp, ExpKind, PatKind, Program};

/// Returns the names of all functions and values that the program declares at its top level.
fn declared(program: &Program) -> Vec<String> {
    let mut names = Vec::new();
    let mut add = |var: crate::typed::Var| {
        names.push(program.vars[var.index()].name.as_str().to_string());
    };
    for dec in &program.decs {
        match dec {
            Dec::Val { pat, .. } => {
                if let PatKind::Var(var) = pat.kind {
                    add(var);
                }
            }
            Dec::Fun { binds, .. } => binds.iter().for_each(|bind| add(bind.var)),
            Dec::Exception { var, .. } => add(*var),
        }
    }
    names
}

fn count(text: &str, name: &str) -> usize {
    let program = mono(elaborate(text));
    declared(&program)
        .iter()
        .filter(|known| *known == name)
        .count()
}

#[test]
fn one_copy_for_each_list_of_types() {
    let text = "fun id x = x fun pair (a, b) = (id b, id a)
         val _ = (print (id \"\"); pair (1, \"x\"); pair (\"x\", 1); pair (2, \"y\"); id 1)";
    assert_eq!(count(text, "id"), 2);
    assert_eq!(count(text, "pair"), 2);
}

#[test]
fn nothing_that_nobody_needs() {
    let text = "fun unused x = helper x and helper x = unused x
         val constant = (1, [2, 3], fn x => x)
         val cell = ref 0
         exception Unused
         fun used 0 = () | used n = (print \"\"; used (n - 1))
         val effect = print \"\"
         val () = used 3";
    let program = mono(elaborate(text));
    let names = declared(&program);
    for name in [
        "unused", "helper", "constant", "cell", "Unused", "map", "effect",
    ] {
        assert!(
            !names.iter().any(|known| known == name),
            "{name}: {names:?}"
        );
    }
    assert!(names.iter().any(|known| known == "used"));
    // The value of `effect` is not needed, but its evaluation has effects.
    let calls = program
        .decs
        .iter()
        .filter(|dec| {
            matches!(
                dec,
                Dec::Val {
                    exp: Exp {
                        kind: ExpKind::Apply(..),
                        ..
                    },
                    ..
                }
            )
        })
        .count();
    assert_eq!(calls, 2);
}

#[test]
fn members_of_a_group_that_nobody_needs() {
    let text = "fun a x = b x and b x = x and c x = a x val _ = print (a \"\")";
    let names = declared(&mono(elaborate(text)));
    assert_eq!(
        names
            .iter()
            .filter(|name| ["a", "b", "c"].contains(&name.as_str()))
            .count(),
        2
    );
}

#[test]
fn polymorphic_values_inside_polymorphic_functions() {
    let text = "fun outer x = let fun inner y = (x, y) in (inner 1, inner \"a\", inner x) end
         val _ = (print \"\"; outer 1; outer \"b\")";
    let program = mono(elaborate(text));
    let inner: Vec<usize> = program
        .decs
        .iter()
        .filter_map(|dec| match dec {
            Dec::Fun { binds, .. } => match &binds[0].exp.kind {
                ExpKind::Fn(rules) => match &rules[0].exp.kind {
                    ExpKind::Let(decs, _) => Some(decs.len()),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        })
        .collect();
    // Other code also uses `inner` at the type of `inner x`.
    assert_eq!(inner, [2, 2]);
}
