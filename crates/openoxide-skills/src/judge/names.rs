//! Finds names in a skill's folder that can be mistaken for each other, or for something else.

use std::collections::BTreeMap;
use std::path::Path;

use super::{contents::Contents, finding::SkillFinding};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::{TerminalText, oddity, outline};

/// Returns what is wrong with the name of a skill's folder and the names in it.
pub(super) fn deceptive_names(dir: &Path, contents: &Contents) -> Vec<SkillFinding> {
    let mut found = Vec::new();
    found.extend(dir.file_name().and_then(|name| odd(dir, &name.to_string_lossy())));
    for folder in &contents.0 {
        let path = dir.join(&folder.path);
        let mut outlines: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, _) in &folder.entries {
            let shown = name.to_string_lossy().into_owned();
            found.extend(odd(&path.join(name), &shown));
            outlines.entry(outline(&shown)).or_default().push(shown);
        }
        found.extend(outlines.into_values().filter(|names| names.len() > 1).map(|names| twins(&path, &names)));
    }
    found
}

fn odd(path: &Path, name: &str) -> Option<SkillFinding> {
    let message = format!("the name `{}` {}", TerminalText(name), oddity(name)?);
    Some(SkillFinding::new(path, Diagnostic::warning(Code::DeceptiveName, message).help("rename it")))
}

fn twins(folder: &Path, names: &[String]) -> SkillFinding {
    let listed: Vec<String> = names.iter().map(|name| format!("`{}`", TerminalText(name))).collect();
    let message = format!("{} can be mistaken for each other", listed.join(" and "));
    let help = "rename one of them; where upper and lower case are the same, there is room for one only";
    let path = folder.join(names.first().map_or("", String::as_str));
    SkillFinding::new(&path, Diagnostic::warning(Code::DeceptiveName, message).help(help))
}
