//! Translates between URIs of documents and paths.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use lsp_types::Uri;

/// Returns the path of a document. If the URI does not name a file, as in `untitled:1`, the path is the whole URI.
pub(super) fn path(uri: &Uri) -> PathBuf {
    if uri
        .scheme()
        .is_some_and(|scheme| scheme.eq_lowercase("file"))
    {
        let decoded = uri.path().as_estr().decode();
        return PathBuf::from(decoded.into_string_lossy().into_owned());
    }
    PathBuf::from(uri.as_str())
}

/// Returns the URI of a file.
pub(super) fn uri(path: &Path) -> Option<Uri> {
    let mut text = String::from("file://");
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            text.push(byte as char);
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    Uri::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_names_and_back() {
        for (at, name) in [
            ("/a/b c.sml", "file:///a/b%20c.sml"),
            ("/é/%.mlb", "file:///%C3%A9/%25.mlb"),
        ] {
            let made = uri(Path::new(at)).expect("a name");
            assert_eq!(made.as_str(), name);
            assert_eq!(path(&made), Path::new(at));
        }
        let untitled = Uri::from_str("untitled:Untitled-1").expect("a name");
        assert_eq!(path(&untitled), Path::new("untitled:Untitled-1"));
    }
}
