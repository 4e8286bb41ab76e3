//! Paths of a host in words, and its roots in order.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use openoxide_skills::host::{Host, RootRule};
use toml::{Table, Value};

use super::super::markdown::{code, columns};
use super::words::Words;

/// What a path may begin with, and what that stands for.
const WALKS: &[(&str, &str)] = &[
    ("{project}", "the project's root"),
    ("{cwd}", "the working folder"),
    ("{up}", "the working folder and each one above it, up to the project's root"),
    ("{down}", "each folder from the project's root down to the working folder"),
    ("{top}", "the working folder and each one above it"),
    ("{below}", "each folder between the working folder and a touched file"),
    ("{added}", "each folder added on the command line"),
];

/// Keys of a root that the table shows in its own way.
const SHOWN: &[&str] =
    &["path", "scope", "provider", "listed", "switches", "needs", "together", "group", "unless_same", "listed_from"];

/// A sentence of more characters than this that holds for several roots stands below the table, once.
const LONG: usize = 30;

/// The folders that a host's paths stand for.
pub(super) struct Places<'h> {
    host: &'h Host,
}

impl<'h> Places<'h> {
    pub(super) fn new(host: &'h Host) -> Places<'h> {
        Places { host }
    }

    /// Says where a path leads, where no variable moves it; `listed` is the setting that `{listed}` stands for.
    pub(super) fn words(&self, path: &str, listed: &str) -> String {
        let path = self.path(path);
        let named = ("{listed}", format!("each folder that {} names", code(listed)));
        let walks = WALKS.iter().map(|(walk, words)| (*walk, (*words).to_owned())).chain([named]);
        for (walk, words) in walks {
            if let Some(rest) = path.strip_prefix(walk) {
                let rest = rest.trim_start_matches('/');
                return if rest.is_empty() { words } else { format!("{} in {words}", code(rest)) };
            }
        }
        code(&path)
    }

    /// Writes a path as it is where no variable moves it.
    pub(super) fn path(&self, path: &str) -> String {
        unset(&self.expanded(path), &mut BTreeMap::new())
    }

    /// Replaces the names of folders by the folders.
    fn expanded(&self, path: &str) -> String {
        let mut path = path.to_owned();
        // A name may stand for a path with another name in it, but not for one with itself.
        for _ in 0..self.host.vars.len() {
            for (name, folder) in &self.host.vars {
                path = path.replace(&format!("{{{name}}}"), folder);
            }
        }
        path
    }

    /// Draws the roots as a table, and what variables move them.
    pub(super) fn roots(&self, words: &Words<'_>, table: &Table) -> Result<String> {
        let common = self.common();
        let written = table.get("roots").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let rules = self.host.roots.iter().zip(written).map(|(root, written)| self.rules(words, root, written));
        let rules = rules.collect::<Result<Vec<_>>>()?;
        let notes = repeated(&rules);
        let mut rows = Vec::new();
        for (index, (root, rules)) in self.host.roots.iter().zip(&rules).enumerate() {
            let folder = self.words(&root.path, root.listed.as_deref().unwrap_or_default());
            let provider = root.provider.as_deref().map(code).unwrap_or_default();
            let scope = format!("{:?}", root.scope).to_lowercase();
            let rules = [condition(root, &common), marked(rules, &notes)].concat();
            rows.push([(index + 1).to_string(), folder, scope, provider, rules.trim_end().to_owned()]);
        }
        let mut text = String::new();
        if !common.is_empty() {
            let _ = writeln!(text, "Only if {}:\n", on(&common, "and"));
        }
        text.push_str(&columns(["#", "folder", "scope", "provider", "rules"], &rows));
        let notes: Vec<String> = letters().zip(&notes).map(|(letter, note)| format!("*{letter}* {note}")).collect();
        if !notes.is_empty() {
            let _ = write!(text, "\n{}\n", notes.join("\\\n"));
        }
        text.push_str(&self.moved());
        Ok(text)
    }

    /// Returns the settings that every root needs.
    fn common(&self) -> Vec<String> {
        let Some((first, rest)) = self.host.roots.split_first() else { return Vec::new() };
        let alone = |root: &RootRule| if root.switches.len() == 1 { root.switches.clone() } else { Vec::new() };
        let needed = |root: &RootRule| [root.needs.clone(), alone(root)].concat();
        let shared = |name: &String| rest.iter().all(|root| needed(root).contains(name));
        if rest.is_empty() { Vec::new() } else { needed(first).into_iter().filter(shared).collect() }
    }

    /// Says what else holds for a root, a sentence to a rule.
    fn rules(&self, words: &Words<'_>, root: &RootRule, written: &Value) -> Result<Vec<String>> {
        let mut said = Vec::new();
        for (word, how) in
            [(&root.together, "is searched together, folder by folder, with"), (&root.group, "is listed together with")]
        {
            let of = |other: &RootRule| {
                if how.starts_with("is searched") { other.together.clone() } else { other.group.clone() }
            };
            let others: Vec<String> = (1_usize..)
                .zip(&self.host.roots)
                .filter(|(_, other)| word.is_some() && of(other) == *word)
                .map(|(number, _)| number.to_string())
                .collect();
            if others.len() > 1 {
                said.push(format!("Each of {} {how} the others.", join(&others, "and")));
            }
        }
        for (key, path) in [("unless_same", &root.unless_same), ("listed_from", &root.listed_from)] {
            if let Some(path) = path {
                said.push(format!("{}: {}.", words.label("RootRule", key), self.words(path, "")));
            }
        }
        if let Some(written) = written.as_table() {
            said.extend(words.sentences("RootRule", written, SHOWN)?);
        }
        Ok(said)
    }

    /// Says which variables of the environment move which folders.
    fn moved(&self) -> String {
        let mut variables = BTreeMap::new();
        for path in self.host.vars.values().chain(self.host.roots.iter().map(|root| &root.path)) {
            unset(&self.expanded(path), &mut variables);
        }
        let mut text = String::new();
        for (variable, defaults) in variables {
            let defaults: Vec<String> = defaults.iter().map(|path| self.words(path, "")).collect();
            let _ = write!(text, "\nIf {} is set, it replaces {}.\n", code(&variable), join(&defaults, "and"));
        }
        text
    }
}

/// Writes `${NAME:-path}` as the path and `${NAME}` as `$NAME`, and notes what each variable stands for.
fn unset(path: &str, variables: &mut BTreeMap<String, Vec<String>>) -> String {
    let Some((before, rest)) = path.split_once("${") else { return path.to_owned() };
    let mut depth = 1;
    let end = rest.char_indices().find(|(_, letter)| {
        depth += match letter {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        depth == 0
    });
    let (inner, after) = end.map_or((rest, ""), |(end, _)| (&rest[..end], &rest[end + 1..]));
    let here = match inner.split_once(":-") {
        Some((name, default)) => {
            let defaults = variables.entry(name.to_owned()).or_default();
            let default = unset(default, &mut BTreeMap::new());
            if !defaults.contains(&default) {
                defaults.push(default.clone());
            }
            default
        }
        None => format!("${inner}"),
    };
    format!("{before}{here}{}", unset(after, variables))
}

/// Says which settings a root needs, besides those that all of them do.
fn condition(root: &RootRule, common: &[String]) -> String {
    let own = |names: &[String]| names.iter().filter(|name| !common.contains(name)).cloned().collect::<Vec<_>>();
    let mut said = Vec::new();
    for (names, word) in [(own(&root.needs), "and"), (own(&root.switches), "or")] {
        if !names.is_empty() {
            said.push(on(&names, word));
        }
    }
    if said.is_empty() { String::new() } else { format!("If {}. ", said.join(", and ")) }
}

/// Returns the long sentences that hold for several roots.
fn repeated(rules: &[Vec<String>]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for rule in rules.iter().flatten() {
        let times = rules.iter().flatten().filter(|other| *other == rule).count();
        if times > 1 && rule.chars().count() > LONG && !notes.contains(rule) {
            notes.push(rule.clone());
        }
    }
    notes
}

/// Puts sentences in a row, with letters for those that stand below.
fn marked(rules: &[String], notes: &[String]) -> String {
    let letter = |rule: &String| letters().zip(notes).find(|(_, note)| *note == rule).map(|(letter, _)| letter);
    let marks: Vec<String> = rules.iter().filter_map(letter).map(|letter| format!("*{letter}*")).collect();
    let plain: Vec<&str> = rules.iter().filter(|rule| letter(rule).is_none()).map(String::as_str).collect();
    [plain.join(" "), marks.join(" ")].join(" ").trim().to_owned()
}

fn letters() -> impl Iterator<Item = char> {
    'a'..='z'
}

/// Says that settings are on.
fn on(names: &[String], word: &str) -> String {
    let codes: Vec<String> = names.iter().map(|name| code(name)).collect();
    let verb = if names.len() > 1 && word == "and" { "are" } else { "is" };
    format!("{} {verb} on", join(&codes, word))
}

/// Puts words in a row, with a word before the last.
pub(super) fn join(items: &[String], word: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} {word} {last}", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::hosts::{rules, words};

    fn host() -> Host {
        let text = "title = 'T'\nprogram = 't 1'\n[vars]\nhome = '${T_HOME:-~/.t}'\n\
            file = '${T_FILE:-{project}/t.toml}'\n[[roots]]\npath = '{home}/skills'\nscope = 'user'\n";
        rules::host(&text.parse().unwrap()).unwrap()
    }

    #[test]
    fn paths_in_words() {
        let host = host();
        let rows = [
            ("{home}/skills", "`~/.t/skills`"),
            ("{file}", "`t.toml` in the project's root"),
            ("${T_DIR}/skills", "`$T_DIR/skills`"),
            ("{listed}/skills", "`skills` in each folder that `more` names"),
            ("{added}", "each folder added on the command line"),
        ];
        for (path, words) in rows {
            assert_eq!(Places::new(&host).words(path, "more"), words, "{path}");
        }
        let moved = Places::new(&host).moved();
        assert!(moved.contains("If `T_HOME` is set, it replaces `~/.t`."), "{moved}");
    }

    /// Every walk that the vocabulary explains has words here.
    #[test]
    fn every_walk_has_words() {
        let schema = words::tests::schema();
        let about = schema["$defs"]["RootRule"]["description"].as_str().unwrap();
        let walks: Vec<&str> = about.split('`').filter(|part| part.starts_with('{')).collect();
        assert!(walks.len() > WALKS.len(), "{about}");
        let known = |walk: &&str| *walk == "{listed}" || WALKS.iter().any(|(name, _)| name == walk);
        assert!(walks.iter().all(known), "{walks:?}");
    }
}
