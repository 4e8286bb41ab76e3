//! The table of attacks: each case and what came of it through each face, drawn from the results of a run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use crate::metadata;
use crate::shell::{no_arguments, say};

/// The last part of the name of a test that comes through a face, and the title of its column.
const FACES: [(&str, &str); 5] =
    [("cli", "command line"), ("http", "HTTP"), ("mcp", "MCP"), ("mcp_http", "MCP over HTTP"), ("rpc", "JSON-RPC")];

const OUT_OF_REACH: &str = "OUT OF REACH: ";
const SKIPPED: &str = "SKIPPED: ";

/// What came of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Ran {
    name: String,
    failed: bool,
    /// What it printed.
    output: String,
}

/// Runs `cargo xtask attacks`.
pub(crate) fn run(args: &[String]) -> Result<()> {
    no_arguments("attacks", args)?;
    let table =
        table()?.context("no tests have run; `cargo nextest run --profile ci adversarial` runs those of attacks")?;
    say(table);
    Ok(())
}

/// Where a run of nextest with the profile `ci` writes what came of each test.
fn report() -> Result<std::path::PathBuf> {
    Ok(metadata::target()?.join("nextest/ci/junit.xml"))
}

/// Removes what an earlier run wrote, so that it is not taken for this one's.
pub(crate) fn forget() -> Result<()> {
    let path = report()?;
    if path.exists() {
        fs_err::remove_file(path)?;
    }
    Ok(())
}

/// Draws the table of the run that has just ended; nothing if it did not get as far as running tests.
pub(crate) fn table() -> Result<Option<String>> {
    let path = report()?;
    if !path.exists() {
        return Ok(None);
    }
    read(&path).map(Some)
}

fn read(path: &Path) -> Result<String> {
    let text = fs_err::read_to_string(path)?;
    let (table, gaps) =
        draw(&tests(&text).with_context(|| format!("`{}` is not as nextest writes it", path.display()))?);
    ensure!(gaps.is_empty(), "{table}these attacks have neither a test nor a reason for a face: {}", gaps.join(", "));
    Ok(table)
}

/// Reads the tests of attacks from a report in the format of `JUnit`.
fn tests(report: &str) -> Option<Vec<Ran>> {
    let mut tests = Vec::new();
    for case in report.split("<testcase ").skip(1) {
        let case = case.split("</testcase>").next()?;
        let name = case.split("name=\"").nth(1)?.split('"').next()?;
        if !name.starts_with("adversarial::") {
            continue;
        }
        let failed = case.contains("<failure") || case.contains("<error");
        let output = ["system-out", "system-err"].map(|tag| element(case, tag)).join("\n");
        tests.push(Ran { name: name.to_owned(), failed, output });
    }
    Some(tests)
}

fn element(text: &str, tag: &str) -> String {
    let inner = text.split_once(&format!("<{tag}>")).and_then(|(_, rest)| rest.split_once(&format!("</{tag}>")));
    let inner = inner.map_or("", |(inner, _)| inner);
    let plain = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    plain.iter().fold(inner.to_owned(), |text, (entity, character)| text.replace(entity, character))
}

/// Draws the table; with it, the attacks that say nothing of a face.
fn draw(tests: &[Ran]) -> (String, Vec<String>) {
    let mut cases: BTreeMap<&str, BTreeMap<&str, &Ran>> = BTreeMap::new();
    let mut others = Vec::new();
    for test in tests {
        let name = test.name.strip_prefix("adversarial::").unwrap_or(&test.name);
        match name.rsplit_once("::").filter(|(_, face)| FACES.iter().any(|(known, _)| known == face)) {
            Some((case, face)) => drop(cases.entry(case).or_default().insert(face, test)),
            None => others.push(test),
        }
    }
    let mut notes = Notes::default();
    let mut gaps = Vec::new();
    let mut rows =
        vec![[&["attack"][..], &FACES.map(|(_, title)| title)].concat().iter().map(ToString::to_string).collect()];
    for (case, faces) in &cases {
        let mut row = vec![(*case).to_owned()];
        for (face, _) in FACES {
            let reason = faces.values().find_map(|test| line(&test.output, &format!("{OUT_OF_REACH}{face}: ")));
            row.push(match (faces.get(face), reason) {
                (Some(test), _) => result(test, &mut notes),
                (None, Some(why)) => format!("– {}", notes.number(why)),
                (None, None) => {
                    gaps.push(format!("{case} ({face})"));
                    "MISSING".to_owned()
                }
            });
        }
        rows.push(row);
    }
    let mut text = columns(&rows);
    for (number, why) in notes.0.iter().enumerate() {
        let _ = writeln!(text, "[{}] {why}", number + 1);
    }
    let failed = others.iter().filter(|test| test.failed).count();
    let skipped =
        others.iter().filter(|test| !test.failed).filter_map(|test| Some((test, line(&test.output, SKIPPED)?)));
    let skipped: Vec<_> = skipped.collect();
    let counts = format!("{failed} failed, {} skipped", skipped.len());
    let _ = writeln!(text, "{} more tests of attacks come one way only: {counts}", others.len());
    for (test, why) in skipped {
        let _ = writeln!(text, "skipped: {}: {why}", test.name);
    }
    (text, gaps)
}

fn result(test: &Ran, notes: &mut Notes) -> String {
    match (test.failed, line(&test.output, SKIPPED)) {
        (true, _) => "FAILED".to_owned(),
        (false, Some(why)) => format!("skipped {}", notes.number(why)),
        (false, None) => "held".to_owned(),
    }
}

/// Returns what follows a mark in the first line that has it.
fn line<'t>(text: &'t str, mark: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.split_once(mark)).map(|(_, rest)| rest.trim())
}

/// Reasons, each with its number.
#[derive(Default)]
struct Notes(Vec<String>);

impl Notes {
    fn number(&mut self, why: &str) -> String {
        let at = self.0.iter().position(|known| known == why).unwrap_or_else(|| {
            self.0.push(why.to_owned());
            self.0.len() - 1
        });
        format!("[{}]", at + 1)
    }
}

fn columns(rows: &[Vec<String>]) -> String {
    let widths: Vec<usize> = (0..=FACES.len())
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default())
        .collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        let _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const REPORT: &str = r#"<testsuite name="it">
        <testcase name="list::plain" classname="it" time="1"/>
        <testcase name="adversarial::links::file::cli" classname="it" time="1"><system-out>OUT OF REACH: http: no &quot;route&quot;
OUT OF REACH: mcp: no route
OUT OF REACH: mcp_http: no route</system-out></testcase>
        <testcase name="adversarial::links::file::rpc" classname="it"><failure type="x">SKIPPED: x</failure></testcase>
        <testcase name="adversarial::links::file::as_nobody::cli"><system-err>SKIPPED: only root can</system-err></testcase>
        <testcase name="adversarial::links::alone"/>
        <testcase name="adversarial::lists::plain"><system-err>SKIPPED: no lists here</system-err></testcase>
        </testsuite>"#;

    #[test]
    fn the_table_says_what_came_of_each_face() {
        let (text, gaps) = draw(&tests(REPORT).unwrap());
        let rows: BTreeSet<String> =
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert!(rows.contains("links::file held – [1] – [2] – [2] FAILED"), "{text}");
        assert!(rows.contains("[1] no \"route\"") && rows.contains("[2] no route"), "{text}");
        assert!(rows.contains("2 more tests of attacks come one way only: 0 failed, 1 skipped"), "{text}");
        assert!(rows.contains("skipped: adversarial::lists::plain: no lists here"), "{text}");
        let nobody = rows.iter().find(|row| row.starts_with("links::file::as_nobody")).unwrap();
        assert!(nobody.contains("skipped [3] MISSING") && text.contains("[3] only root can"), "{text}");
        assert_eq!(gaps.len(), 4, "an attack that loses a face is noticed: {gaps:?}");
    }
}
