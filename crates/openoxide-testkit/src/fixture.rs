//! Writes a file tree that is described in one string.
//!
//! ```text
//! //- project/.agents/skills/pdf/SKILL.md
//! ---
//! description: Fills in forms
//! ---
//! //- project/.agents/skills/form -> pdf
//! //- project/empty/
//! ```
//!
//! A line `//- PATH [-> TARGET] [FLAG…]` begins an entry, and the lines up to the next header are its content. A path that
//! ends in `/` is a folder, `-> TARGET` makes a symbolic link. Paths and flags are separated by spaces, so a space in a
//! path is written `\x20` under the flag `escaped`. The flags:
//!
//! | flag | meaning |
//! | --- | --- |
//! | `bom` | begins with a byte-order mark |
//! | `crlf` | every line ends in CR LF |
//! | `nonl` | the final newline is dropped |
//! | `exec` | the file is executable |
//! | `fifo` | a named pipe instead of a file |
//! | `mode=OCTAL` | permission bits, set after everything is written |
//! | `escaped` | path, target and content use `\n \r \t \\ \xNN \u{…}`, where `\xNN` is a raw byte |
//! | `rooted` | `{root}` in content and target is the folder that the tree is written to |
//! | `repeat=N` | N such entries: `{i}` is `000`, `001`, … `{pad}` is `lorem ` repeated `i * 7 mod 41` times, and `{long}` is `lorem ` 8,000 times |
//! | `lines=N` | the last line is repeated N times, where `{n}` is 1, 2, … |

mod escape;
mod header;
mod replace;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use header::{Header, Shape, Switch};
use replace::replace;

/// A parsed tree, ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixture {
    entries: Vec<Entry>,
}

/// One file, folder, link or pipe.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    path: Vec<u8>,
    node: Node,
    mode: Option<u32>,
    rooted: bool,
}

/// The kind of an entry, with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    File(Vec<u8>),
    Folder,
    Link(Vec<u8>),
    Fifo,
}

impl Fixture {
    /// Reads a tree from its text.
    ///
    /// # Panics
    ///
    /// If the text is not a fixture: a fixture is part of a test, and a broken one is that test's bug.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut sections: Vec<(Header, String)> = Vec::new();
        for line in text.split_inclusive('\n') {
            if let Some(header) = line.strip_prefix("//- ") {
                sections.push((Header::parse(header.trim_end()), String::new()));
            } else if let Some((_, content)) = sections.last_mut() {
                content.push_str(line);
            } else {
                assert!(line.trim().is_empty(), "fixture has text before its first header: {line:?}");
            }
        }
        let entries =
            sections.iter().flat_map(|(header, content)| entries(header, &lengthened(header, content))).collect();
        Self { entries }
    }

    /// Writes the tree below `dir`, making the folders it needs.
    ///
    /// # Panics
    ///
    /// If the file system refuses.
    pub fn write(&self, dir: &Path) {
        fs_err::create_dir_all(dir).expect("the folder for a fixture can be made");
        let root = fs_err::canonicalize(dir).expect("the folder for a fixture exists");
        for entry in &self.entries {
            entry.write(&root);
        }
        for entry in self.entries.iter().rev() {
            entry.restrict(&root);
        }
    }
}

/// Expands one section into its entries: one, or as many as `repeat` asks for.
fn entries(header: &Header, content: &str) -> Vec<Entry> {
    match header.repeat {
        None => vec![entry(header, &header.path, header.target.as_deref(), content)],
        Some(n) => (0..n)
            .map(|i| {
                let target = header.target.as_deref().map(|target| numbered(target, i));
                entry(header, &numbered(&header.path, i), target.as_deref(), &numbered(content, i))
            })
            .collect(),
    }
}

/// Repeats the last line as often as `lines` asks for.
fn lengthened<'t>(header: &Header, content: &'t str) -> Cow<'t, str> {
    let Some(lines) = header.lines else { return Cow::Borrowed(content) };
    let body = content.trim_end_matches('\n');
    let start = body.rfind('\n').map_or(0, |at| at + 1);
    let repeated = (1..=lines).map(|n| format!("{}\n", body[start..].replace("{n}", &n.to_string())));
    Cow::Owned(format!("{}{}", &body[..start], repeated.collect::<String>()))
}

fn numbered(text: &str, i: usize) -> String {
    let text = text.replace("{i}", &format!("{i:03}")).replace("{pad}", &"lorem ".repeat(i * 7 % 41));
    if text.contains("{long}") { text.replace("{long}", &"lorem ".repeat(8000)) } else { text }
}

fn entry(header: &Header, path: &str, target: Option<&str>, content: &str) -> Entry {
    let bytes = |text: &str| {
        if header.has(Switch::Escaped) { escape::unescape(text) } else { text.as_bytes().to_vec() }
    };
    let node = match (target, header.shape) {
        (Some(target), _) => Node::Link(bytes(target)),
        (None, Shape::Fifo) => Node::Fifo,
        (None, Shape::Folder) => Node::Folder,
        (None, Shape::File) => Node::File(header.finish(bytes(content))),
    };
    Entry { path: bytes(path), node, mode: header.mode, rooted: header.has(Switch::Rooted) }
}

impl Entry {
    fn write(&self, root: &Path) {
        let path = self.place(root);
        let parent = path.parent().expect("an entry lies below the fixture's folder");
        fs_err::create_dir_all(parent).expect("the parent of an entry can be made");
        match &self.node {
            Node::File(content) => {
                fs_err::write(&path, self.rooted(content, root)).expect("a file can be written");
            }
            Node::Folder => fs_err::create_dir_all(&path).expect("a folder can be made"),
            Node::Link(target) => {
                let target = self.rooted(target, root);
                fs_err::os::unix::fs::symlink(OsStr::from_bytes(&target), &path).expect("a link can be made");
            }
            Node::Fifo => make_fifo(&path),
        }
    }

    fn restrict(&self, root: &Path) {
        if let Some(mode) = self.mode {
            let permissions = std::fs::Permissions::from_mode(mode);
            fs_err::set_permissions(self.place(root), permissions).expect("permissions can be set");
        }
    }

    fn place(&self, root: &Path) -> PathBuf {
        root.join(OsStr::from_bytes(&self.path))
    }

    fn rooted(&self, bytes: &[u8], root: &Path) -> Vec<u8> {
        if self.rooted { replace(bytes, b"{root}", root.as_os_str().as_bytes()) } else { bytes.to_vec() }
    }
}

fn make_fifo(path: &Path) {
    let status = Command::new("mkfifo").arg(path).status().expect("`mkfifo` runs");
    assert!(status.success(), "`mkfifo {}` failed", path.display());
}
