//! Reads DNA sequences from files.

use crate::data::Source;

/// Two sequences to be aligned.
pub(super) type Pair = (Vec<u8>, Vec<u8>);

/// Returns the sequences of a FASTA file in pairs. A sequence is a line `>name ...`, followed by lines of the letters A, C, G and T.
pub(super) fn read(source: &Source) -> Result<Vec<Pair>, String> {
    let mut sequences: Vec<Vec<u8>> = Vec::new();
    for (line, text) in source.lines() {
        if text.starts_with('>') {
            sequences.push(Vec::new());
            continue;
        }
        let Some(sequence) = sequences.last_mut() else {
            return Err(source.wrong(line, "a sequence begins with a line '>name'"));
        };
        if let Some(wrong) = text.chars().find(|letter| !"ACGT".contains(*letter)) {
            return Err(source.wrong(
                line,
                format_args!("'{wrong}' is none of the letters A, C, G and T"),
            ));
        }
        sequence.extend_from_slice(text.as_bytes());
    }
    if let Some(empty) = sequences.iter().position(Vec::is_empty) {
        let number = empty + 1;
        return Err(format!("{}: sequence {number} has no letters", source.name));
    }
    if sequences.is_empty() || sequences.len() % 2 == 1 {
        let count = sequences.len();
        return Err(format!(
            "{}: pairs of sequences are needed, not {count}",
            source.name
        ));
    }
    let mut sequences = sequences.into_iter();
    let pairs = std::iter::from_fn(|| Some((sequences.next()?, sequences.next()?)));
    Ok(pairs.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &'static str) -> Source {
        Source {
            name: "a test".to_owned(),
            text: text.into(),
        }
    }

    #[test]
    fn sequences_may_have_many_lines() {
        let sequences = read(&text(">a the first\nAC\nG\n>b\n\nTT\n")).unwrap();
        assert_eq!(sequences, [(b"ACG".to_vec(), b"TT".to_vec())]);
    }

    #[test]
    fn faults_are_named() {
        let error = |wrong| read(&text(wrong)).unwrap_err();
        assert_eq!(
            error("AC\n"),
            "a test, line 1: a sequence begins with a line '>name'"
        );
        assert_eq!(
            error(">a\nAC\nAXC\n"),
            "a test, line 3: 'X' is none of the letters A, C, G and T"
        );
        assert_eq!(error(">a\nAC\n>b\n"), "a test: sequence 2 has no letters");
        assert_eq!(
            error(">a\nAC\n"),
            "a test: pairs of sequences are needed, not 1"
        );
        assert_eq!(error(""), "a test: pairs of sequences are needed, not 0");
    }
}
