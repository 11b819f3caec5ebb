//! Escaping of text for HTML that is also XML.

/// Escapes `text` for use between elements or inside quoted attributes. All text from files passes through this
/// function.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c if forbidden(c) => safe.push('\u{FFFD}'),
            c => safe.push(c),
        }
    }
    safe
}

/// Returns true if XML does not allow the character even in escaped form, or if the character changes the direction
/// of the surrounding text.
pub(crate) fn forbidden(c: char) -> bool {
    let control = c.is_control() && !matches!(c, '\n' | '\t');
    let direction = matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    control || direction || matches!(c, '\u{FFFE}' | '\u{FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_out() {
        assert_eq!(
            escape("<a href='x' title=\"y\">&amp;\0\u{202E}é</a>"),
            "&lt;a href=&#39;x&#39; title=&quot;y&quot;&gt;&amp;amp;\u{FFFD}\u{FFFD}é&lt;/a&gt;"
        );
    }
}
