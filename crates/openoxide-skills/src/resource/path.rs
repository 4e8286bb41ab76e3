//! Paths of files in a skill's folder, checked before anything is opened.
//!
//! The checks are there for clear answers. What keeps a read inside is how files are opened.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use crate::host::{PathLeniency, ReadProblem, ResourceRules};
use crate::text::is_deceptive;

/// Tells whether a name is never part of a skill: version control's own is not digested, read, listed or copied.
pub(crate) fn is_left_out(name: &OsStr) -> bool {
    // Some disks do not tell upper case from lower.
    name.eq_ignore_ascii_case(".git")
}

/// Tells whether a path leads through such a name.
pub(super) fn is_left_out_path(path: &Path) -> bool {
    path.iter().any(is_left_out)
}

/// A path inside a skill's folder: relative, without `..`, not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourcePath {
    path: PathBuf,
    /// What was written, where `path` is what its escapes mean.
    literal: Option<PathBuf>,
}

impl ResourcePath {
    /// Checks a path as the caller wrote it. Names may be written as [`shown_name`] shows them.
    pub fn parse(text: &str, rules: &ResourceRules) -> Result<ResourcePath, ReadProblem> {
        let text = if rules.lenient.contains(&PathLeniency::Blanks) { text.trim() } else { text };
        if text.is_empty() {
            return Err(ReadProblem::Empty);
        }
        if rules.lenient.contains(&PathLeniency::Backslashes) {
            let path = checked(text.replace('\\', "/").as_bytes())?;
            return Ok(ResourcePath { path, literal: None });
        }
        let literal = checked(text.as_bytes())?;
        match unescaped(text) {
            Some(bytes) => {
                let path = checked(&bytes)?;
                let literal = Some(literal).filter(|literal| *literal != path);
                Ok(ResourcePath { path, literal })
            }
            None => Ok(ResourcePath { path: literal, literal: None }),
        }
    }

    /// Checks a path that is given by the bytes of its names: each is a name as it stands on disk, and nothing else.
    pub fn of_names<'n>(names: impl IntoIterator<Item = &'n [u8]>) -> Result<ResourcePath, ReadProblem> {
        let mut path = PathBuf::new();
        for name in names {
            match name {
                b"" => return Err(ReadProblem::Empty),
                b"." => return Err(ReadProblem::Itself),
                b".." => return Err(ReadProblem::Traversal),
                name if name.contains(&0) => return Err(ReadProblem::Nul),
                name if name.contains(&b'/') => return Err(ReadProblem::Traversal),
                name => path.push(std::ffi::OsStr::from_bytes(name)),
            }
        }
        if path.as_os_str().is_empty() { Err(ReadProblem::Empty) } else { Ok(ResourcePath { path, literal: None }) }
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<ResourcePath, ReadProblem> {
        Ok(ResourcePath { path: checked(bytes)?, literal: None })
    }

    /// Returns the path as it is looked for first.
    pub fn as_path(&self) -> &Path {
        &self.path
    }

    /// Returns the paths to look for, the likelier first.
    pub(super) fn candidates(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&*self.path).chain(self.literal.as_deref())
    }
}

fn checked(bytes: &[u8]) -> Result<PathBuf, ReadProblem> {
    if bytes.is_empty() {
        return Err(ReadProblem::Empty);
    }
    if bytes.contains(&0) {
        return Err(ReadProblem::Nul);
    }
    let drive = matches!(bytes, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    if bytes[0] == b'/' || drive {
        return Err(ReadProblem::Absolute);
    }
    if bytes == b"~" || bytes.starts_with(b"~/") {
        return Err(ReadProblem::Home);
    }
    let mut names: Vec<&[u8]> = Vec::new();
    for name in bytes.split(|byte| *byte == b'/') {
        match name {
            b"" | b"." => {}
            b".." => {
                names.pop().ok_or(ReadProblem::Traversal)?;
            }
            name => names.push(name),
        }
    }
    if names.is_empty() {
        return Err(ReadProblem::Itself);
    }
    Ok(PathBuf::from(OsString::from_vec(names.join(&b'/'))))
}

/// Writes a name or a path so that no two look alike and nothing in it commands a terminal.
///
/// A byte that is not UTF-8 becomes `\xNN`, a character that hides or commands becomes `\u{N}`, and `\` becomes `\\`.
pub fn shown_name(path: &Path) -> String {
    let mut shown = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\\' => shown.push_str("\\\\"),
                _ if is_deceptive(character) => {
                    let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
                }
                _ => shown.push(character),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown
}

/// Reads what [`shown_name`] wrote; `None` if there is nothing to undo, or if it is not such a text.
pub(super) fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut rest = text;
    let mut bytes = Vec::new();
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        rest = if let Some(after) = after.strip_prefix('\\') {
            bytes.push(b'\\');
            after
        } else if let Some(after) = after.strip_prefix('x') {
            bytes.push(u8::from_str_radix(digits(after.get(..2)?)?, 16).ok()?);
            &after[2..]
        } else {
            let (code, after) = after.strip_prefix("u{")?.split_once('}')?;
            let character = char::from_u32(u32::from_str_radix(digits(code)?, 16).ok()?)?;
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            after
        };
    }
    bytes.extend_from_slice(rest.as_bytes());
    (bytes != text.as_bytes()).then_some(bytes)
}

fn digits(text: &str) -> Option<&str> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<String, ReadProblem> {
        ResourcePath::parse(text, &ResourceRules::default()).map(|path| path.as_path().to_str().unwrap().to_owned())
    }

    #[test]
    fn each_bad_path_has_its_reason() {
        let cases = [
            ("", ReadProblem::Empty),
            (".", ReadProblem::Itself),
            ("./", ReadProblem::Itself),
            ("a/..", ReadProblem::Itself),
            ("..", ReadProblem::Traversal),
            ("../x", ReadProblem::Traversal),
            ("a/../../x", ReadProblem::Traversal),
            ("a/../../a/x", ReadProblem::Traversal),
            ("/etc/passwd", ReadProblem::Absolute),
            ("C:\\x", ReadProblem::Absolute),
            ("c:/x", ReadProblem::Absolute),
            ("~", ReadProblem::Home),
            ("~/x", ReadProblem::Home),
            ("a\0b", ReadProblem::Nul),
            ("a\\x00b", ReadProblem::Nul),
            ("\\x2e\\x2e/x", ReadProblem::Traversal),
            ("\\x2fetc/passwd", ReadProblem::Absolute),
        ];
        for (text, problem) in cases {
            assert_eq!(parse(text), Err(problem), "{text:?}");
        }
    }

    #[test]
    fn good_paths_are_tidied() {
        let cases = [
            ("a/b.md", "a/b.md"),
            ("./a//b.md", "a/b.md"),
            ("a/", "a"),
            ("a/../SKILL.md", "SKILL.md"),
            ("..hidden", "..hidden"),
            ("...", "..."),
            ("a/..b", "a/..b"),
            ("~x", "~x"),
            (" a ", " a "),
            ("-x", "-x"),
        ];
        for (text, path) in cases {
            assert_eq!(parse(text).as_deref(), Ok(path), "{text:?}");
        }
    }

    #[test]
    fn a_host_may_take_backslashes_and_drop_blanks() {
        let rules = ResourceRules {
            lenient: vec![PathLeniency::Backslashes, PathLeniency::Blanks],
            ..ResourceRules::default()
        };
        let parse = |text: &str| ResourcePath::parse(text, &rules).map(|path| path.as_path().to_owned());
        assert_eq!(parse("  a\\b.md "), Ok("a/b.md".into()));
        assert_eq!(parse("\\etc"), Err(ReadProblem::Absolute));
        assert_eq!(parse("a\\..\\..\\b"), Err(ReadProblem::Traversal));
        assert_eq!(parse("   "), Err(ReadProblem::Empty));
    }

    proptest::proptest! {
        #[test]
        fn what_is_shown_is_understood_and_never_ambiguous(
            one in proptest::collection::vec(1u8..=255, 1..12),
            other in proptest::collection::vec(1u8..=255, 1..12),
        ) {
            let name = |bytes: &[u8]| PathBuf::from(OsString::from_vec(bytes.to_vec()));
            let shown = shown_name(&name(&one));
            proptest::prop_assert!(!shown.chars().any(is_deceptive));
            let undone = unescaped(&shown).unwrap_or_else(|| shown.clone().into_bytes());
            proptest::prop_assert_eq!(&undone, &one);
            proptest::prop_assert_eq!(shown == shown_name(&name(&other)), one == other);
        }

        #[test]
        fn no_path_that_passes_climbs(text in ".{0,40}") {
            if let Ok(path) = ResourcePath::parse(&text, &ResourceRules::default()) {
                for path in path.candidates() {
                    let normal = |part: std::path::Component<'_>| matches!(part, std::path::Component::Normal(_));
                    proptest::prop_assert!(path.components().all(normal));
                }
            }
        }
    }
}
