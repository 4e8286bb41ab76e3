//! Switching skills of a user who has two of one name.

use openoxide_skills::text::path_text;

use super::*;
use crate::environment::Environment;
use crate::settings::layer::SettingsOwner;

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
    ) -> Result<SwitchOutcome, SettingError> {
        let (cwd, home) = (self.home.join("project"), Some(self.home.clone()));
        let environment = Environment { cwd, home, admin: self.home.join("admin"), ..Environment::default() };
        let workspace = Workspace::open(environment, crate::Place::default()).unwrap();
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
        Some("the project's settings apply only once the project is trusted")
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
    assert!(matches!(gone, SettingError::UnknownSkill { near: None, .. }), "{gone:?}");
    let theirs = place.switch("codex", SkillSelector::Name("solo".to_owned()), false, SettingsOwner::User).unwrap_err();
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
            scope.spawn(move || {
                add_skill_rule(file, SettingsOwner::User, "name", &format!("s{number}"), false).unwrap()
            });
        }
    });
    let text = fs_err::read_to_string(&file).unwrap();
    assert_eq!(text.matches("[[skills.config]]").count(), 16, "{text}");
}
