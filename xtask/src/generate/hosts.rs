//! The pages on hosts, drawn from their data: one for each, and an index.

mod answers;
mod places;
mod rules;
mod settings;
mod words;

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use openoxide_config::OWN_HOST;
use openoxide_skills::host::{Host, Hosts};
use serde_json::Value;
use toml::Table;

use self::places::Places;
use self::words::Words;
use super::host::Files;
use super::markdown::{code, table};
use super::{NOTICE, Page};
use crate::shell::repository;

/// The folder of the pages, in the repository.
pub(super) const FOLDER: &str = "docs/hosts";

/// The folder of the hosts, in the repository.
const DATA: &str = "crates/openoxide-skills/hosts";

const INTRODUCTION: &str = "\
# Hosts

A [host](../glossary.md#host) is a program whose rules for skills OpenOxide knows. Each page begins with five short answers:
where it looks, what it ignores, which skill wins, what the model sees, and how to switch a skill off. All rules follow.
An [edition](../glossary.md#edition) is another version of a host, used as `--host NAME@EDITION`. To add a host of your own,
write [one folder of data](../add-a-host.md).
";

/// What stands between the answers and the tables.
const ALL_RULES: &str = "\n---\n\nThe rest of this page has every rule that differs from the default; the defaults are in the \
    [reference](../reference/host.md).\n";

/// What a page says of which rules, in the order of the page; a heading, and tables of `host.toml`.
const SECTIONS: &[(&str, &[&str])] = &[
    ("Searching a root", &["scan", "namespace"]),
    ("Reading a file", &["parse", "sidecar"]),
    ("Active skills", &["collide", "controls", "list"]),
    ("The catalog", &["catalog", "budget"]),
    ("Mentions", &["mention"]),
    ("Calling a skill", &["activation"]),
    ("Files of a skill", &["resource"]),
    ("Placeholders, commands and files in a skill's text", &["arguments", "shell", "files"]),
    ("Hooks", &["hooks"]),
    ("Subagents", &["fork", "preload"]),
    ("Its own texts", &["texts", "user_texts"]),
    ("Tools", &["tools"]),
    ("Its own HTTP server", &["serve"]),
];

/// Returns the index and a page for each host.
pub(super) fn pages(schema: &Value) -> Result<Vec<Page>> {
    let mut rows = Vec::new();
    let mut pages = Vec::new();
    for name in Hosts::builtin().names() {
        let entry = Entry::read(name)?;
        rows.push(entry.row()?);
        pages.push(Page::new(format!("{FOLDER}/{name}.md"), entry.page(schema)?));
    }
    let index = table(["host", "name", "version", "editions", "its rules are"], rows);
    pages.push(Page::new(format!("{FOLDER}/README.md"), format!("{NOTICE}{INTRODUCTION}\n{index}")));
    Ok(pages)
}

/// Returns what each built-in host writes, for counting its keys.
pub(super) fn files() -> Result<Files> {
    let entry = |name: &str| -> Result<_> {
        let entry = Entry::read(name)?;
        let editions = entry.editions.into_iter().map(|(_, table)| table);
        Ok((entry.name, [entry.table].into_iter().chain(editions).collect()))
    };
    Hosts::builtin().names().map(entry).collect()
}

/// One host: its file as it is written, and its editions.
struct Entry {
    name: String,
    table: Table,
    editions: Vec<(String, Table)>,
}

impl Entry {
    fn read(name: &str) -> Result<Entry> {
        let folder = repository().join(DATA).join(name);
        let mut editions = Vec::new();
        if folder.join("editions").is_dir() {
            for file in fs_err::read_dir(folder.join("editions"))? {
                let path = file?.path();
                if path.extension().is_some_and(|extension| extension == "toml") {
                    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                    editions.push((stem, toml_file(&path)?));
                }
            }
        }
        editions.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(Entry { name: name.to_owned(), table: toml_file(&folder.join("host.toml"))?, editions })
    }

    fn row(&self) -> Result<[String; 5]> {
        let host = rules::host(&self.table)?;
        let editions: Vec<String> = self.editions.iter().map(|(name, _)| code(&format!("@{name}"))).collect();
        let title = format!("[{}]({}.md)", host.title, self.name);
        Ok([title, code(&self.name), host.program, editions.join(" "), self.known()?])
    }

    /// Says how the rules came to be known.
    fn known(&self) -> Result<String> {
        let cases = repository().join("fidelity").join(&self.name);
        if cases.is_dir() {
            let cases = fs_err::read_dir(&cases)?.count();
            return Ok(format!("compared with the real program in [{cases} cases](../../fidelity/{})", self.name));
        }
        Ok(if self.name == OWN_HOST { "our own" } else { "taken from its documentation and source" }.to_owned())
    }

    fn page(&self, schema: &Value) -> Result<String> {
        let words = Words::new(schema);
        let host = rules::host(&self.table)?;
        let stated = rules::stated(&self.table)?;
        let places = Places::new(&host);
        let mut text = format!("{NOTICE}{}", self.head(&words, &host)?);
        let has_catalog = repository().join(DATA).join(&self.name).join("catalog.jinja").is_file();
        text.push_str(&answers::answers(&self.name, &host, &places, has_catalog));
        text.push_str(ALL_RULES);
        section(&mut text, "How it is found on a machine", &found(&host, &places));
        let mut look = project(&words, &stated)?;
        look.push_str(&places.roots(&words, &self.table)?);
        section(&mut text, "Roots, in order", &look);
        for (heading, keys) in SECTIONS {
            section(&mut text, heading, &words.tables(&stated, keys)?);
        }
        section(&mut text, "Settings", &settings::all(&words, &places, &host, &self.table)?);
        section(&mut text, "Deviations", &deviations(&host));
        section(&mut text, "Editions", &self.changes(schema)?);
        Ok(text)
    }

    fn head(&self, words: &Words<'_>, host: &Host) -> Result<String> {
        let standard = if host.standard { format!(" {}", words.yes("standard")?) } else { String::new() };
        let data = format!("[`{DATA}/{0}`](../../{DATA}/{0})", self.name);
        Ok(format!(
            "# {}\n\n{}{standard} `--host {}` follows the rules of {}. They are {}; the data is in {data}.\n",
            host.title,
            host.about,
            self.name,
            host.program,
            self.known()?,
        ))
    }

    /// Says for each edition what it changes.
    fn changes(&self, schema: &Value) -> Result<String> {
        let mut text = String::new();
        for (name, overlay) in &self.editions {
            let merged = rules::merged(&self.table, overlay);
            let host = rules::host(&merged)?;
            let _ = write!(text, "### `{}@{name}`\n\n{}\n\nVersion: {}.\n", self.name, host.about, host.program);
            for part in self.changed(schema, overlay, &merged, &host)? {
                let _ = write!(text, "\n{part}");
            }
            text.push('\n');
        }
        text.truncate(text.trim_end().len());
        if !text.is_empty() {
            text.push('\n');
        }
        Ok(text)
    }

    fn changed(&self, schema: &Value, overlay: &Table, merged: &Table, host: &Host) -> Result<Vec<String>> {
        let words = Words::new(schema);
        let places = Places::new(host);
        let changes = rules::changes(&self.table, overlay)?;
        let mut parts = Vec::new();
        let keys: Vec<&str> = SECTIONS.iter().flat_map(|(_, keys)| keys.iter().copied()).collect();
        parts.push(words.tables(&changes, &[&["project"], keys.as_slice()].concat())?);
        if overlay.contains_key("roots") {
            parts.push(format!("It looks in:\n\n{}", places.roots(&words, merged)?));
        }
        if let Some(toml::Value::Table(touched)) = overlay.get("settings") {
            parts.push(settings::some(&words, &places, host, touched)?);
        }
        if overlay.contains_key("deviations") {
            parts.push(format!("Its deviations:\n\n{}", deviations(host)));
        }
        parts.retain(|part| !part.is_empty());
        Ok(parts)
    }
}

fn toml_file(path: &Path) -> Result<Table> {
    fs_err::read_to_string(path)?.parse().with_context(|| format!("{} is not TOML", path.display()))
}

fn section(text: &mut String, heading: &str, body: &str) {
    if !body.is_empty() {
        let _ = write!(text, "\n## {heading}\n\n{body}");
    }
}

fn found(host: &Host, places: &Places) -> String {
    let rows = [
        ("Program", &host.found.programs),
        ("In the home folder", &host.found.home),
        ("In a project", &host.found.project),
    ];
    let mut text = String::new();
    for (what, paths) in rows.into_iter().filter(|(_, paths)| !paths.is_empty()) {
        let paths: Vec<String> = paths.iter().map(|path| places.words(path, "")).collect();
        let _ = writeln!(text, "- {what}: {}.", paths.join(", "));
    }
    text
}

/// Says how the project's root is found, where that is not as usual.
fn project(words: &Words<'_>, stated: &Table) -> Result<String> {
    let text = words.tables(stated, &["project"])?;
    Ok(if text.is_empty() { text } else { format!("{text}\n") })
}

fn deviations(host: &Host) -> String {
    let lines = host.deviations.iter().map(|deviation| format!("- {} *Why:* {}\n", deviation.what, deviation.why));
    lines.collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns the schema of `host.toml` as it lies in the repository.
    pub(in super::super) fn schema() -> Value {
        words::tests::schema()
    }

    /// What the pages say in their own way.
    const DRAWN: &str = "title program versions about standard vars found strict_files own_permissions project layers variables \
                         settings agents switch roots deviations more_deviations";

    /// A new part of the vocabulary must not be missing from the pages silently.
    #[test]
    fn every_part_of_the_vocabulary_has_its_place() {
        let schema = words::tests::schema();
        let known: Vec<&str> =
            SECTIONS.iter().flat_map(|(_, keys)| keys.iter().copied()).chain(DRAWN.split(' ')).collect();
        let all: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert!(all.iter().all(|key| known.contains(&key.as_str())), "{all:?} has more than {known:?}");
        assert_eq!(all.len(), known.len(), "{known:?} has more than {all:?}");
    }

    #[test]
    fn every_page_has_its_title_and_no_empty_section() {
        for page in pages(&words::tests::schema()).unwrap() {
            let lines: Vec<&str> = page.text.lines().filter(|line| !line.is_empty()).collect();
            assert!(lines[1].starts_with("# "), "{}", page.path.display());
            let empty = lines.windows(2).find(|pair| pair[0].starts_with("## ") && pair[1].starts_with("## "));
            assert_eq!(empty, None, "{}", page.path.display());
            assert!(!lines.last().unwrap().starts_with('#'), "{}", page.path.display());
        }
    }
}
