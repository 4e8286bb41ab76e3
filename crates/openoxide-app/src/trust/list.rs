//! Lists everything that is trusted, where it is written, and how to revoke it.

use std::path::{Path, PathBuf};

use openoxide_config::{Layer, LayerKind, TrustEntry, TrustRecord, Workspace};
use openoxide_skills::text::path_text;
use openoxide_wire::{
    AnswerLine, FolderLine, GrantLine, ProblemLine, RemoteGrantLine, SchemaVersion, SourceLine, TrustAnswer,
    WrittenLine,
};

/// What a person names to revoke an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevokeBy<'r> {
    /// A folder in the user's settings, by its path alone.
    Folder(&'r Path),
    /// An entry of the store, by its id, or by its path if it is a folder.
    Entry {
        /// The id.
        id: &'r str,
        /// The folder.
        folder: Option<&'r Path>,
    },
}

/// Returns everything that is trusted. `revoke` writes how an entry is revoked in the words of the face; it returns
/// nothing for what cannot be named there.
pub fn list(workspace: &Workspace, revoke: &dyn Fn(RevokeBy<'_>) -> Option<String>) -> TrustAnswer {
    let config = &workspace.config;
    let problems = config.problems.iter().filter(|problem| problem.path.as_deref() == config.trust().path());
    let mut answer = TrustAnswer {
        schema: SchemaVersion::default(),
        folders: Vec::new(),
        sources: Vec::new(),
        grants: Vec::new(),
        answers: Vec::new(),
        remotes: Vec::new(),
        problems: problems.map(|problem| ProblemLine::new(problem.path.as_deref(), &problem.diagnostic)).collect(),
    };
    for layer in &config.layers {
        answer.folders.extend(folders_of(workspace, layer, revoke));
    }
    for entry in config.trust().entries() {
        add(&mut answer, workspace, entry, revoke);
    }
    answer
}

/// Returns the folders that a layer of settings trusts. Only the user's own list can be changed here.
fn folders_of(
    workspace: &Workspace,
    layer: &Layer,
    revoke: &dyn Fn(RevokeBy<'_>) -> Option<String>,
) -> Vec<FolderLine> {
    let line = |(_, folder): (String, PathBuf)| {
        let revoke = if layer.kind == LayerKind::User { revoke(RevokeBy::Folder(&folder)) } else { None };
        let origin = layer.origin("trust.folders").to_string();
        FolderLine { path: path_text(&folder), written: WrittenLine { origin, since: None, id: None, revoke } }
    };
    workspace.config.trusted_folders(layer).into_iter().map(line).collect()
}

fn add(
    answer: &mut TrustAnswer,
    workspace: &Workspace,
    entry: &TrustEntry,
    revoke: &dyn Fn(RevokeBy<'_>) -> Option<String>,
) {
    let written = |since: Option<String>, folder: Option<&Path>| {
        let id = entry.record.id();
        let file = workspace.config.trust().path().map(path_text).unwrap_or_default();
        let revoke = revoke(RevokeBy::Entry { id: &id, folder });
        WrittenLine { origin: format!("{file}:{}", entry.line), since, id: Some(id), revoke }
    };
    match &entry.record {
        TrustRecord::Folder(folder) => answer.folders.push(FolderLine {
            path: path_text(&folder.path),
            written: written(Some(folder.at.to_string()), Some(&folder.path)),
        }),
        TrustRecord::Source(source) => answer
            .sources
            .push(SourceLine { source: source.source.clone(), written: written(Some(source.at.to_string()), None) }),
        TrustRecord::Grant(grant) => answer.grants.push(GrantLine {
            skill: path_text(&grant.skill),
            permission: grant.permission.as_str().to_owned(),
            digest: Some(grant.digest.clone()),
            shown: grant.shown.clone(),
            written: written(Some(grant.at.to_string()), None),
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
            written: written(Some(remote.at.to_string()), None),
        }),
        TrustRecord::Answer(remembered) => answer.answers.push(AnswerLine {
            permission: remembered.permission.clone(),
            pattern: remembered.pattern.clone(),
            agent: remembered.agent.clone(),
            written: written(Some(remembered.at.to_string()), None),
        }),
    }
}
