//! Answers clients of opencode in the shape that they expect, for hosts whose rules state that shape.

use axum::response::Response;
use http::{HeaderValue, StatusCode};
use openoxide_live::Snapshot;
use openoxide_skills::catalog::Entry;
use openoxide_skills::host::{HostSpec, ServeRules, ServeShape};
use openoxide_skills::text::path_text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extract::{HttpContext, Location, Query, runtime};
use crate::answer::Failure;
use crate::encoding::percent_decode;

/// The folder, as such clients name it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct RecordsQuery {
    /// The folder to look from, absolute; only for whoever asks from this machine.
    directory: Option<String>,
}

/// A skill as a record.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SkillRecord {
    /// Its name.
    name: String,
    /// What it is for; null if it does not say.
    description: Option<String>,
    /// Its file.
    location: String,
    /// Its text without the frontmatter.
    content: String,
}

/// A skill as a command.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CommandRecord {
    /// Its name.
    name: String,
    /// What it is for; null if it does not say.
    description: Option<String>,
    /// Always `skill`.
    source: String,
    /// What is sent when it is called, before arguments are put in.
    template: String,
    /// What its arguments are called; none are known.
    hints: Vec<String>,
}

pub(crate) async fn skills(asking: HttpContext, Query(query): Query<RecordsQuery>) -> Result<Response, Failure> {
    let at = shaped(&asking, query, ServeShape::Records).await?;
    let state = asking.state(&at).await?;
    asking
        .cached_json_if_complete(&state, "records", String::new(), |state| {
            let runtime = runtime(state)?;
            Ok(each(runtime.catalog().skills.iter(), |entry| {
                Some(SkillRecord {
                    name: entry.skill.name.to_string(),
                    description: description(entry),
                    location: path_text(&entry.skill.path),
                    content: runtime.unfilled(entry)?.content,
                })
            }))
        })
        .await
}

pub(crate) async fn commands(asking: HttpContext, Query(query): Query<RecordsQuery>) -> Result<Response, Failure> {
    let at = shaped(&asking, query, ServeShape::Records).await?;
    let state = asking.state(&at).await?;
    asking
        .cached_json_if_complete(&state, "commands", String::new(), |state| {
            let runtime = runtime(state)?;
            let taken = rules(state).map(|rules| rules.taken.as_slice()).unwrap_or_default();
            let free = |entry: &&Entry| !taken.iter().any(|name| **name == *entry.skill.name);
            Ok(each(runtime.catalog().skills.iter().filter(free), |entry| {
                Some(CommandRecord {
                    name: entry.skill.name.to_string(),
                    description: description(entry),
                    source: "skill".to_owned(),
                    template: runtime.unfilled(entry)?.template,
                    hints: Vec::new(),
                })
            }))
        })
        .await
}

/// Returns a record of each skill, and whether none is missing: one whose file is being written gives none just now.
fn each<'e, T>(entries: impl Iterator<Item = &'e Entry>, record: impl Fn(&Entry) -> Option<T>) -> (Vec<T>, bool) {
    let all: Vec<Option<T>> = entries.map(record).collect();
    let is_whole = all.iter().all(Option::is_some);
    (all.into_iter().flatten().collect(), is_whole)
}

fn description(entry: &Entry) -> Option<String> {
    entry.skill.described.then(|| entry.skill.description.to_string())
}

fn rules(state: &Snapshot) -> Option<&ServeRules> {
    state.view.host.serve.as_ref()
}

/// Returns where to look: by the host that is served if it has this shape, or else by the first that has; in the folder
/// that the address names, or else a header.
async fn shaped(asking: &HttpContext, query: RecordsQuery, shape: ServeShape) -> Result<Location, Failure> {
    let mut at = Location { directory: query.directory, ..Location::default() };
    let state = asking.state(&at).await?;
    let served = rules(&state).filter(|rules| rules.shape == shape).cloned();
    let (host, rules) = if let Some(rules) = served {
        (None, rules)
    } else {
        let of_shape = move |spec: HostSpec| {
            let rules = spec.host().ok()?.serve.filter(|rules| rules.shape == shape)?;
            Some((Some(spec.id()), rules))
        };
        let found = asking.work(move || Ok(state.workspace.hosts.all().find_map(of_shape))).await?;
        found.ok_or_else(|| Failure::new(StatusCode::NOT_FOUND, "no-shape", "no host answers in this shape"))?
    };
    at.host = host;
    if at.directory.is_none() {
        at.directory = rules.folder_header.and_then(|name| named(asking.headers.get(name)?));
    }
    Ok(at)
}

/// Reads a folder from a header, as it is or percent-encoded.
fn named(value: &HeaderValue) -> Option<String> {
    let text = std::str::from_utf8(value.as_bytes()).ok()?;
    let decoded = percent_decode(text).and_then(|bytes| String::from_utf8(bytes).ok());
    Some(decoded.unwrap_or_else(|| text.to_owned()))
}

#[cfg(test)]
mod tests {
    use openoxide_config::Environment;
    use openoxide_live::{Live, LiveOptions, Place};

    use super::*;

    #[test]
    fn a_list_that_lacks_one_is_not_whole() {
        let root = tempfile::tempdir().unwrap();
        for name in ["a", "b"] {
            let folder = root.path().join(".agents/skills").join(name);
            fs_err::create_dir_all(&folder).unwrap();
            fs_err::write(folder.join("SKILL.md"), format!("---\nname: {name}\ndescription: X\n---\n")).unwrap();
        }
        let (cwd, admin) = (root.path().to_owned(), root.path().join("etc"));
        let environment = Environment { home: Some(cwd.clone()), cwd, variables: [].into(), admin };
        let state = Live::new(environment, LiveOptions::default()).snapshot(&Place::of(root.path())).unwrap();
        let named = |entry: &Entry| Some(entry.skill.name.to_string());
        let (all, is_whole) = each(state.catalog.skills.iter(), named);
        assert!(is_whole && ["a", "b"].iter().all(|name| all.iter().any(|one| one == name)), "{all:?}");
        let (rest, is_whole) = each(state.catalog.skills.iter(), |entry| named(entry).filter(|name| name != "a"));
        assert!(!is_whole && rest.len() + 1 == all.len(), "{rest:?}");
    }
}
