//! `trust --list`: everything that is trusted, where it is written, and how to take it back.

use std::fmt::Write as _;

use openoxide_config::{Layer, LayerKind, TrustEntry, TrustRecord, Workspace};
use openoxide_skills::text::path_text;
use openoxide_wire::{
    AnswerLine, FolderLine, GrantLine, ProblemLine, RemoteGrantLine, SchemaVersion, SourceLine, TrustAnswer,
    WrittenLine,
};

use crate::ExitStatus;
use crate::args::Common;
use crate::paths;
use crate::session::problem_line;
use crate::typed;
use crate::ui::{Role, Ui, paint, safe};

pub(super) fn list(ui: &Ui, common: &Common, workspace: &Workspace) -> anyhow::Result<ExitStatus> {
    let answer = gathered(common, workspace);
    if common.json {
        ui.json(&answer)?;
        return Ok(ExitStatus::Done);
    }
    let trust = workspace.config.trust();
    for problem in workspace.config.problems.iter().filter(|problem| problem.path.as_deref() == trust.path()) {
        ui.warn(&problem_line(workspace, problem));
    }
    if answer.folders.is_empty() {
        let trust = typed::command(&typed::for_all(common), "trust", None, "");
        ui.say(&format!("no folder is trusted; `{trust}` trusts the project that you are in"));
    }
    ui.data(&text(workspace, &answer))?;
    Ok(ExitStatus::Done)
}

fn gathered(common: &Common, workspace: &Workspace) -> TrustAnswer {
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
        answer.folders.extend(listed(common, workspace, layer));
    }
    for entry in config.trust().entries() {
        add(&mut answer, common, workspace, entry);
    }
    answer
}

/// Returns the folders that a layer of settings trusts.
fn listed(common: &Common, workspace: &Workspace, layer: &Layer) -> Vec<FolderLine> {
    let line = |(_, folder): (String, std::path::PathBuf)| {
        let typed = typed::path(workspace, &folder).filter(|_| layer.kind == LayerKind::User);
        let revoke = typed.map(|typed| revoke(common, &typed));
        let origin = layer.origin("trust.folders").to_string();
        FolderLine { path: path_text(&folder), written: WrittenLine { origin, since: None, id: None, revoke } }
    };
    workspace.config.trusted_folders(layer).into_iter().map(line).collect()
}

fn revoke(common: &Common, what: &str) -> String {
    typed::command(&typed::for_all(common), "trust", Some(what), "--revoke")
}

fn add(answer: &mut TrustAnswer, common: &Common, workspace: &Workspace, entry: &TrustEntry) {
    let written = |since: Option<String>, typed: Option<String>| {
        let id = entry.record.id();
        let file = workspace.config.trust().path().map(path_text).unwrap_or_default();
        let revoke = Some(revoke(common, &typed.unwrap_or_else(|| id.clone())));
        WrittenLine { origin: format!("{file}:{}", entry.line), since, id: Some(id), revoke }
    };
    match &entry.record {
        TrustRecord::Folder(folder) => answer.folders.push(FolderLine {
            path: path_text(&folder.path),
            written: written(Some(folder.at.to_string()), typed::path(workspace, &folder.path)),
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

fn text(workspace: &Workspace, answer: &TrustAnswer) -> String {
    let home = |text: &str| safe(&paths::abbreviate_home(workspace, text));
    let mut text = String::new();
    for line in &answer.folders {
        let _ = writeln!(text, "{}", home(&line.path));
        text += &details(workspace, &[], &line.written);
    }
    for line in &answer.sources {
        let _ = writeln!(text, "skills from {}", safe(&line.source));
        text += &details(workspace, &[], &line.written);
    }
    for line in &answer.grants {
        let _ = writeln!(text, "{}: {}", home(&line.skill), safe(&line.permission));
        let digest = line.digest.iter().map(|digest| format!("for {}", safe(digest)));
        let shown = line.shown.iter().flat_map(|shown| shown.lines()).map(|shown| format!("  {}", safe(shown)));
        text += &details(workspace, &digest.chain(shown).collect::<Vec<_>>(), &line.written);
    }
    for line in &answer.remotes {
        let _ = writeln!(text, "{} of the MCP server {}: reaches the model", safe(&line.uri), safe(&line.server));
        text += &details(workspace, &[format!("for {}", safe(&line.digest))], &line.written);
    }
    for line in &answer.answers {
        let agent = line.agent.as_ref().map_or_else(String::new, |agent| format!(" for the agent {agent}"));
        let _ = writeln!(text, "always: {} {}{}", safe(&line.permission), safe(&line.pattern), safe(&agent));
        text += &details(workspace, &[], &line.written);
    }
    text
}

/// Writes what is said below each: what it is for, where it is written, and how it is taken back.
fn details(workspace: &Workspace, more: &[String], written: &WrittenLine) -> String {
    let mut text = String::new();
    for line in more {
        let _ = writeln!(text, "  {line}");
    }
    let since = written.since.as_ref().map_or_else(String::new, |since| {
        let day = since.split('T').next().unwrap_or(since);
        format!("since {}, ", safe(day))
    });
    let origin = safe(&paths::abbreviate_home(workspace, &written.origin));
    let _ = writeln!(text, "  {}", paint(Role::Dim, &format!("{since}{origin}")));
    if let Some(revoke) = &written.revoke {
        let _ = writeln!(text, "  revoke: {revoke}");
    }
    text
}
