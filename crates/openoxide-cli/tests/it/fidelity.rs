//! What the real programs answered on our own trees, compared with what we answer.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use openoxide_testkit::TestContext;
use serde::Deserialize;
use serde_json::Value;

use crate::support::{bin, repository};

mod activations;
mod addresses;
mod app_server;
mod pattern;

/// The length of the folder's path in the recordings: catalogs are cut by length.
const ROOT_LENGTH: usize = 96;

/// The recordings of what a program finds and shows.
const LISTS: &[&str] = &["answer.json", "catalog.txt"];

/// The recording of what a program sends when a skill is called.
const CALLS: &[&str] = &["activations.json"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    #[expect(dead_code, reason = "for people")]
    about: String,
    #[serde(default = "project")]
    cwd: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: std::collections::BTreeMap<String, String>,
    window: Option<u64>,
    #[serde(default)]
    #[expect(dead_code, reason = "for the recorder")]
    record: Vec<String>,
    #[serde(default)]
    deviates: Vec<Deviation>,
    /// What deviates in details that only a whole answer has.
    #[serde(default)]
    details: Vec<Deviation>,
    #[serde(default)]
    #[expect(dead_code, reason = "for the recorder")]
    calls: Vec<toml::Table>,
    /// Whether the project is trusted: its links lead out of it, as the program lets them.
    #[serde(default)]
    trusted: bool,
    /// Whether the calls are made in one session.
    #[serde(default)]
    session: bool,
}

#[derive(Deserialize)]
struct Deviation {
    name: String,
    why: String,
}

fn project() -> String {
    "project".to_owned()
}

/// The folder of a case, and beside it that of an edition, which holds what differs there.
struct CaseFolder {
    folder: PathBuf,
    edition: Option<PathBuf>,
}

impl CaseFolder {
    /// Finds every case of a host, `HOST` or `HOST@EDITION`, by name.
    fn all(host: &str) -> Vec<CaseFolder> {
        let (name, edition) = host.split_once('@').map_or((host, None), |(name, _)| (name, Some(host)));
        let entries = fs_err::read_dir(repository("fidelity").join(name)).unwrap();
        let mut folders: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        folders.sort();
        let of_edition = |folder: &Path| {
            Some(repository("fidelity").join(edition?).join(folder.file_name()?)).filter(|folder| folder.is_dir())
        };
        folders.into_iter().map(|folder| CaseFolder { edition: of_edition(&folder), folder }).collect()
    }

    /// Returns a file of the case: that of the edition where it has its own.
    fn join(&self, file: &str) -> PathBuf {
        let own = self.edition.iter().map(|edition| edition.join(file)).find(|path| path.is_file());
        own.unwrap_or_else(|| self.folder.join(file))
    }

    fn name(&self) -> String {
        self.folder.file_name().unwrap().to_string_lossy().into_owned()
    }
}

/// A case laid out on disk.
struct Scene {
    context: TestContext,
    case: Case,
    host: &'static str,
}

impl Scene {
    fn lay(host: &'static str, folder: &CaseFolder) -> Scene {
        let read = |file: &str| fs_err::read_to_string(folder.join(file)).unwrap();
        let context = TestContext::padded(ROOT_LENGTH);
        context.tree(&read("tree.txt"));
        let case: Case = toml::from_str(&read("case.toml")).unwrap();
        if case.trusted {
            let project = context.project();
            context.tree(&format!("//- home/.openoxide/config.toml\n[trust]\nfolders = [\"{}\"]\n", project.display()));
        }
        Scene { context, case, host }
    }

    fn ask(&self, command: &str, more: &[&str]) -> String {
        let place = |text: &str| text.replace("{root}", &self.context.root().to_string_lossy());
        let mut run = self.context.command(bin(), [command, "--host", self.host]);
        run.args(self.case.args.iter().map(|arg| place(arg))).args(more);
        run.current_dir(self.context.root().join(&self.case.cwd));
        run.env("CLAUDE_CODE_DISABLE_BUNDLED_SKILLS", "1");
        if self.case.window.is_some() {
            // The recordings with a window were made with a model that the program does not know.
            run.env("ANTHROPIC_MODEL", "unknown");
        }
        run.envs(self.case.env.iter().map(|(name, value)| (name, place(value))));
        let output = self.context.answer(&mut run);
        assert!(output.status == Some(0) || (command == "activate" && output.status == Some(1)), "{output}");
        output.stdout.replace("[ROOT]", "{root}")
    }

    fn list(&self) -> Value {
        serde_json::from_str(&self.ask("list", &["--json"])).unwrap()
    }

    fn prompt(&self) -> String {
        let window = self.case.window.map(|window| window.to_string());
        let args = window.iter().flat_map(|window| ["--window", window.as_str()]).collect::<Vec<_>>();
        self.ask("prompt", &args)
    }

    /// Takes out the differences that are meant, and adds what is said to be meant and does not differ.
    fn unmeant(&self, found: Vec<Difference>) -> Vec<String> {
        let deviates = &self.case.deviates;
        assert!(deviates.iter().all(|deviation| !deviation.why.is_empty()));
        let is_about = |deviation: &Deviation, difference: &Difference| difference.about.contains(&deviation.name);
        let idle = deviates.iter().filter(|deviation| !found.iter().any(|difference| is_about(deviation, difference)));
        let mut report: Vec<String> = idle.map(|deviation| format!("`{}` does not deviate", deviation.name)).collect();
        let meant = |difference: &Difference| deviates.iter().any(|deviation| is_about(deviation, difference));
        report.extend(found.into_iter().filter(|difference| !meant(difference)).map(|difference| difference.text));
        report
    }
}

/// Something that is not the same.
struct Difference {
    /// What, for people.
    text: String,
    /// The skill, by its name and its folder; `order` if only the order differs.
    about: Vec<String>,
}

impl Difference {
    fn new(what: &str, side: &str, entry: &str) -> Difference {
        Difference { text: format!("{what}: only {side}: {entry}"), about: about(entry) }
    }
}

/// Returns the names that an entry of a list or a catalog has: the skill's own, and its folder's.
fn about(entry: &str) -> Vec<String> {
    let before = |text: &str, end: &str| text.split(end).next().unwrap_or_default().to_owned();
    let between = |start: &str, end: &str| entry.split_once(start).map(|(_, rest)| before(rest, end));
    let listed = entry.strip_prefix("- ").map(|rest| before(rest.split('\n').next().unwrap_or_default(), ": "));
    let bare = listed.as_deref().and_then(|listed| Some(listed.strip_suffix(')')?.rsplit_once(" (")?.0.to_owned()));
    let quoted = entry.strip_prefix('"').map(|rest| before(rest, "\" "));
    let folder = entry.split_once("/SKILL.md").and_then(|(path, _)| path.rsplit('/').next().map(str::to_owned));
    let names = [listed, bare, quoted, between(" | ", " | "), between("<name>", "</name>"), folder];
    names.into_iter().flatten().collect()
}

/// A guard that takes anything for a name would let anything differ.
#[test]
fn entries_are_known_by_their_names() {
    let check = |entry: &str, expected: &[&str]| assert_eq!(about(entry), expected, "{entry}");
    check("- one: about two", &["one"]);
    check("- demo:sk: about\nmore: text", &["demo:sk"]);
    check("- bare\n- not: this", &["bare"]);
    check("- one (other): text", &["one (other)", "one"]);
    check("- a: text (file: /r/b/SKILL.md)", &["a", "b"]);
    check("\"a\" \"about two\" \"/r/b/SKILL.md\" \"repo\"", &["a", "b"]);
    check("/r/b/SKILL.md | a | about two", &["a", "b"]);
    check("  <skill>\n    <name>9</name>\n  </skill>", &["9"]);
    check("more text of one", &[]);
}

/// Compares every case of a host that has one of these recordings; a difference fails with all of them.
fn check(host: &'static str, recordings: &[&str], compare: fn(&Scene, &CaseFolder) -> Vec<Difference>) {
    let folders = CaseFolder::all(host);
    assert!(folders.len() > 20, "the recordings are there");
    let mut report = String::new();
    for folder in folders {
        let has = |recordings: &[&str]| recordings.iter().any(|file| folder.join(file).is_file());
        let kinds = [LISTS, CALLS, &["mentions.json"], &["addresses.json"], &["served.json"]];
        let kinds = kinds.iter().filter(|kind| has(kind)).count();
        assert_eq!(kinds, 1, "{} has recordings of one kind", folder.name());
        if !has(recordings) {
            continue;
        }
        let scene = Scene::lay(host, &folder);
        let name = folder.name();
        for line in scene.unmeant(compare(&scene, &folder)) {
            writeln!(report, "{name}: {line}").unwrap();
        }
    }
    assert!(report.is_empty(), "{} differences\n{report}", report.lines().count());
}

fn answer(folder: &CaseFolder) -> Option<Value> {
    let text = fs_err::read_to_string(folder.join("answer.json")).ok()?;
    Some(serde_json::from_str(&text).unwrap())
}

fn lines(folder: &CaseFolder, file: &str) -> Option<Vec<String>> {
    let text = fs_err::read_to_string(folder.join(file)).ok()?;
    Some(text.trim_end_matches('\n').split('\n').map(str::to_owned).collect())
}

fn differences(what: &str, real: &[String], ours: &[String]) -> Vec<Difference> {
    let (real_set, our_set): (BTreeSet<_>, BTreeSet<_>) = (real.iter().collect(), ours.iter().collect());
    let mut found: Vec<Difference> =
        real_set.difference(&our_set).map(|entry| Difference::new(what, "real", entry)).collect();
    found.extend(our_set.difference(&real_set).map(|entry| Difference::new(what, "ours", entry)));
    // What only one of them has does not hide that the rest stands in another order.
    let real: Vec<&String> = real.iter().filter(|entry| our_set.contains(entry)).collect();
    let ours: Vec<&String> = ours.iter().filter(|entry| real_set.contains(entry)).collect();
    if real != ours {
        let at = real.iter().zip(&ours).position(|(real, ours)| real != ours);
        let text = format!("{what}: another order, or another count, from {at:?}: {real:?} / {ours:?}");
        found.push(Difference { text, about: vec!["order".to_owned()] });
    }
    found
}

/// Puts the lines of a catalog together that are about one skill: each begins with a line that `is_first`.
fn entries(lines: impl IntoIterator<Item = String>, is_first: impl Fn(&str) -> bool) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for line in lines {
        match entries.last_mut() {
            Some(entry) if !is_first(&line) => *entry = format!("{entry}\n{line}"),
            _ => entries.push(line),
        }
    }
    entries
}

/// Compares a catalog that stands in a frame; a recording without entries was made of a prompt without the frame.
fn framed_differences(real: Vec<String>, ours: Option<&str>, is_first: fn(&str) -> bool) -> Vec<Difference> {
    let is_empty = real.iter().all(String::is_empty);
    if is_empty != ours.is_none() {
        let text = format!("catalog: the frame is recorded: {}, ours: {}", !is_empty, ours.is_some());
        return vec![Difference { text, about: vec!["frame".to_owned()] }];
    }
    let lines = |text: &str| entries(text.split('\n').map(str::to_owned), is_first);
    differences("catalog", &entries(real, is_first), &lines(ours.unwrap_or_default()))
}

/// Tells whether a line begins an entry of a list.
fn is_item(line: &str) -> bool {
    line.starts_with("- ")
}

fn texts(list: &Value, wanted: impl Fn(&Value) -> bool, show: impl Fn(&Value) -> String) -> Vec<String> {
    list.as_array().into_iter().flatten().filter(|item| wanted(item)).map(show).collect()
}

#[test]
fn codex_lists_and_shows_the_same() {
    check("codex", LISTS, |scene, folder| {
        let mut found = Vec::new();
        if let Some(real) = answer(folder) {
            let ours = scene.list();
            let row =
                |skill: &Value| ["name", "description", "path", "scope"].map(|key| skill[key].to_string()).join(" ");
            let path = |skill: &Value| skill["path"].to_string();
            let active = texts(&ours["skills"], |_| true, row);
            found.extend(differences(
                "active",
                &texts(&real["skills"], |skill| skill["enabled"] == true, row),
                &active,
            ));
            let sorted = |mut lines: Vec<String>| {
                lines.sort();
                lines.dedup();
                lines
            };
            let off = texts(&ours["others"], |skill| skill["status"] == "disabled", path);
            let real_off = texts(&real["skills"], |skill| skill["enabled"] == false, path);
            found.extend(differences("disabled", &sorted(real_off), &sorted(off)));
            let is_file = |error: &Value| error["path"].as_str().is_some_and(|path| path.ends_with("/SKILL.md"));
            let bad = |skill: &Value| {
                let code = skill["reason"].as_str().unwrap_or_default();
                skill["status"] == "invalid" && (code.starts_with("S01") || code.starts_with("S0003"))
            };
            let (real_bad, our_bad) = (texts(&real["errors"], is_file, path), texts(&ours["others"], bad, path));
            found.extend(differences("invalid", &sorted(real_bad), &sorted(our_bad)));
        }
        if let Some(real) = lines(folder, "catalog.txt") {
            let prompt = scene.prompt();
            let entries = prompt.lines().filter(|line| line.starts_with("- ") && line.contains("(file: "));
            found.extend(differences("catalog", &real, &entries.map(str::to_owned).collect::<Vec<_>>()));
            let roots = prompt.lines().filter(|line| line.starts_with("- `r"));
            let real_roots = lines(folder, "roots.txt").unwrap_or_default();
            found.extend(differences("roots", &real_roots, &roots.map(str::to_owned).collect::<Vec<_>>()));
        }
        found
    });
}

#[test]
fn claude_code_lists_and_shows_the_same() {
    check("claude-code", LISTS, compare_claude_code);
}

#[test]
fn claude_code_of_an_older_version_lists_and_shows_the_same() {
    check("claude-code@2.1.240", LISTS, compare_claude_code);
}

fn compare_claude_code(scene: &Scene, folder: &CaseFolder) -> Vec<Difference> {
    let mut found = Vec::new();
    let prompt = scene.prompt();
    let body = prompt.split_once("\n\n").map_or("", |(_, body)| body);
    let shown = body.strip_suffix("\n</system-reminder>\n").unwrap_or(body);
    if let Some(real) = answer(folder) {
        let line = |skill: &Value| {
            format!("- {}: {}", skill["name"].as_str().unwrap(), skill["text"].as_str().unwrap_or_default())
        };
        let name_only = |skill: &Value| skill["text"].is_null();
        let whole = |skill: &Value| {
            if name_only(skill) { format!("- {}", skill["name"].as_str().unwrap()) } else { line(skill) }
        };
        let mut expected = texts(&real["listed"], |_| true, whole);
        expected.extend(texts(&real["woken"], |_| true, whole));
        let split = |text: &str| entries(text.split('\n').map(str::to_owned), is_item);
        let (real_lines, our_lines) = (split(&expected.join("\n")), split(shown));
        let woken = real["woken"].as_array().is_some_and(|woken| !woken.is_empty());
        let order = |mut lines: Vec<String>| {
            if woken {
                lines.sort();
            }
            lines
        };
        found.extend(differences("listed", &order(real_lines), &order(our_lines)));
    }
    if let Some(real) = lines(folder, "catalog.txt") {
        let ours = entries(shown.split('\n').map(str::to_owned), is_item);
        found.extend(differences("catalog", &entries(real, is_item), &ours));
    }
    found
}

#[test]
fn omp_lists_and_shows_the_same() {
    check("omp", LISTS, |scene, folder| {
        let mut found = Vec::new();
        if let Some(real) = answer(folder) {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let row = |skill: &Value, source: String, hidden: bool| {
                let fields = ["name", "description", "path"].map(|key| skill[key].to_string()).join(" ");
                format!("{fields} {source} hidden: {hidden}")
            };
            let theirs = |skill: &Value| row(skill, text(&skill["source"]), skill["hidden"] == true);
            let ours = |skill: &Value| {
                let level = if skill["scope"] == "user" { "user" } else { "project" };
                row(skill, format!("{}:{level}", text(&skill["provider"])), skill["model"] == false)
            };
            let list = scene.list();
            found.extend(differences(
                "listed",
                &texts(&real["skills"], |_| true, theirs),
                &texts(&list["skills"], |_| true, ours),
            ));
        }
        if let Some(real) = lines(folder, "catalog.txt") {
            let prompt = scene.prompt();
            let framed = prompt.split_once("\n<skills>\n").map(|(_, after)| {
                after.strip_suffix("\n</skills>\n").expect("what is begun is ended").trim_end_matches('\n')
            });
            found.extend(framed_differences(real, framed, is_item));
        }
        found
    });
}

#[test]
fn opencode_lists_and_shows_the_same() {
    check("opencode", LISTS, |scene, folder| {
        let mut found = Vec::new();
        if let Some(real) = answer(folder) {
            // The program lists its skills in no order.
            let rows = |skills: &Value| {
                let text = |skill: &Value, key: &str| skill[key].as_str().unwrap_or_default().to_owned();
                let row = |skill: &Value| ["path", "name", "description"].map(|key| text(skill, key)).join(" | ");
                let mut rows = texts(skills, |_| true, row);
                rows.sort();
                rows
            };
            found.extend(differences("listed", &rows(&real["skills"]), &rows(&scene.list()["skills"])));
        }
        if let Some(real) = lines(folder, "catalog.txt") {
            let prompt = scene.prompt();
            let framed = prompt
                .split_once("<available_skills>\n")
                .map(|(_, list)| list.rsplit_once("\n</available_skills>").expect("what is begun is ended").0);
            found.extend(framed_differences(real, framed, |line| line == "  <skill>"));
        }
        found
    });
}
