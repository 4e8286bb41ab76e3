//! Values of a host's settings, each with its origin.
//!
//! Reading the files is `openoxide-config`'s work; here they are values handed in.

use std::{collections::BTreeMap, fmt, path::PathBuf, sync::Arc};

use toml::{Table, Value};

use crate::skill::SkillScope;

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// A file, and the line if it is known.
    File {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: Option<usize>,
    },
    /// An environment variable.
    Environment(String),
    /// The command line.
    CommandLine,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File { path, line: Some(line) } => write!(f, "{}:{line}", path.display()),
            Origin::File { path, line: None } => write!(f, "{}", path.display()),
            Origin::Environment(name) => write!(f, "${name}"),
            Origin::CommandLine => f.write_str("command line"),
        }
    }
}

/// A value and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The value.
    pub value: Value,
    /// Where it came from.
    pub origin: Origin,
}

/// An installed plugin whose skills are active.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plugin {
    /// What prefixes its skills' names.
    pub name: String,
    /// `name@marketplace`.
    pub id: String,
    /// Where it lies.
    pub dir: PathBuf,
    /// The folder that links in it may not lead out of, if any.
    pub links_within: Option<PathBuf>,
    /// Folders that its manifest names, absolute, by the manifest's key.
    pub folders: BTreeMap<String, Vec<PathBuf>>,
    /// Keys whose folders replace the usual one.
    pub replaced: Vec<String>,
    /// Whose it is, if not as its root says.
    pub scope: Option<SkillScope>,
    /// Why it is switched off, if it is.
    pub off: Option<String>,
    /// Whether a file of the project says where it lies.
    pub named_by_project: bool,
}

/// The settings of one host, as found in the program's own files and in OpenOxide's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostSettings {
    /// Values by the setting's name; one that nobody set is absent.
    pub values: BTreeMap<String, Setting>,
    /// What a setting adds up from, weakest first, where it does.
    pub parts: BTreeMap<String, Vec<Setting>>,
    /// Installed plugins by the setting's name.
    pub plugins: BTreeMap<String, Vec<Arc<Plugin>>>,
}

impl HostSettings {
    /// Returns a setting that has a value of its own, not the default.
    pub fn get(&self, name: &str) -> Option<&Setting> {
        self.values.get(name)
    }

    /// Returns what each place says about a setting, weakest first.
    pub fn said(&self, name: &str) -> &[Setting] {
        let parts = self.parts.get(name).map(Vec::as_slice);
        parts.or_else(|| self.values.get(name).map(std::slice::from_ref)).unwrap_or_default()
    }

    /// Tells whether a switch is on; `default` if nobody set it.
    pub fn is_on(&self, name: &str, default: bool) -> bool {
        self.get(name).and_then(|setting| setting.value.as_bool()).unwrap_or(default)
    }

    /// Returns the rules that settings replace: the path of each rule and its new value.
    pub(crate) fn overrides(&self, host: &Table) -> Vec<(String, Value)> {
        let Some(Value::Table(rules)) = host.get("settings") else { return Vec::new() };
        rules
            .iter()
            .filter_map(|(name, rule)| {
                let path = rule.get("sets")?.as_str()?;
                Some((path.to_owned(), self.get(name)?.value.clone()))
            })
            .collect()
    }
}
