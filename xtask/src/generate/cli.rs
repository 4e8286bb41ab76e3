//! Generates the reference page on commands and their arguments.

use std::fmt::Write as _;

use clap::{Arg, ArgAction, Command};

use super::NOTICE;

const INTRODUCTION: &str = "\
# Commands

Data goes to standard output, everything else to standard error. Every listing has `--json`, and the schemas of the
answers are in [`schemas/`](../../schemas). The exit status is 0 when the work is done, 1 when the answer is no (`check`
found errors, a skill is unknown), 2 when the command could not run.
";

/// Returns the page.
pub(super) fn page() -> String {
    let mut command = openoxide_cli::command();
    command.build();
    let mut text = format!("{NOTICE}{INTRODUCTION}");
    for subcommand in visible(&command) {
        section(&mut text, subcommand, &format!("openoxide {}", subcommand.get_name()), 2);
    }
    text.push_str("\n## Common options\n\nEvery command takes these.\n\n");
    for arg in command.get_arguments().filter(|arg| arg.is_global_set()) {
        text.push_str(&line(arg));
    }
    text
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set())
}

fn section(text: &mut String, command: &Command, typed: &str, level: usize) {
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let (first, rest) = about.split_once("\n\n").unwrap_or((&about, ""));
    let _ = writeln!(text, "\n{} `{typed}`\n\n{}", "#".repeat(level), sentence(first));
    if !rest.is_empty() {
        let _ = writeln!(text, "\n{}", sentence(rest));
    }
    let _ = writeln!(text, "\n```sh\n{}\n```", usage(command));
    let own: Vec<String> = command.get_arguments().filter(|arg| is_own(arg)).map(line).collect();
    if !own.is_empty() {
        let _ = write!(text, "\n{}", own.concat());
    }
    for subcommand in visible(command) {
        section(text, subcommand, &format!("{typed} {}", subcommand.get_name()), level + 1);
    }
}

fn usage(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    usage.trim_start_matches("Usage:").trim().to_owned()
}

fn is_own(arg: &Arg) -> bool {
    !arg.is_global_set() && !arg.is_hide_set() && !matches!(arg.get_id().as_str(), "help" | "version")
}

/// Writes one argument as an item of a list.
fn line(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut text = format!("- {}: {}", names(arg), sentence(&help.replace('\n', " ")));
    let values = possible(arg);
    if !values.is_empty() {
        let _ = write!(text, " Values: {values}.");
    }
    let default: Vec<String> = arg.get_default_values().iter().map(|value| value.to_string_lossy().into()).collect();
    if arg.get_action().takes_values() && !default.is_empty() {
        let _ = write!(text, " Default: `{}`.", default.join(" "));
    }
    text + "\n"
}

fn names(arg: &Arg) -> String {
    let value: Vec<String> = arg.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect();
    let value = value.join(" ");
    if arg.is_positional() {
        let more = if matches!(arg.get_action(), ArgAction::Append) { "…" } else { "" };
        return format!("`{value}{more}`");
    }
    let short = arg.get_short().map(|short| format!("`-{short}`, ")).unwrap_or_default();
    let long = arg.get_long().unwrap_or_default();
    let value = if arg.get_action().takes_values() { format!(" {value}") } else { String::new() };
    format!("{short}`--{long}{value}`")
}

fn possible(arg: &Arg) -> String {
    if !arg.get_action().takes_values() {
        return String::new();
    }
    let write = |value: &clap::builder::PossibleValue| match value.get_help() {
        Some(help) => format!("`{}` ({})", value.get_name(), lower(&help.to_string())),
        None => format!("`{}`", value.get_name()),
    };
    arg.get_possible_values().iter().map(write).collect::<Vec<_>>().join(", ")
}

/// Ends a text with a full stop.
fn sentence(text: &str) -> String {
    if text.is_empty() || text.ends_with(['.', '?', ':']) { text.to_owned() } else { format!("{text}.") }
}

fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_and_common_option_has_its_place() {
        let page = page();
        for command in openoxide_cli::command().get_subcommands() {
            assert!(page.contains(&format!("## `openoxide {}`\n", command.get_name())), "{}", command.get_name());
        }
        assert_eq!(page.matches("`--host ").count(), 1);
    }
}
