//! Tests code generation with ANF programs written by hand. Most of the programs also run with a collection at every allocation.

mod maker;
mod memory;

use std::time::Instant;

use super::jit::load;
use super::returned::returned;
use crate::anf::{Atom, Callee, Cmp, Cond, End, Rep, Rhs, Static, StaticId, Stmt, Var};
use crate::prim::Prim;
use crate::runtime::state::options::Options;
use crate::runtime::state::worker::Worker;
use crate::source::Span;
use maker::{Code, Maker, NIL, if_, int, join, layout, lt, ret};

use Rep::{Int, Ptr, Real};

/// Makes `fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)`.
fn fib(n: i64) -> Maker {
    let mut m = Maker::new();
    let (fib, param) = (m.var(Ptr), m.var(Int));
    let arg = Atom::Var(param);
    let mut code = Code::default();
    let one = m.int(&mut code, Prim::IntSub, &[arg, int(1)]);
    let a = m.call(&mut code, Int, fib, &[one]);
    let two = m.int(&mut code, Prim::IntSub, &[arg, int(2)]);
    let b = m.call(&mut code, Int, fib, &[two]);
    let sum = m.int(&mut code, Prim::IntAdd, &[a, b]);
    let rec = code.end(End::Return(vec![sum]));
    let body = Code::default().end(if_(lt(arg, int(2)), ret(arg), rec));
    m.fun(fib, &[param], &[Int], body);
    let mut main = Code::default();
    let result = m.call(&mut main, Int, fib, &[int(n)]);
    m.program.main = m.result(main, result);
    m
}

#[test]
fn calls_and_numbers() {
    assert_eq!(fib(20).run(false), "Result: 6765");
}

#[test]
#[ignore = "a measurement"]
fn time_of_fib() {
    let m = fib(40);
    let mut loaded = load(&m.program, Some(super::Dump::Asm)).unwrap();
    println!("{}", loaded.text);
    let mut worker = Worker::new(Options::default()).unwrap();
    let begin = Instant::now();
    // SAFETY: the worker runs no other program.
    unsafe { loaded.run(&mut worker) };
    println!("fib 40: {:?}", begin.elapsed());
}

/// Makes a program with pointers in parameters of join points: a loop makes a list, reverses it, and applies a closure
/// to each element.
fn loops(n: i64) -> Maker {
    let mut m = Maker::new();
    // fn closure x => x * factor, where factor is in a box that the closure captures
    let (entry, closure, x) = (m.var(Ptr), m.var(Ptr), m.var(Int));
    let mut code = Code::default();
    let boxed = m.load(&mut code, Ptr, Atom::Var(closure), 1);
    let factor = m.load(&mut code, Int, boxed, 0);
    let _garbage = m.cons(&mut code, factor, boxed);
    let product = m.int(&mut code, Prim::IntMul, &[Atom::Var(x), factor]);
    m.fun(
        entry,
        &[closure, x],
        &[Int],
        code.end(End::Return(vec![product])),
    );
    let mut main = Code::default();
    let boxed = m.let_(&mut main, Ptr, Rhs::Alloc(layout(0, 1), vec![int(3)]));
    let closure = m.let_(&mut main, Ptr, Rhs::Closure(entry, vec![boxed]));
    let (head, exit) = (m.program.label(), m.program.label());
    let (i, acc, out) = (m.var(Int), m.var(Ptr), m.var(Ptr));
    // exit(out): total of the list by another loop
    let (again, finish) = (m.program.label(), m.program.label());
    let (list, total, last) = (m.var(Ptr), m.var(Int), m.var(Int));
    let mut step = Code::default();
    let value = m.load(&mut step, Int, Atom::Var(list), 1);
    let value = m.let_(
        &mut step,
        Int,
        Rhs::Call(Callee::Closure(closure), vec![value]),
    );
    let sum = m.int(&mut step, Prim::IntAdd, &[Atom::Var(total), value]);
    let tail = m.load(&mut step, Ptr, Atom::Var(list), 0);
    let step = step.end(End::Jump(again, vec![tail, sum]));
    let stop = Code::default().end(End::Jump(finish, vec![Atom::Var(total)]));
    let loop_body = Code::default().end(if_(Cond::IsImm(Atom::Var(list)), stop, step));
    let finish_body = m.result(Code::default(), Atom::Var(last));
    let exit_body = Code(vec![
        join(finish, &[last], finish_body, false),
        join(again, &[list, total], loop_body, true),
    ])
    .end(End::Jump(again, vec![Atom::Var(out), int(0)]));
    let mut step = Code::default();
    let next = m.int(&mut step, Prim::IntAdd, &[Atom::Var(i), int(1)]);
    let cell = m.cons(&mut step, Atom::Var(i), Atom::Var(acc));
    let step = step.end(End::Jump(head, vec![next, cell]));
    let stop = Code::default().end(End::Jump(exit, vec![Atom::Var(acc)]));
    let body = Code::default().end(if_(lt(Atom::Var(i), int(n)), step, stop));
    main.0.push(join(exit, &[out], exit_body, false));
    main.0.push(join(head, &[i, acc], body, true));
    m.program.main = main.end(End::Jump(head, vec![int(0), NIL]));
    m
}

/// Tests a fork whose end also appears in a join point to which no jump leads. The optimiser may produce such a program.
#[test]
fn the_end_of_a_fork_where_no_way_leads() {
    for clones in [false, true] {
        let mut m = Maker::new();
        m.program.clones = clones;
        let thief = m.var(Ptr);
        m.fun(thief, &[], &[Int], ret(int(1)));
        m.program.funs[0].forked = true;
        let (fork, dead) = (m.program.label(), m.program.label());
        let begin = Rhs::Fork {
            fork,
            thief,
            args: Vec::new(),
            lazy: false,
        };
        let drop_then = |rest| End::Drop {
            fork,
            rest: Box::new(rest),
        };
        let unreachable = Code::default().end(End::Unreachable);
        let body = Code::default().end(drop_then(unreachable));
        let mut code = Code(vec![
            Stmt::Let(Vec::new(), begin, Span::NONE),
            join(dead, &[], body, false),
        ]);
        let found = m.call(&mut code, Int, thief, &[]);
        let rest = m.result(Code::default(), found);
        m.program.main = code.end(drop_then(rest));
        assert_eq!(m.run(false), "Result: 1");
    }
}

#[test]
fn loops_and_closures() {
    assert_eq!(loops(100_000).run(false), "Result: 14999850000");
    assert_eq!(loops(300).run(true), "Result: 134550");
}

/// Makes a program that raises an exception `rounds` times, `n` calls away from its handler. Each frame has a live pointer. If `closure` is
/// true, the program also makes a closure of the function that raises, so this function does not return its exceptions.
fn exceptions(n: i64, rounds: i64, closure: bool) -> Maker {
    let mut m = Maker::new();
    let dive = m.var(Ptr);
    if closure {
        m.program.statics.push(Static::Closure(dive));
    }
    let (depth, held, exn) = (m.var(Int), m.var(Ptr), m.var(Ptr));
    // fun dive (d, held, exn) = if d = 0 then raise exn(held) else dive (d - 1, cell, exn) + #1 held
    let mut code = Code::default();
    let less = m.int(&mut code, Prim::IntSub, &[Atom::Var(depth), int(1)]);
    let cell = m.cons(&mut code, less, Atom::Var(held));
    let below = m.call(&mut code, Int, dive, &[less, cell, Atom::Var(exn)]);
    let mine = m.load(&mut code, Int, Atom::Var(held), 1);
    let sum = m.int(&mut code, Prim::IntAdd, &[below, mine]);
    let more = code.end(End::Return(vec![sum]));
    let mut code = Code::default();
    let packet = m.let_(
        &mut code,
        Ptr,
        Rhs::Alloc(layout(2, 0), vec![Atom::Var(exn), Atom::Var(held)]),
    );
    let raise = code.end(End::Raise(packet, Span::NONE));
    let body = Code::default().end(if_(
        Cond::Int(Cmp::Eq, Atom::Var(depth), int(0)),
        raise,
        more,
    ));
    m.fun(dive, &[depth, held, exn], &[Int], body);
    // fun try (k, keep, exn) = (dive (n, keep, exn)) handle e => #1 (#1 e) + #1 keep + k
    let try_ = m.var(Ptr);
    let (k, keep, exn) = (m.var(Int), m.var(Ptr), m.var(Ptr));
    let after = m.program.label();
    let got = m.var(Int);
    let mut code = Code::default();
    let cell = m.cons(&mut code, int(7), Atom::Var(keep));
    let value = m.call(&mut code, Int, dive, &[int(n), cell, Atom::Var(exn)]);
    let inside = code.end(End::Jump(after, vec![value]));
    let caught = m.var(Ptr);
    let mut code = Code::default();
    let held = m.load(&mut code, Ptr, Atom::Var(caught), 1);
    let first = m.load(&mut code, Int, held, 1);
    let other = m.load(&mut code, Int, Atom::Var(keep), 1);
    let sum = m.int(&mut code, Prim::IntAdd, &[first, other]);
    let sum = m.int(&mut code, Prim::IntAdd, &[sum, Atom::Var(k)]);
    let handler = code.end(End::Jump(after, vec![sum]));
    let body = Code(vec![join(after, &[got], ret(Atom::Var(got)), false)]).end(End::Handle {
        body: Box::new(inside),
        exn: caught,
        handler: Box::new(handler),
    });
    m.fun(try_, &[k, keep, exn], &[Int], body);
    let mut main = Code::default();
    let exn = m.let_(&mut main, Ptr, Rhs::NewExn(StaticId(0), None));
    let keep = m.cons(&mut main, int(100), NIL);
    let (head, exit) = (m.program.label(), m.program.label());
    let (i, total, last) = (m.var(Int), m.var(Int), m.var(Int));
    let mut step = Code::default();
    let one = m.call(&mut step, Int, try_, &[Atom::Var(i), keep, exn]);
    let sum = m.int(&mut step, Prim::IntAdd, &[Atom::Var(total), one]);
    let next = m.int(&mut step, Prim::IntAdd, &[Atom::Var(i), int(1)]);
    let step = step.end(End::Jump(head, vec![next, sum]));
    let stop = Code::default().end(End::Jump(exit, vec![Atom::Var(total)]));
    let body = Code::default().end(if_(lt(Atom::Var(i), int(rounds)), step, stop));
    let exit_body = m.result(Code::default(), Atom::Var(last));
    main.0.push(join(exit, &[last], exit_body, false));
    main.0.push(join(head, &[i, total], body, true));
    m.program.main = main.end(End::Jump(head, vec![int(0), int(0)]));
    m
}

#[test]
fn exceptions_through_many_frames() {
    // The innermost cell has the number 0 (or 7 if there is no cell), and `keep` has the number 100.
    for closure in [false, true] {
        let run = |n, rounds, stress| {
            let program = exceptions(n, rounds, closure);
            assert_eq!(returned(&program.program), [!closure, false]);
            program.run(stress)
        };
        assert_eq!(run(1000, 1000, false), "Result: 599500");
        assert_eq!(run(0, 3, false), "Result: 324");
        assert_eq!(run(20, 20, true), "Result: 2190");
        // The stack is so deep that the collector marks frames.
        assert_eq!(run(300, 5, true), "Result: 510");
    }
}

/// Makes a program that declares `fun f (x, k) = if x = 0 then raise E else k x` and calls it in a handled region.
/// `k` is a closure or a function.
fn leaves_by_a_tail_call(closure: bool) -> Maker {
    let mut m = Maker::new();
    let (f, g) = (m.var(Ptr), m.var(Ptr));
    let (x, k, y) = (m.var(Int), m.var(Ptr), m.var(Int));
    let mut code = Code::default();
    let exn = m.let_(&mut code, Ptr, Rhs::NewExn(StaticId(0), None));
    let packet = m.let_(&mut code, Ptr, Rhs::Alloc(layout(1, 0), vec![exn]));
    let raise = code.end(End::Raise(packet, Span::NONE));
    let callee = if closure {
        Callee::Closure(Atom::Var(k))
    } else {
        Callee::Known(g)
    };
    let leave = End::TailCall(callee, vec![Atom::Var(x)], Span::NONE);
    let leave = Code::default().end(leave);
    let is_zero = Cond::Int(Cmp::Eq, Atom::Var(x), int(0));
    let body = Code::default().end(if_(is_zero, raise, leave));
    m.fun(f, &[x, k], &[Int], body);
    m.fun(g, &[y], &[Int], ret(Atom::Var(y)));
    let after = m.program.label();
    let got = m.var(Int);
    let mut code = Code::default();
    let value = m.call(&mut code, Int, f, &[int(0), NIL]);
    let body = code.end(End::Jump(after, vec![value]));
    let caught = m.var(Ptr);
    let handler = Code::default().end(End::Jump(after, vec![int(-1)]));
    let rest = m.result(Code::default(), Atom::Var(got));
    m.program.main = Code(vec![join(after, &[got], rest, false)]).end(End::Handle {
        body: Box::new(body),
        exn: caught,
        handler: Box::new(handler),
    });
    m
}

#[test]
fn a_function_that_leaves_by_a_tail_call_of_a_closure_leaves_no_frame() {
    let known = leaves_by_a_tail_call(false);
    assert_eq!(returned(&known.program), [true, false]);
    assert_eq!(known.run(false), "Result: ~1");
    let unknown = leaves_by_a_tail_call(true);
    assert_eq!(returned(&unknown.program), [false, false]);
    assert_eq!(unknown.run(false), "Result: ~1");
}

/// Tests `(a + b) handle _ => ~1`, and a division by zero in a called function.
#[test]
fn exceptions_of_the_runtime() {
    for (a, b, expected) in [
        (1, 2, "Result: 3"),
        (i64::MAX, 1, "Result: ~1"),
        (i64::MIN, -1, "Result: ~1"),
    ] {
        for constant in [false, true] {
            let mut m = Maker::new();
            let mut main = Code::default();
            let after = m.program.label();
            let got = m.var(Int);
            let result = m.result(Code::default(), Atom::Var(got));
            main.0.push(join(after, &[got], result, false));
            let mut code = Code::default();
            // The numbers come from references, so that Cranelift's optimiser cannot fold the addition.
            let cell = m.prim(&mut code, Ptr, Prim::RefNew, Some(Int), &[int(b)]);
            let other = m.prim(&mut code, Int, Prim::RefGet, Some(Int), &[cell]);
            let cell = m.prim(&mut code, Ptr, Prim::RefNew, Some(Int), &[int(a)]);
            let one = m.prim(&mut code, Int, Prim::RefGet, Some(Int), &[cell]);
            let other = if constant { int(b) } else { other };
            let sum = m.int(&mut code, Prim::IntAdd, &[one, other]);
            let body = code.end(End::Jump(after, vec![sum]));
            let exn = m.var(Ptr);
            m.program.main = main.end(End::Handle {
                body: Box::new(body),
                exn,
                handler: Box::new(Code::default().end(End::Jump(after, vec![int(-1)]))),
            });
            assert_eq!(m.run(false), expected);
        }
    }
    let mut m = Maker::new();
    let (divide, a, b) = (m.var(Ptr), m.var(Int), m.var(Int));
    let mut code = Code::default();
    let quotient = m.int(&mut code, Prim::IntDiv, &[Atom::Var(a), Atom::Var(b)]);
    m.fun(
        divide,
        &[a, b],
        &[Int],
        code.end(End::Return(vec![quotient])),
    );
    let mut main = Code::default();
    let result = m.call(&mut main, Int, divide, &[int(1), int(0)]);
    m.program.main = m.result(main, result);
    assert_eq!(m.run(false), "Div");
}

#[test]
fn division_rounds_as_sml_says() {
    let cases = [
        (Prim::IntDiv, -7, 2, -4),
        (Prim::IntDiv, -7, 3, -3),
        (Prim::IntMod, -7, 3, 2),
        (Prim::IntMod, 7, -3, -2),
        (Prim::IntMod, -8, 4, 0),
        (Prim::IntMod, i64::MIN, -1, 0),
        (Prim::IntQuot, -7, 2, -3),
        (Prim::IntRem, -7, 2, -1),
        (Prim::IntRem, i64::MIN, -1, 0),
        (Prim::WrapQuot, i64::MIN, -1, i64::MIN),
        (Prim::WrapRem, 5, 0, 0),
        (Prim::WordShl, 1, 64, 0),
        (Prim::WordShr, -1, 63, 1),
        (Prim::WordSar, -5, 100, -1),
    ];
    for (prim, a, b, expected) in cases {
        for constant in [false, true] {
            let mut m = Maker::new();
            let (fun, x, y) = (m.var(Ptr), m.var(Int), m.var(Int));
            let mut code = Code::default();
            let second = if constant { int(b) } else { Atom::Var(y) };
            let value = m.int(&mut code, prim, &[Atom::Var(x), second]);
            m.fun(fun, &[x, y], &[Int], code.end(End::Return(vec![value])));
            let mut main = Code::default();
            let result = m.call(&mut main, Int, fun, &[int(a), int(b)]);
            m.program.main = m.result(main, result);
            let text = format!("Result: {expected}").replace('-', "~");
            assert_eq!(m.run(false), text, "{prim:?} {a} {b} {constant}");
        }
    }
}

#[test]
fn reals_strings_and_switches() {
    let mut m = Maker::new();
    let mut main = Code::default();
    let cell = m.prim(
        &mut main,
        Ptr,
        Prim::RefNew,
        Some(Real),
        &[Atom::Real(2.0_f64.to_bits())],
    );
    let two = m.prim(&mut main, Real, Prim::RefGet, Some(Real), &[cell]);
    let root = m.prim(&mut main, Real, Prim::RealSqrt, None, &[two]);
    let down = m.prim(&mut main, Real, Prim::RealFloor, None, &[root]);
    let sum = m.prim(&mut main, Real, Prim::RealAdd, None, &[down, two]);
    m.program.main = m.result(main, sum);
    assert_eq!(m.run(false), "Result: 3.0");

    let mut m = Maker::new();
    m.program.statics.push(Static::String(b"x\ny".to_vec()));
    let (pick, on) = (m.var(Ptr), m.var(Int));
    let cases = vec![
        (0, ret(NIL)),
        (-3, ret(Atom::Static(StaticId(1)))),
        (1 << 40, ret(NIL)),
    ];
    let body = Code::default().end(End::Switch {
        on: Atom::Var(on),
        cases,
        default: None,
    });
    m.fun(pick, &[on], &[Ptr], body);
    let mut main = Code::default();
    let text = m.call(&mut main, Ptr, pick, &[int(-3)]);
    m.program.main = m.result(main, text);
    assert_eq!(m.run(false), "Result: \"x\\ny\"");
}

#[test]
fn object_files_are_written() {
    for processor in [super::Processor::This, super::Processor::Any] {
        let object = super::object(&loops(10).program, processor, false, None).unwrap();
        assert_eq!(&object.bytes[..4], b"\x7fELF");
    }
}

/// Tests calls, tail calls and calls of closures during collections. The calls have more arguments than there are
/// registers, and the arguments include pointers and reals.
#[test]
fn many_arguments() {
    for stress in [false, true] {
        let mut m = Maker::new();
        let (take, pass) = (m.var(Ptr), m.var(Ptr));
        let reps: Vec<Rep> = (0..12).map(|at| [Ptr, Int, Real][at % 3]).collect();
        let params: Vec<Var> = reps.iter().map(|rep| m.var(*rep)).collect();
        let mut code = Code::default();
        let mut total = int(0);
        for (at, param) in params.iter().enumerate() {
            m.cons(&mut code, int(1), NIL);
            let mut value = Atom::Var(*param);
            if reps[at] == Ptr {
                value = m.load(&mut code, Int, value, 1);
            } else if reps[at] == Real {
                value = m.prim(&mut code, Int, Prim::RealToInt, None, &[value]);
            }
            let scaled = m.int(&mut code, Prim::IntMul, &[total, int(3)]);
            total = m.int(&mut code, Prim::IntAdd, &[scaled, value]);
        }
        m.fun(take, &params, &[Int], code.end(End::Return(vec![total])));
        // The entry of a closure calls the function in tail position.
        let closure = m.var(Ptr);
        let params: Vec<Var> = reps.iter().map(|rep| m.var(*rep)).collect();
        let mut all = vec![closure];
        all.extend(&params);
        let mut code = Code::default();
        let mine = m.load(&mut code, Ptr, Atom::Var(closure), 1);
        let mut args: Vec<Atom> = params.iter().map(|param| Atom::Var(*param)).collect();
        args[3] = mine;
        m.fun(
            pass,
            &all,
            &[Int],
            code.end(End::TailCall(Callee::Known(take), args, Span::NONE)),
        );
        let mut main = Code::default();
        let mut args = Vec::new();
        for at in 0..12_i64 {
            args.push(match reps[at as usize] {
                Ptr => m.cons(&mut main, int(at), NIL),
                Int => int(at),
                Real => Atom::Real((at as f64).to_bits()),
            });
        }
        let direct = m.call(&mut main, Int, take, &args);
        let captured = m.cons(&mut main, int(3), NIL);
        let closure = m.let_(&mut main, Ptr, Rhs::Closure(pass, vec![captured]));
        let other = m.let_(&mut main, Int, Rhs::Call(Callee::Closure(closure), args));
        let expected = (0..12).fold(0, |total, at| 3 * total + at);
        let difference = m.int(&mut main, Prim::IntSub, &[direct, other]);
        let sum = m.int(&mut main, Prim::IntAdd, &[direct, difference]);
        m.program.main = m.result(main, sum);
        assert_eq!(m.run(stress), format!("Result: {expected}"));
    }
}
