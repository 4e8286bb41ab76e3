//! Names the folders that a host looks in.

use openoxide_config::Workspace;
use openoxide_skills::host::{Layout, RootRule};
use openoxide_skills::prelude::{SkillScope, View};
use openoxide_skills::text::TerminalText;

use crate::paths;

/// Names the folders that a host looks in, as people know them.
pub(super) fn looks_in(workspace: &Workspace, view: &View) -> String {
    let mut names: Vec<String> = Vec::new();
    let mut rules: Vec<&RootRule> = view.host.roots.iter().filter(|rule| rule.listed.is_none()).collect();
    rules.retain(|rule| matches!(rule.layout, None | Some(Layout::Files)));
    // A folder that is searched in both ways is named once.
    rules.sort_by_key(|rule| rule.layout.is_some());
    for rule in rules {
        let walked = rule.path.strip_prefix('{').and_then(|rest| rest.split_once("}/"));
        let name = match walked {
            Some((name, _)) if view.host.vars.contains_key(name) && rule.scope == SkillScope::User => {
                let expanded = view.around.expand(&rule.path, &view.host.vars);
                expanded.map_or_else(String::new, |path| paths::short(workspace, &path))
            }
            Some((_, rest)) => rest.to_owned(),
            None => rule.path.clone(),
        };
        let is_of_project = walked.is_some_and(|(walk, _)| matches!(walk, "cwd" | "project"));
        let is_folder = name.starts_with(['.', '~', '/']) && matches!(rule.scope, SkillScope::Repo | SkillScope::User);
        if (is_folder || is_of_project) && !names.contains(&name) {
            names.push(name);
        }
    }
    TerminalText(&names.join(", ")).to_string()
}
