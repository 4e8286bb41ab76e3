//! Completion in shells: what can stand where the cursor is, asked for by the script that `completions` prints.

use std::io::Write as _;

use clap::{Arg, Command};
use clap_complete::env::Shells;
use clap_complete::{ArgValueCandidates, CompleteEnv, CompletionCandidate, Shell};
use openoxide_app::complete::{self, OfferedName};
use openoxide_app::{Place, Workspace};

use crate::{text::safe, typed};

/// The variable by which the script asks. It is no setting, so its name keeps away from those.
const ASKED: &str = "_OPENOXIDE_COMPLETE";

/// The longest explanation that is shown beside a name.
const ABOUT_MAX: usize = 60;

/// Answers the script, if that is what this process was started for. Tells whether it was. `command` defines everything
/// that can be typed.
pub(crate) fn answer_if_asked(command: fn() -> Command) -> bool {
    let folder = std::env::current_dir().ok();
    let completer = CompleteEnv::with_factory(|| offering(command())).var(ASKED);
    completer.try_complete(std::env::args_os(), folder.as_deref()).unwrap_or_else(|error| {
        // If the stream is closed, there is nowhere to report it.
        let _ = writeln!(std::io::stderr().lock(), "{error}");
        true
    })
}

/// Returns the script for a shell; `program` is what the script starts to ask.
pub(crate) fn script(shell: Shell, program: &str) -> std::io::Result<String> {
    let mut script = Vec::new();
    if let Some(completer) = Shells::builtins().completer(&shell.to_string()) {
        completer.write_registration(ASKED, "openoxide", "openoxide", program, &mut script)?;
    }
    Ok(String::from_utf8_lossy(&script).into_owned())
}

/// Adds what is offered to each argument, by what its value is called in the help.
fn offering(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let offered = arg.get_value_names().and_then(<[_]>::first).and_then(|name| offered(name.as_ref()));
        offered.map_or(arg.clone(), |offered| Arg::add(arg, offered))
    });
    command.mut_subcommands(offering)
}

fn offered(value: &str) -> Option<ArgValueCandidates> {
    Some(match value {
        "SKILL" => ArgValueCandidates::new(|| candidates(skills())),
        "SKILL|CODE" => ArgValueCandidates::new(|| candidates(skills().into_iter().chain(complete::codes()))),
        "CODE" => ArgValueCandidates::new(|| candidates(complete::codes())),
        "KEY" => ArgValueCandidates::new(|| candidates(complete::settings())),
        "MODEL" => ArgValueCandidates::new(|| candidates(models())),
        "HOST" | "HOST[@EDITION]" => ArgValueCandidates::new(|| candidates(hosts())),
        _ => return None,
    })
}

fn skills() -> Vec<OfferedName> {
    workspace().and_then(|workspace| complete::skills(&workspace).ok()).unwrap_or_default()
}

fn models() -> Vec<OfferedName> {
    workspace().map(|workspace| complete::models(&workspace)).unwrap_or_default()
}

fn hosts() -> Vec<OfferedName> {
    workspace().map(|workspace| complete::hosts(&workspace)).unwrap_or_default()
}

fn workspace() -> Option<Workspace> {
    let folder = project(std::env::args().collect()).unwrap_or_default();
    openoxide_app::open_workspace(&Place { folder: folder.into(), ..Place::default() }).ok()
}

/// Returns the folder that the line being typed names with `--project`.
fn project(words: Vec<String>) -> Option<String> {
    let mut words = words.into_iter().skip_while(|word| word != "--").skip(1);
    while let Some(word) = words.next() {
        match word.strip_prefix("--project") {
            Some("") => return words.next(),
            Some(value) => return value.strip_prefix('=').map(str::to_owned),
            None => {}
        }
    }
    None
}

/// Returns candidates. A name that a shell would not take as it is comes from a skill's file, and is not put on the line.
fn candidates(offered: impl IntoIterator<Item = OfferedName>) -> Vec<CompletionCandidate> {
    // A name that begins with `-` or `=` would mean something else on the line.
    let is_plain = |name: &String| !name.starts_with(['-', '=']) && typed::word(name).as_ref() == Some(name);
    let plain = offered.into_iter().filter(|offered| is_plain(&offered.name));
    let candidate = |offered: OfferedName| {
        let line = safe(offered.about.lines().next().unwrap_or_default());
        let about: String = line.chars().take(ABOUT_MAX).collect();
        CompletionCandidate::new(offered.name).help((!about.is_empty()).then(|| about.into()))
    };
    plain.map(candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_shell_would_run_are_not_offered() {
        let offered = |name: &str| OfferedName { name: name.to_owned(), about: "a\u{1b}[31m\nb".to_owned() };
        let names = ["pdf-forms", "$(touch x)", "a b", "`id`", "x;y", "a\u{202e}b", "größe", ""].map(offered);
        let shown: Vec<String> = candidates(names)
            .iter()
            .map(|candidate| format!("{} {}", candidate.get_value().display(), candidate.get_help().unwrap()))
            .collect();
        assert_eq!(shown, ["pdf-forms a\\u{1b}[31m", "größe a\\u{1b}[31m"]);
    }

    #[test]
    fn the_project_of_the_line_is_found() {
        let project = |line: &str| project(line.split(' ').map(str::to_owned).collect());
        assert_eq!(project("openoxide -- openoxide show --project ../a x"), Some("../a".to_owned()));
        assert_eq!(project("openoxide -- openoxide show --project=b x"), Some("b".to_owned()));
        assert_eq!(project("openoxide -- openoxide show x"), None);
    }
}
