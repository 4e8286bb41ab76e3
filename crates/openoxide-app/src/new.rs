//! Use case: makes the files of a new skill.

mod folders;
mod outlook;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use openoxide_config::{Workspace, WriteDir};
use openoxide_skills::{host::Hosts, parse::parse_text, text::TerminalText};
use openoxide_wire::{ChangeAnswer, ChangeLine};

use crate::{Error, ErrorKind, given_path, paths};

pub use folders::{AgentFolder, NewOwner, OtherAgent, folders};
pub use outlook::{NameChoice, Outlook, outlook};

/// The skill to make.
#[derive(Clone, Debug)]
pub struct NewInput {
    /// Its name.
    pub name: String,
    /// What it does and when to use it.
    pub description: Option<String>,
    /// Where to make it.
    pub place: NewPlace,
}

/// Where a new skill goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewPlace {
    /// Into a folder that the user's agents look in.
    Agents(AgentFolder),
    /// Into this folder.
    Folder(PathBuf),
}

/// The skill that was made.
#[derive(Clone, Debug)]
pub struct NewSkill {
    /// Its folder.
    pub folder: PathBuf,
    /// Its file.
    pub file: PathBuf,
    /// The answer.
    pub answer: ChangeAnswer,
}

/// Makes the files of a new skill. Nothing that is there is replaced.
pub fn new(workspace: &Workspace, input: &NewInput) -> Result<NewSkill, Error> {
    let NewInput { name, description, place } = input;
    let to_fill_in = || format!("TODO: say what {} does, and when to use it", name.replace('-', " "));
    let text = scaffold(name, &description.clone().unwrap_or_else(to_fill_in));
    refuse_bad_name(name, &text)?;
    let folder = root(workspace, place).join(name);
    if folder.symlink_metadata().is_ok() {
        let shown = paths::short(workspace, &folder);
        let help = format!("choose another name, or look at it: `openoxide show {shown}`");
        let message = format!("`{shown}` is already there");
        return Err(Error::other(ErrorKind::Conflict, "already-there", message).with_help(help));
    }
    make(workspace, &folder, &text)?;
    let file = folder.join("SKILL.md");
    let answer = ChangeAnswer::new(vec![ChangeLine::new("create", &file, Some(name.clone()))], None);
    Ok(NewSkill { folder, file, answer })
}

/// Makes the folder and the file. Nothing is written through a link that leads elsewhere.
fn make(workspace: &Workspace, folder: &Path, text: &str) -> Result<(), Error> {
    let real = given_path::resolve(workspace, folder)?;
    let there = real.ancestors().find(|above| above.symlink_metadata().is_ok()).unwrap_or(Path::new("/"));
    let below = real.strip_prefix(there).unwrap_or(Path::new(""));
    Ok(WriteDir::open(there)?.make(below)?.create(OsStr::new("SKILL.md"), text.as_bytes())?)
}

fn root(workspace: &Workspace, place: &NewPlace) -> PathBuf {
    match place {
        NewPlace::Agents(folder) => folder.path.clone(),
        NewPlace::Folder(folder) => workspace.environment.cwd.join(folder),
    }
}

fn refuse_bad_name(name: &str, text: &str) -> Result<(), Error> {
    let no_standard = || Error::other(ErrorKind::Internal, "no-standard", "there is no host for the standard");
    let host =
        Hosts::builtin().standard().ok_or_else(no_standard)?.host().map_err(openoxide_config::WorkspaceError::from)?;
    let parsed = parse_text(text, name, &host.parse);
    let Some(problem) = parsed.invalid() else { return Ok(()) };
    let message = format!("`{}` cannot be a skill's name: {}", TerminalText(name), problem.message);
    Err(Error::other(ErrorKind::Invalid, "bad-name", message).with_help(format!("try `{}`", suggestion(name))))
}

/// Returns the nearest name that the standard allows.
fn suggestion(name: &str) -> String {
    let plain = |character: char| if character.is_ascii_alphanumeric() { character.to_ascii_lowercase() } else { '-' };
    let words: String = name.chars().map(plain).collect();
    let joined = words.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-");
    if joined.is_empty() { "my-skill".to_owned() } else { joined.chars().take(64).collect() }
}

fn scaffold(name: &str, description: &str) -> String {
    let title = name.replace('-', " ");
    let mut letters = title.chars();
    let title: String = letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default();
    let description = serde_json::Value::from(description).to_string();
    format!(
        "---\nname: {name}\ndescription: {description}\n---\n\n# {title}\n\n\
         Write the steps here, in the order in which they are done. Keep this file short:\n\
         put details that are not always needed into `references/`, and anything that a\n\
         program does better into `scripts/`, and say here when to read or run which.\n\n\
         ## Steps\n\n1. …\n\n## Done when\n\n- …\n"
    )
}
