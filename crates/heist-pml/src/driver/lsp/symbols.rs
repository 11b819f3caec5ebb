//! Lists the declarations of a document as a tree, and searches the declarations of all programs by name.

use lsp_types::{DocumentSymbol, Location, SymbolInformation, SymbolKind};

use super::analysis::Analysis;
use crate::elab::NameKind;
use crate::source::Span;
use crate::syntax::ast::{
    Dec, DecKind, FunctorBind, Name, Pat, PatKind, SigExp, SigExpKind, Spec, SpecKind, StrExp,
    StrExpKind,
};

/// A declared name.
#[derive(Debug)]
struct Symbol {
    name: Name,
    kind: SymbolKind,
    /// The span of the declaration.
    whole: Span,
    inside: Vec<Symbol>,
}

impl Symbol {
    fn new(name: Name, kind: SymbolKind, whole: Span, inside: Vec<Symbol>) -> Symbol {
        // The range of a declaration must contain the name, which may be outside of `whole`.
        let whole = if whole.file == name.span.file
            && whole.start <= name.span.start
            && name.span.end <= whole.end
        {
            whole
        } else {
            name.span
        };
        Symbol {
            name,
            kind,
            whole,
            inside,
        }
    }
}

impl Analysis {
    /// Returns the declarations of a file.
    pub(super) fn symbols(&mut self, file: usize) -> Vec<DocumentSymbol> {
        let symbols = of_decs(&self.tree(file).1);
        symbols
            .into_iter()
            .filter_map(|symbol| self.document_symbol(file, symbol))
            .collect()
    }

    /// Returns true unless the symbol is a name in a pattern that refers to a constructor.
    fn is_declared(&self, symbol: &Symbol) -> bool {
        let pattern = matches!(symbol.kind, SymbolKind::VARIABLE | SymbolKind::FUNCTION);
        let name = self.name_on(symbol.name.span);
        !pattern || name.is_none_or(|name| self.fact(&name).kind == NameKind::Value)
    }

    #[allow(deprecated, reason = "the type has a field that must be given")]
    fn document_symbol(&mut self, file: usize, symbol: Symbol) -> Option<DocumentSymbol> {
        if !self.is_declared(&symbol) {
            return None;
        }
        let (name, whole) = (symbol.name.span, symbol.whole);
        let inside = symbol.inside.into_iter();
        let inside: Vec<DocumentSymbol> = inside
            .filter_map(|inner| self.document_symbol(file, inner))
            .collect();
        Some(DocumentSymbol {
            name: symbol.name.symbol.as_str().to_owned(),
            detail: self.detail(name),
            kind: symbol.kind,
            tags: None,
            deprecated: None,
            range: self.range(file, whole.start, whole.end),
            selection_range: self.range(file, name.start, name.end),
            children: (!inside.is_empty()).then_some(inside),
        })
    }

    /// Returns the type of a declared value.
    fn detail(&mut self, span: Span) -> Option<String> {
        let fact = self.fact(&self.name_on(span)?);
        let value = matches!(
            fact.kind,
            NameKind::Value | NameKind::Constructor | NameKind::Exception
        );
        value.then(|| self.examined.elaborator.fact_text(&fact))
    }

    /// Searches all files, and adds each declaration whose name contains `wanted`. The search does not distinguish upper and lower case
    /// letters.
    pub(super) fn search(&self, wanted: &str, found: &mut Vec<SymbolInformation>) {
        let wanted = wanted.to_lowercase();
        for file in 0..self.files.len() {
            for symbol in of_decs(&self.tree(file).1) {
                self.search_in(file, &symbol, None, &wanted, found);
            }
        }
    }

    #[allow(deprecated, reason = "the type has a field that must be given")]
    fn search_in(
        &self,
        file: usize,
        symbol: &Symbol,
        container: Option<&str>,
        wanted: &str,
        found: &mut Vec<SymbolInformation>,
    ) {
        let name = symbol.name.symbol.as_str();
        if name.to_lowercase().contains(wanted) && self.is_declared(symbol) {
            found.push(SymbolInformation {
                name: name.to_owned(),
                kind: symbol.kind,
                tags: None,
                deprecated: None,
                location: Location {
                    uri: self.files[file].uri.clone(),
                    range: self.range(file, symbol.name.span.start, symbol.name.span.end),
                },
                container_name: container.map(str::to_owned),
            });
        }
        for inner in &symbol.inside {
            self.search_in(file, inner, Some(name), wanted, found);
        }
    }
}

fn of_decs(decs: &[Dec]) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    decs.iter().for_each(|dec| add_dec(dec, &mut symbols));
    symbols
}

fn add_dec(dec: &Dec, into: &mut Vec<Symbol>) {
    let whole = dec.span;
    let one = |name: Name, kind| Symbol::new(name, kind, whole, Vec::new());
    match &dec.kind {
        DecKind::Val { binds, .. } => {
            for bind in binds {
                let function = matches!(bind.exp.kind, crate::syntax::ast::ExpKind::Fn(_));
                let kind = if function {
                    SymbolKind::FUNCTION
                } else {
                    SymbolKind::VARIABLE
                };
                bound(&bind.pat, &mut |name| into.push(one(name, kind)));
            }
        }
        DecKind::Pval(pat, _) => {
            bound(pat, &mut |name| into.push(one(name, SymbolKind::VARIABLE)));
        }
        DecKind::Fun { binds, .. } | DecKind::Cont(binds) => {
            for bind in binds {
                let (Some(first), Some(last)) = (bind.clauses.first(), bind.clauses.last()) else {
                    continue;
                };
                let span = first.span.to(last.span);
                let kind = SymbolKind::FUNCTION;
                into.push(Symbol::new(first.name, kind, span, Vec::new()));
            }
        }
        DecKind::Type(binds) => {
            into.extend(binds.iter().map(|bind| one(bind.name, SymbolKind::CLASS)));
        }
        DecKind::Datatype { datas, types } => {
            datas
                .iter()
                .for_each(|data| into.push(of_data(data, whole)));
            into.extend(types.iter().map(|bind| one(bind.name, SymbolKind::CLASS)));
        }
        DecKind::Replication { name, .. } => into.push(one(*name, SymbolKind::ENUM)),
        DecKind::Abstype { datas, types, decs } => {
            into.extend(datas.iter().map(|data| one(data.name, SymbolKind::ENUM)));
            into.extend(types.iter().map(|bind| one(bind.name, SymbolKind::CLASS)));
            decs.iter().for_each(|dec| add_dec(dec, into));
        }
        DecKind::Exception(binds) => into.extend(binds.iter().map(|bind| {
            let kind = SymbolKind::EVENT;
            one(bind.name, kind)
        })),
        DecKind::Local(inner, outer) => {
            inner.iter().chain(outer).for_each(|dec| add_dec(dec, into));
        }
        DecKind::Structure(binds) => {
            for bind in binds {
                let inside = of_strexp(&bind.strexp);
                into.push(Symbol::new(bind.name, SymbolKind::MODULE, whole, inside));
            }
        }
        DecKind::Signature(binds) => {
            for bind in binds {
                let inside = of_sigexp(&bind.sigexp);
                into.push(Symbol::new(bind.name, SymbolKind::INTERFACE, whole, inside));
            }
        }
        DecKind::Functor(binds) => {
            for bind in binds {
                let FunctorBind { name, body, .. } = bind;
                into.push(Symbol::new(
                    *name,
                    SymbolKind::MODULE,
                    whole,
                    of_strexp(body),
                ));
            }
        }
        DecKind::Open(_)
        | DecKind::Fixity { .. }
        | DecKind::Exp(_)
        | DecKind::Do(_)
        | DecKind::Overload { .. }
        | DecKind::Error => {}
    }
}

fn of_data(data: &crate::syntax::ast::DataBind, whole: Span) -> Symbol {
    let cons = data.cons.iter().map(|con| {
        let span = con.name.span;
        let end = con.ty.as_ref().map_or(span, |ty| ty.span);
        Symbol::new(con.name, SymbolKind::ENUM_MEMBER, span.to(end), Vec::new())
    });
    Symbol::new(data.name, SymbolKind::ENUM, whole, cons.collect())
}

fn of_strexp(strexp: &StrExp) -> Vec<Symbol> {
    match &strexp.kind {
        StrExpKind::Struct(decs) => of_decs(decs),
        StrExpKind::Ascribe { strexp, .. } => of_strexp(strexp),
        StrExpKind::Let(_, body) => of_strexp(body),
        StrExpKind::Name(_) | StrExpKind::Apply { .. } | StrExpKind::Error => Vec::new(),
    }
}

fn of_sigexp(sigexp: &SigExp) -> Vec<Symbol> {
    match &sigexp.kind {
        SigExpKind::Sig(specs) => {
            let mut symbols = Vec::new();
            specs.iter().for_each(|spec| add_spec(spec, &mut symbols));
            symbols
        }
        SigExpKind::Where { sigexp, .. } => of_sigexp(sigexp),
        SigExpKind::Name(_) | SigExpKind::Error => Vec::new(),
    }
}

fn add_spec(spec: &Spec, into: &mut Vec<Symbol>) {
    let whole = spec.span;
    let one = |name: Name, kind| Symbol::new(name, kind, whole, Vec::new());
    match &spec.kind {
        SpecKind::Val(vals) => {
            into.extend(vals.iter().map(|(name, ty)| {
                let function = matches!(ty.kind, crate::syntax::ast::TyKind::Arrow(..));
                let kind = if function {
                    SymbolKind::FUNCTION
                } else {
                    SymbolKind::VARIABLE
                };
                one(*name, kind)
            }));
        }
        SpecKind::Type { binds, .. } => {
            into.extend(binds.iter().map(|bind| one(bind.1, SymbolKind::CLASS)));
        }
        SpecKind::Datatype { datas, types } => {
            datas
                .iter()
                .for_each(|data| into.push(of_data(data, whole)));
            into.extend(types.iter().map(|bind| one(bind.name, SymbolKind::CLASS)));
        }
        SpecKind::Replication { name, .. } => into.push(one(*name, SymbolKind::ENUM)),
        SpecKind::Exception(exceptions) => {
            into.extend(exceptions.iter().map(|it| one(it.0, SymbolKind::EVENT)));
        }
        SpecKind::Structure(structures) => {
            for (name, sigexp) in structures {
                let inside = of_sigexp(sigexp);
                into.push(Symbol::new(*name, SymbolKind::MODULE, whole, inside));
            }
        }
        SpecKind::Include(_)
        | SpecKind::SharingType(_)
        | SpecKind::Sharing(_)
        | SpecKind::Error => {}
    }
}

/// Calls a function with each name of a pattern that is a variable or a constructor without an argument. The syntax tree does not
/// distinguish variables from such constructors.
fn bound(pat: &Pat, to: &mut dyn FnMut(Name)) {
    match &pat.kind {
        PatKind::Name { name, .. } => {
            if name.path.is_empty() {
                to(name.name);
            }
        }
        PatKind::Apply { arg, .. } => bound(arg, to),
        PatKind::Record { fields, .. } => fields.iter().for_each(|field| bound(&field.1, to)),
        PatKind::Tuple(pats) | PatKind::List(pats) | PatKind::Vector(pats) => {
            pats.iter().for_each(|pat| bound(pat, to));
        }
        // All alternatives bind the same names.
        PatKind::Or(pats) => pats.iter().take(1).for_each(|pat| bound(pat, to)),
        PatKind::Typed(inner, _) | PatKind::Paren(inner) => bound(inner, to),
        PatKind::As { name, pat, .. } => {
            to(*name);
            bound(pat, to);
        }
        PatKind::Wild | PatKind::Literal(_) | PatKind::Error => {}
    }
}
