//! Use case: tells which setting switches all skills of a host off, and how to switch them on.

use std::fmt;

use openoxide_config::Workspace;
use openoxide_skills::{catalog::View, settings::Origin, text::TerminalText};

use crate::paths;

/// The setting that switches all skills of a host off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillsOff {
    /// Its name in the host's own settings.
    pub key: String,
    /// The file, variable or option that sets it, safe to print.
    pub place: String,
    /// The value that switches skills on.
    pub on: bool,
}

/// Returns the setting that switches a host's skills off, if the host searches no folder because of it.
pub fn skills_off(workspace: &Workspace, view: &View) -> Option<SkillsOff> {
    if view.roots.iter().any(|root| root.off.is_none()) {
        return None;
    }
    let mut switches = view.host.roots.iter().flat_map(|rule| rule.needs.iter().chain(&rule.switches));
    let name = switches.find(|name| !view.host.is_on(name, &view.settings))?;
    let rule = view.host.settings.get(name)?;
    let source = rule
        .from
        .iter()
        .rev()
        .find(|source| source.key.is_some() && (source.file.is_some() || source.layers.is_some()));
    let key = source.and_then(|source| source.key.as_ref()).unwrap_or(name);
    let file = source.and_then(|source| view.around.expand(source.file.as_ref()?, &view.host.vars));
    let place = match (view.settings.get(name).map(|setting| &setting.origin), file) {
        (Some(Origin::File { path, .. }), _) => paths::short(workspace, path),
        (Some(origin @ (Origin::Environment(_) | Origin::CommandLine)), _) => origin.to_string(),
        (_, Some(file)) => paths::short(workspace, &file),
        _ => format!("the settings of {}", view.host.title),
    };
    let safe = |text: &str| TerminalText(text).to_string();
    Some(SkillsOff { key: safe(key), place: safe(&place), on: !source.is_some_and(|source| source.negate) })
}

impl SkillsOff {
    /// Returns the next step in one sentence.
    pub fn remedy(&self) -> String {
        format!("skills are off: set `{}` to {} in {}", self.key, self.on, self.place)
    }
}

impl fmt::Display for SkillsOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "its settings switch skills off: `{}` in {}", self.key, self.place)
    }
}
