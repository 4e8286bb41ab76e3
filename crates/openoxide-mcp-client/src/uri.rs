//! Parses the addresses of skills and their files.
//!
//! They are compared and sent back to the server that named them. Nothing opens them otherwise.

use std::fmt;

use openoxide_runtime::RemoteName;
use openoxide_skills::text::is_deceptive;
use percent_encoding::percent_decode_str;

const MAX_URI: usize = 1024;
const MAX_NAME: usize = 64;
const OWN_FILE: &str = "SKILL.md";

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadUri {
    #[error("it is longer than {MAX_URI} bytes")]
    Long,
    #[error("it is not of the form `scheme://path`")]
    Form,
    #[error("it means a file of this machine")]
    File,
    #[error("it has a character that has no place in a path")]
    Character,
    #[error("it has a part that is empty or leads elsewhere")]
    Part,
    #[error("it does not end with the skill's name and `SKILL.md`")]
    NotOwnFile,
    #[error(
        "the name in it is none that a skill can have: small letters, digits and single hyphens, at most {MAX_NAME}"
    )]
    Name,
}

/// The address of a skill's own file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SkillUri {
    text: String,
    /// Where the path begins.
    path: usize,
}

impl SkillUri {
    /// Parses an address; one that is not exactly of the standard's form is refused.
    pub(crate) fn parse(text: &str) -> Result<SkillUri, BadUri> {
        let path = checked(text)?;
        let uri = SkillUri { text: text.to_owned(), path };
        match text[path..].rsplit('/').next() {
            Some(OWN_FILE) if text[path..].contains('/') => {}
            _ => return Err(BadUri::NotOwnFile),
        }
        if is_name(uri.name()) { Ok(uri) } else { Err(BadUri::Name) }
    }

    /// Returns the address in a name, or the one that its path has in the standard's own scheme.
    pub(crate) fn from_name(name: &RemoteName) -> Option<SkillUri> {
        let scheme = if name.wanted.contains("://") { "" } else { "skill://" };
        SkillUri::parse(&format!("{scheme}{}/{OWN_FILE}", name.wanted)).ok()
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the address of the skill's folder.
    pub(crate) fn root(&self) -> &str {
        &self.text[..self.text.len() - OWN_FILE.len() - 1]
    }

    /// Returns the path of the skill's folder, without the scheme.
    pub(crate) fn path(&self) -> &str {
        &self.root()[self.path..]
    }

    /// Returns the skill's name, as the address has it.
    pub(crate) fn name(&self) -> &str {
        self.path().rsplit('/').next().unwrap_or_default()
    }

    /// Tells whether the scheme is the standard's own.
    pub(crate) fn is_plain(&self) -> bool {
        self.text.starts_with("skill://")
    }

    /// Tells whether a name is the skill's whole path or address.
    pub(crate) fn is_named_by(&self, name: &RemoteName) -> bool {
        name.wanted == self.root() || (self.is_plain() && name.wanted == self.path())
    }

    /// Returns the path of a file in the skill, if a name is the skill's path and goes on with one.
    pub(crate) fn file_named_by<'n>(&self, name: &'n RemoteName) -> Option<&'n str> {
        let folder = if self.is_plain() && !name.wanted.contains("://") { self.path() } else { self.root() };
        name.wanted.strip_prefix(folder)?.strip_prefix('/').filter(|file| !file.is_empty())
    }

    /// Returns the path of a file in the skill's folder, if an address means one.
    pub(crate) fn file<'u>(&self, uri: &'u str) -> Result<&'u str, BadUri> {
        checked(uri)?;
        let below = uri.strip_prefix(self.root()).and_then(|rest| rest.strip_prefix('/'));
        below.filter(|path| !path.is_empty()).ok_or(BadUri::Part)
    }

    /// Returns the address of a file in the skill's folder.
    pub(crate) fn of_file(&self, path: &str) -> Result<String, BadUri> {
        let uri = format!("{}/{path}", self.root());
        self.file(&uri).map(drop)?;
        Ok(uri)
    }
}

impl fmt::Display for SkillUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Checks an address; returns where its path begins.
fn checked(text: &str) -> Result<usize, BadUri> {
    if text.len() > MAX_URI {
        return Err(BadUri::Long);
    }
    let (scheme, rest) = text.split_once(':').ok_or(BadUri::Form)?;
    let letter = |character: char| character.is_ascii_lowercase();
    let plain = |character: char| letter(character) || character.is_ascii_digit() || "+-.".contains(character);
    if scheme.eq_ignore_ascii_case("file") {
        return Err(BadUri::File);
    }
    if !scheme.starts_with(letter) || !scheme.chars().all(plain) {
        return Err(BadUri::Form);
    }
    let path = rest.strip_prefix("//").ok_or(BadUri::Form)?;
    let odd = |character: char| {
        character.is_control()
            || character.is_whitespace()
            || is_deceptive(character)
            || "\\?#@<>\"`".contains(character)
    };
    if path.chars().any(odd) {
        return Err(BadUri::Character);
    }
    match path.split('/').all(is_part) {
        true => Ok(text.len() - path.len()),
        false => Err(BadUri::Part),
    }
}

/// Returns whether a segment names one entry of its folder, before and after decoding: not `.`, `..` or a separator.
fn is_part(part: &str) -> bool {
    let decoded = decoded(part);
    let stays = |part: &[u8]| !part.is_empty() && part != b"." && part != b"..";
    let is_odd = |byte: &u8| matches!(byte, b'/' | b'\\') || byte.is_ascii_control();
    stays(part.as_bytes()) && decoded.is_some_and(|decoded| stays(&decoded) && !decoded.iter().any(is_odd))
}

/// Decodes what is written as `%XX`; `None` if a `%` is followed by anything else.
fn decoded(part: &str) -> Option<Vec<u8>> {
    let is_escape = |after: &str| after.as_bytes().get(..2).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit));
    part.split('%').skip(1).all(is_escape).then(|| percent_decode_str(part).collect())
}

/// Tells whether a skill can have this name, by the standard.
fn is_name(name: &str) -> bool {
    let plain = |character: char| character.is_ascii_lowercase() || character.is_ascii_digit() || character == '-';
    let hyphens = name.starts_with('-') || name.ends_with('-') || name.contains("--");
    !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(plain) && !hyphens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_tells_the_folder_and_the_name() {
        let uri = SkillUri::parse("skill://acme/billing/refunds/SKILL.md").unwrap();
        assert_eq!(
            (uri.root(), uri.path(), uri.name()),
            ("skill://acme/billing/refunds", "acme/billing/refunds", "refunds")
        );
        assert_eq!(uri.file("skill://acme/billing/refunds/a/b.md"), Ok("a/b.md"));
        assert_eq!(uri.of_file("a/b.md").unwrap(), "skill://acme/billing/refunds/a/b.md");
        let other = SkillUri::parse("github://owner/repo/refunds/SKILL.md").unwrap();
        assert!(uri.is_plain() && !other.is_plain());
    }

    #[test]
    fn a_name_fits_its_address() {
        let rows = [
            ("mcp:docs/pdf", "skill://pdf/SKILL.md"),
            ("mcp:docs/acme/billing/refunds", "skill://acme/billing/refunds/SKILL.md"),
            ("mcp:docs/github://owner/repo/refunds", "github://owner/repo/refunds/SKILL.md"),
        ];
        for (text, uri) in rows {
            let name = RemoteName::parse(text).unwrap();
            let uri = SkillUri::parse(uri).unwrap();
            assert_eq!(name.to_string(), text);
            assert!(uri.is_named_by(&name));
            assert_eq!(SkillUri::from_name(&name), Some(uri));
        }
    }

    #[test]
    fn what_is_not_of_the_form_is_refused() {
        let rows = [
            ("skill://SKILL.md", BadUri::NotOwnFile),
            ("skill://pdf/skill.md", BadUri::NotOwnFile),
            ("skill://pdf/", BadUri::Part),
            ("skill:pdf/SKILL.md", BadUri::Form),
            ("pdf/SKILL.md", BadUri::Form),
            ("SKILL://pdf/SKILL.md", BadUri::Form),
            ("file:///etc/SKILL.md", BadUri::File),
            ("file:/x/SKILL.md", BadUri::File),
            ("File://x/SKILL.md", BadUri::File),
            ("skill://a/../pdf/SKILL.md", BadUri::Part),
            ("skill://a/%2e%2E/pdf/SKILL.md", BadUri::Part),
            ("skill://a%2Fb/pdf/SKILL.md", BadUri::Part),
            ("skill://a%5cb/pdf/SKILL.md", BadUri::Part),
            ("skill://a%00/pdf/SKILL.md", BadUri::Part),
            ("skill://a%/pdf/SKILL.md", BadUri::Part),
            ("skill://a//pdf/SKILL.md", BadUri::Part),
            ("skill://a\\b/pdf/SKILL.md", BadUri::Character),
            ("skill://me@a/pdf/SKILL.md", BadUri::Character),
            ("skill://pdf/SKILL.md?x", BadUri::Character),
            ("skill://pdf/SKILL.md#x", BadUri::Character),
            ("skill://p df/SKILL.md", BadUri::Character),
            ("skill://a</skill>/pdf/SKILL.md", BadUri::Character),
            ("skill://a\u{202e}b/pdf/SKILL.md", BadUri::Character),
            ("skill://pdf\u{1b}/SKILL.md", BadUri::Character),
            ("skill://Pdf/SKILL.md", BadUri::Name),
            ("skill://-pdf/SKILL.md", BadUri::Name),
            ("skill://p--f/SKILL.md", BadUri::Name),
        ];
        for (text, bad) in rows {
            assert_eq!(SkillUri::parse(text), Err(bad), "{text}");
        }
        assert_eq!(SkillUri::parse(&format!("skill://{}/SKILL.md", "a".repeat(65))), Err(BadUri::Name));
        assert_eq!(SkillUri::parse(&format!("skill://{}/SKILL.md", "a".repeat(1024))), Err(BadUri::Long));
    }

    #[test]
    fn a_file_lies_below_its_own_skill() {
        let uri = SkillUri::parse("skill://pdf/SKILL.md").unwrap();
        for other in
            ["skill://pdf2/a.md", "skill://pdf", "skill://pdf/", "skill://pdf/../b", "skill://other/a.md", "x://pdf/a"]
        {
            assert!(uri.file(other).is_err(), "{other}");
        }
        for path in ["", "../a", "/etc/passwd", "a/../../b", "a?b", "."] {
            assert!(uri.of_file(path).is_err(), "{path}");
        }
    }
}
