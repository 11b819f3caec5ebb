//! Makes test programs.

use super::super::jit::load;
use crate::anf::{
    Atom, Block, Callee, Cmp, Cond, End, Fun, Label, Layout, Program, Rep, Rhs, Static, StaticId,
    Stmt, Var, check,
};
use crate::prim::Prim;
use crate::runtime::launch::program::Outcome;
use crate::runtime::state::options::Options;
use crate::runtime::state::worker::Worker;
use crate::runtime::value::shape::{Node, Shape};
use crate::source::Span;

use Rep::{Int, Ptr, Real};

/// A builder of test programs.
pub(super) struct Maker {
    pub(super) program: Program,
}

/// The statements of a block that is being built.
#[derive(Default)]
pub(super) struct Code(pub(super) Vec<Stmt>);

impl Maker {
    pub(super) fn new() -> Maker {
        Maker {
            program: Program {
                eager: false,
                clones: false,
                profiled: false,
                places: Default::default(),
                vars: Vec::new(),
                labels: 0,
                statics: vec![Static::String(b"Result".to_vec())],
                funs: Vec::new(),
                globals: Vec::new(),
                main: Block {
                    stmts: Vec::new(),
                    end: End::Return(Vec::new()),
                },
            },
        }
    }

    pub(super) fn var(&mut self, rep: Rep) -> Var {
        self.program.fresh(rep, "v")
    }

    pub(super) fn fun(&mut self, name: Var, params: &[Var], results: &[Rep], body: Block) {
        self.program.funs.push(Fun {
            name,
            params: params.to_vec(),
            results: results.to_vec(),
            body,
            span: Span::NONE,
            inside: Span::NONE,
            forked: false,
        });
    }

    pub(super) fn let_(&mut self, code: &mut Code, rep: Rep, rhs: Rhs) -> Atom {
        let var = self.var(rep);
        code.0.push(Stmt::Let(vec![var], rhs, Span::NONE));
        Atom::Var(var)
    }

    pub(super) fn prim(
        &mut self,
        code: &mut Code,
        rep: Rep,
        prim: Prim,
        elem: Option<Rep>,
        args: &[Atom],
    ) -> Atom {
        let args = args.to_vec();
        self.let_(code, rep, Rhs::Prim { prim, elem, args })
    }

    pub(super) fn int(&mut self, code: &mut Code, prim: Prim, args: &[Atom]) -> Atom {
        self.prim(code, Int, prim, None, args)
    }

    pub(super) fn call(&mut self, code: &mut Code, rep: Rep, fun: Var, args: &[Atom]) -> Atom {
        self.let_(code, rep, Rhs::Call(Callee::Known(fun), args.to_vec()))
    }

    pub(super) fn load(&mut self, code: &mut Code, rep: Rep, object: Atom, index: u32) -> Atom {
        let layout = None;
        let rhs = Rhs::Load {
            object,
            index,
            layout,
        };
        self.let_(code, rep, rhs)
    }

    pub(super) fn cons(&mut self, code: &mut Code, head: Atom, tail: Atom) -> Atom {
        self.let_(code, Ptr, Rhs::Alloc(layout(1, 1), vec![tail, head]))
    }

    /// Returns a block for `main` that ends with an exception whose payload is the result.
    pub(super) fn result(&mut self, mut code: Code, value: Atom) -> Block {
        let payload = match self.program.rep(value) {
            Int => Node::Int,
            Real => Node::Real,
            Ptr => Node::String,
        };
        let shape = Static::String(Shape::of(payload).encode());
        self.program.statics.push(shape);
        let shape = StaticId(self.program.statics.len() as u32 - 1);
        let exn = self.let_(&mut code, Ptr, Rhs::NewExn(StaticId(0), Some(shape)));
        let (layout, fields) = if self.program.rep(value) == Ptr {
            (layout(2, 0), vec![exn, value])
        } else {
            (layout(1, 1), vec![exn, value])
        };
        let packet = self.let_(&mut code, Ptr, Rhs::Alloc(layout, fields));
        code.end(End::Raise(packet, Span::NONE))
    }

    pub(super) fn run_with(&self, options: Options) -> (String, Box<Worker>) {
        check(&self.program).unwrap();
        let mut loaded = load(&self.program, None).unwrap();
        let mut worker = Worker::new(options).unwrap();
        // SAFETY: the worker runs no other program.
        match unsafe { loaded.run(&mut worker) } {
            Outcome::Done => ("done".into(), worker),
            Outcome::Uncaught(text) => (String::from_utf8(text).unwrap(), worker),
            Outcome::Interrupted(_) => unreachable!("nobody watches for interruptions"),
        }
    }

    pub(super) fn run(&self, stress: bool) -> String {
        let options = Options {
            heap: 1 << 30,
            stress,
            ..Options::default()
        };
        self.run_with(options).0
    }
}

impl Code {
    pub(super) fn end(self, end: End) -> Block {
        Block { stmts: self.0, end }
    }
}

pub(super) fn layout(ptrs: u32, raws: u32) -> Layout {
    Layout {
        tag: 0,
        ptrs,
        raws,
        mutable: false,
    }
}

pub(super) fn ret(atom: Atom) -> Block {
    Code::default().end(End::Return(vec![atom]))
}

pub(super) fn int(n: i64) -> Atom {
    Atom::Int(n)
}

pub(super) const NIL: Atom = Atom::Imm(0);

pub(super) fn if_(cond: Cond, yes: Block, no: Block) -> End {
    End::If(cond, Box::new(yes), Box::new(no))
}

pub(super) fn lt(a: Atom, b: Atom) -> Cond {
    Cond::Int(Cmp::Lt, a, b)
}

pub(super) fn join(label: Label, params: &[Var], body: Block, recursive: bool) -> Stmt {
    Stmt::Join {
        label,
        params: params.to_vec(),
        body,
        recursive,
    }
}
