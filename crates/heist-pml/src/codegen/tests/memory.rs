//! Tests programs that need large heaps or deep stacks.

use super::maker::{Code, Maker, NIL, if_, int, join, layout, lt, ret};
use crate::anf::{Atom, Callee, Cmp, Cond, End, Rep, Rhs};
use crate::prim::Prim;
use crate::runtime::state::options::Options;
use crate::source::Span;

use Rep::{Int, Ptr};

/// Makes a program that calls `fun build n = if n = 0 then nil else n :: build (n - 1)`, then a recursive `sum`. `build` and `sum` use one
/// frame for each element.
fn deep_list(n: i64) -> Maker {
    let mut m = Maker::new();
    let (build, sum) = (m.var(Ptr), m.var(Ptr));
    let param = m.var(Int);
    let mut code = Code::default();
    let less = m.int(&mut code, Prim::IntSub, &[Atom::Var(param), int(1)]);
    let rest = m.call(&mut code, Ptr, build, &[less]);
    let list = m.cons(&mut code, Atom::Var(param), rest);
    let more = code.end(End::Return(vec![list]));
    let body = Code::default().end(if_(
        Cond::Int(Cmp::Eq, Atom::Var(param), int(0)),
        ret(NIL),
        more,
    ));
    m.fun(build, &[param], &[Ptr], body);
    let list = m.var(Ptr);
    let mut code = Code::default();
    let tail = m.load(&mut code, Ptr, Atom::Var(list), 0);
    let rest = m.call(&mut code, Int, sum, &[tail]);
    let head = m.load(&mut code, Int, Atom::Var(list), 1);
    let total = m.int(&mut code, Prim::IntAdd, &[head, rest]);
    let more = code.end(End::Return(vec![total]));
    let body = Code::default().end(if_(Cond::IsImm(Atom::Var(list)), ret(int(0)), more));
    m.fun(sum, &[list], &[Int], body);
    let mut main = Code::default();
    let list = m.call(&mut main, Ptr, build, &[int(n)]);
    let result = m.call(&mut main, Int, sum, &[list]);
    m.program.main = m.result(main, result);
    m
}

#[test]
fn objects_survive_under_deep_recursion() {
    assert_eq!(deep_list(200_000).run(false), "Result: 20000100000");
    assert_eq!(deep_list(500).run(true), "Result: 125250");
}

/// Makes a program with an array of lists, in which each step makes one list longer. So old objects refer to young objects, and the array
/// is a large object.
fn mutation(size: i64, steps: i64) -> Maker {
    let mut m = Maker::new();
    let mut main = Code::default();
    let array = m.prim(&mut main, Ptr, Prim::ArrayNew, Some(Ptr), &[int(size), NIL]);
    let count = m.prim(&mut main, Ptr, Prim::RefNew, Some(Ptr), &[NIL]);
    let (head, exit) = (m.program.label(), m.program.label());
    let i = m.var(Int);
    let mut step = Code::default();
    let at = m.int(&mut step, Prim::IntMod, &[Atom::Var(i), int(size)]);
    let old = m.prim(&mut step, Ptr, Prim::ArrayGet, Some(Ptr), &[array, at]);
    let cell = m.cons(&mut step, Atom::Var(i), old);
    m.prim(
        &mut step,
        Int,
        Prim::ArraySet,
        Some(Ptr),
        &[array, at, cell],
    );
    let boxed = m.let_(&mut step, Ptr, Rhs::Alloc(layout(0, 1), vec![Atom::Var(i)]));
    m.prim(&mut step, Int, Prim::RefSet, Some(Ptr), &[count, boxed]);
    let next = m.int(&mut step, Prim::IntAdd, &[Atom::Var(i), int(1)]);
    let step = step.end(End::Jump(head, vec![next]));
    let stop = Code::default().end(End::Jump(exit, vec![]));
    let body = Code::default().end(if_(lt(Atom::Var(i), int(steps)), step, stop));
    // exit: the sum of the lists' elements, and the last count
    let (outer, done) = (m.program.label(), m.program.label());
    let (j, total, end) = (m.var(Int), m.var(Int), m.var(Int));
    let (inner, out) = (m.program.label(), m.program.label());
    let (list, sum, got) = (m.var(Ptr), m.var(Int), m.var(Int));
    let mut code = Code::default();
    let value = m.load(&mut code, Int, Atom::Var(list), 1);
    let more = m.int(&mut code, Prim::IntAdd, &[Atom::Var(sum), value]);
    let tail = m.load(&mut code, Ptr, Atom::Var(list), 0);
    let more = code.end(End::Jump(inner, vec![tail, more]));
    let stop = Code::default().end(End::Jump(out, vec![Atom::Var(sum)]));
    let inner_body = Code::default().end(if_(Cond::IsImm(Atom::Var(list)), stop, more));
    let mut code = Code::default();
    let next = m.int(&mut code, Prim::IntAdd, &[Atom::Var(j), int(1)]);
    let out_body = code.end(End::Jump(outer, vec![next, Atom::Var(got)]));
    let mut code = Code::default();
    let first = m.prim(
        &mut code,
        Ptr,
        Prim::ArrayGet,
        Some(Ptr),
        &[array, Atom::Var(j)],
    );
    code.0.push(join(out, &[got], out_body, false));
    code.0.push(join(inner, &[list, sum], inner_body, true));
    let each = code.end(End::Jump(inner, vec![first, Atom::Var(total)]));
    let stop = Code::default().end(End::Jump(done, vec![Atom::Var(total)]));
    let outer_body = Code::default().end(if_(lt(Atom::Var(j), int(size)), each, stop));
    let mut code = Code::default();
    let boxed = m.prim(&mut code, Ptr, Prim::RefGet, Some(Ptr), &[count]);
    let last = m.load(&mut code, Int, boxed, 0);
    let sum = m.int(&mut code, Prim::IntAdd, &[Atom::Var(end), last]);
    let done_body = m.result(code, sum);
    let exit_body = Code(vec![
        join(done, &[end], done_body, false),
        join(outer, &[j, total], outer_body, true),
    ])
    .end(End::Jump(outer, vec![int(0), int(0)]));
    main.0.push(join(exit, &[], exit_body, false));
    main.0.push(join(head, &[i], body, true));
    m.program.main = main.end(End::Jump(head, vec![int(0)]));
    m
}

fn sum_of(steps: i64) -> String {
    format!("Result: {}", steps * (steps - 1) / 2 + steps - 1)
}

#[test]
fn old_objects_that_refer_to_young_ones() {
    assert_eq!(mutation(10_000, 1_000_000).run(false), sum_of(1_000_000));
    assert_eq!(mutation(7, 400).run(true), sum_of(400));
    assert_eq!(mutation(5000, 60).run(true), sum_of(60));
}

/// Makes a program that makes many short-lived objects and keeps a list of `live` elements.
fn churn(live: i64, rounds: i64) -> Maker {
    let mut m = Maker::new();
    let build = m.var(Ptr);
    // fun build (i, acc) = if i = 0 then acc else build (i - 1, i :: acc)
    let (i, acc) = (m.var(Int), m.var(Ptr));
    let mut code = Code::default();
    let less = m.int(&mut code, Prim::IntSub, &[Atom::Var(i), int(1)]);
    let cell = m.cons(&mut code, Atom::Var(i), Atom::Var(acc));
    let more = code.end(End::TailCall(
        Callee::Known(build),
        vec![less, cell],
        Span::NONE,
    ));
    let body = Code::default().end(if_(lt(Atom::Var(i), int(1)), ret(Atom::Var(acc)), more));
    m.fun(build, &[i, acc], &[Ptr], body);
    let mut main = Code::default();
    let (head, exit) = (m.program.label(), m.program.label());
    let (round, kept, last) = (m.var(Int), m.var(Ptr), m.var(Ptr));
    let mut step = Code::default();
    let list = m.call(&mut step, Ptr, build, &[int(live), NIL]);
    let next = m.int(&mut step, Prim::IntAdd, &[Atom::Var(round), int(1)]);
    let step = step.end(End::Jump(head, vec![next, list]));
    let stop = Code::default().end(End::Jump(exit, vec![Atom::Var(kept)]));
    let body = Code::default().end(if_(lt(Atom::Var(round), int(rounds)), step, stop));
    let mut code = Code::default();
    let first = m.load(&mut code, Int, Atom::Var(last), 1);
    let exit_body = m.result(code, first);
    main.0.push(join(exit, &[last], exit_body, false));
    main.0.push(join(head, &[round, kept], body, true));
    m.program.main = main.end(End::Jump(head, vec![int(0), NIL]));
    m
}

#[test]
fn deep_frames_are_scanned_once() {
    // dive n = if n = 0 then churn () else dive (n - 1) + 1. Hundreds of collections happen while the frames of `dive` are on the stack.
    let mut m = churn(1000, 20_000);
    let build = m.program.funs[0].name;
    let (dive, depth) = (m.var(Ptr), m.var(Int));
    let mut code = Code::default();
    let less = m.int(&mut code, Prim::IntSub, &[Atom::Var(depth), int(1)]);
    let below = m.call(&mut code, Int, dive, &[less]);
    let sum = m.int(&mut code, Prim::IntAdd, &[below, int(1)]);
    let more = code.end(End::Return(vec![sum]));
    let mut code = Code::default();
    let (head, out) = (m.program.label(), m.program.label());
    let i = m.var(Int);
    let mut step = Code::default();
    m.call(&mut step, Ptr, build, &[int(1000), NIL]);
    let next = m.int(&mut step, Prim::IntAdd, &[Atom::Var(i), int(1)]);
    let step = step.end(End::Jump(head, vec![next]));
    let stop = Code::default().end(End::Jump(out, vec![]));
    let body = Code::default().end(if_(lt(Atom::Var(i), int(50_000)), step, stop));
    code.0.push(join(out, &[], ret(int(0)), false));
    code.0.push(join(head, &[i], body, true));
    let bottom = code.end(End::Jump(head, vec![int(0)]));
    let body = Code::default().end(if_(lt(Atom::Var(depth), int(1)), bottom, more));
    m.fun(dive, &[depth], &[Int], body);
    let mut main = Code::default();
    let result = m.call(&mut main, Int, dive, &[int(100_000)]);
    m.program.main = m.result(main, result);
    let (text, worker) = m.run_with(Options::default());
    assert_eq!(text, "Result: 100000");
    assert!(worker.stats.minor > 200, "{:?}", worker.stats);
    assert!(worker.stats.frames < 200_000, "{:?}", worker.stats);
}

#[test]
fn memory_stays_bounded() {
    // The program builds a list of 100,000 cells of 24 bytes, 100 times.
    let (text, worker) = churn(100_000, 100).run_with(Options::default());
    assert_eq!(text, "Result: 1");
    assert!(worker.peak() < 80 << 20, "{}", worker.peak());
}

#[test]
#[ignore = "long: 10 GB are allocated"]
fn ten_gigabytes_with_fifty_megabytes_live() {
    let (text, worker) = churn(25_000_000 / 24, 400).run_with(Options::default());
    assert_eq!(text, "Result: 1");
    println!("{:?}, peak {} MB", worker.stats, worker.peak() >> 20);
    assert!(worker.peak() < 250 << 20, "{}", worker.peak());
}

/// Runs a test of this file in a separate process. Returns the exit code and the messages of this process.
fn in_a_process(test: &str) -> (Option<i32>, String) {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            &format!("codegen::tests::memory::{test}"),
            "--ignored",
            "--nocapture",
        ])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[test]
#[ignore = "ends its process: see the next test"]
fn recursion_without_an_end() {
    let options = Options {
        stack: 1 << 20,
        ..Options::default()
    };
    deep_list(i64::MAX).run_with(options);
}

#[test]
#[ignore = "ends its process: see the next test"]
fn more_than_the_heap() {
    let options = Options {
        heap: 16 << 20,
        ..Options::default()
    };
    churn(10_000_000, 1).run_with(options);
}

#[test]
fn ends_of_memory_are_told() {
    let (code, said) = in_a_process("recursion_without_an_end");
    assert!(
        code == Some(2) && said.contains("stack overflow"),
        "{code:?} {said}"
    );
    let (code, said) = in_a_process("more_than_the_heap");
    assert!(
        code == Some(2) && said.contains("out of memory"),
        "{code:?} {said}"
    );
}
