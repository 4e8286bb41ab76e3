//! Types of content by the ends of file names.

use std::path::Path;

/// What a folder is.
pub(super) const FOLDER: &str = "inode/directory";

const KINDS: &[(&str, &str)] = &[
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("mjs", "text/javascript"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("py", "text/x-python"),
    ("sh", "application/x-sh"),
    ("svg", "image/svg+xml"),
    ("toml", "application/toml"),
    ("txt", "text/plain"),
    ("webp", "image/webp"),
    ("xml", "application/xml"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("zip", "application/zip"),
];

/// Returns the type of content that a file's name promises, if it promises one.
pub(super) fn by_name(path: &Path) -> Option<&'static str> {
    let end = path.extension()?.to_str()?.to_ascii_lowercase();
    KINDS.binary_search_by_key(&end.as_str(), |(known, _)| known).ok().map(|at| KINDS[at].1)
}

/// Returns the type of content of a file that is text, or is not.
pub(super) fn of(path: &Path, is_text: bool) -> &'static str {
    by_name(path).unwrap_or(if is_text { "text/plain" } else { "application/octet-stream" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found() {
        assert!(KINDS.is_sorted());
        assert_eq!(of(Path::new("a/SKILL.MD"), true), "text/markdown");
        assert_eq!(of(Path::new("a/Makefile"), true), "text/plain");
        assert_eq!(of(Path::new("a/x.bin"), false), "application/octet-stream");
    }
}
