//! Asks for the variables that skills need, hands them to commands, and redacts them from output.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};

use openoxide_sandbox::{Command, Environment as Variables};
use openoxide_skills::catalog::Entry;
use secrecy::{ExposeSecret as _, SecretString};

use super::dependencies::{Dependencies, Dependency, MAX_QUESTIONS, Required, VARIABLE, require, too_many};
use crate::{Answer, Question, Runtime, Session};

/// Shortest value that is taken out of a command's output; a shorter one is no secret, and stands everywhere.
const MIN_SECRET: usize = 4;

impl Dependencies {
    /// Finds the variables that skills need; what is not known is asked for, once.
    pub(super) fn begin_variables(
        &mut self,
        runtime: &Runtime,
        session: &mut Session,
        dependencies: &[Dependency<'_>],
    ) {
        let mut asked = 0;
        for Required { name, about, skills, .. } in gather(dependencies) {
            if let Some(why) = refused(&name) {
                self.note(&skills, why, None);
                continue;
            }
            if is_known(runtime, session, &name) {
                continue;
            }
            let question = Question::Secret { variable: name.clone(), about, skills: skills.clone() };
            if session.asked.contains(&question.key()) {
                self.note_missing(&name, &skills);
            } else if asked == MAX_QUESTIONS {
                self.note(&skills, too_many(&format!("the variable {name}")), None);
            } else {
                asked += 1;
                self.questions.push(question);
            }
        }
    }

    pub(super) fn variable_answered(&mut self, session: &mut Session, name: &str, skills: &[String], answer: Answer) {
        let Answer::Secret(value) = answer else { return self.note_missing(name, skills) };
        // The sandbox's own rule; its words name the variable, never the value.
        match Variables::default().give(name, value.expose_secret()) {
            Ok(()) if !value.expose_secret().is_empty() => session.keep_secret(name, value),
            Ok(()) => self.note_missing(name, skills),
            Err(error) => self.note(skills, error.to_string(), None),
        }
    }

    fn note_missing(&mut self, name: &str, skills: &[String]) {
        let help = format!("set {name} in the environment to have it");
        self.note(skills, format!("the variable {name} is missing; what needs it will fail"), Some(help));
    }
}

fn gather(dependencies: &[Dependency<'_>]) -> Vec<Required<String>> {
    let mut all = Vec::new();
    for dependency in dependencies.iter().filter(|dependency| dependency.is(VARIABLE)) {
        require(&mut all, dependency, dependency.tool.value.clone());
    }
    all.sort_by(|left, right| left.name.cmp(&right.name));
    all
}

/// Tells whether the conversation or the environment has a value; the conversation's wins.
fn is_known(runtime: &Runtime, session: &mut Session, name: &str) -> bool {
    if session.secret(name).is_some() {
        return true;
    }
    let Some(value) = runtime.environment.variable(name) else { return false };
    session.keep_secret(name, SecretString::from(value.to_owned()));
    true
}

/// Returns the names of the variables that a skill says it needs.
pub(crate) fn variables_of(entry: &Entry) -> impl Iterator<Item = &str> {
    let tools = entry.skill.dependencies.iter().flat_map(|dependencies| &dependencies.tools);
    tools.filter(|tool| tool.kind.eq_ignore_ascii_case(VARIABLE)).map(|tool| tool.value.as_str())
}

/// Returns the names of the variables that a skill's commands would get, each once: whether or not there is a value yet.
pub(crate) fn givable_variables(entry: &Entry) -> Vec<String> {
    let names: BTreeSet<&str> = variables_of(entry).filter(|name| refused(name).is_none()).collect();
    names.into_iter().map(str::to_owned).collect()
}

/// Says which variables a skill asks for and never gets, and why.
pub(crate) fn refused_variables(entry: &Entry) -> Vec<String> {
    let names: BTreeSet<&str> = variables_of(entry).collect();
    names.into_iter().filter_map(refused).collect()
}

/// Says why no skill gets a variable, by the sandbox's own rule.
fn refused(name: &str) -> Option<String> {
    let error = Variables::default().give(name, "").err()?;
    Some(format!("a variable cannot be given to it: {error}"))
}

impl Runtime {
    /// Takes over what a skill needs and the environment has; for what is run without an activation before it.
    pub fn take_variables(&self, session: &mut Session, entry: &Entry) {
        for name in givable_variables(entry) {
            is_known(self, session, &name);
        }
    }
}

/// Gives a command the variables that the user agreed to, and ours. Ours come last, so that no skill can replace one by a
/// variable of its name.
pub(crate) fn set_variables<N: AsRef<OsStr>, V: Into<OsString>>(
    command: &mut Command,
    session: &Session,
    agreed: &[String],
    ours: impl IntoIterator<Item = (N, V)>,
) -> Result<(), String> {
    for name in agreed {
        if let Some(value) = session.secret(name) {
            command.env.give(name, value.expose_secret()).map_err(|error| error.to_string())?;
        }
    }
    ours.into_iter().try_for_each(|(name, value)| command.env.set(name, value)).map_err(|error| error.to_string())
}

/// Takes the values that a skill's commands were given out of what they say: it goes to the model.
pub(crate) fn redact(session: &Session, entry: &Entry, text: String) -> String {
    let known = variables_of(entry).filter_map(|name| Some((name, session.secret(name)?.expose_secret())));
    let mut secrets: Vec<(&str, &str)> = known.filter(|(_, value)| value.len() >= MIN_SECRET).collect();
    // The longest first, because one may hold another.
    secrets.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
    secrets.into_iter().fold(text, |text, (name, value)| text.replace(value, &format!("[{name}]")))
}
