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
/// The host's table names the type, and its other texts are `text/plain`; without a table, the usual type is used. A name
/// can lie: what is called text and is not is `application/octet-stream`, and text that is called an image, a sound, a
/// video or a font is `text/plain`.
pub fn media_type<'h>(rules: &'h ResourceRules, path: &Path, bytes: &[u8]) -> &'h str {
    media_type_of(rules, path, ContentKind::of(bytes))
}

/// The same where the file was read before, and what is in it is known.
pub fn media_type_of<'h>(rules: &'h ResourceRules, path: &Path, content: ContentKind) -> &'h str {
    let is_text = content != ContentKind::Bytes;
    let usual = || usual_type(path).filter(|_| !is_text || rules.types.is_empty());
    match stated_type(rules, path).or_else(usual) {
        Some(named) if content == ContentKind::Nothing => named,
        Some(named) if is_text && !is_media(named) => named,
        Some(named) if !is_text && !is_text_type(named) => named,
        _ if is_text => TEXT,
        _ => BYTES,
    }
}

/// What is in a file, whatever its name promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentKind {
    /// Nothing.
    Nothing,
    /// Text: UTF-8 without a NUL byte.
    Text,
    /// Anything else.
    Bytes,
}

impl ContentKind {
    /// Looks at the whole of a file.
    pub fn of(bytes: &[u8]) -> ContentKind {
        let mut check = ContentCheck::default();
        check.take(bytes);
        check.kind()
    }
}

/// Looks at a file part by part.
#[derive(Debug, Default)]
pub(super) struct ContentCheck {
    /// The beginning of a character that the next part ends.
    open: Vec<u8>,
    is_bytes: bool,
    has_some: bool,
}

impl ContentCheck {
    pub(super) fn take(&mut self, part: &[u8]) {
        if part.is_empty() || self.is_bytes {
            return;
        }
        self.has_some = true;
        let mut part = part;
        // At most three more bytes end a character.
        while !self.open.is_empty() && !part.is_empty() && !self.is_bytes {
            self.open.push(part[0]);
            part = &part[1..];
            match std::str::from_utf8(&self.open) {
                Ok(_) => self.open.clear(),
                Err(error) => self.is_bytes = error.error_len().is_some(),
            }
        }
        self.is_bytes |= part.contains(&0);
        if let Err(error) = std::str::from_utf8(part) {
            self.is_bytes |= error.error_len().is_some();
            self.open = part[error.valid_up_to()..].to_vec();
        }
    }

    /// Tells whether it is no text, whatever follows.
    pub(super) fn is_bytes(&self) -> bool {
        self.is_bytes
    }

    pub(super) fn kind(&self) -> ContentKind {
        match self.is_bytes || !self.open.is_empty() {
            true => ContentKind::Bytes,
            false if self.has_some => ContentKind::Text,
            false => ContentKind::Nothing,
        }
    }
}

fn stated_type<'h>(rules: &'h ResourceRules, path: &Path) -> Option<&'h str> {
    rules.types.get(&path.extension()?.to_str()?.to_lowercase()).map(String::as_str)
}

fn usual_type(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    let corrected = CORRECTIONS.iter().find(|(known, _)| *known == extension);
    corrected.map(|(_, kind)| *kind).or_else(|| mime_guess::from_ext(&extension).first_raw())
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
        let check = |path: &str, bytes: &[u8], expected: &str| {
            assert_eq!(media_type(&rules, Path::new(path), bytes), expected, "{path}");
        };
        check("a.MD", b"# A", "text/x-own");
        check("a.md", b"\0", "application/octet-stream");
        check("a.json", b"{}", "text/plain");
        check("a.sh", b"true", "text/plain");
        check("a.pdf", b"%PDF\0", "application/pdf");
        check("a.png", b"\0", "image/png");
    }

    #[test]
    fn parts_are_looked_at_like_the_whole() {
        for (bytes, expected) in [
            (&b""[..], ContentKind::Nothing),
            ("né 日本 🦀".as_bytes(), ContentKind::Text),
            (&"🦀".as_bytes()[..3], ContentKind::Bytes),
            (b"late\0", ContentKind::Bytes),
            (b"\xc3(", ContentKind::Bytes),
            (b"\xff", ContentKind::Bytes),
        ] {
            assert_eq!(ContentKind::of(bytes), expected, "{bytes:?}");
            for size in 1..4 {
                let mut check = ContentCheck::default();
                bytes.chunks(size).for_each(|part| check.take(part));
                assert_eq!(check.kind(), expected, "{bytes:?} in parts of {size}");
            }
        }
    }
}
