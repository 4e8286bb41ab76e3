//! Switches skills on and off in settings of our own, and looks again whether that is so.

use std::path::{Path, PathBuf};

use openoxide_skills::{Catalog, Depth, Entry, Standing, View, load, near, path_text};

use crate::edit::{EditError, SettingsFile, add_skill_rule};
use crate::environment::{NO_HOME_HINT, NO_HOME_WORD};
use crate::system::{UnpackOutcome, unpack_system_skills};
use crate::workspace::{Workspace, WorkspaceError};

/// Whose settings are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SettingsOwner {
    /// The user's.
    #[default]
    User,
    /// The project's, which count once the project is trusted.
    Project,
}

/// Which skill is switched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkillSelector {
    /// What a person typed: a name, the path of a folder or file, or else a folder's name.
    Typed(String),
    /// A name, and every skill that has it.
    Name(String),
    /// The path of a folder or file.
    Path(PathBuf),
}

/// What is to be so.
#[derive(Clone, Debug)]
pub struct SwitchRequest {
    /// The skill.
    pub selector: SkillSelector,
    /// Whether it is to be on.
    pub enabled: bool,
    /// Whose settings are written.
    pub owner: SettingsOwner,
}

/// What is so now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchOutcome {
    /// What the rule is for: a name, or the path of a file.
    pub skill: String,
    /// The settings that have the rule.
    pub file: PathBuf,
    /// Whether they had to be changed.
    pub changed: bool,
    /// The folder that the skills of the program were unpacked to, if that was new.
    pub unpacked: Option<PathBuf>,
    /// Whether the skill is on, seen by looking again. Several with one name are on if one of them is.
    pub enabled: bool,
    /// Why it is not as wanted.
    pub ineffective_reason: Option<String>,
}

/// Why nothing was switched.
#[derive(Debug, thiserror::Error)]
pub enum SwitchError {
    /// The host keeps its switches itself.
    #[error("the settings of {title} are its own, and are never written here")]
    Foreign {
        /// The host.
        title: String,
        /// Its setting that switches skills and the file that has it, where that is known.
        setting: Option<(String, PathBuf)>,
    },
    /// There is no such skill.
    #[error("no skill is called `{wanted}`")]
    Unknown {
        /// What was asked for.
        wanted: String,
        /// A name that is close to it.
        near: Option<String>,
    },
    /// There is no folder for the user's settings.
    #[error("there is no home folder")]
    NoHome,
    /// The settings cannot be changed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The skills that come with the program cannot be unpacked.
    #[error(transparent)]
    Unpack(#[from] std::io::Error),
    /// The project cannot be looked at again.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

impl SwitchError {
    /// Returns the stable word for the error: every face shows the same one.
    pub fn word(&self) -> &'static str {
        match self {
            SwitchError::Foreign { .. } => "foreign-settings",
            SwitchError::Unknown { .. } => "unknown",
            SwitchError::NoHome => NO_HOME_WORD,
            SwitchError::Edit(error) => error.word(),
            SwitchError::Unpack(_) => "not-unpacked",
            SwitchError::Workspace(error) => error.word(),
        }
    }

    /// Returns the next step, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            SwitchError::Foreign { setting: Some((key, file)), .. } => {
                Some(format!("change `{key}` in {}", path_text(file)))
            }
            SwitchError::Foreign { setting: None, .. } => Some("change the program's own settings".to_owned()),
            SwitchError::Unknown { near, .. } => near.as_ref().map(|near| format!("did you mean `{near}`?")),
            SwitchError::NoHome => Some(NO_HOME_HINT.to_owned()),
            _ => None,
        }
    }
}

impl Workspace {
    /// Switches a skill that the view's catalog has, and looks again.
    pub fn switch(
        &self,
        view: &View,
        catalog: &Catalog,
        request: &SwitchRequest,
    ) -> Result<SwitchOutcome, SwitchError> {
        refuse_foreign(view)?;
        let found = self.select(catalog, &request.selector);
        let first = found.first().ok_or_else(|| unknown(catalog, &request.selector))?;
        let (selector, skill) = match request.selector.is_path() {
            true => ("path", first.skill.path.to_string_lossy().into_owned()),
            false => ("name", first.skill.name.to_string()),
        };
        let file = self.settings_file(request.owner).ok_or(SwitchError::NoHome)?;
        let changed =
            add_skill_rule(SettingsFile { path: &file, owner: request.owner }, selector, &skill, request.enabled)?;
        let unpacked = self.unpack()?;
        let (enabled, ineffective_reason) = self.look_again(view, &skill, request)?;
        Ok(SwitchOutcome { skill, file, changed, unpacked, enabled, ineffective_reason })
    }

    /// Returns the file of settings that is written.
    pub fn settings_file(&self, owner: SettingsOwner) -> Option<PathBuf> {
        match owner {
            SettingsOwner::Project => Some(self.project.join(".openoxide/config.toml")),
            SettingsOwner::User => self.environment.openoxide_home().map(|home| home.join("config.toml")),
        }
    }

    /// Returns what a skill is found by: the whole path if a path was typed that leads to one, or else the word itself.
    pub fn resolve_skill_reference(&self, catalog: &Catalog, typed: &str) -> String {
        let expanded = typed.strip_prefix("~/").and_then(|rest| Some(self.environment.home.as_ref()?.join(rest)));
        let path = expanded.unwrap_or_else(|| self.environment.cwd.join(typed));
        let path = std::fs::canonicalize(&path).unwrap_or(path).to_string_lossy().into_owned();
        if looks_like_path(typed) && !catalog.called(&path).is_empty() {
            return path;
        }
        // A folder's name means its skill where no skill has that name.
        match catalog.find(typed).first() {
            Some(entry) if catalog.called(typed).is_empty() => path_text(&entry.skill.path),
            _ => typed.to_owned(),
        }
    }

    fn select<'c>(&self, catalog: &'c Catalog, selector: &SkillSelector) -> Vec<&'c Entry> {
        match selector {
            SkillSelector::Typed(typed) => catalog.find(&self.resolve_skill_reference(catalog, typed)),
            SkillSelector::Name(name) => catalog.entries().filter(|entry| *entry.skill.name == **name).collect(),
            SkillSelector::Path(path) => {
                let is_it = |entry: &&Entry| [&*entry.skill.path, entry.dir(), entry.found()].contains(&path.as_path());
                let found: Vec<&Entry> = catalog.entries().filter(is_it).collect();
                match std::fs::canonicalize(path) {
                    Ok(real) if found.is_empty() => catalog.called(&real.to_string_lossy()),
                    _ => found,
                }
            }
        }
    }

    fn unpack(&self) -> Result<Option<PathBuf>, std::io::Error> {
        let Some(home) = self.environment.openoxide_home() else { return Ok(None) };
        let written = unpack_system_skills(&home)? == UnpackOutcome::Written;
        Ok(written.then(|| home.join("skills/.system")))
    }

    /// Tells whether the skill is on now, and why that is not as wanted.
    fn look_again(
        &self,
        view: &View,
        skill: &str,
        request: &SwitchRequest,
    ) -> Result<(bool, Option<String>), SwitchError> {
        let workspace = self.reopen()?;
        let (view, _) = workspace.view(&view.spec.id())?;
        let catalog = load(std::slice::from_ref(&view), Depth::Quick).remove(0);
        let which = if request.selector.is_path() {
            SkillSelector::Path(skill.into())
        } else {
            SkillSelector::Name(skill.to_owned())
        };
        let found = workspace.select(&catalog, &which);
        if found.is_empty() {
            return Err(unknown(&catalog, &which));
        }
        // A file that is found in two ways is one skill, whose rule is told where it is found first.
        let off = found.iter().filter(|entry| entry.standing == Standing::Disabled);
        let off: Vec<&Path> = off.map(|entry| &*entry.skill.path).collect();
        let is_off = |entry: &&&Entry| off.contains(&&*entry.skill.path);
        let Some(other) = found.iter().find(|entry| is_off(entry) == request.enabled) else {
            return Ok((request.enabled, None));
        };
        let why = other.reason.as_ref().map_or_else(
            || "the project's settings count only once the project is trusted".to_owned(),
            |reason| reason.text.clone(),
        );
        Ok((!found.iter().all(|entry| is_off(&entry)), Some(why)))
    }
}

impl SkillSelector {
    fn is_path(&self) -> bool {
        match self {
            SkillSelector::Typed(typed) => looks_like_path(typed),
            SkillSelector::Name(_) => false,
            SkillSelector::Path(_) => true,
        }
    }

    fn text(&self) -> String {
        match self {
            SkillSelector::Typed(text) | SkillSelector::Name(text) => text.clone(),
            SkillSelector::Path(path) => path_text(path),
        }
    }
}

fn looks_like_path(typed: &str) -> bool {
    typed.contains('/') || typed.starts_with(['.', '~'])
}

/// Only settings of our own are written; the programs' files are theirs.
fn refuse_foreign(view: &View) -> Result<(), SwitchError> {
    let host = &view.host;
    let rule = host.filter.rules.as_ref().and_then(|name| host.settings.get(name));
    if rule.is_some_and(|rule| rule.from.iter().any(|source| source.config.is_some())) {
        return Ok(());
    }
    let setting = rule.and_then(|rule| {
        rule.from
            .iter()
            .rev()
            .find_map(|source| Some((source.key.clone()?, view.around.expand(source.file.as_ref()?, &host.vars)?)))
    });
    Err(SwitchError::Foreign { title: host.title.clone(), setting })
}

fn unknown(catalog: &Catalog, selector: &SkillSelector) -> SwitchError {
    let wanted = selector.text();
    let names = catalog.entries().map(|entry| entry.skill.name.as_ref());
    let near = if Path::new(&wanted).is_absolute() {
        None
    } else {
        near(&wanted, names).first().map(|near| (*near).to_owned())
    };
    SwitchError::Unknown { wanted, near }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;
    use crate::workspace::WorkspaceOptions;

    struct Place {
        _dir: tempfile::TempDir,
        home: PathBuf,
    }

    impl Place {
        /// A home with two skills called `dup`, and one that is alone.
        fn new() -> Place {
            let dir = tempfile::tempdir().unwrap();
            let home = std::fs::canonicalize(dir.path()).unwrap();
            for (folder, name) in [("a/dup", "dup"), ("b/dup", "dup"), ("solo", "solo")] {
                let folder = home.join(".agents/skills").join(folder);
                fs_err::create_dir_all(&folder).unwrap();
                fs_err::write(folder.join("SKILL.md"), format!("---\nname: {name}\ndescription: d\n---\n")).unwrap();
            }
            fs_err::create_dir_all(home.join("project/.git")).unwrap();
            Place { _dir: dir, home }
        }

        fn skill(&self, folder: &str) -> PathBuf {
            self.home.join(".agents/skills").join(folder).join("SKILL.md")
        }

        fn switch(
            &self,
            host: &str,
            which: SkillSelector,
            enabled: bool,
            owner: SettingsOwner,
        ) -> Result<SwitchOutcome, SwitchError> {
            let (cwd, home) = (self.home.join("project"), Some(self.home.clone()));
            let environment = Environment { cwd, home, admin: self.home.join("admin"), ..Environment::default() };
            let workspace = Workspace::open(environment, WorkspaceOptions::default()).unwrap();
            let (view, _) = workspace.view(host).unwrap();
            let catalog = load(std::slice::from_ref(&view), Depth::Quick).remove(0);
            workspace.switch(&view, &catalog, &SwitchRequest { selector: which, enabled, owner })
        }
    }

    #[test]
    fn what_was_switched_off_by_name_is_switched_on_by_path() {
        let place = Place::new();
        let off = place.switch("openoxide", SkillSelector::Name("dup".to_owned()), false, SettingsOwner::User).unwrap();
        assert!(off.changed && !off.enabled && off.ineffective_reason.is_none() && off.unpacked.is_some(), "{off:?}");
        for path in [place.skill("b/dup"), place.skill("a/dup").parent().unwrap().to_owned()] {
            let on = place.switch("openoxide", SkillSelector::Path(path), true, SettingsOwner::User).unwrap();
            assert!(on.changed && on.enabled && on.ineffective_reason.is_none() && on.unpacked.is_none(), "{on:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_skill_that_is_found_in_two_ways_is_switched_as_one() {
        let place = Place::new();
        let link = place.home.join(".agents/skills/link");
        std::os::unix::fs::symlink(place.home.join(".agents/skills/solo"), &link).unwrap();
        for path in [link.join("SKILL.md"), place.skill("solo")] {
            let off = place.switch("openoxide", SkillSelector::Path(path.clone()), false, SettingsOwner::User).unwrap();
            assert!(!off.enabled && off.ineffective_reason.is_none(), "{off:?}");
            let on = place.switch("openoxide", SkillSelector::Path(path), true, SettingsOwner::User).unwrap();
            assert!(on.enabled && on.ineffective_reason.is_none(), "{on:?}");
        }
    }

    #[test]
    fn settings_that_do_not_count_switch_nothing_and_that_is_said() {
        let place = Place::new();
        let off =
            place.switch("openoxide", SkillSelector::Typed("solo".to_owned()), false, SettingsOwner::Project).unwrap();
        assert_eq!(off.file, place.home.join("project/.openoxide/config.toml"));
        assert!(off.changed && off.enabled, "{off:?}");
        assert_eq!(
            off.ineffective_reason.as_deref(),
            Some("the project's settings count only once the project is trusted")
        );
    }

    #[test]
    fn nothing_is_written_for_what_is_not_there_nor_for_others() {
        let place = Place::new();
        let gone =
            place.switch("openoxide", SkillSelector::Name("sola".to_owned()), false, SettingsOwner::User).unwrap_err();
        assert_eq!(gone.hint().as_deref(), Some("did you mean `solo`?"));
        let path = place.home.join("elsewhere");
        let gone = place.switch("openoxide", SkillSelector::Path(path), true, SettingsOwner::User).unwrap_err();
        assert!(matches!(gone, SwitchError::Unknown { near: None, .. }), "{gone:?}");
        let theirs =
            place.switch("codex", SkillSelector::Name("solo".to_owned()), false, SettingsOwner::User).unwrap_err();
        let file = path_text(&place.home.join(".codex/config.toml"));
        assert_eq!(theirs.hint(), Some(format!("change `skills.config` in {file}")));
        assert!(!place.home.join(".openoxide").exists() && !place.home.join(".codex").exists());
    }

    #[test]
    fn changes_at_the_same_time_are_all_kept() {
        let place = Place::new();
        let file = place.home.join(".openoxide/config.toml");
        std::thread::scope(|scope| {
            for number in 0..16 {
                let file = &file;
                scope.spawn(move || add_skill_rule(file, "name", &format!("s{number}"), false).unwrap());
            }
        });
        let text = fs_err::read_to_string(&file).unwrap();
        assert_eq!(text.matches("[[skills.config]]").count(), 16, "{text}");
    }
}
