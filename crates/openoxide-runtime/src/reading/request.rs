//! The request to read a file or folder of a skill.

use openoxide_skills::{catalog::Entry, host::Caller, resource::ResourcePath};

/// What a caller wants to read.
#[derive(Clone, Debug)]
pub struct ReadRequest {
    /// Which file.
    pub target: ReadTarget,
    /// Who asks: what a caller may not call, it may not read.
    pub caller: Caller,
    /// In which form.
    pub form: ReadForm,
    /// Who gets to see it.
    pub audience: Audience,
}

impl ReadRequest {
    /// Returns what the caller wrote.
    pub fn written(&self) -> &str {
        match &self.target {
            ReadTarget::Skill { written, .. } => written,
            ReadTarget::Url(url) => url,
            ReadTarget::Found { entry, .. } => &entry.skill.name,
        }
    }
}

/// Which file is read.
#[derive(Clone, Debug)]
pub enum ReadTarget {
    /// A part of a skill.
    Skill {
        /// The skill, by name, absolute path, or `mcp:SERVER/NAME`.
        skill: String,
        /// What the caller wrote, for the answer.
        written: String,
        /// Which part of it.
        part: ReadPart,
    },
    /// An address, `skill://NAME/PATH`.
    Url(String),
    /// A file of a skill that is already found.
    Found {
        /// The skill.
        entry: Box<Entry>,
        /// The file.
        path: ResourcePath,
        /// What happens to links on the way.
        links: LinkRule,
    },
}

/// Which part of a skill is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadPart {
    /// Its `SKILL.md`.
    Manifest,
    /// The names in its folder.
    Listing,
    /// A file or a folder in it.
    Path(String),
}

/// In which form a file is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadForm {
    /// Text as the host sends it; a file that is not text is refused.
    Text,
    /// Bytes, whole.
    Bytes,
}

/// Who gets to see what is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// The user, at their own terminal. Reading a server's skill there needs no approval.
    Person,
    /// A program, which may hand it to a model.
    Program,
}

/// What happens to links on the way to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkRule {
    /// Links inside the skill's folder are followed.
    Follow,
    /// A link is refused, except where the skill's own `SKILL.md` is one.
    Refuse,
}
