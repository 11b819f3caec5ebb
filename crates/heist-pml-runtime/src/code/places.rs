//! The places in the source texts from which compiled code comes, and their encoding in the data of a program.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A place in the source texts. Files, functions and spots are numbered from 1; the number 0 stands for no file, no function or no spot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Spot {
    /// The number of the file.
    pub file: u32,
    /// The line, counted from 1.
    pub line: u32,
    /// The column in characters, counted from 1.
    pub column: u32,
    /// The number of the function around the place, among [`Places::functions`].
    pub function: u32,
    /// The number of the call's spot if the function is inlined at a call.
    pub call: u32,
}

/// The spots of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Places {
    /// The paths of the files.
    pub files: Vec<String>,
    /// The names of functions.
    pub functions: Vec<String>,
    /// The spots.
    pub spots: Vec<Spot>,
    /// The names of types of objects, for heap profiles. The first name has the number 1.
    pub names: Vec<String>,
    /// The allocations that share a check for memory, if the program was compiled for heap profiles.
    pub groups: Vec<Group>,
}

/// Allocations that share a check for memory. If the check fails, the code calls the runtime, and this call has its own spot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// The number of the spot of the call.
    pub spot: u32,
    /// The allocations, in the order of their addresses.
    pub parts: Vec<Part>,
}

/// An allocation that shares a check with other allocations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The number of the spot of the allocation.
    pub spot: u32,
    /// The name of the object's type, as its number among [`Places::names`].
    pub name: u32,
}

/// A spot, for printing: `file:line:column in function`.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    file: &'a str,
    spot: Spot,
    function: Option<&'a str>,
}

impl Shown<'_> {
    /// Returns true if the spot is in the text of the Basis, whose files have paths of their own.
    pub(crate) fn is_of_basis(&self) -> bool {
        self.file.starts_with("basis/")
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spot { line, column, .. } = self.spot;
        write!(f, "{}:{line}:{column}", self.file)?;
        match self.function {
            Some(function) => write!(f, " in {function}"),
            None => Ok(()),
        }
    }
}

/// Returns the element with this number. The first element has the number 1.
fn of<T>(all: &[T], number: u32) -> Option<&T> {
    all.get((number as usize).checked_sub(1)?)
}

impl Places {
    /// Encodes the places for the data of a program.
    ///
    /// # Panics
    ///
    /// Never panics, because numbers and strings can always be encoded.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("places are plain data")
    }

    /// Reads the output of [`encode`](Self::encode). Returns `None` for other bytes.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Places> {
        postcard::from_bytes(bytes).ok()
    }

    /// Returns the spot with this number, and the spots of the calls through which its code is inlined, the innermost call first.
    pub fn around(&self, number: u32) -> impl Iterator<Item = Shown<'_>> {
        let mut number = number;
        std::iter::from_fn(move || {
            let spot = *of(&self.spots, number).filter(|spot| spot.file != 0)?;
            number = spot.call;
            Some(Shown {
                file: of(&self.files, spot.file).map_or("?", String::as_str),
                spot,
                function: of(&self.functions, spot.function).map(String::as_str),
            })
        })
        // The bound ends the walk if damaged data of a program contain a cycle.
        .take(self.spots.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spot_is_shown_with_the_calls_around_it() {
        let spot = |line, function, call| Spot {
            file: 1,
            line,
            column: 7,
            function,
            call,
        };
        let places = Places {
            files: vec!["a.sml".into()],
            functions: vec!["f".into(), "g".into()],
            spots: vec![spot(3, 1, 3), spot(5, 0, 0), spot(9, 2, 2)],
            ..Places::default()
        };
        let places = Places::decode(&places.encode()).expect("encoded above");
        let shown: Vec<_> = places.around(1).map(|spot| spot.to_string()).collect();
        assert_eq!(shown, ["a.sml:3:7 in f", "a.sml:9:7 in g", "a.sml:5:7"]);
        assert_eq!(places.around(0).count(), 0);
        assert_eq!(places.around(4).count(), 0);
        assert_eq!(Places::decode(&[3]), None);
    }
}
