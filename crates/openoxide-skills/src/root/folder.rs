//! A root: one folder that a host searches, and the rules that hold there.

use std::path::PathBuf;

use crate::host::{Control, NameShape, ScanRules};
use crate::settings::Plugin;
use crate::skill::SkillScope;

/// A folder that is searched.
#[derive(Clone, Debug)]
pub struct Root {
    /// The folder.
    pub path: PathBuf,
    /// Whose it is.
    pub scope: SkillScope,
    /// The provider that people know the place by.
    pub provider: Option<String>,
    /// Whether only a part of the agent looks here.
    pub narrow: bool,
    /// The group that it is listed with.
    pub group: Option<String>,
    /// How it is searched.
    pub scan: ScanRules,
    /// The plugin it belongs to.
    pub plugin: Option<Plugin>,
    /// How a skill is called whose name is taken, with `{name}`.
    pub on_clash: Option<String>,
    /// What is added to the description that the model sees.
    pub note: Option<String>,
    /// The same for a skill whose name is taken, with `{name}`.
    pub note_on_clash: Option<String>,
    /// Whether the model sees only skills with a description of their own.
    pub described_only: bool,
    /// Whether settings that name skills have no effect here.
    pub unfiltered: bool,
    /// Whether a skill here gives way to one of the same name elsewhere in its plugin.
    pub yields: bool,
    /// What stands in for a missing description.
    pub description_empty: Option<String>,
    /// Controls that have no effect here.
    pub without: Vec<Control>,
    /// Whether somebody named the folder, so that it ought to be there.
    pub named: bool,
    /// What wakes it, if it is asleep: the folder in which a file has to be touched.
    pub asleep: Option<String>,
    /// Why it is switched off, if it is; such a root is searched only to name what does not count.
    pub off: Option<String>,
    /// Whether a skill here without a description of its own is invalid.
    pub description_required: bool,
    /// Whether descriptions here become one line of plain text.
    pub plain_descriptions: bool,
    /// Whether a skill here takes its name from roots before this one.
    pub overrides: bool,
    /// What a name here must look like.
    pub names: Option<NameShape>,
}

impl Root {
    /// Makes a root without any particulars.
    pub fn plain(path: PathBuf, scope: SkillScope, scan: ScanRules) -> Root {
        Root {
            path,
            scope,
            scan,
            provider: None,
            narrow: false,
            group: None,
            plugin: None,
            on_clash: None,
            note: None,
            note_on_clash: None,
            described_only: false,
            unfiltered: false,
            yields: false,
            description_empty: None,
            without: Vec::new(),
            named: false,
            asleep: None,
            off: None,
            description_required: false,
            plain_descriptions: false,
            overrides: false,
            names: None,
        }
    }
}
