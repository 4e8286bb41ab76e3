//! Use case: lists skills with their whole text, in the shape that clients of another program expect.

use openoxide_live::Snapshot;
use openoxide_skills::catalog::Entry;
use openoxide_skills::host::{Caller, HostSpec, ServeRules, ServeShape};
use openoxide_skills::text::{path_text, visible};

use crate::error::{Error, ErrorKind};

/// A skill with its whole text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillText {
    /// Its name.
    pub name: String,
    /// What it is for, if it says so.
    pub description: Option<String>,
    /// Its file.
    pub path: String,
    /// Its text without the frontmatter.
    pub content: String,
    /// What is sent when it is called, before arguments are put in.
    pub template: String,
}

/// How clients that expect records are answered.
#[derive(Clone, Debug)]
pub struct RecordHost {
    /// The host that answers; absent: the one that is served.
    pub host: Option<String>,
    /// The header that names the folder.
    pub folder_header: Option<String>,
}

/// Returns the host that answers in records: the one that is served, or else the first that does.
pub fn host(snapshot: &Snapshot) -> Result<RecordHost, Error> {
    let has_shape = |rules: &ServeRules| rules.shape == ServeShape::Records;
    if let Some(rules) = rules(snapshot).filter(|rules| has_shape(rules)) {
        return Ok(RecordHost { host: None, folder_header: rules.folder_header.clone() });
    }
    let of_shape = |spec: HostSpec| {
        let rules = spec.host().ok()?.serve.filter(has_shape)?;
        Some(RecordHost { host: Some(spec.id()), folder_header: rules.folder_header })
    };
    let found = snapshot.workspace.hosts.all().find_map(of_shape);
    found.ok_or_else(|| Error::other(ErrorKind::NotFound, "no-shape", "no host answers in this shape"))
}

/// Returns a record of each active skill that may be called without a question, and whether none is missing: a skill whose file is being written has none now.
pub fn skills(snapshot: &Snapshot) -> Result<(Vec<SkillText>, bool), Error> {
    records(snapshot, |_| true)
}

/// The same, without skills whose names are commands of the program itself.
pub fn commands(snapshot: &Snapshot) -> Result<(Vec<SkillText>, bool), Error> {
    let taken = rules(snapshot).map(|rules| rules.taken.as_slice()).unwrap_or_default();
    records(snapshot, |entry| !taken.iter().any(|name| **name == *entry.skill.name))
}

fn records(snapshot: &Snapshot, is_listed: impl Fn(&Entry) -> bool) -> Result<(Vec<SkillText>, bool), Error> {
    let runtime = snapshot.runtime()?;
    // A program would get the text without the question that it takes.
    let is_given = |entry: &Entry| !snapshot.is_narrowed() || runtime.calls_unasked(entry, Caller::Model);
    let entries = runtime.catalog().skills.iter().filter(|entry| is_listed(entry) && is_given(entry));
    Ok(each(entries, |entry| {
        let unfilled = runtime.template(entry)?;
        Some(SkillText {
            name: entry.skill.name.to_string(),
            description: entry.skill.described.then(|| visible(&entry.skill.description).into_owned()),
            path: path_text(&entry.skill.path),
            content: unfilled.content,
            template: unfilled.template,
        })
    }))
}

fn each<'e, T>(entries: impl Iterator<Item = &'e Entry>, record: impl Fn(&Entry) -> Option<T>) -> (Vec<T>, bool) {
    let all: Vec<Option<T>> = entries.map(record).collect();
    let is_complete = all.iter().all(Option::is_some);
    (all.into_iter().flatten().collect(), is_complete)
}

fn rules(snapshot: &Snapshot) -> Option<&ServeRules> {
    snapshot.view.host.serve.as_ref()
}

#[cfg(test)]
mod tests {
    use openoxide_testkit::TestContext;

    use super::*;
    use crate::testing::snapshot;

    #[test]
    fn a_list_that_lacks_one_is_not_whole() {
        let context = TestContext::new();
        context.skill("a", "X").skill("b", "X");
        let snapshot = snapshot(&context);
        let named = |entry: &Entry| Some(entry.skill.name.to_string());
        let (all, is_whole) = each(snapshot.catalog.skills.iter(), named);
        assert!(is_whole && ["a", "b"].iter().all(|name| all.iter().any(|one| one == name)), "{all:?}");
        let (rest, is_whole) = each(snapshot.catalog.skills.iter(), |entry| named(entry).filter(|name| name != "a"));
        assert!(!is_whole && rest.len() + 1 == all.len(), "{rest:?}");
    }
}
