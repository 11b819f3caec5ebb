//! Tests programs with random faults: elaboration reports errors and does not panic, and accepted programs are well
//! typed.

use super::Session;

const PROGRAMS: &[&str] = &[
    "datatype 'a tree = Leaf | Node of 'a tree * 'a * 'a tree fun insert (x : int, Leaf) = Node (Leaf, x, Leaf) | insert (x, t as Node (l, y, r)) = if x < y then Node (insert (x, l), y, r) else t",
    "signature ORD = sig type t val lt : t * t -> bool end functor Set (O : ORD) :> sig type set val empty : set val add : O.t * set -> set end = struct type set = O.t list val empty = [] fun add (x, s) = if O.lt (x, x) then s else x :: s end structure I = Set (struct type t = int fun lt (a, b) = a < b end) val s = I.add (1, I.empty)",
    "exception E of int fun f x = (raise E x) handle E n => n + 1 | _ => 0 val rec g = fn 0 => 1 | n => n * g (n - 1) val {a, b = (c, _), ...} = {a = 1, b = (2, \"x\"), d = #\"y\"} val r = ref [a, c] val () = r := g 3 :: !r",
    "fun f (x : 'a, y : ''b) = (x, y = y) val (p, q) = f (1, true) local val h = fn x => x in val k = (h 1, h \"a\") end abstype t = T of int with fun mk n = T n fun un (T n) = n end val z = un (mk 3) + 0",
    "structure A = struct structure B = struct type t = int datatype u = X | Y of t end open B end structure C : sig structure B : sig type t datatype u = X | Y of t end val f : B.u -> B.t end = struct open A fun f X = 0 | f (Y n) = n end val v = C.f (A.Y 2) + C.f C.B.X",
    "val a = [| x * y | x in [| 1 to 9 by 2 |], y in [| 1, 2 |] where x < 5 |] pval (m, n) = (a ! 0, a ! 1) val w = pcase m & n of 1 & ? => (| m, n |) | ? & k => (k, k) | otherwise => (0, 0) fun loop 0 = () | loop i = (while false do (); loop (i - 1))",
    "signature S = sig type t and u sharing type t = u eqtype e structure T : sig datatype d = D of t end exception X of e end structure M : S where type t = int = struct type t = int and u = int and e = bool structure T = struct datatype d = D of int end exception X of bool end val x : M.u = 1",
];

fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let same = |c: char| {
            (c.is_alphanumeric() || "_'.".contains(c)) && (first.is_alphanumeric() || first == '\'')
        };
        let end = rest
            .char_indices()
            .skip(1)
            .find(|&(_, c)| !same(c))
            .map_or(rest.len(), |(at, _)| at);
        words.push(&rest[..end]);
        rest = &rest[end..];
    }
    words
}

#[test]
fn faults_are_errors() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    let programs: Vec<Vec<&str>> = PROGRAMS.iter().map(|text| words(text)).collect();
    for program in PROGRAMS {
        super::accept(&[program]);
    }
    let mut session = Session::new();
    let mut accepted = 0;
    for _ in 0..3_000 {
        let mut program = programs[random(programs.len())].clone();
        for _ in 0..=random(3) {
            let at = random(program.len());
            let other = &programs[random(programs.len())];
            match random(4) {
                0 => drop(program.remove(at)),
                1 => program[at] = other[random(other.len())],
                2 => program.insert(at, other[random(other.len())]),
                _ => {
                    let to = random(program.len());
                    program.swap(at, to);
                }
            }
        }
        let text = program.concat();
        let diagnostics = session.declare(&text, false, false);
        if !diagnostics.has_errors() {
            accepted += 1;
            // `finish` checks the types of the whole program.
            let (elaborator, diagnostics) = super::elaborate(&text);
            if !diagnostics.has_errors() {
                let errors = crate::typed::check::check(&mut elaborator.finish());
                assert!(errors.is_empty(), "{text}\n{errors:#?}");
            }
        }
    }
    assert!(accepted > 100, "{accepted}");
}
