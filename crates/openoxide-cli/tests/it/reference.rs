//! Parity with the standard's reference library: the same verdict, by the same rules.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use openoxide_testkit::TestContext;
use serde_json::Value;

use crate::support::{bin, json, repository, skipped};

/// What the library says, and the codes that say the same here; the first that fits counts.
const RULES: &[(&str, &[&str])] = &[
    ("Unexpected fields", &["S0110"]),
    ("Missing required field in frontmatter: name", &["S0112"]),
    ("Field 'name'", &["S0113"]),
    ("Directory name", &["S0102"]),
    ("Missing required field in frontmatter: description", &["S0119"]),
    ("Field 'description'", &["S0120"]),
    ("Description exceeds", &["S0121"]),
    ("Field 'compatibility'", &["S0111"]),
    ("Compatibility exceeds", &["S0122"]),
    ("must start with YAML", &["S0100"]),
    ("not properly closed", &["S0101"]),
    ("Invalid YAML", &["S0103", "S0105", "S0108", "S0109"]),
    ("must be a YAML mapping", &["S0104"]),
    ("Missing required file", &["S0008"]),
];

/// What it says about names that are there but not allowed.
const NAME_RULES: &[(&str, &str)] = &[
    ("character limit", "S0114"),
    ("must be lowercase", "S0115"),
    ("start or end with a hyphen", "S0116"),
    ("consecutive hyphens", "S0117"),
    ("contains invalid characters", "S0118"),
];

fn allowed(text: &str) -> BTreeSet<&'static str> {
    let of_name = NAME_RULES.iter().find(|(part, _)| text.starts_with("Skill name") && text.contains(part));
    if let Some((_, code)) = of_name {
        return BTreeSet::from([*code]);
    }
    let found = RULES.iter().find(|(part, _)| text.contains(part));
    found.unwrap_or_else(|| panic!("no rule for {text:?}")).1.iter().copied().collect()
}

/// Compares one verdict; returns what differs.
fn difference(errors: &[&str], checked: &Value) -> Option<String> {
    let problems = checked["problems"].as_array().unwrap().iter().filter(|problem| problem["level"] == "error");
    let ours: BTreeSet<&str> = problems.filter_map(|problem| problem["code"].as_str()).collect();
    let wanted: BTreeSet<BTreeSet<&str>> = errors.iter().map(|error| allowed(error)).collect();
    let each_is_met = wanted.iter().all(|codes| codes.iter().any(|code| ours.contains(code)));
    let same = checked["ok"] == errors.is_empty() && ours.len() == wanted.len() && each_is_met;
    (!same).then(|| format!("the library says {errors:?}, we say {ours:?}"))
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn lines(path: &Path) -> Vec<Value> {
    fs_err::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the corpus, or says that it is not there.
fn corpus() -> Option<std::path::PathBuf> {
    let corpus = repository("../shared/corpus");
    if corpus.join("skills-ref-oracle.jsonl").is_file() {
        return Some(fs_err::canonicalize(corpus).unwrap());
    }
    skipped("the corpus of real skills is not there, so parity with the reference library is not checked");
    None
}

fn check(paths: &[String]) -> Value {
    let context = TestContext::new();
    let mut command = context.command(bin(), ["check", "--host", "agentskills", "--json", "-q", "--"]);
    let output = context.answer(command.args(paths));
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{output}"))
}

#[test]
fn real_skills() {
    let Some(corpus) = corpus() else { return };
    let rows = lines(&corpus.join("skills-ref-oracle.jsonl"));
    assert_eq!(rows.len(), 554);
    let paths: Vec<String> =
        rows.iter().map(|row| corpus.join(row["path"].as_str().unwrap()).to_string_lossy().into_owned()).collect();
    let answer = check(&paths);
    let mut report = String::new();
    for (row, path) in rows.iter().zip(&paths) {
        let same = |checked: &&Value| {
            checked["path"].as_str().is_some_and(|own| own == path || Path::new(own).parent() == Some(Path::new(path)))
        };
        let Some(checked) = answer["checked"].as_array().unwrap().iter().find(same) else {
            writeln!(report, "{path}: not checked").unwrap();
            continue;
        };
        if let Some(difference) = difference(&texts(&row["errors"]), checked) {
            writeln!(report, "{path}: {difference}").unwrap();
        }
    }
    assert!(report.is_empty(), "{} differences\n{report}", report.lines().count());
}

#[test]
fn edge_fixtures() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("skills-ref-edge-fixtures");
    let rows = lines(&folder.join("EXPECTED.jsonl"));
    assert_eq!(rows.len(), 34);
    let mut report = String::new();
    for row in &rows {
        let name = row["fixture"].as_str().unwrap();
        let answer = check(&[folder.join(name).to_string_lossy().into_owned()]);
        let checked = &answer["checked"][0];
        if row["validate"].is_null() {
            // The library itself crashes here; we must not, and must not call it fine.
            if checked["ok"] != false {
                writeln!(report, "{name}: the library crashes, we find nothing").unwrap();
            }
        } else if let Some(difference) = difference(&texts(&row["validate"]), checked) {
            writeln!(report, "{name}: {difference}").unwrap();
        }
    }
    assert!(report.is_empty(), "{} differences\n{report}", report.lines().count());
}

/// Checks one skill in a folder `skill`: the codes of its errors, in order.
#[track_caller]
fn row(frontmatter: &str, codes: &[&str]) {
    let context = TestContext::new();
    context.tree(&format!("//- project/skill/SKILL.md escaped\n{frontmatter}"));
    let answer = json(&context, &["check", "--host", "agentskills", "--json", "skill"]);
    let problems = answer["checked"][0]["problems"].as_array().unwrap();
    let errors: BTreeSet<&str> = problems
        .iter()
        .filter(|problem| problem["level"] == "error")
        .filter_map(|problem| problem["code"].as_str())
        .collect();
    assert_eq!(errors, codes.iter().copied().collect(), "{frontmatter}\n{answer:#}");
}

#[test]
fn rows_of_our_own() {
    row("---\nname: skill\ndescription: d\n---\n", &[]);
    row("---\nname: \" skill \"\ndescription: d\n---\nBody\n", &[]);
    row(
        "---\nname: skill\ndescription: d\nlicense: MIT\ncompatibility: c\nmetadata:\n  a: b\nallowed-tools: Read\n---\n",
        &[],
    );
    row("name: skill\n", &["S0100"]);
    row("\n---\nname: skill\ndescription: d\n---\n", &["S0100"]);
    row("---\nname: skill\ndescription: d\n", &["S0101"]);
    row("---\n- a\n---\n", &["S0104"]);
    row("---\nname: skill\nname: skill\ndescription: d\n---\n", &["S0105"]);
    row("---\nname: skill\ndescription: d\nversion: 1\n---\n", &["S0110"]);
    row("---\ndescription: d\n---\n", &["S0112"]);
    row("---\nname: ''\ndescription: d\n---\n", &["S0113"]);
    row("---\nname: other\ndescription: d\n---\n", &["S0102"]);
    row("---\nname: Skill\ndescription: d\n---\n", &["S0102", "S0115"]);
    row("---\nname: -skill\ndescription: d\n---\n", &["S0102", "S0116"]);
    row("---\nname: sk--ill\ndescription: d\n---\n", &["S0102", "S0117"]);
    row("---\nname: sk_ill\ndescription: d\n---\n", &["S0102", "S0118"]);
    row("---\nname: skill\n---\n", &["S0119"]);
    row("---\nname: skill\ndescription: ''\n---\n", &["S0120"]);
    row(&format!("---\nname: skill\ndescription: {}\n---\n", "d".repeat(1025)), &["S0121"]);
    row(&format!("---\nname: skill\ndescription: {}\n---\n", "d".repeat(1024)), &[]);
    row(&format!("---\nname: skill\ndescription: d\ncompatibility: {}\n---\n", "c".repeat(501)), &["S0122"]);
    row(&format!("---\nname: {}\ndescription: d\n---\n", "n".repeat(65)), &["S0102", "S0114"]);
    row("---\nname: skill\ndescription: a: b\n---\n", &["S0103"]);
    row("---\nname: skill\ndescription: [a]\n---\n", &["S0108"]);
    row("---\nname: skill\ndescription: caf\\xe9\n---\n", &["S0003"]);
}
