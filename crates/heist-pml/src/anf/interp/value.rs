//! Values of the interpreter.

use std::cell::RefCell;
use std::rc::Rc;

use super::super::Var;

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// An integer.
    Int(i64),
    /// A double.
    Real(f64),
    /// An immediate.
    Imm(i64),
    /// An object with fields.
    Object(Rc<Object>),
    /// An array or vector.
    Array(Rc<RefCell<Vec<Value>>>),
    /// A string or bytes.
    Bytes(Rc<RefCell<Vec<u8>>>),
    /// A large integer.
    Big(Rc<num_bigint::BigInt>),
    /// A function.
    Closure(Rc<Closure>),
    /// The identity of an exception.
    Exn(Rc<String>),
}

/// An object.
#[derive(Debug)]
pub struct Object {
    pub(super) tag: u16,
    pub(super) fields: RefCell<Vec<Value>>,
}

/// A closure. Before the pass `close`, a closure consists of a function of a group and the captured values of the group. After `close`, a
/// closure is an object.
#[derive(Debug)]
pub struct Closure {
    pub(super) fun: Var,
    pub(super) captured: Rc<Vec<(Var, Value)>>,
    pub(super) words: Vec<Value>,
}

pub(super) fn field(object: &Value, index: usize) -> Value {
    match object {
        Value::Object(object) => object.fields.borrow()[index].clone(),
        other => panic!("field {index} of {other:?}"),
    }
}

pub(super) fn int(value: &Value) -> i64 {
    match value {
        Value::Int(value) => *value,
        other => panic!("{other:?} is no integer"),
    }
}

pub(super) fn real(value: &Value) -> f64 {
    match value {
        Value::Real(value) => *value,
        other => panic!("{other:?} is no real"),
    }
}

pub(super) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) | (Value::Imm(a), Value::Imm(b)) => a == b,
        (Value::Real(a), Value::Real(b)) => a.to_bits() == b.to_bits(),
        (Value::Object(a), Value::Object(b)) => Rc::ptr_eq(a, b),
        (Value::Array(a), Value::Array(b)) => Rc::ptr_eq(a, b),
        (Value::Bytes(a), Value::Bytes(b)) => Rc::ptr_eq(a, b),
        (Value::Closure(a), Value::Closure(b)) => Rc::ptr_eq(a, b),
        (Value::Exn(a), Value::Exn(b)) => Rc::ptr_eq(a, b),
        (Value::Big(a), Value::Big(b)) => Rc::ptr_eq(a, b),
        _ => false,
    }
}
