//! The lines of a real text, and their words.

use crate::bounds::within;
use crate::data::Data;
use crate::program::Size;

/// Returns as many lines of the text as `size` requests, in lower case. If the text is too short, its lines repeat.
pub(super) fn lines(size: Size, data: &Data) -> Result<Vec<String>, String> {
    let source = data.poem()?;
    let lines: Vec<String> = source
        .lines()
        .map(|(_, line)| line.to_lowercase())
        .collect();
    if lines.is_empty() {
        return Err(format!("{}: there are no lines", source.name));
    }
    let n = within(
        "the number of lines",
        size.pick(100_000, 2_000_000),
        1..=50_000_000,
    )?;
    Ok(lines.iter().cycle().take(n).cloned().collect())
}

/// Returns the words of a line: runs of letters, with apostrophes inside.
pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '\'')
        .map(|word| word.trim_matches('\''))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found() {
        let line = "  whose mortal taste--'tis brought death, and siloa's brook' ";
        let found: Vec<&str> = words(line).collect();
        let must = "whose mortal taste tis brought death and siloa's brook";
        assert_eq!(found.join(" "), must);
        assert_eq!(words("-- '").count(), 0);
    }

    #[test]
    fn the_text_goes_on_from_its_start() {
        let data = Data::default();
        let once = lines(Size::N(2), &data).unwrap();
        assert_eq!(once, ["paradise lost", "book i"]);
        let long = lines(Size::N(20_000), &data).unwrap();
        let again = long[2..].iter().position(|line| *line == once[0]).unwrap();
        assert_eq!(long[again + 3], once[1]);
    }
}
