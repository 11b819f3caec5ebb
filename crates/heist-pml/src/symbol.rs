//! Interned names.

use std::cell::RefCell;
use std::fmt;

use rustc_hash::FxHashMap;

/// An interned name. Each thread interns names separately. Two symbols of one thread are equal if and only if their names are equal. Names
/// are never freed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);

struct Interner {
    numbers: FxHashMap<&'static str, u32>,
    names: Vec<&'static str>,
}

impl Default for Interner {
    fn default() -> Interner {
        Interner {
            numbers: FxHashMap::from_iter([("", 0)]),
            names: vec![""],
        }
    }
}

thread_local! {
    // Each thread has its own table, because a compilation stays on its thread.
    static INTERNER: RefCell<Interner> = RefCell::default();
}

impl Symbol {
    /// The empty name.
    pub const EMPTY: Symbol = Symbol(0);

    /// Returns the symbol of a name.
    #[must_use]
    pub fn new(name: &str) -> Symbol {
        INTERNER.with_borrow_mut(|table| {
            if let Some(&number) = table.numbers.get(name) {
                return Symbol(number);
            }
            let number = table.names.len() as u32;
            let name: &'static str = Box::leak(name.into());
            table.names.push(name);
            table.numbers.insert(name, number);
            Symbol(number)
        })
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        INTERNER.with_borrow(|table| table.names[self.0 as usize])
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
