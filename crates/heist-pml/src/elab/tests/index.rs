//! Makes a page of the language reference, the list of the Basis, from the sources of the Basis.

use std::fmt::Write as _;
use std::path::Path;

use super::super::Elaborator;
use super::super::env::{Env, Status, Structure};
use super::Options;
use crate::basis::{self, INNER, demand};
use crate::diag::Diagnostics;
use crate::source::Sources;
use crate::symbol::Symbol;
use crate::syntax::{self, FixityEnv};

const HEAD: &str = "\
# Index of the Basis

This page lists the types, exceptions and values of each structure. The page is generated from
`crates/heist-pml/basis/`, and a test fails if the page is not up to date. [The overview](basis.md) says what
each structure is for. `Int7` and `Word7` stand for all sizes without an entry, from `Int1` and
`Word1` to `Int63` and `Word63`. `HEIST_UPDATE=1 cargo test -p heist-pml index_of_the_basis` generates the page again.
";

fn basis() -> Elaborator {
    let mut sources = Sources::default();
    let mut fixity = FixityEnv::default();
    let mut diagnostics = Diagnostics::default();
    let mut elaborator = Elaborator::new(Options::default());
    let names: Vec<String> = demand::names().collect();
    let on_demand = demand::mentioned(names.iter().map(String::as_bytes));
    for file in basis::STANDARD.iter().chain(&on_demand) {
        let id = sources.add(file.name, file.text, true);
        let options = syntax::Options {
            parallel_forms: false,
            ..syntax::Options::default()
        };
        let decs = syntax::parse(&sources, id, &mut fixity, options, &mut diagnostics);
        elaborator.declare(&decs, true, &mut diagnostics);
    }
    assert!(!diagnostics.has_errors());
    elaborator
}

impl Elaborator {
    /// Returns the names of an environment, one on each line, ordered by kind and name.
    fn index(&mut self, env: &Env, into: &mut String) {
        let mut lines: Vec<(u8, &str, String)> = Vec::new();
        for (name, entry) in env.tys.iter() {
            let name = name.as_str();
            let text = if entry.cons.is_empty() {
                format!("type {name}")
            } else {
                let cons = entry.cons.iter().map(|con| con.0.as_str());
                format!("datatype {name} = {}", cons.collect::<Vec<_>>().join(" | "))
            };
            lines.push((0, name, text));
        }
        for (name, val) in env.vals.iter() {
            let (kind, word) = match val.status {
                Status::Con => continue,
                Status::Exn => (1, "exception"),
                Status::Value => (2, "val"),
            };
            let ty = self.show(val.ty);
            let name = name.as_str();
            let text = match val.status {
                Status::Exn => match ty.strip_suffix(" -> exn") {
                    Some(arg) => format!("exception {name} of {arg}"),
                    None => format!("exception {name}"),
                },
                _ => format!("{word} {name} : {ty}"),
            };
            lines.push((kind, name, text));
        }
        lines.sort();
        for (_, _, text) in lines {
            let _ = writeln!(into, "{text}");
        }
    }

    fn index_structure(&mut self, name: &str, structure: &Structure, into: &mut String) {
        let env = structure.env.clone();
        let _ = write!(into, "\n## {name}\n\n```\n");
        self.index(&env, into);
        into.push_str("```\n");
        for (inner, structure) in env.strs.iter() {
            self.index_structure(&format!("{name}.{inner}"), structure, into);
        }
    }
}

#[test]
fn index_of_the_basis() {
    let mut elaborator = basis();
    let mut page = String::from(HEAD);
    let mut names: Vec<Symbol> = elaborator.scopes.structure_names().collect();
    names.sort_by_key(|name| name.as_str());
    page.push_str("\n## Top level\n\n```\n");
    let top = elaborator.scopes.top_level();
    elaborator.index(&top, &mut page);
    page.push_str("```\n");
    for name in names {
        if INNER.contains(&name.as_str()) {
            continue;
        }
        let structure = elaborator.scopes.structure(name).cloned();
        elaborator.index_structure(name.as_str(), &structure.expect("it is named"), &mut page);
    }
    for inner in INNER {
        for before in [' ', '('] {
            let name = format!("{before}{inner}.");
            assert!(!page.contains(&name), "a type is shown as one of {inner}");
        }
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pml/basis-index.md");
    if std::env::var_os("HEIST_UPDATE").is_some() {
        std::fs::write(&file, &page).expect("the page can be written");
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == page,
        "docs/pml/basis-index.md is not up to date: run this test with HEIST_UPDATE=1"
    );
}
