//! Sizes in bytes, as people write them.

/// Reads a number of bytes: `4194304`, `4096K`, `512M`, `2G`. The number must be a mebibyte or more.
///
/// # Errors
/// Returns a message if the text is not a number of bytes in one of these formats.
pub fn size(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 10),
        Some((at, 'm' | 'M')) => (&text[..at], 20),
        Some((at, 'g' | 'G')) => (&text[..at], 30),
        _ => (text, 0),
    };
    let size = digits
        .parse::<u64>()
        .ok()
        .and_then(|size| size.checked_mul(1 << unit));
    size.filter(|size| *size >= 1 << 20)
        .ok_or_else(|| format!("`{text}` is not a size of a mebibyte or more, such as 512M"))
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("2G"), Ok(2 << 30));
        assert_eq!(size("1048576"), Ok(1 << 20));
        assert!(size("7").is_err());
        assert!(size("99999999999G").is_err());
        assert!(size("").is_err());
    }
}
