//! Types, and random expressions of these types.

use crate::random::Random;

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ty {
    Int,
    Bool,
    Str,
    Char,
    Word8,
    Word32,
    Real,
    List(Box<Ty>),
    Opt(Box<Ty>),
    Vector(Box<Ty>),
    Tuple(Vec<Ty>),
    /// A record with the labels `a`, `b`, ...
    Record(Vec<Ty>),
    Fun(Box<Ty>, Box<Ty>),
    /// The datatype with this index in `Gen::datas`.
    Data(usize),
}

/// A datatype.
pub(crate) struct Data {
    /// The constructors, each with the type of its argument. The last constructor has no argument.
    pub(crate) cons: Vec<(String, Option<Ty>)>,
}

/// A function of the generated program.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) params: Vec<Ty>,
    pub(crate) result: Ty,
    pub(crate) curried: bool,
    /// Whether the function's first argument is a number that limits the depth of its recursion.
    pub(crate) fuel: bool,
}

/// The generator: random numbers, and the names in scope.
pub(crate) struct Gen {
    pub(crate) random: Random,
    pub(crate) datas: Vec<Data>,
    pub(crate) functions: Vec<Function>,
    pub(crate) vars: Vec<(String, Ty)>,
    /// The function whose body is being generated, if it may call itself.
    pub(crate) recursive: Option<Function>,
    /// Whether to generate parallel forms.
    pub(crate) forks: bool,
    pub(crate) fresh: usize,
}

const BASE: &[Ty] = &[
    Ty::Int,
    Ty::Int,
    Ty::Int,
    Ty::Bool,
    Ty::Str,
    Ty::Char,
    Ty::Word8,
    Ty::Word32,
    Ty::Real,
];

impl Gen {
    pub(crate) fn new(random: Random, forks: bool) -> Gen {
        Gen {
            forks,
            random,
            datas: Vec::new(),
            functions: Vec::new(),
            vars: Vec::new(),
            recursive: None,
            fresh: 0,
        }
    }

    pub(crate) fn name(&mut self) -> String {
        self.fresh += 1;
        format!("v{}", self.fresh)
    }

    /// Returns a random type whose values can be printed.
    pub(crate) fn ty(&mut self, depth: usize) -> Ty {
        if depth == 0 || self.random.chance(40) {
            return self.random.of(BASE).clone();
        }
        let part = |g: &mut Gen| Box::new(g.ty(depth - 1));
        match self.random.below(7) {
            0 | 1 => Ty::List(part(self)),
            2 => Ty::Opt(part(self)),
            3 => Ty::Tuple((0..2 + self.random.below(3)).map(|_| *part(self)).collect()),
            4 => Ty::Record((0..1 + self.random.below(3)).map(|_| *part(self)).collect()),
            5 => Ty::Vector(part(self)),
            _ if !self.datas.is_empty() => Ty::Data(self.random.below(self.datas.len())),
            _ => Ty::Int,
        }
    }

    /// Returns a random type whose values can be printed and compared.
    pub(crate) fn equality_ty(&mut self, depth: usize) -> Ty {
        loop {
            let ty = self.ty(depth);
            if self.has_equality(&ty) {
                return ty;
            }
        }
    }

    fn has_equality(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Real | Ty::Fun(..) => false,
            Ty::List(t) | Ty::Opt(t) | Ty::Vector(t) => self.has_equality(t),
            Ty::Tuple(ts) | Ty::Record(ts) => ts.iter().all(|t| self.has_equality(t)),
            Ty::Data(number) => self.datas[*number].cons.iter().all(|(_, arg)| match arg {
                Some(Ty::Tuple(parts)) if parts[0] == *ty => self.has_equality(&parts[1]),
                Some(arg) => self.has_equality(arg),
                None => true,
            }),
            _ => true,
        }
    }

    /// Returns a type in the syntax of Standard ML.
    pub(crate) fn write(&self, ty: &Ty) -> String {
        match ty {
            Ty::Int => "int".into(),
            Ty::Bool => "bool".into(),
            Ty::Str => "string".into(),
            Ty::Char => "char".into(),
            Ty::Word8 => "Word8.word".into(),
            Ty::Word32 => "Word32.word".into(),
            Ty::Real => "real".into(),
            Ty::List(t) => format!("{} list", self.write(t)),
            Ty::Opt(t) => format!("{} option", self.write(t)),
            Ty::Vector(t) => format!("{} vector", self.write(t)),
            Ty::Tuple(ts) => {
                let parts: Vec<String> = ts.iter().map(|t| self.write(t)).collect();
                format!("({})", parts.join(" * "))
            }
            Ty::Record(ts) => {
                let parts: Vec<String> = labelled(ts)
                    .map(|(label, t)| format!("{label} : {}", self.write(t)))
                    .collect();
                format!("{{{}}}", parts.join(", "))
            }
            Ty::Fun(a, b) => format!("({} -> {})", self.write(a), self.write(b)),
            Ty::Data(number) => format!("d{number}"),
        }
    }

    /// Returns a function from values of the type to strings.
    pub(crate) fn shower(&self, ty: &Ty) -> String {
        match ty {
            Ty::Int => "Int.toString".into(),
            Ty::Bool => "Bool.toString".into(),
            Ty::Str => "String.toString".into(),
            Ty::Char => "Char.toString".into(),
            Ty::Word8 => "Word8.toString".into(),
            Ty::Word32 => "Word32.toString".into(),
            Ty::Real => "H.real".into(),
            Ty::List(t) => format!("list ({})", self.shower(t)),
            Ty::Opt(t) => format!("opt ({})", self.shower(t)),
            Ty::Vector(t) => format!("vec ({})", self.shower(t)),
            Ty::Tuple(ts) => {
                let names: Vec<String> = (0..ts.len()).map(|at| format!("x{at}")).collect();
                let parts: Vec<String> = ts
                    .iter()
                    .zip(&names)
                    .map(|(t, name)| format!("({}) {name}", self.shower(t)))
                    .collect();
                format!(
                    "fn ({}) => \"(\" ^ {} ^ \")\"",
                    names.join(", "),
                    parts.join(" ^ \",\" ^ ")
                )
            }
            Ty::Record(ts) => {
                let parts: Vec<String> = labelled(ts)
                    .map(|(label, t)| format!("({}) (#{label} r)", self.shower(t)))
                    .collect();
                format!(
                    "fn (r : {}) => \"{{\" ^ {} ^ \"}}\"",
                    self.write(ty),
                    parts.join(" ^ \",\" ^ ")
                )
            }
            Ty::Fun(..) => "fn _ => \"fn\"".into(),
            Ty::Data(number) => format!("show{number}"),
        }
    }

    /// Returns a random `fn` expression.
    pub(crate) fn lambda(&mut self, from: &Ty, to: &Ty, depth: usize) -> String {
        let mark = self.vars.len();
        let text = if self.random.chance(30) && !matches!(from, Ty::Fun(..)) {
            let rules = self.rules(from, to, depth);
            format!("(fn {rules})")
        } else {
            let name = self.name();
            self.vars.push((name.clone(), from.clone()));
            let body = self.exp(to, depth);
            format!("(fn ({name} : {}) => {body})", self.write(from))
        };
        self.vars.truncate(mark);
        text
    }

    /// Returns random rules. With a probability of 95 per cent, adds a last rule that matches every value.
    fn rules(&mut self, from: &Ty, to: &Ty, depth: usize) -> String {
        let mut rules = Vec::new();
        let count = 1 + self.random.below(4);
        for _ in 0..count {
            let mark = self.vars.len();
            let pat = self.pat(from, 3);
            let exp = self.exp(to, depth.saturating_sub(1));
            self.vars.truncate(mark);
            rules.push(format!("{pat} => {exp}"));
        }
        if self.random.chance(95) {
            let name = self.name();
            self.vars.push((name.clone(), from.clone()));
            let exp = self.exp(to, depth.saturating_sub(1));
            self.vars.pop();
            rules.push(format!("({name} : {}) => {exp}", self.write(from)));
        }
        rules.join(" | ")
    }

    /// Returns a random pattern, and brings its variables into scope.
    fn pat(&mut self, ty: &Ty, depth: usize) -> String {
        if depth == 0 || self.random.chance(30) {
            return if self.random.chance(50) {
                "_".into()
            } else {
                let name = self.name();
                self.vars.push((name.clone(), ty.clone()));
                name
            };
        }
        if self.random.chance(8) {
            let name = self.name();
            let pat = self.pat(ty, depth - 1);
            self.vars.push((name.clone(), ty.clone()));
            return format!("({name} as {pat})");
        }
        match ty {
            Ty::Int | Ty::Bool | Ty::Str | Ty::Char | Ty::Word8 | Ty::Word32 => self.literal(ty),
            Ty::Real | Ty::Fun(..) | Ty::Vector(_) => "_".into(),
            Ty::List(t) => match self.random.below(4) {
                0 => "nil".into(),
                1 => {
                    let parts: Vec<String> = (0..1 + self.random.below(3))
                        .map(|_| self.pat(t, depth - 1))
                        .collect();
                    format!("[{}]", parts.join(", "))
                }
                _ => format!(
                    "({} :: {})",
                    self.pat(t, depth - 1),
                    self.pat(ty, depth - 1)
                ),
            },
            Ty::Opt(t) => {
                if self.random.chance(30) {
                    "NONE".into()
                } else {
                    format!("(SOME {})", self.pat(t, depth - 1))
                }
            }
            Ty::Tuple(ts) => {
                let parts: Vec<String> = ts.iter().map(|t| self.pat(t, depth - 1)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Record(ts) => {
                let parts: Vec<String> = labelled(ts)
                    .map(|(label, t)| format!("{label} = {}", self.pat(t, depth - 1)))
                    .collect();
                format!("{{{}}}", parts.join(", "))
            }
            Ty::Data(number) => {
                let at = self.random.below(self.datas[*number].cons.len());
                let (name, arg) = self.datas[*number].cons[at].clone();
                match arg {
                    None => name,
                    Some(arg) => format!("({name} {})", self.pat(&arg, depth - 1)),
                }
            }
        }
    }

    fn literal(&mut self, ty: &Ty) -> String {
        let r = &mut self.random;
        match ty {
            Ty::Int => {
                (*r.of(&["0", "1", "2", "3", "7", "~1", "~5", "100", "0x1F", "999983"])).into()
            }
            Ty::Bool => (*r.of(&["true", "false"])).into(),
            Ty::Str => (*r.of(&[
                "\"\"",
                "\"a\"",
                "\"ab\"",
                "\"hello\"",
                "\"\\n\\\"\"",
                "\"\\001\\255\"",
            ]))
            .into(),
            Ty::Char => (*r.of(&["#\"a\"", "#\"z\"", "#\"\\n\"", "#\"0\"", "#\"\\200\""])).into(),
            Ty::Word8 => (*r.of(&["0w0", "0w1", "0wxFF", "0w128", "0w7"])).into(),
            Ty::Word32 => (*r.of(&["0w0", "0w1", "0wxFFFFFFFF", "0wx80000000", "0w12345"])).into(),
            _ => (*r.of(&[
                "0.0", "1.0", "~2.5", "1E10", "0.1", "1E~300", "~0.0", "1E300",
            ]))
            .into(),
        }
    }

    /// Returns a small random expression.
    pub(crate) fn leaf(&mut self, ty: &Ty) -> String {
        let known: Vec<String> = self
            .vars
            .iter()
            .filter(|var| var.1 == *ty)
            .map(|var| var.0.clone())
            .collect();
        if !known.is_empty() && self.random.chance(75) {
            return self.random.of(&known).clone();
        }
        match ty {
            Ty::List(t) => {
                if self.random.chance(40) {
                    format!("(nil : {})", self.write(ty))
                } else {
                    format!("[{}]", self.leaf(t))
                }
            }
            Ty::Opt(t) => {
                if self.random.chance(30) {
                    format!("(NONE : {})", self.write(ty))
                } else {
                    format!("(SOME {})", self.leaf(t))
                }
            }
            Ty::Vector(t) => format!("(Vector.fromList [{}, {}])", self.leaf(t), self.leaf(t)),
            Ty::Tuple(ts) => {
                let parts: Vec<String> = ts.iter().map(|t| self.leaf(t)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Record(ts) => {
                let parts: Vec<String> = labelled(ts)
                    .map(|(label, t)| format!("{label} = {}", self.leaf(t)))
                    .collect();
                format!("{{{}}}", parts.join(", "))
            }
            Ty::Fun(a, b) => {
                let body = self.leaf(b);
                format!("(fn (_ : {}) => {body})", self.write(a))
            }
            Ty::Data(number) => self.datas[*number].cons.last().expect("one").0.clone(),
            Ty::Int | Ty::Bool | Ty::Str | Ty::Char | Ty::Word8 | Ty::Word32 | Ty::Real => {
                let literal = self.literal(ty);
                format!("({literal} : {})", self.write(ty))
            }
        }
    }

    /// Returns a random expression.
    pub(crate) fn exp(&mut self, ty: &Ty, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(ty);
        }
        let d = depth - 1;
        if self.forks && self.random.chance(25) {
            return self.fork(ty, d);
        }
        match self.random.below(22) {
            0 => {
                let (c, a, b) = (self.exp(&Ty::Bool, d), self.exp(ty, d), self.exp(ty, d));
                format!("(if {c} then {a} else {b})")
            }
            1 | 2 => {
                let from = self.ty(2);
                let scrutinee = self.exp(&from, d);
                let rules = self.rules(&from, ty, d);
                format!("(case {scrutinee} of {rules})")
            }
            3 | 4 => {
                let inner = if self.random.chance(25) {
                    Ty::Fun(Box::new(self.ty(1)), Box::new(ty.clone()))
                } else {
                    self.ty(2)
                };
                let value = self.exp(&inner, d);
                let name = self.name();
                self.vars.push((name.clone(), inner.clone()));
                let body = self.exp(ty, d);
                self.vars.pop();
                format!(
                    "(let val {name} : {} = {value} in {body} end)",
                    self.write(&inner)
                )
            }
            5 => {
                let from = self.ty(1);
                let function = self.lambda(&from, ty, d);
                let arg = self.exp(&from, d);
                format!("({function} {arg})")
            }
            6 | 7 => self.call(ty, d),
            8 => {
                let (body, other) = (self.exp(ty, d), self.exp(ty, d));
                let pat = *self.random.of(&[
                    "A",
                    "B 3",
                    "B _",
                    "C (\"a\", _)",
                    "Div",
                    "Subscript",
                    "Overflow",
                    "_",
                    "Empty",
                    "Match",
                ]);
                format!("({body} handle {pat} => {other})")
            }
            9 if self.random.chance(30) => {
                let n = self.exp(&Ty::Int, d.min(1));
                let exn = match self.random.below(3) {
                    0 => "A".to_owned(),
                    1 => format!("(B {n})"),
                    _ => format!("(C ({}, {n}))", self.leaf(&Ty::Str)),
                };
                format!(
                    "(if {} then raise {exn} else {})",
                    self.exp(&Ty::Bool, d),
                    self.exp(ty, d)
                )
            }
            10 => {
                let k = self.random.below(1000);
                format!("(t ({k}, {}))", self.exp(ty, d))
            }
            11 => {
                let written = self.write(ty);
                let (first, name) = (self.exp(ty, d), self.name());
                self.vars.push((format!("(!{name})"), ty.clone()));
                let second = self.exp(ty, d);
                self.vars.pop();
                let count = self.random.below(4);
                format!(
                    "(let val {name} : {written} ref = ref {first} val i = ref 0 in while !i < {count} do (i := !i + 1; {name} := {second}); !{name} end)"
                )
            }
            12 => {
                let body = self.exp(ty, d);
                let name = self.name();
                format!(
                    "(let val {name} = delay (fn () => {body}) in (force {name}; force {name}) end)"
                )
            }
            13 => {
                let (f, n) = (self.lambda(ty, ty, d), self.random.below(4));
                let x = self.exp(ty, d);
                match self.random.below(3) {
                    0 => format!("(iter {n} {f} {x})"),
                    1 => format!("(twice {f} {x})"),
                    _ => {
                        let g = self.lambda(ty, ty, d);
                        format!("(comp {f} {g} {x})")
                    }
                }
            }
            14 => {
                let other = self.ty(1);
                let pair = Ty::Tuple(vec![other, ty.clone()]);
                let pair = self.exp(&pair, d);
                match self.random.below(3) {
                    0 => format!("(#2 {pair})"),
                    1 => format!("(#1 (flip {pair}))"),
                    _ => format!("(let val (_, x) = {pair} in x end)"),
                }
            }
            15 => {
                let list = Ty::List(Box::new(ty.clone()));
                match self.random.below(4) {
                    0 => format!("(hd {})", self.exp(&list, d)),
                    1 => format!(
                        "(List.nth ({}, {}))",
                        self.exp(&list, d),
                        self.random.below(3)
                    ),
                    2 => format!(
                        "(Vector.sub ({}, {}))",
                        self.exp(&Ty::Vector(Box::new(ty.clone())), d),
                        self.random.below(3)
                    ),
                    _ => format!("(valOf {})", self.exp(&Ty::Opt(Box::new(ty.clone())), d)),
                }
            }
            16 => {
                // Makes a fold over a list of another type.
                let item = self.ty(1);
                let list = self.exp(&Ty::List(Box::new(item.clone())), d);
                let pair = Ty::Tuple(vec![item, ty.clone()]);
                let function = self.lambda(&pair, ty, d);
                let fold = *self.random.of(&["foldl", "foldr", "pfold"]);
                format!("({fold} {function} {} {list})", self.exp(ty, d))
            }
            _ => self.own(ty, d),
        }
    }

    /// Returns a call of a function in scope that has a result of type `ty`, if there is such a function.
    fn call(&mut self, ty: &Ty, depth: usize) -> String {
        let closures: Vec<(String, Ty)> = self
            .vars
            .iter()
            .filter_map(|(name, var)| match var {
                Ty::Fun(from, to) if **to == *ty => Some((name.clone(), (**from).clone())),
                _ => None,
            })
            .collect();
        if !closures.is_empty() && self.random.chance(70) {
            let (name, from) = self.random.of(&closures).clone();
            let arg = self.exp(&from, depth);
            return format!("({name} {arg})");
        }
        let mut known: Vec<(Function, bool)> = self
            .functions
            .iter()
            .filter(|function| function.result == *ty)
            .map(|function| (function.clone(), false))
            .collect();
        if let Some(own) = &self.recursive
            && own.result == *ty
        {
            known.push((own.clone(), true));
            known.push((own.clone(), true));
        }
        if known.is_empty() {
            return self.own(ty, depth);
        }
        let (function, own) = self.random.of(&known).clone();
        let args: Vec<String> = function
            .params
            .iter()
            .map(|t| self.exp(t, depth.min(2)))
            .collect();
        let args = if function.curried {
            args.join(" ")
        } else {
            format!("({})", args.join(", "))
        };
        let name = function.name;
        match (function.fuel, own) {
            (true, true) => {
                let less = 1 + self.random.below(2);
                format!("({name} (fuel - {less}) {args})")
            }
            (true, false) => {
                let fuel = self.random.below(4);
                format!("({name} {fuel} {args})")
            }
            _ => format!("({name} {args})"),
        }
    }

    /// Returns a random expression in one of the forms that exist only for the type `ty`, such as `not` for `bool`.
    fn own(&mut self, ty: &Ty, d: usize) -> String {
        match ty {
            Ty::Int => self.int(d),
            Ty::Bool => self.bool(d),
            Ty::Str => match self.random.below(7) {
                0 | 1 => format!("({} ^ {})", self.exp(ty, d), self.exp(ty, d)),
                2 => format!("(Int.toString {})", self.exp(&Ty::Int, d)),
                3 => format!("(implode {})", self.exp(&Ty::List(Box::new(Ty::Char)), d)),
                4 => format!(
                    "(substring ({}, {}, {}))",
                    self.exp(ty, d),
                    self.random.below(2),
                    self.random.below(3)
                ),
                5 => format!(
                    "(String.concatWith {} {})",
                    self.leaf(ty),
                    self.exp(&Ty::List(Box::new(Ty::Str)), d)
                ),
                _ => format!(
                    "(String.map {} {})",
                    self.lambda(&Ty::Char, &Ty::Char, d.min(1)),
                    self.exp(ty, d)
                ),
            },
            Ty::Char => match self.random.below(3) {
                0 => format!("(chr (abs {} mod 300))", self.exp(&Ty::Int, d)),
                1 => format!("(Char.toUpper {})", self.exp(ty, d)),
                _ => format!(
                    "(String.sub ({}, {}))",
                    self.exp(&Ty::Str, d),
                    self.random.below(3)
                ),
            },
            Ty::Word8 | Ty::Word32 => {
                let module = if *ty == Ty::Word8 { "Word8" } else { "Word32" };
                match self.random.below(8) {
                    0 | 1 => {
                        let op = *self.random.of(&["+", "-", "*", "div", "mod"]);
                        format!("({} {op} {})", self.exp(ty, d), self.exp(ty, d))
                    }
                    2 | 3 => {
                        // The operand comes from a reference, because Poly/ML 5.7 replaces `andb (0w0, x)` by `x` if it
                        // knows the 0w0.
                        let op = *self.random.of(&["orb", "xorb", "and"]);
                        let (a, b) = (self.exp(ty, d), self.exp(ty, d));
                        if op == "and" {
                            format!("(!and{module} ({a}, {b}))")
                        } else {
                            format!("({module}.{op} ({a}, {b}))")
                        }
                    }
                    4 => {
                        let op = *self.random.of(&["<<", ">>", "~>>"]);
                        let by = *self
                            .random
                            .of(&["0w0", "0w1", "0w7", "0w8", "0w31", "0w32", "0w40"]);
                        format!("({module}.{op} ({}, {by}))", self.exp(ty, d))
                    }
                    5 => format!("({module}.notb {})", self.exp(ty, d)),
                    6 => format!("({module}.fromInt {})", self.exp(&Ty::Int, d)),
                    _ => format!(
                        "({module}.fromLarge (Word8.toLargeX {}))",
                        self.exp(&Ty::Word8, d)
                    ),
                }
            }
            Ty::Real => match self.random.below(6) {
                0..=2 => {
                    let op = *self.random.of(&["+", "-", "*", "/"]);
                    format!("({} {op} {})", self.exp(ty, d), self.exp(ty, d))
                }
                3 => format!("(Real.fromInt {})", self.exp(&Ty::Int, d)),
                4 => format!("(Math.sqrt (abs {}))", self.exp(ty, d)),
                _ => format!("(~ {})", self.exp(ty, d)),
            },
            Ty::List(t) => match self.random.below(8) {
                0 | 1 => format!("({} :: {})", self.exp(t, d), self.exp(ty, d)),
                2 => format!("({} @ {})", self.exp(ty, d), self.exp(ty, d)),
                3 => {
                    let from = self.ty(1);
                    let map = *self.random.of(&["map", "pmap", "List.map"]);
                    format!(
                        "({map} {} {})",
                        self.lambda(&from, t, d.min(2)),
                        self.exp(&Ty::List(Box::new(from.clone())), d)
                    )
                }
                4 => format!(
                    "(List.filter {} {})",
                    self.lambda(t, &Ty::Bool, d.min(2)),
                    self.exp(ty, d)
                ),
                5 => format!(
                    "(List.tabulate ({}, {}))",
                    self.random.below(5),
                    self.lambda(&Ty::Int, t, d.min(2))
                ),
                6 if self.has_equality(t) || **t == Ty::Int => {
                    let pair = Ty::Tuple(vec![(**t).clone(), (**t).clone()]);
                    format!(
                        "(sort {} {})",
                        self.lambda(&pair, &Ty::Bool, d.min(1)),
                        self.exp(ty, d)
                    )
                }
                _ => format!("(rev {})", self.exp(ty, d)),
            },
            Ty::Opt(t) => match self.random.below(3) {
                0 => format!(
                    "(List.find {} {})",
                    self.lambda(t, &Ty::Bool, d.min(2)),
                    self.exp(&Ty::List(t.clone()), d)
                ),
                _ => format!("(SOME {})", self.exp(t, d)),
            },
            Ty::Vector(t) => match self.random.below(3) {
                0 => format!("(Vector.fromList {})", self.exp(&Ty::List(t.clone()), d)),
                1 => format!(
                    "(Vector.map {} {})",
                    self.lambda(t, t, d.min(2)),
                    self.exp(ty, d)
                ),
                _ => {
                    let f = self.lambda(&Ty::Int, t, d.min(2));
                    let n = 1 + self.random.below(4);
                    let value = self.exp(t, d);
                    format!(
                        "(let val a = Array.tabulate ({n}, {f}) in (Array.update (a, {}, {value}); Array.vector a) end)",
                        self.random.below(4)
                    )
                }
            },
            Ty::Tuple(ts) => {
                let parts: Vec<String> = ts.iter().map(|t| self.exp(t, d)).collect();
                if self.forks && self.random.chance(60) {
                    format!("(| {} |)", parts.join(", "))
                } else {
                    format!("({})", parts.join(", "))
                }
            }
            Ty::Record(ts) => {
                let mut parts: Vec<String> = labelled(ts)
                    .map(|(label, t)| format!("{label} = {}", self.exp(t, d)))
                    .collect();
                // Fields are evaluated in the order of the text.
                if self.random.chance(50) {
                    parts.reverse();
                }
                format!("{{{}}}", parts.join(", "))
            }
            Ty::Fun(a, b) => self.lambda(a, b, d),
            Ty::Data(number) => {
                let at = self.random.below(self.datas[*number].cons.len());
                let (name, arg) = self.datas[*number].cons[at].clone();
                match arg {
                    None => name,
                    Some(arg) => format!("({name} {})", self.exp(&arg, d)),
                }
            }
        }
    }

    fn int(&mut self, d: usize) -> String {
        let int = Ty::Int;
        match self.random.below(14) {
            0..=3 => {
                let op = *self.random.of(&["+", "-", "*"]);
                format!("(m ({} {op} {}))", self.exp(&int, d), self.exp(&int, d))
            }
            4 | 5 => {
                let op = *self.random.of(&["div", "mod"]);
                format!("({} {op} {})", self.exp(&int, d), self.exp(&int, d))
            }
            6 => {
                let op = *self.random.of(&["quot", "rem", "min", "max"]);
                format!("(Int.{op} ({}, {}))", self.exp(&int, d), self.exp(&int, d))
            }
            7 => format!("(m (size {}))", self.exp(&Ty::Str, d)),
            8 => {
                let item = self.ty(1);
                format!("(length {})", self.exp(&Ty::List(Box::new(item)), d))
            }
            9 => format!("(ord {})", self.exp(&Ty::Char, d)),
            10 => format!("(Word8.toInt {})", self.exp(&Ty::Word8, d)),
            11 => format!(
                "(m (floor ({} * 0.001)))",
                format_args!("Real.fromInt {}", self.exp(&int, d))
            ),
            // The result overflows in all implementations or in none.
            12 => format!(
                "(m (Int.fromLarge (IntInf.* (IntInf.fromInt {}, IntInf.pow (2, {})))))",
                self.exp(&int, d),
                self.random.of(&[3, 40, 90])
            ),
            _ => format!("(~ {})", self.exp(&int, d)),
        }
    }

    fn bool(&mut self, d: usize) -> String {
        match self.random.below(7) {
            0 | 1 => {
                let ty = self
                    .random
                    .of(&[Ty::Int, Ty::Str, Ty::Char, Ty::Real, Ty::Word8, Ty::Word32])
                    .clone();
                let op = *self.random.of(&["<", "<=", ">", ">="]);
                format!("({} {op} {})", self.exp(&ty, d), self.exp(&ty, d))
            }
            2 | 3 => {
                let ty = self.equality_ty(2);
                let op = *self.random.of(&["=", "<>"]);
                format!("({} {op} {})", self.exp(&ty, d), self.exp(&ty, d))
            }
            4 => format!(
                "({} andalso {})",
                self.exp(&Ty::Bool, d),
                self.exp(&Ty::Bool, d)
            ),
            5 => format!(
                "({} orelse {})",
                self.exp(&Ty::Bool, d),
                self.exp(&Ty::Bool, d)
            ),
            _ => format!("(not {})", self.exp(&Ty::Bool, d)),
        }
    }
}

/// Returns the types of a record's fields, each with the label of the field: `a`, `b`, ...
fn labelled(parts: &[Ty]) -> impl Iterator<Item = (char, &Ty)> {
    ('a'..='z').zip(parts)
}
