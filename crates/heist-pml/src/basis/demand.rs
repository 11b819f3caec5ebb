//! Files on demand, which are parts of the Basis. Each file declares some names, and the compiler elaborates the file only for programs
//! that mention one of these names.
//!
//! The compiler finds these names among the words of the program's text, before it elaborates the program. The word may be in a comment, or
//! may be a name that the program declares itself. The compiler then elaborates a file that the program does not use, which only costs
//! time.
//!
//! A file on demand comes after all files of [`STANDARD`](super::STANDARD), so it may use the same names as a program. If the file's text
//! mentions names of other files on demand, those files come before this file.

use std::collections::HashSet;

use super::{BasisFile, sized};

/// A file on demand.
struct OnDemand {
    file: BasisFile,
    /// The structures, signatures and functors that the file declares.
    names: &'static [&'static str],
}

macro_rules! files {
    ($($name:literal $declared:expr;)*) => {
        &[$(OnDemand {
            file: BasisFile {
                name: concat!("basis/demand/", $name),
                text: include_str!(concat!("../../basis/demand/", $name)),
            },
            names: &$declared,
        },)*]
    };
}

const ON_DEMAND: &[OnDemand] = files! {
    "sized.sml" ["SizedInt", "SizedWord"];
    "json.sml" ["JSON", "JSON_PARSER", "JSONParser", "JSON_PRINTER", "JSONPrinter"];
    "mlton.sml" [
        "MLTON_WORD", "RotatedWord", "MLTON_INT_INF", "MLtonIntInf", "Unfolded", "MLTON_PLATFORM", "MLtonPlatform", "MLTON_GC",
        "MLTON_RUSAGE", "MLTON_RANDOM", "MLTON", "MLton"
    ];
    "smlofnj.sml" ["SMLofNJ"];
    "unix.sml" ["UNIX", "Unix"];
    "stream_io.sml" ["StreamIO", "ImperativeIO"];
    "unsafe.sml" ["UNSAFE_MONO_ARRAY", "UNSAFE_MONO_VECTOR", "CreatedArray", "Unsafe"];
    "net.sml" ["NET_HOST_DB", "NET_PROT_DB", "NET_SERV_DB", "NetHostDB", "Net6HostDB", "Hosts", "NetProtDB", "NetServDB"];
    "socket_sigs.sml" ["SOCKET"];
    "socket.sml" ["Socket", "Sockets"];
    "inet_sock.sml" ["GENERIC_SOCK", "INET_SOCK", "INET6_SOCK", "UNIX_SOCK", "GenericSock", "Protocols", "INetSock", "INet6Sock", "UnixSock"];
};

/// Returns the files on demand that the texts mention, and the files that these files mention. Each file comes after the files that it
/// mentions.
#[must_use]
pub fn mentioned<'t>(texts: impl IntoIterator<Item = &'t [u8]>) -> Vec<BasisFile> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for text in texts {
        visit(text, &mut seen, &mut found);
    }
    found
}

fn visit(text: &[u8], seen: &mut HashSet<&'static str>, found: &mut Vec<BasisFile>) {
    for name in module_names(text) {
        if let Some(file) = declaring(name)
            && seen.insert(file.name)
        {
            visit(file.text.as_bytes(), seen, found);
            found.push(file);
        }
    }
}

/// Returns the file on demand that declares a name.
fn declaring(name: &[u8]) -> Option<BasisFile> {
    ON_DEMAND
        .iter()
        .find(|it| it.names.iter().any(|known| known.as_bytes() == name))
        .map(|it| it.file)
        .or_else(|| sized::declaring(std::str::from_utf8(name).ok()?))
}

/// Returns the words of a text that may be names of modules at the top level: the words that begin with a capital letter, except words
/// after a point, such as `StreamIO` in `TextIO.StreamIO`.
pub fn module_names(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_in_name = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'\'');
    let mut at = 0;
    text.split(move |c| !is_in_name(c)).filter(move |word| {
        let start = at;
        at += word.len() + 1;
        let is_part = start > 0 && text[start - 1] == b'.';
        !is_part && word.first().is_some_and(u8::is_ascii_uppercase)
    })
}

/// Returns the names of the modules of files on demand. Of the structures that `sized.rs` makes, the result has only `Int7` and `Word7`.
#[cfg(test)]
pub fn names() -> impl Iterator<Item = String> {
    let names = ON_DEMAND.iter().flat_map(|it| it.names);
    let names = names.map(|name| (*name).to_owned());
    names.chain(["Int7".into(), "Word7".into()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(text: &str) -> Vec<&'static str> {
        let found = mentioned([text.as_bytes()]);
        found.iter().map(|file| file.name).collect()
    }

    #[test]
    fn only_mentioned_files_come() {
        assert!(files("val x = Int.toString 5 val json = MyJSON.x JSON' J").is_empty());
        assert_eq!(files("JSON.INT 5"), ["basis/demand/json.sml"]);
        assert_eq!(files("structure P = JSONParser"), ["basis/demand/json.sml"]);
        assert!(files("Int8.int * Word16.word * Int64.int * Int05 * MyInt5").is_empty());
        assert!(files("TextIO.StreamIO.input M.JSON.INT").is_empty());
        assert_eq!(files("JSON"), ["basis/demand/json.sml"]);
    }

    #[test]
    fn needed_files_come_first() {
        assert_eq!(
            files("structure I = Int5 fun f (w : Word7.word, i : Int5.int) = w"),
            [
                "basis/demand/sized.sml",
                "basis/demand/Int5.sml",
                "basis/demand/Word7.sml"
            ]
        );
    }

    /// Checks that the names in the table are the names that the files declare.
    #[test]
    fn names_are_those_of_the_files() {
        for OnDemand { file, names } in ON_DEMAND {
            let lines = file.text.lines();
            let mut declared: Vec<&str> = Vec::new();
            for line in lines {
                let (kind, rest) = line.split_once(' ').unwrap_or_default();
                let name = rest.split([' ', ':']).next().unwrap_or_default();
                // The file may declare a structure again, with additional contents.
                if matches!(kind, "structure" | "signature" | "functor")
                    && !declared.contains(&name)
                {
                    declared.push(name);
                }
            }
            assert_eq!(declared, *names, "{}", file.name);
        }
    }
}
