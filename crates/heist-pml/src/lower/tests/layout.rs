//! Tests each rule for the layouts of types.

use super::elaborate;
use crate::anf::{Layout, Rep};
use crate::lower::layout::{ConRep, Data, Layouts, Shape};
use crate::typed::{Dec, Program, Ty};

/// Returns the layouts of a program, and the type of its variable `x`.
fn of(text: &str) -> (Layouts, Ty) {
    let text = format!("{text} val y = (print \"\"; fn () => x) val _ = (print \"\"; y)");
    let mut program: Program = crate::mono::mono(elaborate(&text));
    let ty = program
        .decs
        .iter()
        .find_map(|dec| match dec {
            Dec::Val { pat, .. } => match pat.kind {
                crate::typed::PatKind::Var(var)
                    if program.vars[var.index()].name.as_str() == "x" =>
                {
                    Some(pat.ty)
                }
                _ => None,
            },
            _ => None,
        })
        .expect("a variable x");
    (Layouts::new(&mut program), ty)
}

fn rep(text: &str) -> Rep {
    let (mut layouts, ty) = of(text);
    layouts.rep(ty)
}

fn mixed(text: &str) -> (Vec<ConRep>, u32, u32) {
    let (mut layouts, ty) = of(text);
    match &*layouts.data(ty) {
        Data::Mixed {
            cons,
            imms,
            objects,
        } => (cons.clone(), *imms, *objects),
        other => panic!("{other:?}"),
    }
}

fn object(con: &ConRep) -> (Layout, Vec<u32>, bool) {
    match con {
        ConRep::Object { fields, spread, .. } => (
            fields.layout,
            fields.fields.iter().map(|field| field.index).collect(),
            *spread,
        ),
        ConRep::Imm(number) => panic!("immediate {number}"),
    }
}

fn layout(tag: u16, ptrs: u32, raws: u32) -> Layout {
    Layout {
        tag,
        ptrs,
        raws,
        mutable: false,
    }
}

#[test]
fn representations() {
    assert_eq!(rep("val x = 1"), Rep::Int);
    assert_eq!(rep("val x = 1.5"), Rep::Real);
    assert_eq!(rep("val x = #\"a\""), Rep::Int);
    assert_eq!(rep("val x = \"a\""), Rep::Ptr);
    assert_eq!(rep("val x = 1 : intinf"), Rep::Ptr);
    assert_eq!(rep("val x = ref 1"), Rep::Ptr);
    assert_eq!(rep("val x = (1, 2)"), Rep::Ptr);
    assert_eq!(rep("val x = ()"), Rep::Int);
    assert_eq!(rep("val x = fn 1 => 2 | n => n"), Rep::Ptr);
    assert_eq!(rep("val x = true"), Rep::Int);
    assert_eq!(rep("val x = [1]"), Rep::Ptr);
    assert_eq!(rep("val x = Fail \"x\""), Rep::Ptr);
}

#[test]
fn a_wrapper_is_its_argument() {
    assert_eq!(rep("datatype t = T of int val x = T 1"), Rep::Int);
    assert_eq!(rep("datatype t = T of real val x = T 1.5"), Rep::Real);
    assert_eq!(rep("datatype 'a t = T of 'a val x = T 1.5"), Rep::Real);
    assert_eq!(
        rep("datatype 'a t = T of 'a val x = T (T (1, 2))"),
        Rep::Ptr
    );
    assert_eq!(rep("datatype t = T of unit val x = T ()"), Rep::Int);
    // The fields of the argument are fields of the constructor's object.
    let (cons, imms, objects) = mixed("datatype t = T of int * string val x = T (1, \"\")");
    assert_eq!((imms, objects), (0, 1));
    assert_eq!(object(&cons[0]), (layout(0, 1, 1), vec![1, 0], true));
    // The argument is the datatype itself, so it cannot represent the datatype.
    let (cons, ..) =
        mixed("datatype t = T of t fun f (T t) = f t val x = T (f (raise Fail \"\")) : t");
    assert_eq!(object(&cons[0]), (layout(0, 1, 0), vec![0], false));
}

#[test]
fn immediates_and_tags_are_counted_apart() {
    let (cons, imms, objects) =
        mixed("datatype t = A | B of int | C | D of string * t | E of {z : real, a : t} val x = A");
    assert_eq!((imms, objects), (2, 3));
    assert!(matches!(cons[0], ConRep::Imm(0)));
    assert_eq!(object(&cons[1]), (layout(0, 0, 1), vec![0], false));
    assert!(matches!(cons[2], ConRep::Imm(1)));
    assert_eq!(object(&cons[3]), (layout(1, 2, 0), vec![0, 1], true));
    assert_eq!(object(&cons[4]), (layout(2, 1, 1), vec![0, 1], true));
}

#[test]
fn an_argument_is_spread_only_if_it_was_declared_as_a_record() {
    let (cons, ..) = mixed("datatype 'a t = N | S of 'a val x = S (1, 2)");
    assert_eq!(object(&cons[1]), (layout(0, 1, 0), vec![0], false));
    let (cons, ..) = mixed("datatype 'a t = N | S of 'a * 'a val x = S (1, 2)");
    assert_eq!(object(&cons[1]), (layout(0, 0, 2), vec![0, 1], true));
    let (cons, ..) = mixed("datatype t = N | S of unit val x = S ()");
    assert_eq!(object(&cons[1]), (layout(0, 0, 1), vec![0], false));
}

#[test]
fn pointers_come_first() {
    let (mut layouts, ty) = of("val x = (1, \"a\", 2.0, [3], ())");
    let record = layouts.record(ty).expect("a record");
    assert_eq!(record.layout, layout(0, 2, 3));
    let places: Vec<u32> = record.fields.iter().map(|field| field.index).collect();
    assert_eq!(places, [2, 0, 3, 1, 4]);
}

#[test]
fn shapes_of_arguments_and_results() {
    let shapes = |text: &str| {
        let (layouts, ty) = of(text);
        (layouts.argument_shape(ty), layouts.result_shape(ty))
    };
    assert_eq!(shapes("val x = ()"), (Shape::Nothing, Shape::Nothing));
    assert_eq!(shapes("val x = 1"), (Shape::Word, Shape::Word));
    assert_eq!(shapes("val x = {a = 1}"), (Shape::Flat, Shape::Flat));
    assert_eq!(shapes("val x = (1, 2, 3, 4)"), (Shape::Flat, Shape::Flat));
    assert_eq!(
        shapes("val x = (1, 2, 3, 4, 5)"),
        (Shape::Flat, Shape::Word)
    );
    assert_eq!(
        shapes("val x = (1, 2, 3, 4, 5, 6, 7, 8)"),
        (Shape::Flat, Shape::Word)
    );
    assert_eq!(
        shapes("val x = (1, 2, 3, 4, 5, 6, 7, 8, 9)"),
        (Shape::Word, Shape::Word)
    );
}
