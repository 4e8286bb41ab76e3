//! Loads the layers of `config.toml`: administrator, user, project, environment, command line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use openoxide_permissions::RuleError;
use openoxide_skills::diagnostic::{Code, Diagnostic};
use openoxide_skills::root::{LinkPlaces, Surroundings};
use openoxide_skills::text::path_text;
use toml::Value;

use super::config::{Config, foreign_folder};
use super::key::{ConfigKey, parse_value};
use super::layer::{ConfigProblem, Layer, LayerKind};
use super::{permission_rules, validate::replace_invalid};
use crate::document::dotted_key::{insert, split_key};
use crate::document::{self, Document, PlannedFile, Writers};
use crate::{Environment, Trust, document::json::JsonDialect, variables};

impl Config {
    /// Reads every layer. `project` is the project's root; `flags` are `KEY=VALUE` from the command line.
    pub fn load(environment: &Environment, project: &Path, flags: &[String]) -> Config {
        Config::load_planned(environment, project, flags, None)
    }

    /// Reads the same, with one file as it would be after a change.
    pub(crate) fn load_planned(
        environment: &Environment,
        project: &Path,
        flags: &[String],
        planned: Option<&PlannedFile>,
    ) -> Config {
        let mut config = Config { planned: planned.cloned(), ..Config::default() };
        // A project's file can only take away, so that it may be a group's.
        let safe = Writers::UserOrRoot(environment.home.as_deref());
        let admin = config.read_file(LayerKind::Admin, &environment.admin.join("config.toml"), safe);
        config.layers.extend(admin);
        if let Some(home) = environment.openoxide_home() {
            let user = config.read_file(LayerKind::User, &home.join("config.toml"), safe);
            config.layers.extend(user);
        }
        let flags = config.parse_flags(flags);
        let before_project = config.layers.len();
        config.layers.push(environment_layer(environment));
        config.layers.push(flags);
        config.home.clone_from(&environment.home);
        config.trust = Trust::open(environment);
        if let Some(problem) = config.trust.problem().cloned() {
            let path = config.trust.path().map(Path::to_owned);
            config.problems.push(ConfigProblem { path, diagnostic: problem });
        }
        // A trusted folder's settings hold in all of it, also in a repository inside of it.
        let mut layers: Vec<Layer> = Vec::new();
        for folder in config.trusted_around(project).iter().map(PathBuf::as_path).chain([project]) {
            layers.extend(config.read_project(environment, folder));
        }
        config.layers.splice(before_project..before_project, layers);
        config.permissions = permission_rules::read(&config.layers, config.home.as_deref());
        config.problems.append(&mut config.permissions.problems);
        config
    }

    /// Returns what the links of a project's settings are judged by.
    fn surroundings(&self, environment: &Environment, project: &Path) -> Surroundings {
        let state = environment.openoxide_home().map(|home| home.join("state"));
        Surroundings {
            cwd: project.to_owned(),
            project: project.to_owned(),
            home: environment.home.clone(),
            trusted: self.trusts(project),
            // No folder of skills holds settings.
            links: LinkPlaces::new(state, Vec::new),
            ..Surroundings::default()
        }
    }

    fn read_file(&mut self, kind: LayerKind, path: &Path, writers: Writers<'_>) -> Option<Layer> {
        match document::read(path, Code::ConfigInvalid, JsonDialect::Strict, writers, self.planned.as_ref()) {
            Ok(None) => None,
            Ok(Some(document)) => {
                let mut layer = Layer::new(kind, Some(path.to_owned()), document);
                self.check(&mut layer);
                Some(layer)
            }
            Err(diagnostic) => {
                // Nobody relies on a project's file to deny something: the project could leave the rule out.
                if kind != LayerKind::Project {
                    self.doubt.get_or_insert_with(|| unread_error(path, &diagnostic));
                }
                self.add_problems(Some(path), [diagnostic]);
                None
            }
        }
    }

    /// Takes what cannot be used out of a layer.
    fn check(&mut self, layer: &mut Layer) {
        let found = replace_invalid(layer);
        self.doubt = self.doubt.take().or(found.doubt);
        self.add_problems(layer.path.as_deref(), found.problems);
    }

    fn add_problems(&mut self, path: Option<&Path>, problems: impl IntoIterator<Item = Diagnostic>) {
        let problem = |diagnostic| ConfigProblem { path: path.map(Path::to_owned), diagnostic };
        self.problems.extend(problems.into_iter().map(problem));
    }

    fn parse_flags(&mut self, flags: &[String]) -> Layer {
        let mut table = toml::Table::new();
        for flag in flags {
            match parse_flag(flag) {
                Ok((key, value)) => insert(&mut table, &split_key(&key), value),
                Err(diagnostic) => self.add_problems(None, [diagnostic]),
            }
        }
        let mut layer = Layer::new(LayerKind::CommandLine, None, Document::without_file(table));
        self.check(&mut layer);
        layer
    }

    /// Reads a project's file. Its layer is inactive unless the user trusts the project.
    fn read_project(&mut self, environment: &Environment, project: &Path) -> Option<Layer> {
        let is_active = self.check_trust(project).unwrap_or_else(|why| {
            self.problems.push(foreign_folder(project, &why));
            false
        });
        let file = project_file(project);
        let is_users = self.layers.iter().any(|layer| layer.path.as_deref() == Some(&file));
        if is_users {
            return None;
        }
        let around = self.surroundings(environment, project);
        let boundary = || around.boundary_of_file(&file, [], &BTreeMap::new());
        let layer = self.read_file(LayerKind::Project, &file, Writers::Anyone(&boundary))?;
        // What needs no trust is in effect already.
        if !is_active && !layer.document.table.keys().all(|key| ConfigKey::needs_no_trust(key)) {
            let message = "the project's settings are ignored, because the project is not trusted";
            let help = "if the project is yours: `openoxide trust`";
            let diagnostic = Diagnostic::warning(Code::ConfigUntrusted, message).help(help);
            self.problems.push(ConfigProblem { path: layer.path.clone(), diagnostic });
        }
        Some(Layer { is_active, ..layer })
    }
}

/// Returns the settings file of a project.
pub(crate) fn project_file(project: &Path) -> PathBuf {
    project.join(".openoxide/config.toml")
}

/// Returns the error for a file that may hold rules that deny.
fn unread_error(path: &Path, diagnostic: &Diagnostic) -> RuleError {
    let line = diagnostic.place.as_ref().map_or_else(String::new, |place| format!(":{}", place.line));
    let what = format!("{}; what it denies is not known", diagnostic.message);
    let error = RuleError::new(format!("{}{line}", path_text(path)), what);
    match &diagnostic.help {
        Some(step) => error.with_step(step),
        None => error,
    }
}

fn environment_layer(environment: &Environment) -> Layer {
    let mut table = toml::Table::new();
    if let Some(host) = environment.variable(variables::OPENOXIDE_HOST) {
        table.insert("host".to_owned(), host.into());
    }
    Layer::new(LayerKind::Environment, None, Document::without_file(table))
}

/// Parses `KEY=VALUE`. A value that is not TOML is a text, so that `host=codex` needs no quotes.
fn parse_flag(flag: &str) -> Result<(String, Value), Diagnostic> {
    let Some((key, value)) = flag.split_once('=') else {
        let message = format!("`--config {flag}` has no `=`");
        return Err(Diagnostic::warning(Code::ConfigInvalid, message).help("write `--config KEY=VALUE`"));
    };
    Ok((key.trim().to_owned(), parse_value(value).unwrap_or_else(|| Value::from(value))))
}
