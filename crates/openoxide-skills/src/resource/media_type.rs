//! Chooses a file's media type: its extension proposes one, its content decides.

use std::path::Path;

use crate::host::ResourceRules;

pub(super) const TEXT: &str = "text/plain";
const BYTES: &str = "application/octet-stream";

/// Types that replace those of `mime_guess`: the registered name, or what the extension means in a skill's folder.
const CORRECTIONS: [(&str, &str); 9] = [
    ("mdx", "text/markdown"),
    ("mts", "application/typescript"),
    ("py", "text/x-python"),
    ("toml", "application/toml"),
    // The table has the video format of the same extension.
    ("ts", "application/typescript"),
    ("tsx", "application/typescript"),
    ("xml", "application/xml"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
];

/// Returns the media type that a host sends a file as.
///
/// The host's table names the type, and its other texts are `text/plain`; without a table, the usual type counts. A name
/// can lie: what is called text and is not is `application/octet-stream`, and text that is called an image, a sound, a
/// video or a font is `text/plain`.
pub fn media_type<'h>(rules: &'h ResourceRules, path: &Path, bytes: &[u8]) -> &'h str {
    let is_text = is_text(bytes);
    let usual = || usual_type(path).filter(|_| !is_text || rules.types.is_empty());
    match stated_type(rules, path).or_else(usual) {
        Some(named) if bytes.is_empty() => named,
        Some(named) if is_text && !is_media(named) => named,
        Some(named) if !is_text && !is_text_type(named) => named,
        _ if is_text => TEXT,
        _ => BYTES,
    }
}

/// Returns the media type that a file's name promises, where nothing has been read yet; `None` where the content decides.
pub fn media_type_by_name<'h>(rules: &'h ResourceRules, path: &Path) -> Option<&'h str> {
    let usual = || usual_type(path).filter(|named| rules.types.is_empty() || is_media(named));
    stated_type(rules, path).or_else(usual)
}

fn stated_type<'h>(rules: &'h ResourceRules, path: &Path) -> Option<&'h str> {
    rules.types.get(&path.extension()?.to_str()?.to_lowercase()).map(String::as_str)
}

fn usual_type(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    let corrected = CORRECTIONS.iter().find(|(known, _)| *known == extension);
    corrected.map(|(_, kind)| *kind).or_else(|| mime_guess::from_ext(&extension).first_raw())
}

fn is_text(bytes: &[u8]) -> bool {
    !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok()
}

fn is_media(kind: &str) -> bool {
    ["audio/", "font/", "image/", "video/"].iter().any(|family| kind.starts_with(family)) && !kind.ends_with("+xml")
}

/// Tells whether a type is always text. Of the others, some can be either: a PDF may hold no byte that is not ASCII.
fn is_text_type(kind: &str) -> bool {
    const OTHERS: [&str; 6] = ["javascript", "json", "toml", "typescript", "xml", "yaml"];
    kind.starts_with("text/") || OTHERS.iter().any(|end| kind.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, bytes: &[u8], expected: &str) {
        assert_eq!(media_type(&ResourceRules::default(), Path::new(path), bytes), expected, "{path}");
    }

    #[test]
    fn the_extension_proposes() {
        check("a/SKILL.MD", b"# A", "text/markdown");
        check("x.py", b"pass", "text/x-python");
        check("x.sh", b"true", "application/x-sh");
        check("x.json", b"{}", "application/json");
        check("x.yml", b"a: 1", "application/yaml");
        check("x.mdx", b"# A", "text/markdown");
        check("x.svg", b"<svg/>", "image/svg+xml");
        check("x.png", b"\x89PNG\0", "image/png");
        check("x.pdf", b"%PDF-1.7", "application/pdf");
        check("empty.png", b"", "image/png");
        check("Makefile", b"all:", "text/plain");
    }

    #[test]
    fn the_content_decides() {
        check("x.md", b"\0", "application/octet-stream");
        check("x.json", b"\xff", "application/octet-stream");
        check("x.png", b"not an image", "text/plain");
        check("x.ts", b"let a = 1;", "application/typescript");
        check("x.ts", b"G\0\xff", "application/octet-stream");
        check("x.unknown", b"\0", "application/octet-stream");
    }

    #[test]
    fn the_table_of_a_host_wins_and_the_content_decides_there_too() {
        let rules = ResourceRules { types: [("md".into(), "text/x-own".into())].into(), ..ResourceRules::default() };
        let check = |path: &str, bytes: &[u8], expected: &str, by_name: Option<&str>| {
            assert_eq!(media_type(&rules, Path::new(path), bytes), expected, "{path}");
            assert_eq!(media_type_by_name(&rules, Path::new(path)), by_name, "{path}");
        };
        check("a.MD", b"# A", "text/x-own", Some("text/x-own"));
        check("a.md", b"\0", "application/octet-stream", Some("text/x-own"));
        check("a.json", b"{}", "text/plain", None);
        check("a.sh", b"true", "text/plain", None);
        check("a.pdf", b"%PDF\0", "application/pdf", None);
        check("a.png", b"\0", "image/png", Some("image/png"));
    }
}
