//! `roots`: where a host looks, in what order, and by what settings.

use std::fmt::Write as _;

use openoxide_app::{CommandRunner, Depth, Snapshot, off::skills_off, paths};
use openoxide_wire::RootsAnswer;

use crate::session::search;
use crate::table::{fill, pad, pad_left, widest};
use crate::ui::{ExitStatus, Role, Ui, paint, safe};

pub(crate) fn roots(ui: &Ui) -> anyhow::Result<ExitStatus> {
    let snapshot = search(ui, Depth::Quick)?;
    let answer = openoxide_app::roots::roots(&snapshot, &CommandRunner::default())?;
    if ui.common.json {
        return ui.json(&answer);
    }
    ui.warn_of_settings(&snapshot.workspace, &snapshot.problems);
    ui.data(&text(ui, &snapshot, &answer))?;
    Ok(ExitStatus::Done)
}

fn text(ui: &Ui, snapshot: &Snapshot, answer: &RootsAnswer) -> String {
    let short = |path: &str| paths::short(&snapshot.workspace, path.as_ref());
    let trusted = if answer.trusted { "trusted" } else { "not trusted" };
    // Agents have trust of their own.
    let project = safe(&paths::abbreviate_home(&snapshot.workspace, &answer.project));
    let mut text = format!("{} sees {project}\n{trusted} in OpenOxide\n\n", snapshot.view.host.title);
    if let Some(note) = answer.installed.as_ref().and_then(|installed| installed.note.as_ref()) {
        let _ = writeln!(text, "{}\n", fill("", &safe(note), ui.width));
    }
    if let Some(off) = skills_off(&snapshot.workspace, &snapshot.view) {
        let _ = writeln!(text, "{}", fill("", &off.remedy(), ui.width));
    }
    let shown: Vec<String> = answer.roots.iter().map(|root| short(&root.path)).collect();
    let width = widest(shown.iter().map(String::as_str), 52);
    for (number, (root, path)) in answer.roots.iter().zip(&shown).enumerate() {
        let found = match (root.exists, root.skills, root.others) {
            (false, 0, _) => paint(Role::Dim, "not there"),
            (false, skills, _) => format!("{skills} active, in this program until something needs their files"),
            (true, skills, 0) => format!("{skills} active"),
            (true, skills, others) => format!("{skills} active, {others} ignored"),
        };
        let provider = root.provider.as_ref().map_or_else(String::new, |provider| format!("  {provider}"));
        let (number, scope) = (pad_left(&(number + 1).to_string(), 3), pad(&root.scope, 6));
        let _ = writeln!(text, "{number}. {scope}  {}  {found}{provider}", pad(path, width));
    }
    if !answer.precedence.is_empty() {
        let order = format!("{}, then the order above", answer.precedence.join(" > "));
        let _ = writeln!(text, "\n{}", fill("Same name: ", &order, ui.width));
    }
    let isolation = &answer.isolation;
    let _ = writeln!(text, "\n{}", fill("Isolation: ", &safe(&isolation.summary), ui.width));
    // Without any mechanism, the summary names all that is missing.
    for missing in isolation.missing.iter().filter(|_| isolation.mechanism != "none") {
        let line = format!("{}: {} ({})", missing.what, safe(&missing.why), missing.remedy);
        let _ = writeln!(text, "{}", fill("  missing  ", &line, ui.width));
    }
    settings_text(ui, &mut text, snapshot, answer);
    for entry in &answer.disabled {
        let reason = fill("  ", &safe(&entry.reason), ui.width);
        let _ = writeln!(text, "\n{}  {}\n{reason}", paint(Role::Warning, "disabled"), safe(&entry.name));
    }
    for problem in &answer.problems {
        let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
        let role = if problem.level == "error" { Role::Error } else { Role::Warning };
        let (level, path) = (paint(role, &problem.level), short(problem.path.as_deref().unwrap_or_default()));
        let message = format!("{} [{}]", safe(&problem.message), problem.code);
        let _ = writeln!(text, "\n{level}  {path}{line}\n{}", fill("  ", &message, ui.width));
    }
    text
}

fn settings_text(ui: &Ui, text: &mut String, snapshot: &Snapshot, answer: &RootsAnswer) {
    if answer.settings.is_empty() {
        return;
    }
    text.push_str("\nSettings\n");
    let names = widest(answer.settings.iter().map(|setting| setting.name.as_str()), 24);
    for setting in &answer.settings {
        let value = setting.value.as_ref().map_or_else(|| "not set".to_owned(), ToString::to_string);
        let origin = paths::abbreviate_home(&snapshot.workspace, &setting.origin);
        let lead = format!("  {}  ", pad(&setting.name, names));
        let line = format!("{}  {}", pad(&spaced(&safe(&value)), 12), paint(Role::Dim, &safe(&origin)));
        let _ = writeln!(text, "{}", fill(&lead, &line, ui.width));
    }
}

/// Writes a list so that it can be broken between its items.
fn spaced(value: &str) -> String {
    value.replace("\",\"", "\", \"")
}
