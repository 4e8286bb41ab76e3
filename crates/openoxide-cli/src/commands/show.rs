//! `show`: everything about one skill.

use std::fmt::Write as _;

use openoxide_app::{Depth, Entry, RemoteName, Workspace, paths};
use openoxide_wire::ShowAnswer;

use crate::session::{say_own_rules, search, with_finder};
use crate::ui::{ExitStatus, Role, Ui, grouped, paint, safe};
use crate::{commands::remote, table::pad, typed};

/// Show everything about one skill
#[derive(Debug, clap::Args)]
pub(crate) struct ShowArgs {
    /// A skill's name, the path of its folder or file, or mcp:SERVER/NAME for a skill of an MCP server
    skill: String,
}

pub(crate) fn show(ui: &Ui, args: &ShowArgs) -> anyhow::Result<ExitStatus> {
    let snapshot = search(ui, Depth::Quick)?;
    if let Some(name) = RemoteName::parse(&args.skill) {
        return remote::show(ui, &snapshot, name);
    }
    let shown = openoxide_app::show::show(&snapshot, &args.skill)
        .map_err(|error| with_finder(ui, &snapshot.workspace, error))?;
    if ui.common.json {
        return ui.json(&shown.answer);
    }
    ui.warn_of_settings(&snapshot.workspace, &snapshot.problems);
    ui.data(&text(&snapshot.workspace, shown.entry, &shown.answer))?;
    say_own_rules(ui, &snapshot.workspace);
    if shown.others > 0 {
        let verb = if shown.others == 1 { "has" } else { "have" };
        let word = typed::word(&args.skill).unwrap_or_else(|| "SKILL".to_owned());
        let explain = typed::command(&ui.common, "explain", Some(&word), "");
        ui.hint(&format!("{} more {verb} this name: {explain}", shown.others));
    }
    Ok(ExitStatus::Done)
}

fn text(workspace: &Workspace, entry: &Entry, answer: &ShowAnswer) -> String {
    let skill = &answer.skill;
    let line = &skill.line.facts;
    let mut text = format!("{}\n{}\n\n", paint(Role::Strong, &safe(&line.name)), safe(&line.description));
    let mut row = |name: &str, value: String| {
        if !value.is_empty() {
            let _ = writeln!(text, "  {}  {}", paint(Role::Dim, &pad(name, 13)), value);
        }
    };
    row("file", paths::short(workspace, &entry.skill.path));
    row("found as", if line.found.is_some() { paths::short(workspace, entry.found()) } else { String::new() });
    row("scope", line.scope.clone());
    let reason = skill.reason.as_ref().map(|reason| format!(", {}", safe(reason))).unwrap_or_default();
    row("status", format!("{}{reason}", skill.line.status));
    row("called by", if entry.is_active() { callers(entry) } else { String::new() });
    row("also called", safe(&line.aliases.join(", ")));
    row("cost", format!("{} tokens listed, about {} read", grouped(line.tokens.listed), grouped(line.tokens.body)));
    row("license", safe(line.license.as_deref().unwrap_or_default()));
    row("compatible", safe(line.compatibility.as_deref().unwrap_or_default()));
    row("when", safe(skill.when_to_use.as_deref().unwrap_or_default()));
    row("arguments", safe(skill.argument_hint.as_deref().unwrap_or_default()));
    row("wants tools", safe(&line.allowed_tools.join(", ")));
    row("without tools", safe(&skill.disallowed_tools.join(", ")));
    row("wakes for", safe(&skill.paths.join(", ")));
    row("hooks", safe(&skill.hooks.join(", ")));
    let needs: Vec<String> = line.dependencies.iter().map(|tool| format!("{} {}", tool.kind, tool.value)).collect();
    row("needs", safe(&needs.join(", ")));
    for (index, line) in answer.permissions.iter().enumerate() {
        row(if index == 0 { "permissions" } else { "" }, safe(line));
    }
    row("metadata", safe(&pairs(&line.metadata)));
    row("other fields", safe(&pairs(&skill.unknown)));
    for problem in &entry.problems {
        let (level, diagnostic) = (paint(Role::Warning, problem.diagnostic.level.as_str()), &problem.diagnostic);
        let _ = writeln!(text, "\n{level}: {} [{}]", safe(&diagnostic.message), diagnostic.code);
    }
    text
}

fn callers(entry: &Entry) -> String {
    match (entry.model, entry.user) {
        (true, true) => "you and the model",
        (false, true) => "you only",
        (true, false) => "the model only",
        (false, false) => "nobody",
    }
    .to_owned()
}

fn pairs(map: &std::collections::BTreeMap<String, String>) -> String {
    map.iter().map(|(key, value)| format!("{key}: {value}")).collect::<Vec<_>>().join(", ")
}
