//! Revokes trust in folders, permissions of skills, and remembered answers.

use std::path::{Path, PathBuf};

use openoxide_config::{LayerKind, PermissionKind, TrustRecord, Workspace, find_repository, remove_from_list};
use openoxide_skills::text::{TerminalText, path_text};
use openoxide_wire::ChangeLine;

use super::store::open_store;
use crate::paths::{from_home, short};
use crate::{Error, Progress, Report};

/// The setting that trusts folders too.
const FOLDERS: &str = "trust.folders";

/// What came of revoking, as a whole.
#[derive(Clone, Debug)]
pub struct Revoked {
    /// What was written.
    pub changes: Vec<ChangeLine>,
    /// Folders that are still trusted, by the administrator or for this run.
    pub still_trusted: Vec<PathBuf>,
}

/// Revokes whatever of these is trusted: folders, skills, ids of [`list`](super::list), or `all`; without one, the
/// project to act in. With `permissions`, only these permissions of skills. Each entry is reported as it is removed.
pub fn revoke(
    workspace: &Workspace,
    given: &[PathBuf],
    permissions: &[PermissionKind],
    report: Report<'_>,
) -> Result<Revoked, Error> {
    let (mut trust, file) = open_store(workspace)?;
    let selectors: Vec<Selector> = match given {
        [] => vec![Selector::new(workspace, None)],
        given => given.iter().map(|given| Selector::new(workspace, Some(given))).collect(),
    };
    let mut changes = Vec::new();
    for selector in &selectors {
        let before = changes.len();
        for record in trust.revoke(|record| selector.matches(record, permissions))? {
            changes.push(ChangeLine::new("revoke", &file, Some(target(&record))));
            report(Progress::Done(revoked(workspace, &record)));
        }
        if permissions.is_empty() {
            changes.extend(unlist(workspace, selector, report)?);
        }
        if changes.len() == before {
            let file = short(workspace, &file);
            report(Progress::Done(match selector.paths.first().filter(|_| !selector.all) {
                Some(path) => format!("{} is not trusted in {file}", from_home(workspace, path)),
                None => format!("nothing is trusted in {file}"),
            }));
        }
    }
    let config = workspace.reopen()?.config;
    let folders = selectors.iter().filter_map(|selector| selector.paths.first());
    let still_trusted = folders.filter(|folder| config.trusts(folder)).cloned().collect();
    Ok(Revoked { changes, still_trusted })
}

/// What is meant by a word or a path. Everything that it could mean is revoked, because less trust is the safe side.
struct Selector {
    /// Whether everything is meant.
    all: bool,
    /// An id, or the name of a skill.
    word: Option<String>,
    /// The path, as it is written and without links, and the project around it unless the path is a skill's.
    paths: Vec<PathBuf>,
}

impl Selector {
    fn new(workspace: &Workspace, given: Option<&Path>) -> Selector {
        let environment = &workspace.environment;
        let path = given.map_or_else(|| workspace.project.clone(), |given| environment.cwd.join(given));
        let real = std::fs::canonicalize(&path).ok();
        let root = |real: &PathBuf| find_repository(real, environment.home.as_deref());
        // To name a skill is not to mean the project around it.
        let is_skill = given.is_some() && path.join("SKILL.md").exists();
        let project = real.as_ref().filter(|real| real.is_dir() && !is_skill).map(root);
        let word = given.and_then(Path::to_str).filter(|text| !text.contains('/')).map(str::to_owned);
        // The project comes first: it is what the answer is about.
        let paths = project.into_iter().chain(real).chain([path]).collect();
        Selector { all: word.as_deref() == Some("all"), word, paths }
    }

    fn is_folder(&self, folder: &Path) -> bool {
        self.all || self.paths.iter().any(|path| path == folder)
    }

    fn is_skill(&self, file: &Path) -> bool {
        let folder = file.parent();
        let names = [folder.and_then(Path::file_name), file.file_stem()];
        let is_named = |word: &String| names.iter().flatten().any(|name| *name == word.as_str());
        let is_path = |path: &PathBuf| path == file || Some(path.as_path()) == folder;
        self.word.as_ref().is_some_and(is_named) || self.paths.iter().any(is_path)
    }

    fn matches(&self, record: &TrustRecord, permissions: &[PermissionKind]) -> bool {
        let is_permission = match record {
            TrustRecord::Grant(grant) => permissions.is_empty() || permissions.contains(&grant.permission),
            _ => permissions.is_empty(),
        };
        let is_it = match record {
            TrustRecord::Folder { path, .. } => self.is_folder(path),
            other => other.skill().is_some_and(|file| self.is_skill(file)),
        };
        is_permission && (self.all || is_it || self.word.as_ref() == Some(&record.id()))
    }
}

fn unlist(workspace: &Workspace, selector: &Selector, report: Report<'_>) -> Result<Vec<ChangeLine>, Error> {
    let layer = workspace.config.layers.iter().find(|layer| layer.kind == LayerKind::User);
    let Some((layer, file)) = layer.and_then(|layer| Some((layer, layer.path.as_ref()?))) else {
        return Ok(Vec::new());
    };
    let mut listed = workspace.config.trusted_folders(layer);
    listed.retain(|(_, folder)| selector.is_folder(folder));
    if listed.is_empty() {
        return Ok(Vec::new());
    }
    remove_from_list(file, FOLDERS, |text| listed.iter().any(|(written, _)| written == text))?;
    let mut changes = Vec::new();
    for (_, folder) in listed {
        changes.push(ChangeLine::new("revoke", file, Some(path_text(&folder))));
        report(Progress::Done(format!("{} is no longer trusted", from_home(workspace, &folder))));
    }
    Ok(changes)
}

/// Returns what an entry is about, in one word or two.
fn target(record: &TrustRecord) -> String {
    match record {
        TrustRecord::Folder { path, .. } => path_text(path),
        TrustRecord::Source { source, .. } => source.clone(),
        TrustRecord::Grant(grant) => format!("{} {}", path_text(&grant.skill), grant.permission.as_str()),
        TrustRecord::UnknownGrant { skill, permission } => format!("{} {permission}", path_text(skill)),
        TrustRecord::Remote(remote) => format!("{} {}", remote.server, remote.uri),
        TrustRecord::Answer(answer) => format!("{} {}", answer.permission, answer.pattern),
    }
}

fn revoked(workspace: &Workspace, record: &TrustRecord) -> String {
    let safe = |text: &str| TerminalText(text).to_string();
    let lost = |skill: &Path, permission: &str| {
        format!("{} no longer has the permission `{}`", from_home(workspace, skill), safe(permission))
    };
    match record {
        TrustRecord::Folder { path, .. } => format!("{} is no longer trusted", from_home(workspace, path)),
        TrustRecord::Source { source, .. } => format!("{} is no longer trusted", safe(source)),
        TrustRecord::Grant(grant) => lost(&grant.skill, grant.permission.as_str()),
        TrustRecord::UnknownGrant { skill, permission } => lost(skill, permission),
        TrustRecord::Remote(remote) => {
            format!("{} of the MCP server {} is asked for again", safe(&remote.uri), safe(&remote.server))
        }
        TrustRecord::Answer(_) => format!("`{}` is asked for again", safe(&target(record))),
    }
}
