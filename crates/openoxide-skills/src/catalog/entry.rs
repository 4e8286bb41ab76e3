//! One skill file that a search found: what it says, whether it is active, and why not.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use openoxide_permissions::{Action, Names, Permission, Rule, Rules};

use crate::diagnostic::{Code, Diagnostic};
use crate::{discover::Reason, skill::SkillMetadata};

/// Whether a skill is active, and why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// It is active.
    Active,
    /// Another skill has its name or is the same file.
    Shadowed,
    /// A setting switches it off.
    Disabled,
    /// It is not a skill to this host.
    Invalid,
    /// It waits for a file to be touched.
    Dormant,
    /// Permission rules keep it away.
    Denied,
    /// Its folder is not trusted, and it would have taken another's name.
    Untrusted,
}

impl Status {
    /// Returns the word used in text and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Active => "active",
            Status::Shadowed => "shadowed",
            Status::Disabled => "disabled",
            Status::Invalid => "invalid",
            Status::Dormant => "dormant",
            Status::Denied => "denied",
            Status::Untrusted => "untrusted",
        }
    }
}

/// One file found, and its status.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What is known about the skill.
    pub skill: SkillMetadata,
    /// Its file as it was found, if that is another path than the skill's.
    pub(crate) found: Option<Arc<Path>>,
    /// Its file with links resolved, if that is another path than the skill's.
    pub(crate) canonical: Option<Arc<Path>>,
    /// Which of the roots it is in.
    pub root: usize,
    /// The place of its root in lists: that of the first root of its group.
    pub group: usize,
    /// Whether it is active.
    pub status: Status,
    /// Why not.
    pub reason: Option<Reason>,
    /// The skill that is active instead.
    pub by: Option<Arc<Path>>,
    /// Whether the model may call it.
    pub model: bool,
    /// Whether the user may call it.
    pub user: bool,
    /// Whether the model sees its name only.
    pub name_only: bool,
    /// Other names that call it.
    pub aliases: Vec<String>,
    /// Whether it got a longer name because another skill has its own.
    pub is_renamed: bool,
    /// Names that other hosts give it, where [`HostNames`](super::HostNames) told them. They call nothing here.
    pub(super) other_names: Vec<String>,
    /// What is added to the description that the model sees.
    pub note: Option<String>,
    /// The file's size in bytes.
    pub size: u64,
    /// A number that stands for the file's bytes, in catalogs that an [`IncrementalLoader`](super::IncrementalLoader) makes.
    pub content: Option<u64>,
    /// Findings about its files.
    pub problems: Vec<Problem>,
}

impl Entry {
    /// Makes the entry of a skill that no search found, because it lies in no folder.
    pub fn alone(skill: SkillMetadata, size: u64) -> Entry {
        Entry {
            skill,
            found: None,
            canonical: None,
            root: 0,
            group: 0,
            status: Status::Active,
            reason: None,
            by: None,
            model: true,
            user: true,
            name_only: false,
            aliases: Vec::new(),
            is_renamed: false,
            other_names: Vec::new(),
            note: None,
            size,
            content: None,
            problems: Vec::new(),
        }
    }

    /// Returns its folder, in the form the host lists.
    pub fn dir(&self) -> &Path {
        self.skill.path.parent().unwrap_or(Path::new("/"))
    }

    /// Returns its file as it was found, links kept.
    pub fn found(&self) -> &Path {
        self.found.as_deref().unwrap_or(&self.skill.path)
    }

    /// Returns its file with links resolved.
    pub fn canonical(&self) -> &Path {
        self.canonical.as_deref().unwrap_or(&self.skill.path)
    }

    /// Returns every name that a rule can mean it by: those that call it here, the one in its text, the one of its place, and
    /// those that other hosts make of them. Otherwise a caller that chooses the host would choose the rules.
    pub fn names_for_rules(&self) -> impl Iterator<Item = &str> {
        self.names_here().chain(self.names_elsewhere())
    }

    fn names_here(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.skill.name).chain(self.aliases.iter().map(String::as_str))
    }

    fn names_elsewhere(&self) -> impl Iterator<Item = &str> {
        let declared = self.skill.frontmatter.declared_name.as_deref();
        let places = name_of_place(self.found()).into_iter().chain(name_of_place(self.canonical()));
        declared.into_iter().chain(places).chain(self.other_names.iter().map(String::as_str))
    }

    /// Returns the rule that decides about it, or a part of it, by all its names; `subject` makes the subject of a name.
    pub fn deciding<'r>(
        &self,
        rules: &'r Rules,
        permission: Permission,
        subject: impl Fn(&str) -> String,
    ) -> Option<&'r Rule> {
        let names = Names { called: self.names_here().collect(), others: self.names_elsewhere().collect() };
        rules.deciding_by_names(permission, &names, subject)
    }

    /// Returns the rule that denies calling it, to every caller.
    pub fn denied_by<'r>(&self, rules: &'r Rules) -> Option<&'r Rule> {
        // Every entry is asked about, and mostly no rule denies any skill.
        let denies = |rule: &Rule| rule.action == Action::Deny && rule.is_about(Permission::Skill.as_str());
        if !rules.0.iter().any(denies) {
            return None;
        }
        self.deciding(rules, Permission::Skill, str::to_owned).filter(|rule| rule.action == Action::Deny)
    }

    /// Tells whether it is active.
    pub fn is_active(&self) -> bool {
        self.status == Status::Active
    }

    /// Adds names that some host reads in its text. They call nothing here.
    pub fn add_other_names(&mut self, names: impl IntoIterator<Item = String>) {
        self.other_names.extend(names);
    }

    /// Lets it no longer count, and says why.
    pub(super) fn drop_out(&mut self, status: Status, code: Code, text: impl Into<String>) {
        self.status = status;
        self.reason = Some(Reason { code, text: text.into() });
    }

    /// Lets another skill count instead.
    pub(super) fn shadow(&mut self, by: Arc<Path>, code: Code, text: impl Into<String>) {
        self.drop_out(Status::Shadowed, code, text);
        self.by = Some(by);
    }
}

/// Returns the name that a skill has by its folder, or by its file.
fn name_of_place(file: &Path) -> Option<&str> {
    let is_in_folder = file.file_name()?.eq_ignore_ascii_case("SKILL.md");
    let name = if is_in_folder { file.parent()?.file_name()? } else { file.file_stem()? };
    name.to_str()
}

/// A finding and the file it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file or folder.
    pub path: PathBuf,
    /// What is found.
    pub diagnostic: Diagnostic,
}
