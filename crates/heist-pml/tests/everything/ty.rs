//! Types in the notation of the index of the Basis.

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    /// A type variable, such as `'a` or `''a`.
    Var,
    /// A type name with its arguments, such as `int`, `int list` or `Word8.word`.
    Con(Vec<Ty>, String),
    /// A tuple type, such as `int * int`.
    Tuple(Vec<Ty>),
    /// A record type such as `{a: int, b: int}`, with the labels in the order of the index.
    Record(Vec<(String, Ty)>),
    /// A function type, such as `int -> int`.
    Arrow(Box<Ty>, Box<Ty>),
}

/// Reads a type.
pub(crate) fn parse(text: &str) -> Ty {
    let mut parser = Parser { rest: text };
    let ty = parser.arrow();
    assert!(parser.rest.trim().is_empty(), "`{text}`: {}", parser.rest);
    ty
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn take(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> Option<String> {
        self.rest = self.rest.trim_start();
        let end = self
            .rest
            .find(|c: char| !c.is_alphanumeric() && !"_'.".contains(c));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        (!word.is_empty()).then(|| word.to_owned())
    }

    fn arrow(&mut self) -> Ty {
        let from = self.tuple();
        if self.take("->") {
            Ty::Arrow(Box::new(from), Box::new(self.arrow()))
        } else {
            from
        }
    }

    fn tuple(&mut self) -> Ty {
        let mut parts = vec![self.applied()];
        while self.take("*") {
            parts.push(self.applied());
        }
        if parts.len() == 1 {
            parts.remove(0)
        } else {
            Ty::Tuple(parts)
        }
    }

    fn applied(&mut self) -> Ty {
        let mut args = if self.take("(") {
            let mut args = vec![self.arrow()];
            while self.take(",") {
                args.push(self.arrow());
            }
            assert!(self.take(")"), "{}", self.rest);
            args
        } else if self.take("{") {
            let mut fields = Vec::new();
            while !self.take("}") {
                let label = self.word().expect("a label");
                assert!(self.take(":"), "{}", self.rest);
                fields.push((label, self.arrow()));
                self.take(",");
            }
            vec![Ty::Record(fields)]
        } else {
            let name = self.word().unwrap_or_else(|| panic!("{}", self.rest));
            vec![if name.starts_with('\'') {
                Ty::Var
            } else {
                Ty::Con(Vec::new(), name)
            }]
        };
        while let Some(name) = self.word() {
            args = vec![Ty::Con(args, name)];
        }
        assert_eq!(args.len(), 1, "{}", self.rest);
        args.remove(0)
    }
}
