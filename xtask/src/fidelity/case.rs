//! A recorded case: a folder `fidelity/HOST/CASE` with a tree, settings and the real program's answers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use toml::{Table, Value};

use super::call::Call;
use super::peers::{Program, Rules};
use super::scene::Scene;

/// What a case is made of; its other files are answers.
const INPUTS: [&str; 3] = ["case.toml", "tree.txt", "inputs.json"];

/// One case, as its folder states it.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) rules: Rules,
    /// The folder with the tree.
    pub(super) dir: PathBuf,
    /// Where the answers lie: the same folder, or that of an edition.
    answers: PathBuf,
    /// The model's window, for catalogs.
    pub(super) window: Option<u64>,
    settings: Table,
}

impl Case {
    /// Returns the cases of a host in one edition, or the one of a name.
    pub(super) fn of(rules: &Rules, name: Option<&str>) -> Result<Vec<Self>> {
        let all = folders(&cases_folder().join(rules.peer.host()))?;
        let named = all.into_iter().filter(|dir| name.is_none_or(|name| dir.ends_with(name)));
        let cases = named.map(|dir| Self::load(rules, dir)).collect::<Result<Vec<_>>>()?;
        ensure!(!cases.is_empty(), "no case of that name below `fidelity/{}`", rules.peer.host());
        Ok(cases)
    }

    fn load(rules: &Rules, dir: PathBuf) -> Result<Self> {
        let text = fs_err::read_to_string(dir.join("case.toml"))?;
        let settings: Table = toml::from_str(&text).with_context(|| format!("in {}", dir.display()))?;
        let window = settings.get("window").and_then(Value::as_integer).map(u64::try_from).transpose()?;
        let answers = cases_folder().join(&rules.id).join(dir.file_name().unwrap_or_default());
        Ok(Self { rules: rules.clone(), dir, answers, window, settings })
    }

    /// Returns the case's name, below the host in its edition.
    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.rules.id, self.dir.file_name().unwrap_or_default().to_string_lossy())
    }

    /// Tells whether an answer is wanted: `list`, `catalog` or `activations`.
    pub(super) fn wants(&self, what: &str) -> bool {
        match self.settings.get("record").and_then(Value::as_array) {
            Some(parts) => parts.iter().any(|part| part.as_str() == Some(what)),
            None => what == "list",
        }
    }

    /// Returns the calls of skills, and whether they are made one after the other in one session.
    pub(super) fn calls(&self) -> Result<(Vec<Call>, bool)> {
        let tables = self.settings.get("calls").and_then(Value::as_array).into_iter().flatten();
        let calls = tables.filter_map(Value::as_table).map(Call::read).collect::<Result<Vec<_>>>();
        let in_session = self.settings.get("session").and_then(Value::as_bool).unwrap_or(false);
        Ok((calls.with_context(|| format!("in {}", self.dir.display()))?, in_session))
    }

    /// Writes the case's tree to disk.
    pub(super) fn scene(&self) -> Result<Scene> {
        let mut scene = Scene::new();
        scene.tree(&fs_err::read_to_string(self.dir.join("tree.txt"))?);
        if let Some(cwd) = self.settings.get("cwd").and_then(Value::as_str) {
            cwd.clone_into(&mut scene.cwd);
        }
        let words = self.settings.get("args").and_then(Value::as_array).into_iter().flatten();
        scene.args = words.filter_map(Value::as_str).map(str::to_owned).collect();
        let pairs = self.settings.get("env").and_then(Value::as_table).into_iter().flatten();
        scene.env = pairs.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect();
        Ok(scene)
    }

    /// Tells whether the answers are kept apart from those of the default edition.
    fn is_of_edition(&self) -> bool {
        self.rules.id.contains('@') && self.answers.starts_with(cases_folder())
    }

    /// Returns the same case with another place for the answers.
    pub(super) fn answered_in(&self, scratch: &Path) -> Self {
        let answers = scratch.join(self.dir.file_name().unwrap_or_default());
        Self {
            rules: self.rules.clone(),
            dir: self.dir.clone(),
            answers,
            window: self.window,
            settings: self.settings.clone(),
        }
    }

    /// Returns where the answers are written.
    pub(super) fn folder(&self) -> &Path {
        &self.answers
    }

    /// Returns the names of the files that answers are recorded in.
    pub(super) fn recordings(&self) -> Result<BTreeSet<String>> {
        let mut names = BTreeSet::new();
        for folder in [&self.answers, &self.dir].into_iter().filter(|folder| folder.is_dir()) {
            for entry in fs_err::read_dir(folder)? {
                names.insert(entry?.file_name().to_string_lossy().into_owned());
            }
        }
        names.retain(|name| !INPUTS.contains(&name.as_str()));
        Ok(names)
    }

    /// Returns what is recorded in a file, empty if nothing is.
    pub(super) fn recording(&self, file: &str) -> Result<String> {
        let places = [self.answers.join(file), self.dir.join(file)];
        places
            .iter()
            .find(|path| path.is_file())
            .map_or_else(|| Ok(String::new()), |path| Ok(fs_err::read_to_string(path)?))
    }

    /// Writes what a real program answered to a file of the case.
    pub(super) fn write(&self, program: &Program, file: &str, answer: &serde_json::Value) -> Result<()> {
        self.write_text(file, &format!("{{\n\"program\": \"{}\",\n{}", program.label(), pretty(answer)))
    }

    /// Writes a text of a real program to a file of the case. What another edition answers as the default one does is not
    /// kept twice.
    pub(super) fn write_text(&self, file: &str, text: &str) -> Result<()> {
        let path = self.answers.join(file);
        let default = fs_err::read_to_string(self.dir.join(file)).ok().filter(|_| self.is_of_edition());
        if default.is_some_and(|default| answer_of(&default) == answer_of(text)) {
            return if path.exists() { Ok(fs_err::remove_file(path)?) } else { Ok(()) };
        }
        fs_err::create_dir_all(&self.answers)?;
        Ok(fs_err::write(path, text)?)
    }
}

/// Returns the fields of an answer and its end, with one line for each item, so that differences are easy to read.
fn pretty(answer: &serde_json::Value) -> String {
    let fields = answer.as_object().into_iter().flatten().map(|(key, value)| match value {
        serde_json::Value::Array(items) if items.iter().any(serde_json::Value::is_object) => {
            let lines: Vec<String> = items.iter().map(|item| format!("  {item}")).collect();
            format!("{key:?}: [\n{}\n]", lines.join(",\n"))
        }
        value => format!("{key:?}: {value}"),
    });
    format!("{}\n}}\n", fields.collect::<Vec<_>>().join(",\n"))
}

/// Returns a recording without the line that names the program.
fn answer_of(recording: &str) -> Vec<&str> {
    recording.lines().filter(|line| !line.starts_with("\"program\": ")).collect()
}

/// Returns the repository's `fidelity/`.
fn cases_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("fidelity")
}

fn folders(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in fs_err::read_dir(dir)? {
        let path = entry?.path();
        if path.join("case.toml").is_file() {
            folders.push(path);
        }
    }
    folders.sort();
    Ok(folders)
}
