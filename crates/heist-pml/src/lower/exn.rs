//! Lowers exceptions to objects. The first field of such an object is the identity of the exception constructor. The second field is the
//! argument, if the exception has one.

use super::value::Value;
use super::{Binding, Lower, shape};
use crate::anf::{Atom, Layout, Rep, Rhs, Stmt};
use crate::prim::BuiltinExn;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::{ExnTag, Exp, Ty, Var};

/// The index of the field with the argument of an exception.
pub const ARGUMENT: u32 = 1;

fn layout(argument: Option<Rep>) -> Layout {
    Layout {
        tag: 0,
        ptrs: 1 + u32::from(argument == Some(Rep::Ptr)),
        raws: u32::from(matches!(argument, Some(Rep::Int | Rep::Real))),
        mutable: false,
    }
}

impl Lower {
    /// Lowers `exception E of t`.
    pub fn exception(&mut self, var: Var, name: Symbol, arg: Option<Ty>, id: Option<&Exp>) {
        let span = self.typed_vars[var.index()].span;
        let id = if let Some(id) = id {
            let id = self.exp(id);
            self.atom(id, span)
        } else {
            let payload = arg.map(|arg| {
                let shape = shape::shape(&mut self.layouts, arg).encode();
                self.statics.string(&shape)
            });
            let text = self.statics.string(name.as_str().as_bytes());
            self.compute(Rep::Ptr, name, Rhs::NewExn(text, payload), span)
        };
        let object = match arg {
            Some(_) => None,
            None => Some(self.compute(Rep::Ptr, name, Rhs::Alloc(layout(None), vec![id]), span)),
        };
        self.env[var.index()] = Binding::Exn { id, object };
    }

    /// Returns the identity of an exception constructor.
    pub fn exn_id(&mut self, tag: ExnTag) -> Atom {
        match tag {
            ExnTag::Builtin(exn) => self.statics.exn(exn),
            ExnTag::Var(var) => match self.env[var.index()] {
                Binding::Exn { id, .. } => id,
                _ => unreachable!("exception {} is not bound", self.name(var)),
            },
        }
    }

    /// Returns the value of an exception constructor without argument.
    pub fn exn_constant(&mut self, tag: ExnTag) -> Value {
        if let ExnTag::Var(var) = tag
            && let Binding::Exn {
                object: Some(object),
                ..
            } = self.env[var.index()]
        {
            return Value::Atom(object);
        }
        let id = self.exn_id(tag);
        self.exn_object(tag, layout(None), vec![id], Span::NONE)
    }

    /// Returns an exception of the runtime without argument.
    pub fn builtin_exn(&mut self, exn: BuiltinExn) -> Atom {
        let id = self.statics.exn(exn);
        self.static_object(layout(None), vec![id])
    }

    /// Returns an exception with its argument.
    pub fn exn_apply(&mut self, tag: ExnTag, arg: Value, ty: Ty, span: Span) -> Value {
        let id = self.exn_id(tag);
        let rep = self.layouts.rep(ty);
        let arg = self.atom(arg, span);
        self.exn_object(tag, layout(Some(rep)), vec![id, arg], span)
    }

    fn exn_object(&mut self, tag: ExnTag, layout: Layout, atoms: Vec<Atom>, span: Span) -> Value {
        if atoms.iter().all(|atom| !matches!(atom, Atom::Var(_))) {
            return Value::Atom(self.static_object(layout, atoms));
        }
        let name = self.exn_kind(tag);
        let var = self.fresh(Rep::Ptr, name);
        self.stmt(Stmt::Let(vec![var], Rhs::Alloc(layout, atoms), span));
        Value::Atom(Atom::Var(var))
    }
}
