//! Lists everything that is trusted, where it is written, and how to revoke it.

use std::path::{Path, PathBuf};

use openoxide_config::{Layer, LayerKind, Timestamp, TrustEntry, TrustRecord, Workspace};
use openoxide_skills::text::path_text;
use openoxide_wire::{
    AnswerLine, FolderLine, GrantLine, ProblemLine, RemoteGrantLine, SchemaVersion, SourceLine, TrustAnswer,
    WrittenLine,
};

use crate::problems;

/// Writes how an entry is revoked in the words of the face: by its folder, or by its id where it has one. It returns
/// nothing for what cannot be named there.
type Revoke<'r> = &'r dyn Fn(Option<&Path>, Option<&str>) -> Option<String>;

/// Returns everything that is trusted.
pub fn list(workspace: &Workspace, revoke: Revoke<'_>) -> TrustAnswer {
    let config = &workspace.config;
    let mut answer = TrustAnswer {
        schema: SchemaVersion::default(),
        folders: Vec::new(),
        sources: Vec::new(),
        grants: Vec::new(),
        answers: Vec::new(),
        remotes: Vec::new(),
        problems: problems::of_trust(workspace)
            .iter()
            .map(|problem| ProblemLine::new(problem.path.as_deref(), &problem.diagnostic))
            .collect(),
    };
    for layer in &config.layers {
        answer.folders.extend(folders_of(workspace, layer, revoke));
    }
    for entry in config.trust.entries() {
        add(&mut answer, workspace, entry, revoke);
    }
    answer
}

/// Returns the folders that a layer of settings trusts. Only the user's own list can be changed here.
fn folders_of(workspace: &Workspace, layer: &Layer, revoke: Revoke<'_>) -> Vec<FolderLine> {
    let line = |(_, folder): (String, PathBuf)| {
        let revoke = if layer.kind == LayerKind::User { revoke(Some(&folder), None) } else { None };
        let origin = layer.origin("trust.folders").to_string();
        FolderLine { path: path_text(&folder), written: WrittenLine { origin, since: None, id: None, revoke } }
    };
    workspace.config.trusted_folders(layer).into_iter().map(line).collect()
}

fn add(answer: &mut TrustAnswer, workspace: &Workspace, entry: &TrustEntry, revoke: Revoke<'_>) {
    let written = |since: Option<&Timestamp>, folder: Option<&Path>| {
        let id = entry.record.id();
        let file = workspace.config.trust.path().map(path_text).unwrap_or_default();
        let (origin, since) = (format!("{file}:{}", entry.line), since.map(ToString::to_string));
        WrittenLine { origin, since, revoke: revoke(folder, Some(&id)), id: Some(id) }
    };
    match &entry.record {
        TrustRecord::Folder { path, at } => {
            let written = written(Some(at), Some(path));
            answer.folders.push(FolderLine { path: path_text(path), written });
        }
        TrustRecord::Source { source, at } => {
            let written = written(Some(at), None);
            answer.sources.push(SourceLine { source: source.clone(), written });
        }
        TrustRecord::Grant(grant) => answer.grants.push(GrantLine {
            skill: path_text(&grant.skill),
            permission: grant.permission.as_str().to_owned(),
            digest: Some(grant.digest.clone()),
            shown: grant.shown.clone(),
            written: written(Some(&grant.at), None),
        }),
        TrustRecord::UnknownGrant { skill, permission } => answer.grants.push(GrantLine {
            skill: path_text(skill),
            permission: permission.clone(),
            digest: None,
            shown: Vec::new(),
            written: written(None, None),
        }),
        TrustRecord::Remote(remote) => answer.remotes.push(RemoteGrantLine {
            server: remote.server.clone(),
            uri: remote.uri.clone(),
            digest: remote.digest.clone(),
            written: written(Some(&remote.at), None),
        }),
        TrustRecord::Answer(remembered) => answer.answers.push(AnswerLine {
            permission: remembered.permission.clone(),
            pattern: remembered.pattern.clone(),
            skill: remembered.skill.clone(),
            agent: remembered.agent.clone(),
            written: written(Some(&remembered.at), None),
        }),
    }
}
