//! `mentions`: the skills that a text names, and why not the rest.

use std::{fmt::Write as _, io::IsTerminal as _};

use openoxide_app::mentions::{turn_of_input, turn_of_text};
use openoxide_app::{CommandPlace, Depth, IgnoredReason, MentionRules, Selection, Snapshot, Turn, paths};
use openoxide_wire::TurnInput;

use crate::error::CommandError;
use crate::session::{read_stdin, say_own_rules, search};
use crate::table::{cut, fill, pad, widest};
use crate::ui::{ExitStatus, Role, Ui, count, paint, safe};

/// Show which skills a text names
///
/// The skills are in the order in which they would be loaded. Names that mean no skill are listed with the reason. In a shell, put the text between single quotes: `openoxide mentions 'use $pdf'`.
#[derive(Debug, clap::Args)]
pub(crate) struct MentionsArgs {
    /// The text; without it, standard input is read
    text: Option<String>,
    /// Read a whole turn from standard input, as JSON; `openoxide schema turn` describes it
    #[arg(long, conflicts_with_all = ["text", "item"])]
    turn: bool,
    /// Also name a skill by its path, before the text (can be repeated)
    #[arg(long, value_name = "[NAME=]PATH")]
    item: Vec<String>,
    /// A connector with this name exists (can be repeated) [config: connectors.names]
    #[arg(long, value_name = "NAME")]
    connector: Vec<String>,
}

pub(crate) fn mentions(ui: &Ui, args: &MentionsArgs) -> anyhow::Result<ExitStatus> {
    let snapshot = search(ui, Depth::Quick)?;
    let turn = turn(ui, &snapshot, args)?;
    let mentions = openoxide_app::mentions::mentions(&snapshot, &turn);
    if ui.common.json {
        return ui.json(&mentions.answer);
    }
    ui.warn_of_settings(&snapshot.workspace, &snapshot.problems);
    ui.data(&selected_text(ui, &snapshot, &mentions.selection))?;
    say_own_rules(ui, &snapshot.workspace);
    ui.data(&ignored_text(ui, &snapshot, &mentions.selection))?;
    summary(ui, &snapshot.catalog.host, &snapshot.view.host.mention, &mentions.selection);
    Ok(ExitStatus::Done)
}

fn turn(ui: &Ui, snapshot: &Snapshot, args: &MentionsArgs) -> anyhow::Result<Turn> {
    if args.turn {
        let turn: TurnInput = serde_json::from_str(&read(ui)?).map_err(|error| {
            let error = CommandError::failed(format!("standard input is not a turn: {error}"));
            error.hint("`openoxide schema turn` describes one")
        })?;
        return Ok(turn_of_input(&snapshot.workspace, turn, &args.connector));
    }
    let text = args.text.clone().map_or_else(|| read(ui), Ok)?;
    Ok(turn_of_text(&snapshot.workspace, &snapshot.view, text, &args.item, &args.connector))
}

/// Reads standard input as it is, so that places in it are places in the answer.
pub(crate) fn read(ui: &Ui) -> anyhow::Result<String> {
    let input = std::io::stdin().lock();
    if input.is_terminal() {
        ui.say("reading the text from standard input; end it with Ctrl-D");
    }
    let too_long = CommandError::failed("the text on standard input is longer than 16 MiB");
    let too_long = too_long.hint("hand in what the user wrote, without files that are attached to it");
    read_stdin(input, too_long).map(text)
}

/// Makes bytes a text of the same length; one that is not UTF-8 becomes a control character, which no name has.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let mut text = String::new();
        for chunk in error.as_bytes().utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend(chunk.invalid().iter().map(|_| '\u{1a}'));
        }
        text
    })
}

fn selected_text(ui: &Ui, snapshot: &Snapshot, selection: &Selection<'_>) -> String {
    let names: Vec<String> = selection.selected.iter().map(|selected| safe(&selected.entry.skill.name)).collect();
    let width = widest(names.iter().map(String::as_str), 32);
    let mut text = String::new();
    for (selected, name) in selection.selected.iter().zip(&names) {
        let path = paths::short(&snapshot.workspace, &selected.entry.skill.path);
        let _ = writeln!(text, "{}  {path}", paint(Role::Strong, &pad(name, width)));
        if let Some(arguments) = selected.arguments.as_ref().filter(|arguments| !arguments.is_empty()) {
            let lead = format!("{}  with ", " ".repeat(width));
            let room = ui.width.map_or(usize::MAX, |all| all.saturating_sub(width + 7));
            let _ = writeln!(text, "{lead}{}", cut(&safe(arguments), room));
        }
    }
    text
}

fn ignored_text(ui: &Ui, snapshot: &Snapshot, selection: &Selection<'_>) -> String {
    let written: Vec<String> = selection.ignored.iter().map(|ignored| cut(&safe(&ignored.text), 40)).collect();
    let width = widest(written.iter().map(String::as_str), 24);
    let mut text = String::new();
    for (ignored, written) in selection.ignored.iter().zip(&written) {
        let label = format!("{}  {}  ", paint(Role::Warning, "ignored"), pad(written, width));
        let reason = safe(&paths::abbreviate_home(&snapshot.workspace, &ignored.reason.to_string()));
        let reason = format!("{reason} [{}]", ignored.reason.word());
        let _ = writeln!(text, "{}", fill(&label, &reason, ui.width));
        if let IgnoredReason::Ambiguous { candidates, total, .. } = &ignored.reason {
            let indent = " ".repeat(width + 11);
            for candidate in candidates {
                let _ = writeln!(text, "{indent}{}", paths::short(&snapshot.workspace, &candidate.skill.path));
            }
            if *total > candidates.len() {
                let _ = writeln!(text, "{indent}and {} more", total - candidates.len());
            }
        }
    }
    text
}

fn summary(ui: &Ui, host: &str, rules: &MentionRules, selection: &Selection<'_>) {
    if !selection.selected.is_empty() {
        let ignored = match selection.ignored.len() {
            0 => String::new(),
            number => format!(", {number} ignored"),
        };
        return ui.say(&format!("{} named{ignored}", count(selection.selected.len(), "skill")));
    }
    ui.say("the text names no skill");
    if rules.forms().is_empty() {
        ui.hint(&format!("in {host} no text can name a skill; the model asks for one"));
    } else if selection.ignored.is_empty() {
        ui.hint(&format!("in {host} a skill is named as {}", forms(rules)));
    }
}

fn forms(rules: &MentionRules) -> String {
    let forms: Vec<String> = rules.forms().into_iter().map(|form| format!("`{form}`")).collect();
    let start =
        if rules.command.mark.is_empty() || rules.command.place == CommandPlace::Inside { "" } else { " at the start" };
    format!("{}{start}", forms.join(" or "))
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn places_stay_where_they_are() {
        assert_eq!(text("aé日".into()), "aé日");
        assert_eq!(text(b"a\xff\xf0\x9f$b".to_vec()), "a\u{1a}\u{1a}\u{1a}$b");
    }
}
