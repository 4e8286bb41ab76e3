//! Switching skills of a user who has two of one name.

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
    assert!(off.changed && !off.enabled && off.ineffective_reason.is_none(), "{off:?}");
    for path in [place.skill("b/dup"), place.skill("a/dup").parent().unwrap().to_owned()] {
        let on = place.switch("openoxide", SkillSelector::Path(path), true, SettingsOwner::User).unwrap();
        assert!(on.changed && on.enabled && on.ineffective_reason.is_none(), "{on:?}");
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
    assert!(matches!(theirs, SettingError::Foreign { .. }), "{theirs:?}");
    assert!(!place.home.join(".openoxide").exists() && !place.home.join(".codex").exists());
}

#[test]
fn changes_at_the_same_time_are_all_kept() {
    let place = Place::new();
    let folder = place.home.join(".agents/skills");
    for number in 0..8 {
        fs_err::create_dir_all(folder.join(format!("s{number}"))).unwrap();
        let text = format!("---\nname: s{number}\ndescription: d\n---\n");
        fs_err::write(folder.join(format!("s{number}/SKILL.md")), text).unwrap();
    }
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (place, name) = (&place, SkillSelector::Name(format!("s{number}")));
            scope.spawn(move || place.switch("openoxide", name, false, SettingsOwner::User).unwrap());
        }
    });
    let text = fs_err::read_to_string(place.home.join(".openoxide/config.toml")).unwrap();
    assert_eq!(text.matches("[[skills.config]]").count(), 8, "{text}");
}

/// Every host and edition that states a switch: the settings that it writes are the ones that it reads.
#[test]
fn every_switch_of_a_built_in_host_takes_effect_and_leaves_no_trace() {
    let mut switched = Vec::new();
    let hosts = openoxide_skills::host::Hosts::builtin();
    for spec in hosts.all().filter(|spec| spec.host().unwrap().switch.is_some()) {
        for owner in [SettingsOwner::User, SettingsOwner::Project] {
            let place = Place::new();
            let (cwd, home) = (place.home.join("project"), Some(place.home.clone()));
            let environment = Environment { cwd, home, admin: place.home.join("admin"), ..Environment::default() };
            let workspace = Workspace::open(environment, crate::Place::default()).unwrap();
            let (view, _) = workspace.view(&spec.name).unwrap();
            let root = view.roots.iter().find(|root| root.path.starts_with(&place.home)).unwrap().path.clone();
            fs_err::create_dir_all(root.join("one")).unwrap();
            fs_err::write(root.join("one/SKILL.md"), "---\nname: one\ndescription: d\n---\n").unwrap();
            let change = |enabled| {
                let catalog =
                    load(std::slice::from_ref(&workspace.view(&spec.name).unwrap().0), Depth::Quick).remove(0);
                let (view, _) = workspace.view(&spec.name).unwrap();
                let selector = [SkillSelector::Name("one".to_owned())];
                let planned = workspace.plan_switch(&view, &catalog, &selector, enabled, owner);
                assert_eq!(planned.is_ok(), workspace.has_switch(&view, enabled, owner), "{}", spec.name);
                let plan = planned?;
                let was_there = plan.file.exists();
                let tried = workspace.try_switch(&plan).unwrap().outcomes.remove(0);
                assert_eq!(plan.file.exists(), was_there, "{}: a trial writes nothing", spec.name);
                let outcome = workspace.apply_switch(&plan).unwrap().remove(0);
                let foretold = SwitchOutcome { changed: outcome.changed, ..tried };
                assert_eq!(outcome, foretold, "{}: what was tried is what happens", spec.name);
                Ok::<_, SettingError>((plan, outcome))
            };
            let (plan, off) = match change(false) {
                Err(SettingError::NotInProject { .. }) => continue,
                off => off.unwrap(),
            };
            assert!(plan.before.is_empty() && off.changed, "{}: {off:?}", spec.name);
            let needs_trust = spec.name == crate::OWN_HOST && owner == SettingsOwner::Project;
            assert_eq!(off.ineffective_reason.is_none(), !needs_trust, "{}: {off:?}", spec.name);
            let again = change(false).unwrap().1;
            assert!(!again.changed, "{}: {again:?}", spec.name);
            let (_, on) = change(true).unwrap();
            assert!(on.enabled && on.ineffective_reason.is_none(), "{}: {on:?}", spec.name);
            assert!(!plan.file.exists(), "{}: {}", spec.name, plan.file.display());
            switched.push(format!("{} {owner:?}", spec.name));
        }
    }
    assert!(switched.len() >= 14, "{switched:?}");
}

#[test]
fn a_file_that_changed_since_it_was_shown_is_left_alone() {
    let place = Place::new();
    let (cwd, home) = (place.home.join("project"), Some(place.home.clone()));
    let environment = Environment { cwd, home, admin: place.home.join("admin"), ..Environment::default() };
    let workspace = Workspace::open(environment, crate::Place::default()).unwrap();
    let (view, _) = workspace.view("codex").unwrap();
    let catalog = load(std::slice::from_ref(&view), Depth::Quick).remove(0);
    let selector = [SkillSelector::Name("solo".to_owned())];
    let plan = workspace.plan_switch(&view, &catalog, &selector, false, SettingsOwner::User).unwrap();
    fs_err::create_dir_all(place.home.join(".codex")).unwrap();
    fs_err::write(&plan.file, "model = \"new\"\n").unwrap();
    let error = workspace.apply_switch(&plan).unwrap_err();
    assert!(matches!(error, SettingError::ChangedMeanwhile(_)), "{error:?}");
    assert_eq!(fs_err::read_to_string(&plan.file).unwrap(), "model = \"new\"\n");
}
