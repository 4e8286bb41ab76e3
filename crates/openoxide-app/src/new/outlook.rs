//! What the user's agents make of a new skill, seen by looking again.

use std::path::{Path, PathBuf};

use openoxide_config::Workspace;
use openoxide_skills::prelude::Status;
use openoxide_wire::HostOutcome;

use super::NewSkill;
use crate::explain::{Advice, explain};
use crate::{Error, paths, skill_id::SkillReference};

/// What the user's agents make of a new skill.
#[derive(Clone, Debug, Default)]
pub struct Outlook {
    /// Other skills of this name that the agents find.
    pub namesakes: Vec<PathBuf>,
    /// What each agent that finds one of them does with the name.
    pub choices: Vec<(String, NameChoice)>,
    /// What can be done for each agent, by its title: the same as `explain` says.
    pub advice: Vec<(String, Advice)>,
}

/// What an agent does with a name that a new skill shares with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameChoice {
    /// It uses the new skill.
    New,
    /// It uses another one.
    Other,
    /// It uses both.
    Both,
}

/// Looks at a skill that was just made as the user's agents do.
pub fn outlook(workspace: &Workspace, name: &str, made: &NewSkill) -> Result<Outlook, Error> {
    let workspace = workspace.reopen()?;
    let by_name = explain(&workspace, name, false)?.answer;
    let is_new = |path: &str| paths::real(Path::new(path)) == paths::real(&made.file);
    let mut outlook = Outlook::default();
    for host in &by_name.hosts {
        for file in host.files.iter().filter(|file| !is_new(&file.path)) {
            let path = PathBuf::from(&file.path);
            if !outlook.namesakes.contains(&path) {
                outlook.namesakes.push(path);
            }
        }
        outlook.choices.extend(choice(host, is_new).map(|choice| (host.title.clone(), choice)));
    }
    let Some(folder) = made.folder.to_str() else { return Ok(outlook) };
    let by_path = explain(&workspace, folder, false)?;
    let hosts = by_path.answer.hosts.into_iter().map(|host| host.title);
    let advised = hosts.zip(by_path.advice).filter_map(|(title, advice)| Some((title, advice?)));
    let is_alone = outlook.namesakes.is_empty();
    outlook.advice = advised
        .map(|(title, advice)| match advice {
            // The name may mean another one.
            Advice::Link { into, .. } if !is_alone => {
                (title, Advice::Link { skill: SkillReference { name: None, folder: made.folder.clone() }, into })
            }
            advice => (title, advice),
        })
        .collect();
    Ok(outlook)
}

/// Returns what an agent does with the name, if it finds another skill of it.
fn choice(host: &HostOutcome, is_new: impl Fn(&str) -> bool) -> Option<NameChoice> {
    let active = || host.files.iter().filter(|file| file.status == Status::Active.as_str());
    let uses_other = active().any(|file| !is_new(&file.path));
    match (active().any(|file| is_new(&file.path)), uses_other) {
        (true, true) => Some(NameChoice::Both),
        (true, false) if host.files.iter().any(|file| !is_new(&file.path)) => Some(NameChoice::New),
        (false, true) => Some(NameChoice::Other),
        _ => None,
    }
}
