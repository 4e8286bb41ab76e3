//! `trust --revoke`: takes back trust in folders, powers of skills, and answers that are remembered.

use std::path::{Path, PathBuf};

use openoxide_config::{LayerKind, TrustRecord, Workspace, find_project, remove_from_list};
use openoxide_skills::host::ProjectRules;
use openoxide_skills::text::path_text;
use openoxide_wire::{ChangeAnswer, ChangeLine};

use super::TrustArgs;
use crate::ExitStatus;
use crate::args::Common;
use crate::paths;
use crate::session::open_workspace;
use crate::ui::{Ui, safe};

/// The setting that counts too.
const FOLDERS: &str = "trust.folders";

/// What is meant by a word or a path: whatever of these is trusted, because less trust is the safe side.
struct Wanted {
    /// Everything.
    all: bool,
    /// An id, or the name of a skill.
    word: Option<String>,
    /// The path, as it is written and without links, and the project around it unless the path is a skill's.
    paths: Vec<PathBuf>,
}

impl Wanted {
    fn new(workspace: &Workspace, given: Option<&Path>) -> Wanted {
        let environment = &workspace.environment;
        let path = given.map_or_else(|| workspace.project.clone(), |given| environment.cwd.join(given));
        let real = std::fs::canonicalize(&path).ok();
        let root = |real: &PathBuf| find_project(real, environment.home.as_deref(), &ProjectRules::default());
        // What is said of a skill is not meant for the project around it.
        let is_skill = given.is_some() && path.join("SKILL.md").exists();
        let project = real.as_ref().filter(|real| real.is_dir() && !is_skill).map(root);
        let word = given.and_then(Path::to_str).filter(|text| !text.contains('/')).map(str::to_owned);
        // The project comes first: it is what the answer is about.
        let paths = project.into_iter().chain(real).chain([path]).collect();
        Wanted { all: word.as_deref() == Some("all"), word, paths }
    }

    fn is_folder(&self, folder: &Path) -> bool {
        self.all || self.paths.iter().any(|path| path == folder)
    }

    fn is_skill(&self, file: &Path) -> bool {
        let folder = file.parent();
        let names = [folder.and_then(Path::file_name), file.file_stem()];
        let is_named = |word: &String| names.iter().flatten().any(|name| *name == word.as_str());
        let is_path = |path: &PathBuf| path == file || Some(path.as_path()) == folder;
        self.word.as_ref().is_some_and(is_named) || self.paths.iter().any(is_path)
    }

    fn is(&self, record: &TrustRecord, args: &TrustArgs) -> bool {
        let is_power = match record {
            TrustRecord::Grant(grant) => args.power.is_empty() || args.power.contains(&grant.permission),
            _ => args.power.is_empty(),
        };
        let is_it = match record {
            TrustRecord::Folder(folder) => self.is_folder(&folder.path),
            other => other.skill().is_some_and(|file| self.is_skill(file)),
        };
        is_power && (self.all || is_it || self.word.as_ref() == Some(&record.id()))
    }
}

pub(super) fn revoke(ui: &Ui, common: &Common, workspace: &Workspace, args: &TrustArgs) -> anyhow::Result<ExitStatus> {
    let (mut trust, file) = super::store(workspace)?;
    let wanted: Vec<Wanted> = match args.what.as_slice() {
        [] => vec![Wanted::new(workspace, None)],
        given => given.iter().map(|given| Wanted::new(workspace, Some(given))).collect(),
    };
    let mut changes = Vec::new();
    for wanted in &wanted {
        let before = changes.len();
        for record in trust.revoke(|record| wanted.is(record, args))? {
            let (target, said) = told(workspace, &record);
            ui.say(&said);
            changes.push(ChangeLine::new("revoke", &file, Some(target)));
        }
        if args.power.is_empty() {
            changes.extend(unlist(ui, workspace, wanted)?);
        }
        if changes.len() == before {
            nothing(ui, workspace, wanted, &file);
        }
    }
    if common.json {
        ui.json(&ChangeAnswer::new(changes, None))?;
    }
    look_again(ui, common, &wanted)
}

/// Takes folders off the list in the user's own settings.
fn unlist(ui: &Ui, workspace: &Workspace, wanted: &Wanted) -> anyhow::Result<Vec<ChangeLine>> {
    let layer = workspace.config.layers.iter().find(|layer| layer.kind == LayerKind::User);
    let Some((layer, file)) = layer.and_then(|layer| Some((layer, layer.path.as_ref()?))) else {
        return Ok(Vec::new());
    };
    let mut listed = workspace.config.trusted_folders(layer);
    listed.retain(|(_, folder)| wanted.is_folder(folder));
    if listed.is_empty() {
        return Ok(Vec::new());
    }
    remove_from_list(file, FOLDERS, |text| listed.iter().any(|(written, _)| written == text))?;
    let line = |(_, folder): &(String, PathBuf)| {
        ui.say(&format!("{} is not trusted any more", shown(workspace, folder)));
        ChangeLine::new("revoke", file, Some(path_text(folder)))
    };
    Ok(listed.iter().map(line).collect())
}

/// Returns what a record is about, and says that it is gone.
fn told(workspace: &Workspace, record: &TrustRecord) -> (String, String) {
    match record {
        TrustRecord::Folder(folder) => {
            (path_text(&folder.path), format!("{} is not trusted any more", shown(workspace, &folder.path)))
        }
        TrustRecord::Source(source) => {
            (source.source.clone(), format!("{} is not trusted any more", safe(&source.source)))
        }
        TrustRecord::Grant(grant) => power(workspace, &grant.skill, grant.permission.as_str()),
        TrustRecord::UnknownGrant { skill, permission: word } => power(workspace, skill, word),
        TrustRecord::Remote(remote) => {
            let what = format!("{} {}", remote.server, remote.uri);
            let said = format!("{} of the MCP server {} is asked for again", safe(&remote.uri), safe(&remote.server));
            (what, said)
        }
        TrustRecord::Answer(answer) => {
            let what = format!("{} {}", answer.permission, answer.pattern);
            let said = format!("`{}` is asked for again", safe(&what));
            (what, said)
        }
    }
}

fn power(workspace: &Workspace, skill: &Path, power: &str) -> (String, String) {
    let said = format!("{} has no power `{}` any more", shown(workspace, skill), safe(power));
    (format!("{} {power}", path_text(skill)), said)
}

fn shown(workspace: &Workspace, path: &Path) -> String {
    safe(&paths::abbreviate_home(workspace, &path_text(path)))
}

fn nothing(ui: &Ui, workspace: &Workspace, wanted: &Wanted, file: &Path) {
    let file = paths::short(workspace, file);
    match wanted.paths.first() {
        Some(path) if !wanted.all => ui.say(&format!("{} is not trusted in {file}", shown(workspace, path))),
        _ => ui.say(&format!("nothing is trusted in {file}")),
    }
}

/// Says so if a folder is still trusted by somebody else.
fn look_again(ui: &Ui, common: &Common, wanted: &[Wanted]) -> anyhow::Result<ExitStatus> {
    let workspace = open_workspace(ui, common)?;
    let mut status = ExitStatus::Done;
    for folder in wanted.iter().filter_map(|wanted| wanted.paths.first()) {
        if workspace.config.trusts(folder) {
            let shown = shown(&workspace, folder);
            ui.warn(&format!("{shown} is still trusted, by the administrator or by --config"));
            status = ExitStatus::No;
        }
    }
    Ok(status)
}
