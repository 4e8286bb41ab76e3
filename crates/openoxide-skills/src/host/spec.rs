//! Loads host folders: `host.toml`, `editions/*.toml` and templates, built in or a user's own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};
use rustix::fs::{Mode, OFlags};
use toml::{Table, Value};

use super::{Host, HostTraces, VersionRange};
use crate::{ownership::check_owner, settings::HostSettings, text::near};

static BUILTIN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/hosts");

/// What carries a called skill to the model in a host that has no template of its own.
const ACTIVATION: &str = include_str!("activation.jinja");

/// Most bytes of one file of a host folder.
const MAX_FILE: u64 = 256 * 1024;

/// A host as its folder states it, in one edition, before settings.
#[derive(Clone, Debug)]
pub struct HostSpec {
    /// The folder's name.
    pub name: String,
    /// The edition, if not the default.
    pub edition: Option<String>,
    /// Where it comes from; absent for a built-in host.
    pub folder: Option<PathBuf>,
    table: Table,
    editions: BTreeMap<String, Table>,
    templates: BTreeMap<String, String>,
}

/// Why a host cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// No host has this name.
    #[error("no host is called `{name}`")]
    Unknown {
        /// What was asked for.
        name: String,
        /// All names there are.
        known: Vec<String>,
        /// The name that was probably meant.
        near: Option<String>,
    },
    /// The host has no such edition.
    #[error("host `{host}` has no edition `{edition}`")]
    UnknownEdition {
        /// The host.
        host: String,
        /// What was asked for.
        edition: String,
        /// All editions there are.
        known: Vec<String>,
    },
    /// A file of the folder is not as it must be; the message has the place.
    #[error("host file `{}` is not usable: {message}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column where known.
        message: String,
    },
    /// A file of the folder cannot be read.
    #[error("host file `{}` cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

/// Every host that can be asked for. Built-in ones are read when they are asked for.
#[derive(Clone, Debug, Default)]
pub struct Hosts {
    builtin: BTreeMap<String, &'static Dir<'static>>,
    added: BTreeMap<String, HostSpec>,
    /// Hosts whose folder is not usable, and why.
    broken: BTreeMap<String, (PathBuf, String)>,
}

impl Hosts {
    /// Returns the hosts that are built in.
    pub fn builtin() -> Hosts {
        let builtin = BUILTIN.dirs().map(|folder| (folder_name(folder.path()), folder)).collect();
        Hosts { builtin, ..Hosts::default() }
    }

    /// Adds the hosts whose folders lie in `dir`; one with a known name replaces it. Returns what is wrong.
    pub fn add_folder(&mut self, dir: &Path) -> Vec<HostError> {
        let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        folders.sort();
        let mut errors = Vec::new();
        for folder in folders {
            match read_folder(&folder) {
                Ok(spec) => drop(self.added.insert(spec.name.clone(), spec)),
                Err(error) => {
                    if let HostError::Invalid { path, message } = &error {
                        self.broken.insert(folder_name(&folder), (path.clone(), message.clone()));
                    }
                    errors.push(error);
                }
            }
        }
        errors
    }

    /// Returns the name that was probably meant: the one of a host with this title, with a name or title that begins so, or
    /// with a name that is spelled almost so.
    fn near(&self, wanted: &str) -> Option<String> {
        let plain = |text: &str| {
            let letters = text.chars().filter(char::is_ascii_alphanumeric);
            letters.map(|letter| letter.to_ascii_lowercase()).collect::<String>()
        };
        let wanted_plain = plain(wanted);
        let titled = |spec: HostSpec| {
            let title = spec.table.get("title").and_then(Value::as_str).map(plain).unwrap_or_default();
            (title, plain(&spec.name), spec.name)
        };
        let hosts: Vec<(String, String, String)> = self.all().map(titled).collect();
        let begins = |with: &dyn Fn(&str) -> bool| {
            let mut found = hosts.iter().filter(|(title, name, _)| with(title) || with(name));
            found.next().map(|(_, _, name)| name.clone())
        };
        begins(&|text| text == wanted_plain)
            .or_else(|| begins(&|text| wanted_plain.len() > 1 && text.starts_with(&wanted_plain)))
            .or_else(|| near(wanted, self.names()).first().map(|name| (*name).to_owned()))
    }

    /// Finds `name` or `name@edition`.
    pub fn get(&self, id: &str) -> Result<HostSpec, HostError> {
        let (name, edition) = id.split_once('@').map_or((id, None), |(name, edition)| (name, Some(edition)));
        if let Some((path, message)) = self.broken.get(name) {
            return Err(HostError::Invalid { path: path.clone(), message: message.clone() });
        }
        let unknown = || HostError::Unknown {
            name: name.to_owned(),
            known: self.names().map(str::to_owned).collect(),
            near: self.near(name),
        };
        let spec = self.find(name).ok_or_else(unknown)?;
        match edition {
            Some(edition) => spec.edition(edition),
            None => Ok(spec),
        }
    }

    /// Finds a host by its name alone.
    ///
    /// # Panics
    ///
    /// If a built-in host is invalid, which a test rules out.
    pub fn find(&self, name: &str) -> Option<HostSpec> {
        self.added.get(name).cloned().or_else(|| {
            let folder = self.builtin.get(name)?;
            let spec = HostSpec::read(name, None, &folder_files(folder));
            Some(spec.expect("built-in hosts are valid, a test reads them all"))
        })
    }

    /// Returns what shows that a host's program is there; nothing if its rules cannot be read.
    ///
    /// # Panics
    ///
    /// If a built-in host is invalid, which a test rules out.
    pub fn traces(&self, name: &str) -> Option<HostTraces> {
        if self.broken.contains_key(name) {
            return None;
        }
        if let Some(added) = self.added.get(name) {
            let Host { vars, found, project, .. } = added.host().ok()?;
            return Some(HostTraces { vars, found, project });
        }
        let folder = self.builtin.get(name)?;
        let text = folder.get_file(folder.path().join("host.toml"))?.contents_utf8()?;
        Some(HostTraces::read(text).expect("built-in hosts are valid, a test reads them all"))
    }

    /// Returns the name of every host.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let names = self.builtin.keys().chain(self.added.keys()).map(String::as_str);
        names.collect::<BTreeSet<&str>>().into_iter()
    }

    /// Returns the host that states the standard.
    pub fn standard(&self) -> Option<HostSpec> {
        self.all().find(|spec| spec.table.get("standard").and_then(Value::as_bool) == Some(true))
    }

    /// Returns every host in its default edition, by name.
    pub fn all(&self) -> impl Iterator<Item = HostSpec> {
        self.names().filter_map(|name| self.find(name))
    }
}

impl HostSpec {
    /// Reads a folder's files and checks every edition.
    fn checked(name: &str, folder: Option<&Path>, files: &BTreeMap<String, String>) -> Result<HostSpec, HostError> {
        let spec = HostSpec::read(name, folder, files)?;
        // Read straight from the text, so that a mistake is reported with its line.
        toml::from_str::<Host>(&files["host.toml"])
            .map_err(|error| invalid(name, folder, "host.toml", &explained(error.to_string())))?;
        for edition in spec.editions.keys() {
            let host = spec.edition(edition)?.host();
            host.map_err(|error| invalid(name, folder, &format!("editions/{edition}.toml"), &error))?;
        }
        Ok(spec)
    }

    fn read(name: &str, folder: Option<&Path>, files: &BTreeMap<String, String>) -> Result<HostSpec, HostError> {
        let parse = |file, text: &str| text.parse::<Table>().map_err(|error| invalid(name, folder, file, &error));
        let text = files.get("host.toml").ok_or_else(|| invalid(name, folder, "host.toml", &"the file is missing"))?;
        let table = parse("host.toml", text)?;
        let (mut editions, mut templates) = (BTreeMap::new(), BTreeMap::new());
        for (file, text) in files {
            if let Some(edition) = file.strip_prefix("editions/").and_then(|file| file.strip_suffix(".toml")) {
                editions.insert(edition.to_owned(), parse(file, text)?);
            } else if let Some(template) = file.strip_suffix(".jinja") {
                templates.insert(template.to_owned(), text.clone());
            }
        }
        let folder = folder.map(Path::to_owned);
        Ok(HostSpec { name: name.to_owned(), edition: None, folder, table, editions, templates })
    }

    fn edition(&self, edition: &str) -> Result<HostSpec, HostError> {
        let overlay = self.editions.get(edition).ok_or_else(|| HostError::UnknownEdition {
            host: self.name.clone(),
            edition: edition.to_owned(),
            known: self.editions.keys().cloned().collect(),
        })?;
        let mut spec = self.clone();
        // The versions of the default edition are not those of another one.
        spec.table.remove("versions");
        overlay_table(&mut spec.table, overlay);
        add_deviations(&mut spec.table);
        spec.edition = Some(edition.to_owned());
        Ok(spec)
    }

    /// Returns the host in the edition that is for a version of its program: the default one if it is, else the first that
    /// is; nothing if none is.
    pub fn for_version(&self, version: &str) -> Option<HostSpec> {
        let editions = self.editions.keys().filter_map(|edition| self.edition(edition).ok());
        std::iter::once(self.clone()).chain(editions).find(|spec| spec.is_for(version))
    }

    /// Tells whether any edition states the versions that it is for.
    pub fn states_versions(&self) -> bool {
        [&self.table].into_iter().chain(self.editions.values()).any(|table| table.contains_key("versions"))
    }

    fn is_for(&self, version: &str) -> bool {
        let range = self.table.get("versions").and_then(Value::as_str).and_then(|range| range.parse().ok());
        range.is_some_and(|range: VersionRange| range.holds(version))
    }

    /// Returns the names of the other editions.
    pub fn editions(&self) -> impl Iterator<Item = &str> {
        self.editions.keys().map(String::as_str)
    }

    /// Returns `name` or `name@edition`.
    pub fn id(&self) -> String {
        self.edition.as_ref().map_or_else(|| self.name.clone(), |edition| format!("{}@{edition}", self.name))
    }

    /// Returns the rules with every setting at its default.
    pub fn host(&self) -> Result<Host, HostError> {
        self.with(&HostSettings::default())
    }

    /// Returns the rules with settings applied.
    pub fn with(&self, settings: &HostSettings) -> Result<Host, HostError> {
        let mut table = self.table.clone();
        for (path, value) in settings.overrides(&self.table) {
            set_path(&mut table, &path, value);
        }
        table.try_into::<Host>().map_err(|error| invalid(&self.name, self.folder.as_deref(), "host.toml", &error))
    }

    /// Returns a template by the name of its file, such as `entry` or `catalog`; `activation` is always there.
    pub fn template(&self, name: &str) -> Option<&str> {
        let of_edition =
            self.edition.as_ref().and_then(|edition| self.templates.get(&format!("editions/{edition}.{name}")));
        let own = of_edition.or_else(|| self.templates.get(name)).map(String::as_str);
        own.or_else(|| (name == "activation").then_some(ACTIVATION))
    }
}

fn invalid(name: &str, folder: Option<&Path>, file: &str, message: &dyn Display) -> HostError {
    HostError::Invalid { path: folder.unwrap_or(Path::new(name)).join(file), message: message.to_string() }
}

fn overlay_table(base: &mut Table, overlay: &Table) {
    for (key, value) in overlay {
        match (base.get_mut(key), value) {
            (Some(Value::Table(inner)), Value::Table(over)) => overlay_table(inner, over),
            _ => drop(base.insert(key.clone(), value.clone())),
        }
    }
}

/// Appends the deviations that an edition has besides those of the default one.
fn add_deviations(table: &mut Table) {
    let Some(Value::Array(more)) = table.remove("more_deviations") else { return };
    if let Value::Array(all) = table.entry("deviations").or_insert_with(|| Value::Array(Vec::new())) {
        all.extend(more);
    }
}

fn set_path(table: &mut Table, path: &str, value: Value) {
    match path.split_once('.') {
        None => drop(table.insert(path.to_owned(), value)),
        Some((head, rest)) => {
            let inner = table.entry(head).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(inner) = inner {
                set_path(inner, rest, value);
            }
        }
    }
}

fn folder_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn folder_files(folder: &Dir<'_>) -> BTreeMap<String, String> {
    let files = folder.files().chain(folder.dirs().flat_map(Dir::files));
    let name = |path: &Path| path.strip_prefix(folder.path()).unwrap_or(path).to_string_lossy().into_owned();
    files.map(|file| (name(file.path()), file.contents_utf8().unwrap_or_default().to_owned())).collect()
}

fn read_folder(folder: &Path) -> Result<HostSpec, HostError> {
    let mut files = BTreeMap::new();
    for sub in ["", "editions"] {
        let entries = std::fs::read_dir(folder.join(sub)).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()).filter(|path| path.is_file()) {
            if path.extension().is_some_and(|extension| extension == "toml" || extension == "jinja") {
                let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
                files.insert(name, read_small(&path)?);
            }
        }
    }
    HostSpec::checked(&folder_name(folder), Some(folder), &files)
}

fn read_small(path: &Path) -> Result<String, HostError> {
    let unreadable = |source| HostError::Unreadable { path: path.to_owned(), source };
    let invalid = |message| HostError::Invalid { path: path.to_owned(), message };
    // It was a regular file a moment ago; a pipe that took its place must not block.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = rustix::io::retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty()));
    let file = File::from(opened.map_err(|error| unreadable(error.into()))?);
    let stat = file.metadata().map_err(unreadable)?;
    if !stat.is_file() {
        return Err(invalid("it is no regular file".to_owned()));
    }
    // Up to the folder that the folders of hosts are in, and the one above, which is the user's.
    let top = path.ancestors().nth(if is_edition(path) { 4 } else { 3 });
    check_owner(path, &stat, top).map_err(|why| invalid(format!("{why}; {}", why.help)))?;
    let mut text = String::new();
    file.take(MAX_FILE + 1).read_to_string(&mut text).map_err(unreadable)?;
    if text.len() as u64 > MAX_FILE {
        return Err(invalid(format!("it is larger than {MAX_FILE} bytes")));
    }
    Ok(text)
}

fn is_edition(path: &Path) -> bool {
    path.parent().is_some_and(|folder| folder.ends_with("editions"))
}

/// Keys of `host.toml` that were folded into others, and what says the same now, for hosts that users wrote before.
const RENAMED: &[(&str, &str)] = &[
    ("filter", "`does` of the setting, such as `does = \"switch-off\"`"),
    ("adds_up", "`combine = \"add-up\"`"),
    ("strictest", "`combine = \"strictest\"`"),
    ("min", "`range`"),
    ("folder", "`files`, with the folder in each path"),
    ("reattach", "`[texts]`"),
    ("user_texts", "`[user_texts]` at the top"),
    ("texts", "`[texts]` at the top"),
    ("no_output", "`command-silent` in `[texts]`"),
    ("failed", "`command-failed` in `[texts]`"),
    ("denied", "`command-denied` in `[texts]`"),
    ("notice", "`skill-cut` or `file-cut` in `[texts]`"),
    ("trim", "`clean`, or `steps` of a name"),
    ("tidy", "`clean = \"tidy\"`, or `lines = \"tidy\"` in `[catalog]`"),
    ("callers", "`activation.expand_for`"),
    ("in_code", "`activation.expand_in_code`"),
    ("near_names", "`mention.suggests`"),
    ("per_caller", "`names = \"first-per-caller\"`"),
    ("catalog_needs_reading", "`catalog = \"readers\"`"),
    ("replaces_catalog", "`catalog = \"readers-without-skills\"`"),
];

/// Adds to the message about an unknown key what says the same now.
fn explained(message: String) -> String {
    let named = |(old, _): &&(&str, &str)| message.contains(&format!("unknown field `{old}`"));
    match RENAMED.iter().find(named) {
        Some((_, new)) => format!("{}\nThe key was folded into others; write {new} now.\n", message.trim_end()),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_builtin_host_and_edition_loads() {
        let hosts = Hosts::builtin();
        for spec in hosts.all() {
            HostSpec::checked(&spec.name, None, &folder_files(hosts.builtin[&spec.name])).unwrap();
            spec.host().unwrap();
            for edition in spec.editions() {
                hosts.get(&format!("{}@{edition}", spec.name)).unwrap().host().unwrap();
            }
        }
    }

    /// A text for a code that is not one would never be said.
    #[test]
    fn texts_are_for_codes_that_there_are() {
        let hosts = Hosts::builtin();
        let mut texts = 0;
        for spec in hosts.all() {
            let editions = spec.editions().map(|edition| format!("{}@{edition}", spec.name));
            for id in editions.chain([spec.name.clone()]) {
                for rule in hosts.get(&id).unwrap().host().unwrap().parse.texts {
                    assert!(crate::diagnostic::Code::parse(&rule.code).is_some(), "{id}: {}", rule.code);
                    texts += 1;
                }
            }
        }
        assert!(texts > 0, "some host has its own words");
    }

    #[test]
    fn a_mistake_is_reported_with_its_line() {
        let files =
            BTreeMap::from([("host.toml".to_owned(), "title = \"T\"\nprogram = \"t 1\"\nrots = []\n".to_owned())]);
        let error = HostSpec::checked("t", None, &files).unwrap_err().to_string();
        assert!(error.contains("line 3") && error.contains("rots"), "{error}");
    }

    #[test]
    fn unknown_names_say_what_there_is() {
        let error = Hosts::builtin().get("codexx").unwrap_err();
        assert!(matches!(error, HostError::Unknown { known, .. } if known.contains(&"codex".to_owned())));
        let meant = |name: &str| match Hosts::builtin().get(name).unwrap_err() {
            HostError::Unknown { near, .. } => near,
            other => panic!("{name}: {other}"),
        };
        for (wanted, name) in [
            ("claude", "claude-code"),
            ("Claude Code", "claude-code"),
            ("claudecode", "claude-code"),
            ("vs-code", "vscode"),
            ("gemini", "gemini-cli"),
            ("codx", "codex"),
        ] {
            assert_eq!(meant(wanted).as_deref(), Some(name), "{wanted}");
        }
        assert_eq!([meant("x"), meant("notepad")], [None, None]);
    }

    #[test]
    fn an_old_key_is_answered_with_the_new_one() {
        let start = "title = 'T'\nprogram = 't 1'\nroots = []\n";
        for (toml, new) in [("[filter]\noff = 'x'\n", "does = "), ("[activation]\ntidy = true\n", "clean = ")] {
            let error = toml::from_str::<Host>(&format!("{start}{toml}")).unwrap_err().to_string();
            assert!(explained(error).contains(new), "{toml}");
        }
        assert_eq!(explained("unknown field `rots`".to_owned()), "unknown field `rots`");
    }
}
