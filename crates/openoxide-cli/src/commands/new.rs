//! `new`: the files of a new skill.

use std::path::PathBuf;

use anyhow::Context as _;
use openoxide_skills::{Hosts, parse_text};
use openoxide_wire::{ChangeAnswer, ChangeLine};

use crate::ExitStatus;
use crate::args::Common;
use crate::error::Told;
use crate::paths;
use crate::session::open_workspace;
use crate::ui::{Ui, safe};

/// Make the files of a new skill
#[derive(Debug, clap::Args)]
pub(crate) struct NewArgs {
    /// The skill's name: lower-case letters, digits and hyphens
    name: String,
    /// What it does and when to use it
    #[arg(long, short)]
    description: Option<String>,
    /// Make it yours instead of the project's (`~/.agents/skills`)
    #[arg(long, conflicts_with = "dir")]
    user: bool,
    /// Make it in this folder
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(crate) fn new(ui: &Ui, common: &Common, args: &NewArgs) -> anyhow::Result<ExitStatus> {
    let workspace = open_workspace(ui, common)?;
    let description = args
        .description
        .clone()
        .unwrap_or_else(|| format!("Say here what {} does, and when it should be used", args.name.replace('-', " ")));
    let text = scaffold(&args.name, &description);
    refuse_bad_name(&args.name, &text)?;
    let environment = &workspace.environment;
    let root = match (&args.dir, args.user, &environment.home) {
        (Some(dir), ..) => environment.cwd.join(dir),
        (None, true, Some(home)) => home.join(".agents/skills"),
        (None, true, None) => {
            return Err(Told::failed("there is no home folder").hint("set HOME, or use --dir DIR").into());
        }
        (None, false, _) => workspace.project.join(".agents/skills"),
    };
    let folder = root.join(&args.name);
    if folder.symlink_metadata().is_ok() {
        let shown = paths::short(&workspace, &folder);
        let hint = format!("choose another name, or look at it: openoxide show {shown}");
        return Err(Told::failed(format!("`{shown}` is already there")).hint(hint).into());
    }
    fs_err::create_dir_all(&folder)?;
    fs_err::write(folder.join("SKILL.md"), text)?;
    crate::session::unpack(ui, &workspace)?;
    let file = paths::short(&workspace, &folder.join("SKILL.md"));
    if common.json {
        let change = ChangeLine::new("create", &folder.join("SKILL.md"), Some(args.name.clone()));
        ui.json(&ChangeAnswer::new(vec![change], None))?;
    } else {
        ui.data(&format!("{file}\n"))?;
    }
    ui.hint(&format!("edit it, then: openoxide check {}", paths::short(&workspace, &folder)));
    Ok(ExitStatus::Done)
}

/// Refuses a name that the standard does not allow.
fn refuse_bad_name(name: &str, text: &str) -> anyhow::Result<()> {
    let hosts = Hosts::builtin();
    let host = hosts.standard().context("there is no host for the standard")?.host()?;
    let parsed = parse_text(text, name, &host.parse);
    if let Some(problem) = parsed.invalid() {
        let help = format!("try `{}`", suggestion(name));
        return Err(Told::failed(format!("`{}` cannot be a skill's name: {}", safe(name), problem.message))
            .hint(help)
            .into());
    }
    Ok(())
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
