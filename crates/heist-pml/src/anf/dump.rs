//! Prints programs as text, for `--dump anf`.
//!
//! The text of a variable is `name.number`, and the text of a label is `Lnumber`. So equal programs have equal texts.

use std::fmt::Write;

use super::{
    Atom, Block, Callee, Cmp, Cond, Elem, End, Fun, Label, Layout, Program, Rep, Rhs, Static, Stmt,
    Var,
};

/// Returns the program as text.
#[must_use]
pub fn dump(program: &Program) -> String {
    let mut dumper = Dumper {
        program,
        out: String::new(),
    };
    for (at, object) in program.statics.iter().enumerate() {
        let _ = write!(dumper.out, "static S{at} = ");
        dumper.object(object);
        dumper.out.push('\n');
    }
    if !program.globals.is_empty() {
        dumper.out.push_str("globals");
        for &var in &program.globals {
            dumper.out.push(' ');
            dumper.var(var);
        }
        dumper.out.push('\n');
    }
    for fun in &program.funs {
        dumper.fun(fun, 0);
    }
    dumper.out.push_str("main\n");
    dumper.block(&program.main, 1);
    dumper.out
}

struct Dumper<'a> {
    program: &'a Program,
    out: String,
}

impl Dumper<'_> {
    fn indent(&mut self, depth: usize) {
        for _ in 0..depth {
            self.out.push_str("  ");
        }
    }

    fn var(&mut self, var: Var) {
        let name = self
            .program
            .vars
            .get(var.0 as usize)
            .map_or("?", |info| info.name.as_str());
        let _ = write!(self.out, "{name}.{}", var.0);
    }

    fn label(&mut self, label: Label) {
        let _ = write!(self.out, "L{}", label.0);
    }

    fn atom(&mut self, atom: Atom) {
        let _ = match atom {
            Atom::Var(var) => {
                self.var(var);
                Ok(())
            }
            Atom::Int(value) => write!(self.out, "{value}"),
            Atom::Real(bits) => write!(self.out, "{:?}r", f64::from_bits(bits)),
            Atom::Imm(value) => write!(self.out, "#{value}"),
            Atom::Static(id) => write!(self.out, "S{}", id.0),
        };
    }

    fn list<T: Copy>(&mut self, items: &[T], one: impl Fn(&mut Self, T)) {
        self.out.push('(');
        for (at, &item) in items.iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            one(self, item);
        }
        self.out.push(')');
    }

    fn atoms(&mut self, atoms: &[Atom]) {
        self.list(atoms, Self::atom);
    }

    fn rep(&mut self, rep: Rep) {
        self.out.push_str(match rep {
            Rep::Int => "int",
            Rep::Real => "real",
            Rep::Ptr => "ptr",
        });
    }

    fn params(&mut self, params: &[Var]) {
        self.list(params, |dumper, var| {
            dumper.var(var);
            dumper.out.push_str(": ");
            if let Some(info) = dumper.program.vars.get(var.0 as usize) {
                dumper.rep(info.rep);
            }
        });
    }

    fn elem(&mut self, elem: Option<Elem>) {
        if let Some(elem) = elem {
            self.out.push('<');
            self.rep(elem);
            self.out.push('>');
        }
    }

    fn layout(&mut self, layout: Layout) {
        let _ = write!(
            self.out,
            "{}[{} {}+{}]",
            if layout.mutable { "mutable" } else { "object" },
            layout.tag,
            layout.ptrs,
            layout.raws
        );
    }

    fn object(&mut self, object: &Static) {
        match object {
            Static::String(bytes) => {
                let _ = write!(self.out, "\"{}\"", bytes.escape_ascii());
            }
            Static::IntInf(value) => {
                let _ = write!(self.out, "intinf {value}");
            }
            Static::Object(layout, atoms) => {
                self.layout(*layout);
                self.atoms(atoms);
            }
            Static::Closure(var) => {
                self.out.push_str("closure ");
                self.var(*var);
            }
            Static::Exn(exn) => {
                let _ = write!(self.out, "exn {}", exn.name());
            }
        }
    }

    fn callee(&mut self, callee: Callee) {
        match callee {
            Callee::Known(var) => self.var(var),
            Callee::Closure(atom) => {
                self.out.push('*');
                self.atom(atom);
            }
        }
    }

    fn rhs(&mut self, rhs: &Rhs) {
        match rhs {
            Rhs::Atom(atom) => self.atom(*atom),
            Rhs::Prim { prim, elem, args } => {
                self.out.push_str(prim.name());
                self.elem(*elem);
                self.out.push(' ');
                self.atoms(args);
            }
            Rhs::Alloc(layout, atoms) => {
                self.out.push_str("new ");
                self.layout(*layout);
                self.atoms(atoms);
            }
            Rhs::Closure(entry, atoms) => {
                self.out.push_str("new closure ");
                self.var(*entry);
                self.atoms(atoms);
            }
            Rhs::Load { object, index, .. } => {
                self.atom(*object);
                let _ = write!(self.out, "[{index}]");
            }
            Rhs::Tag(object) => {
                self.out.push_str("tag ");
                self.atom(*object);
            }
            Rhs::Fork {
                fork,
                thief,
                args,
                lazy,
            } => {
                self.out
                    .push_str(if *lazy { "fork lazy " } else { "fork " });
                self.label(*fork);
                self.out.push(' ');
                self.var(*thief);
                self.atoms(args);
            }
            Rhs::Call(callee, args) => {
                self.out.push_str("call ");
                self.callee(*callee);
                self.atoms(args);
            }
            Rhs::NewExn(name, payload) => {
                let _ = write!(self.out, "new exn S{}", name.0);
                if let Some(payload) = payload {
                    let _ = write!(self.out, " of S{}", payload.0);
                }
            }
        }
    }

    fn fun(&mut self, fun: &Fun, depth: usize) {
        self.indent(depth);
        self.out.push_str("fun ");
        self.var(fun.name);
        self.params(&fun.params);
        self.out.push_str(" -> ");
        self.list(&fun.results, Self::rep);
        self.out.push('\n');
        self.block(&fun.body, depth + 1);
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize) {
        match stmt {
            Stmt::Let(vars, rhs, _) => {
                self.indent(depth);
                match vars.as_slice() {
                    [var] => self.var(*var),
                    vars => self.list(vars, Self::var),
                }
                self.out.push_str(" = ");
                self.rhs(rhs);
                self.out.push('\n');
            }
            Stmt::Funs(funs) => {
                for fun in funs {
                    self.fun(fun, depth);
                }
            }
            Stmt::Join {
                label,
                params,
                body,
                recursive,
            } => {
                self.indent(depth);
                self.out
                    .push_str(if *recursive { "loop " } else { "join " });
                self.label(*label);
                self.params(params);
                self.out.push('\n');
                self.block(body, depth + 1);
            }
        }
    }

    fn cond(&mut self, cond: Cond) {
        let (suffix, cmp, a, b) = match cond {
            Cond::Int(cmp, a, b) => ("", cmp, a, b),
            Cond::Word(cmp, a, b) => ("w", cmp, a, b),
            Cond::Real(cmp, a, b) => ("r", cmp, a, b),
            Cond::Same(a, b) => ("same", Cmp::Eq, a, b),
            Cond::IsImm(a) => {
                self.out.push_str("isimm ");
                self.atom(a);
                return;
            }
        };
        self.atom(a);
        let cmp = match cmp {
            Cmp::Eq => "=",
            Cmp::Ne => "<>",
            Cmp::Lt => "<",
            Cmp::Le => "<=",
            Cmp::Gt => ">",
            Cmp::Ge => ">=",
        };
        let _ = write!(self.out, " {cmp}{suffix} ");
        self.atom(b);
    }

    fn block(&mut self, block: &Block, depth: usize) {
        for stmt in &block.stmts {
            self.stmt(stmt, depth);
        }
        self.indent(depth);
        match &block.end {
            End::Return(atoms) => {
                self.out.push_str("return ");
                self.atoms(atoms);
                self.out.push('\n');
            }
            End::Jump(label, atoms) => {
                self.out.push_str("jump ");
                self.label(*label);
                self.atoms(atoms);
                self.out.push('\n');
            }
            End::TailCall(callee, args, _) => {
                self.out.push_str("tailcall ");
                self.callee(*callee);
                self.atoms(args);
                self.out.push('\n');
            }
            End::If(cond, yes, no) => {
                self.out.push_str("if ");
                self.cond(*cond);
                self.out.push('\n');
                self.block(yes, depth + 1);
                self.indent(depth);
                self.out.push_str("else\n");
                self.block(no, depth + 1);
            }
            End::Switch { on, cases, default } => {
                self.out.push_str("switch ");
                self.atom(*on);
                self.out.push('\n');
                for (value, block) in cases {
                    self.indent(depth);
                    let _ = writeln!(self.out, "case {value}");
                    self.block(block, depth + 1);
                }
                if let Some(block) = default {
                    self.indent(depth);
                    self.out.push_str("default\n");
                    self.block(block, depth + 1);
                }
            }
            End::Raise(atom, _) => {
                self.out.push_str("raise ");
                self.atom(*atom);
                self.out.push('\n');
            }
            End::Handle { body, exn, handler } => {
                self.out.push_str("try\n");
                self.block(body, depth + 1);
                self.indent(depth);
                self.out.push_str("handle ");
                self.var(*exn);
                self.out.push('\n');
                self.block(handler, depth + 1);
            }
            End::Resume {
                fork,
                right,
                taken,
                stolen,
            } => {
                self.out.push_str("resume ");
                self.label(*fork);
                self.out.push('\n');
                self.block(right, depth + 1);
                self.indent(depth);
                self.out.push_str("stolen ");
                self.list(taken, Self::var);
                self.out.push('\n');
                self.block(stolen, depth + 1);
            }
            End::Drop { fork, rest } => {
                self.out.push_str("drop ");
                self.label(*fork);
                self.out.push('\n');
                self.block(rest, depth);
            }
            End::Unreachable => self.out.push_str("unreachable\n"),
        }
    }
}
