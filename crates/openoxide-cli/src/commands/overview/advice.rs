//! Advice as a command to type.

use openoxide_app::overview::{Action, Advice};
use openoxide_app::{SkillReference, Workspace};
use openoxide_wire::SuggestionLine;

use crate::args::Common;
use crate::typed;

/// Returns the line of an advice, with its command.
pub(super) fn line(common: &Common, workspace: &Workspace, advice: Advice) -> SuggestionLine {
    SuggestionLine {
        command: command(common, workspace, &advice.action),
        subject: advice.subject,
        text: advice.text,
        code: advice.code.map(|code| code.to_string()),
        fixes: advice.fixes,
        agents: advice.agents,
    }
}

/// Writes the command of an action, with the options that decide what is looked at.
fn command(common: &Common, workspace: &Workspace, action: &Action) -> String {
    let for_host = |host: &String| Common { host: Some(host.clone()), ..common.clone() };
    match action {
        // A fix serves every agent, also where the user looks at one.
        Action::Check { folder, fix } => {
            let verb = if *fix { "check --fix" } else { "check" };
            typed::command(&typed::for_all(common), verb, typed::path(workspace, folder).as_deref(), "")
        }
        Action::Trust => typed::command(&typed::for_all(common), "trust", None, ""),
        Action::Link { skill, from, into } => {
            let common = from.as_ref().map_or_else(|| common.clone(), for_host);
            let skill = skill.as_ref().and_then(|skill| typed::skill(workspace, skill));
            let verb = if skill.is_some() { "link" } else { "link --all" };
            typed::command(&common, verb, skill.as_deref(), &format!("--into {into}"))
        }
        Action::Enable { skill, in_project } => {
            let options = if *in_project { "--in-project" } else { "" };
            about(common, workspace, "enable", skill, options)
        }
        Action::Explain { skill } => about(common, workspace, "explain", skill, ""),
        Action::Roots { host } => typed::command(&for_host(host), "roots", None, ""),
        Action::Prompt { host } => typed::command(&for_host(host), "prompt", None, ""),
    }
}

/// Writes a command about one skill; where its name cannot be typed, the one about all.
fn about(common: &Common, workspace: &Workspace, verb: &str, skill: &SkillReference, options: &str) -> String {
    match typed::skill(workspace, skill) {
        Some(skill) => typed::command(common, verb, Some(&skill), options),
        None => typed::command(common, "list --all", None, ""),
    }
}
