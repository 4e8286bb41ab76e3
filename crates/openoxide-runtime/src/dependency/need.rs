//! Dependencies as values, with the questions and notices about them.

use openoxide_skills::catalog::Entry;
use openoxide_skills::skill::ToolDependency;

use crate::notice::Notice;
use crate::question::Question;

/// The most questions of one kind that an activation puts, so that no skill can bury the user in them.
pub(super) const MAX_QUESTIONS: usize = 20;

/// What is said and asked about dependencies.
#[derive(Debug, Default)]
pub(crate) struct DependencyReport {
    pub(crate) questions: Vec<Question>,
    pub(crate) notices: Vec<Notice>,
}

impl DependencyReport {
    pub(super) fn note(&mut self, skills: &[String], text: String, help: Option<String>) {
        self.notices.push(Notice { skill: skills.join(", "), text, help });
    }
}

/// One thing that one skill needs.
pub(super) struct Need<'a> {
    pub(super) entry: &'a Entry,
    pub(super) tool: &'a ToolDependency,
}

impl Need<'_> {
    pub(super) fn skill(&self) -> String {
        self.entry.skill.name.to_string()
    }

    pub(super) fn is(&self, kind: &str) -> bool {
        self.tool.kind.eq_ignore_ascii_case(kind)
    }
}

/// Returns what skills need, in the order of the calls; a skill that is called twice needs it once.
pub(super) fn needs<'a>(entries: &[&'a Entry]) -> Vec<Need<'a>> {
    let mut seen = Vec::new();
    let mut needs = Vec::new();
    for entry in entries {
        if seen.contains(&entry.canonical()) {
            continue;
        }
        seen.push(entry.canonical());
        let tools = entry.skill.dependencies.iter();
        needs.extend(tools.map(|tool| Need { entry, tool }));
    }
    needs
}

pub(super) fn too_many(what: &str) -> String {
    format!("{what} is missing, and was not asked for: more than {MAX_QUESTIONS} questions at once")
}
