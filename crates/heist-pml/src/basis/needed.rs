//! The modules of the Basis that a program needs. The compiler elaborates only these modules, which halves the time for a short program.
//!
//! A module is a structure, a signature or a functor at the top level of a file of the Basis. A module is needed if the program, or a later
//! declaration of the Basis that is needed itself, mentions its name. All other declarations of the Basis (values, types, exceptions and
//! infix directives) are needed by every program. As for [files on demand](super::demand), a mention is a word of the text, so a word in a
//! comment may cause the elaboration of a module that the program does not use.
//!
//! A program cannot use a module without its name, so the omission of the other modules changes no program. If the elaboration with the
//! needed modules finds an error in the program, the compiler elaborates the program again with the whole Basis, because the message may
//! suggest the name of any module.

use std::collections::HashSet;
use std::ops::Range;

use super::BasisFile;
use super::demand::module_names;

/// The words that begin a declaration at the top level of a file of the Basis. In these files, no other line begins in the first column
/// with a letter, except for parts of such declarations (`sig`, `struct`, `in`, `end`).
const KEYWORDS: [&str; 15] = [
    "structure",
    "signature",
    "functor",
    "local",
    "val",
    "fun",
    "type",
    "datatype",
    "abstype",
    "exception",
    "infix",
    "infixr",
    "nonfix",
    "open",
    "_overload",
];

/// The modules that the compiler names itself when it translates forms of the language.
const FORMS: &[u8] = b"AtExit Comprehension LazyCell PArray Vector";

/// Modules for forms that begin with a keyword. The compiler needs them only if the program contains the keyword.
const KEYWORD_FORMS: [(&[u8], &str); 2] = [(b"spawn", "CML"), (b"cont", "Scheduler")];

/// A declaration at the top level of a file.
struct Declaration {
    /// The index of the file.
    file: usize,
    /// The bytes of the file, from the declaration's first word to the next declaration.
    bytes: Range<usize>,
    /// The names of the modules that the declaration declares. The list is empty for a declaration that every program needs.
    modules: Vec<&'static str>,
}

/// Returns the texts of these files, in their order, without the modules that a program with these texts does not need. Spaces replace the
/// omitted modules, so positions stay the same. The result omits files of which the program needs nothing.
pub fn needed<'t>(
    files: &[BasisFile],
    texts: impl IntoIterator<Item = &'t [u8]>,
) -> Vec<(BasisFile, Vec<u8>)> {
    let mut wanted: HashSet<&[u8]> = module_names(FORMS).collect();
    for text in texts {
        wanted.extend(module_names(text));
        let words = text.split(|c| !c.is_ascii_alphanumeric());
        for word in words.filter(|word| word.first().is_some_and(u8::is_ascii_lowercase)) {
            let form = KEYWORD_FORMS.iter().find(|(keyword, _)| *keyword == word);
            wanted.extend(form.map(|(_, module)| module.as_bytes()));
        }
    }
    let mut blank: Vec<Vec<Range<usize>>> = vec![Vec::new(); files.len()];
    let mut is_needed = vec![false; files.len()];
    // A declaration mentions only modules that come before it.
    for declaration in declarations(files).into_iter().rev() {
        let modules = &declaration.modules;
        if modules.is_empty() || modules.iter().any(|name| wanted.contains(name.as_bytes())) {
            is_needed[declaration.file] = true;
            let text = &files[declaration.file].text[declaration.bytes];
            wanted.extend(module_names(text.as_bytes()));
        } else {
            blank[declaration.file].push(declaration.bytes);
        }
    }
    let parts = files.iter().zip(blank).zip(is_needed);
    parts
        .filter(|(_, is_needed)| *is_needed)
        .map(|((file, blank), _)| {
            let mut text = file.text.as_bytes().to_vec();
            for bytes in blank {
                for byte in text[bytes].iter_mut().filter(|byte| **byte != b'\n') {
                    *byte = b' ';
                }
            }
            (*file, text)
        })
        .collect()
}

/// Returns the declarations of all files, in their order.
fn declarations(files: &[BasisFile]) -> Vec<Declaration> {
    let mut found: Vec<Declaration> = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let mut at = 0;
        // Inside of a `local` declaration, the number of its parts that have begun in the first column, and have not ended. Otherwise 0.
        let (mut local, mut exports) = (0, false);
        for line in file.text.split_inclusive('\n') {
            let mut words = line.split([' ', ':', '\n']);
            let first = words.next().unwrap_or_default();
            if local > 0 {
                match first {
                    "struct" | "sig" => local += 1,
                    "end" => local -= 1,
                    "in" => exports = true,
                    _ => {}
                }
                if exports
                    && let Some(rest) = line.trim_start().strip_prefix("structure ")
                    && let Some(last) = found.last_mut()
                {
                    last.modules.extend(rest.split([' ', ':', '\n']).next());
                }
            } else if KEYWORDS.contains(&first) {
                if let Some(last) = found.last_mut().filter(|last| last.file == index) {
                    last.bytes.end = at;
                }
                (local, exports) = (usize::from(first == "local"), false);
                let is_module = matches!(first, "structure" | "signature" | "functor");
                found.push(Declaration {
                    file: index,
                    bytes: at..file.text.len(),
                    modules: is_module
                        .then(|| words.next())
                        .flatten()
                        .into_iter()
                        .collect(),
                });
            }
            at += line.len();
        }
        debug_assert_eq!(local, 0, "{}", file.name);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::{BasisFile, EPILOGUE, MANTICORE, STANDARD};
    use super::*;
    use crate::diag::{Diagnostics, Style, render};
    use crate::elab::{self, Elaborator};
    use crate::source::Sources;
    use crate::syntax::{FixityEnv, Options, parse};

    fn modules(files: &[BasisFile]) -> Vec<&'static str> {
        let declarations = declarations(files).into_iter();
        declarations.flat_map(|it| it.modules).collect()
    }

    /// Elaborates the part of the Basis that a text needs, and returns the number of bytes of this part that are not blank.
    fn elaborate(files: &[BasisFile], text: &str) -> usize {
        let mut sources = Sources::default();
        let mut fixity = FixityEnv::default();
        let mut diagnostics = Diagnostics::default();
        let mut elaborator = Elaborator::new(elab::Options::default());
        let needed = needed(files, [text.as_bytes()]);
        let ends = needed.last().map(|_| (EPILOGUE, EPILOGUE.text.into()));
        let mut bytes = 0;
        for (file, part) in needed.into_iter().chain(ends) {
            bytes += part.iter().filter(|c| !c.is_ascii_whitespace()).count();
            let id = sources.add(file.name, part, true);
            let options = Options::default();
            let decs = parse(&sources, id, &mut fixity, options, &mut diagnostics);
            elaborator.declare(&decs, true, &mut diagnostics);
            assert!(
                !diagnostics.has_errors(),
                "{text}: {}",
                render(&sources, diagnostics.items(), Style::default())
            );
        }
        bytes
    }

    #[test]
    fn all_declarations_are_found() {
        let names = modules(STANDARD);
        for name in [
            "Core",
            "ByteSequences",
            "POSIX_IO",
            "CML",
            "Mailbox",
            "Text",
        ] {
            assert!(names.contains(&name), "{name}");
        }
        for file in STANDARD.iter().chain(MANTICORE) {
            for line in file.text.lines() {
                let word = line.split([' ', ':']).next().unwrap_or_default();
                let is_known = KEYWORDS.contains(&word)
                    || ["sig", "struct", "in", "end"].contains(&word)
                    || word.starts_with("(*");
                assert!(word.is_empty() || is_known, "{}: {line}", file.name);
            }
        }
    }

    #[test]
    fn a_short_program_needs_half_of_the_basis() {
        let all = elaborate(STANDARD, &modules(STANDARD).join(" "));
        let short = elaborate(STANDARD, "val () = print (Int.toString 5)");
        assert!(short * 100 < all * 55, "{short} of {all}");
    }

    #[test]
    fn modules_need_no_others_than_those_that_are_found() {
        for file in STANDARD {
            elaborate(STANDARD, &modules(std::slice::from_ref(file)).join(" "));
        }
        for text in [
            "spawn",
            "cont",
            "P",
            "Posix",
            "CML",
            "OS.Process",
            "Word8Array2",
        ] {
            elaborate(STANDARD, text);
        }
    }

    /// Parses each declaration alone, because a program may need only one declaration of a file.
    #[test]
    fn declarations_are_whole() {
        let mut fixity = FixityEnv::default();
        for declaration in declarations(STANDARD) {
            let file = &STANDARD[declaration.file];
            let mut sources = Sources::default();
            let id = sources.add(file.name, &file.text[declaration.bytes], true);
            let mut diagnostics = Diagnostics::default();
            let options = Options::default();
            let decs = parse(&sources, id, &mut fixity, options, &mut diagnostics);
            let message = render(&sources, diagnostics.items(), Style::default());
            assert!(!diagnostics.has_errors(), "{message}");
            assert!(message.is_empty() && (!decs.is_empty() || declaration.modules.is_empty()));
        }
    }

    #[test]
    fn positions_stay_the_same() {
        for (file, text) in needed(STANDARD, [&b"Time"[..]]) {
            assert_eq!(text.len(), file.text.len());
            for (old, new) in file.text.lines().zip(text.split(|c| *c == b'\n')) {
                assert!(
                    old.as_bytes() == new || new.iter().all(|c| *c == b' '),
                    "{old}"
                );
            }
        }
    }

    #[test]
    fn only_needed_modules_come() {
        let names = |text: &str| -> Vec<&'static str> {
            let needed = needed(STANDARD, [text.as_bytes()]);
            needed.iter().map(|(file, _)| file.name).collect()
        };
        assert!(!names("").contains(&"basis/posix.sml"));
        assert!(names("Posix.Error").contains(&"basis/posix.sml"));
        // A part of another structure is no module.
        assert!(!names("My.Posix.Error").contains(&"basis/posix.sml"));
        assert!(names("spawn").contains(&"basis/cml.sml"));
        assert!(!names("respawn").contains(&"basis/cml.sml"));
    }
}
