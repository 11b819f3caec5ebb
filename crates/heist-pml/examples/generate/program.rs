//! Generates whole programs: declarations of types, exceptions, functions and functors, and code that prints results.

use std::fmt::Write as _;

use crate::expression::{Data, Function, Gen, Ty};
use crate::random::Random;

/// Additional declarations for programs with parallel forms. In programs without parallel forms, the function `t` records the order of
/// evaluation. In programs with parallel forms, this order varies. So the `t` of these declarations records nothing. This `t` only runs for
/// some time, so that thieves can steal.
const FORKING: &str = r"structure H =
struct
  open H
  fun busy n = if n <= 0 then 0 else busy (n - 1)
  fun t (k, x) = if busy (k * 7) > 0 then t (k, x) else x
  fun spread n f = if n <= 0 then f () else let val (_, x) = (| spread (n - 1) f, (ignore (busy 99); spread (n - 1) f) |) in x end
  fun pick (l, n) = List.nth (l, n mod length l)
end;
";

/// Returns the declarations that all programs use.
pub(crate) fn prelude(forks: bool) -> String {
    format!("{PRELUDE}{}", if forks { FORKING } else { "" })
}

const PRELUDE: &str = r#"structure H =
struct
  val trace = ref 0
  (* Notes that this was evaluated, and when. *)
  fun t (k, x) = (trace := (!trace * 31 + k) mod 1000003; x)
  fun m n = n mod 1000003
  val andWord8 = ref Word8.andb
  val andWord32 = ref Word32.andb
  exception A
  exception B of int
  exception C of string * int
  fun say (seed : string, what : string) = print ("@" ^ seed ^ " " ^ String.toString what ^ "\n")
  fun guard f =
    f ()
    handle A => "A" | B n => "B " ^ Int.toString n | C (s, n) => "C " ^ s ^ Int.toString n
         | Overflow => "Overflow" | Div => "Div" | Subscript => "Subscript" | Size => "Size" | Empty => "Empty"
         | Option => "Option" | Chr => "Chr" | Match => "Match" | Bind => "Bind" | Domain => "Domain"
         | e => "other " ^ exnName e
  fun list f l = "[" ^ String.concatWith "," (map f l) ^ "]"
  fun opt f NONE = "-" | opt f (SOME x) = "+" ^ f x
  fun vec f v = list f (Vector.foldr op :: nil v)
  fun real r = if Real.isNan r then "nan" else Real.fmt (StringCvt.SCI (SOME 16)) r
  fun pmap f = fn nil => nil | x :: l => f x :: pmap f l
  fun pfold f b nil = b | pfold f b (x :: l) = pfold f (f (x, b)) l
  fun comp f g x = g (f x)
  fun twice f x = f (f x)
  fun flip (a, b) = (b, a)
  fun iter 0 f x = x | iter n f x = iter (n - 1) f (f x)
  datatype 'a tree = E | N of 'a tree * 'a * 'a tree
  fun ins less (x, E) = N (E, x, E)
    | ins less (x, N (l, y, r)) = if less (x, y) then N (ins less (x, l), y, r) else N (l, y, ins less (x, r))
  fun flat E acc = acc | flat (N (l, x, r)) acc = flat l (x :: flat r acc)
  fun sort less l = flat (pfold (ins less) E l) nil
  datatype 'a lazy = Done of 'a | Later of unit -> 'a
  fun force (ref (Done x)) = x
    | force (r as ref (Later f)) = let val x = f () in r := Done x; x end
  fun delay f = ref (Later f)
end;
"#;

/// Returns the program of a seed.
pub(crate) fn program(seed: u64, forks: bool) -> String {
    let mut random = Random::new(seed);
    let mut out = String::new();
    let functor = random.chance(40);
    if functor {
        let _ = writeln!(
            out,
            "functor F{seed} (X : sig eqtype t val x : t val f : t -> t val show : t -> string end) :\n  sig exception E of X.t val go : int -> X.t val all : int -> string val safe : (unit -> X.t) -> X.t end =\nstruct\n  exception E of X.t\n  fun go n = if n <= 0 then X.x else X.f (go (n - 1))\n  fun all n = H.list X.show (List.tabulate (n, go))\n  fun safe f = f () handle E y => if y = X.x then X.f y else y\nend;"
        );
    }
    let _ = writeln!(
        out,
        "structure P{seed} =\nstruct\n  open H\n  val () = trace := 0"
    );
    let mut g = Gen::new(random, forks);
    datas(&mut g, &mut out);
    let count = 2 + g.random.below(4);
    for number in 0..count {
        function(&mut g, number, &mut out);
    }
    if functor {
        let ty = g.equality_ty(1);
        let (x, f, show) = (g.exp(&ty, 0), g.lambda(&ty, &ty, 2), g.shower(&ty));
        let written = g.write(&ty);
        let _ = writeln!(
            out,
            "  structure S = F{seed} (struct type t = {written} val x : t = {x} val f : t -> t = {f} val show : t -> string = {show} end)"
        );
        let _ = writeln!(
            out,
            "  val () = say (\"{seed}\", guard (fn () => S.all 4))\n  val () = say (\"{seed}\", guard (fn () => ({show}) (S.safe (fn () => raise S.E (S.go 2)))))"
        );
    }
    let prints = 3 + g.random.below(5);
    for _ in 0..prints {
        let ty = g.ty(2);
        let exp = g.exp(&ty, 4);
        let show = g.shower(&ty);
        let _ = writeln!(
            out,
            "  val () = say (\"{seed}\", guard (fn () => ({show}) ({exp})))"
        );
    }
    let _ = writeln!(
        out,
        "  val () = say (\"{seed}\", Int.toString (!trace))\nend;"
    );
    out
}

fn datas(g: &mut Gen, out: &mut String) {
    for number in 0..1 + g.random.below(3) {
        let cons = 1 + g.random.below(6);
        let mut list = Vec::new();
        for con in 0..cons {
            let arg = match g.random.below(4) {
                0 => None,
                1 if con > 0 => {
                    // The datatype is recursive. The fuel limits the depth of its values.
                    let own = Ty::Data(number);
                    let other = g.ty(1);
                    Some(Ty::Tuple(vec![own, other]))
                }
                _ => Some(g.ty(1)),
            };
            list.push((format!("K{number}{con}"), arg));
        }
        // This constructor without argument ends every recursion.
        list.push((format!("K{number}z"), None));
        let cons: Vec<String> = list
            .iter()
            .map(|(name, arg)| match arg {
                Some(arg) => format!("{name} of {}", g.write(arg)),
                None => name.clone(),
            })
            .collect();
        let _ = writeln!(out, "  datatype d{number} = {}", cons.join(" | "));
        g.datas.push(Data { cons: list });
        let mut rules = Vec::new();
        for (name, arg) in g.datas[number].cons.clone() {
            rules.push(match arg {
                Some(arg) => format!(
                    "show{number} ({name} x) = \"{name}(\" ^ ({}) x ^ \")\"",
                    g.shower(&arg)
                ),
                None => format!("show{number} {name} = \"{name}\""),
            });
        }
        let _ = writeln!(out, "  fun {}", rules.join("\n    | "));
    }
}

fn function(g: &mut Gen, number: usize, out: &mut String) {
    let params: Vec<Ty> = (0..1 + g.random.below(3)).map(|_| g.ty(1)).collect();
    let result = g.ty(2);
    let recursive = g.random.chance(50);
    let name = format!("f{number}");
    let curried = g.random.chance(50);
    let names: Vec<String> = (0..params.len())
        .map(|at| format!("a{number}{at}"))
        .collect();
    g.vars.clear();
    for (name, ty) in names.iter().zip(&params) {
        g.vars.push((name.clone(), ty.clone()));
    }
    let function = Function {
        name: name.clone(),
        params: params.clone(),
        result: result.clone(),
        curried,
        fuel: recursive,
    };
    let annotated: Vec<String> = names
        .iter()
        .zip(&params)
        .map(|(name, ty)| format!("{name} : {}", g.write(ty)))
        .collect();
    let mut head = if curried {
        annotated
            .iter()
            .map(|a| format!("({a})"))
            .collect::<Vec<_>>()
            .join(" ")
    } else {
        format!("({})", annotated.join(", "))
    };
    if recursive {
        head = format!("fuel {head}");
        let base = g.exp(&result, 2);
        g.recursive = Some(function.clone());
        let step = g.exp(&result, 4);
        g.recursive = None;
        let written = g.write(&result);
        let _ = writeln!(
            out,
            "  fun {name} {head} : {written} =\n    if fuel <= 0 then {base}\n    else {step}"
        );
    } else {
        let body = g.exp(&result, 4);
        let written = g.write(&result);
        let _ = writeln!(out, "  fun {name} {head} : {written} =\n    {body}");
    }
    g.vars.clear();
    g.functions.push(function);
}
