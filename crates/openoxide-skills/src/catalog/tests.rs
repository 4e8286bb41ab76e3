//! Tests of catalogs that need no binary: reading again, and one folder alone.

use std::sync::Arc;

use openoxide_testkit::TestContext;

use super::*;
use crate::host::Hosts;
use crate::root::Surroundings;
use crate::settings::{HostSettings, Origin, Setting};
use crate::skill::SkillScope;

fn view(context: &TestContext) -> View {
    let (cwd, project) = (context.project(), context.project());
    let around = Surroundings { cwd, project, home: Some(context.home()), ..Surroundings::default() };
    View::new(Hosts::builtin().get("openoxide").unwrap(), HostSettings::default(), Arc::new(around)).unwrap()
}

fn names(catalog: &Catalog) -> Vec<String> {
    catalog.skills.iter().map(|entry| format!("{}: {}", entry.skill.name, entry.skill.description)).collect()
}

#[test]
fn a_catalog_stays_as_it_was_and_loading_again_sees_the_change() {
    let context = TestContext::new();
    context.skill("pdf", "Fill forms").skill("gone", "Soon removed");
    let view = view(&context);
    let before = load(std::slice::from_ref(&view), Depth::Quick).remove(0);
    context.skill("pdf", "Fill and flatten forms").skill("new", "Just added");
    std::fs::remove_dir_all(context.project().join(".agents/skills/gone")).unwrap();
    let after = load(std::slice::from_ref(&view), Depth::Quick).remove(0);
    assert_eq!(names(&before), ["gone: Soon removed", "pdf: Fill forms"]);
    assert_eq!(names(&after), ["new: Just added", "pdf: Fill and flatten forms"]);
}

/// Rules are asked by these names: telling them again must forget none.
#[test]
fn names_of_other_hosts_stay_when_they_are_told_again() {
    let context = TestContext::new();
    context.skill("pdf", "Fill forms");
    context.tree("//- project/.agents/skills/.claude-plugin/plugin.json\n{\"name\": \"tools\"}\n");
    let view = view(&context);
    let mut catalog = load(std::slice::from_ref(&view), Depth::Quick).remove(0);
    let host_names = HostNames::of(&Hosts::builtin());
    for round in 0..2 {
        host_names.tell(&mut catalog.skills, &catalog.roots, &view.around, &mut KnownPlugins::default());
        let names: Vec<&str> = catalog.skills[0].names_for_rules().collect();
        assert!(names.contains(&"tools:pdf"), "round {round}: {names:?}");
    }
}

/// A catalog is narrowed skill by skill, and asks the disk no question twice for that.
#[test]
fn plugins_and_switches_are_read_once_for_many_skills() {
    let context = TestContext::new();
    context.skill("pdf", "Fill forms").skill("docx", "Write letters");
    let (skills, link) = (context.project().join(".agents/skills"), context.root().join("link"));
    std::os::unix::fs::symlink(skills.join("pdf"), &link).unwrap();
    let mut view = view(&context);
    let mut catalog = load(std::slice::from_ref(&view), Depth::Quick).remove(0);
    context.tree("//- project/.agents/skills/.claude-plugin/plugin.json\n{\"name\": \"tools\"}\n");
    let rule = toml::toml! { enabled = false };
    let rule = [("path".to_owned(), link.join("SKILL.md").display().to_string().into())].into_iter().chain(rule);
    let value = toml::Value::Array(vec![toml::Value::Table(rule.collect())]);
    let (switching, _) = view.host.switching().unwrap();
    let setting = Setting { value, origin: Origin::CommandLine };
    let mut settings = HostSettings::default();
    settings.values.insert(switching.to_owned(), setting);
    view.settings = settings;

    let (rules, host_names) = (SwitchRules::of(&view), HostNames::of(&Hosts::builtin()));
    let mut known = KnownPlugins::default();
    let mut look = |known: &mut KnownPlugins| -> Vec<(bool, bool)> {
        host_names.tell(&mut catalog.skills, &catalog.roots, &view.around, known);
        let is_of_plugin = |entry: &Entry| entry.names_for_rules().any(|name| name.starts_with("tools:"));
        catalog.skills.iter().map(|entry| (rules.switch_off(&view, entry), is_of_plugin(entry))).collect()
    };
    let expected = [(false, true), (true, true)];
    assert_eq!(look(&mut known), expected);
    std::fs::remove_file(&link).unwrap();
    std::fs::remove_dir_all(skills.join(".claude-plugin")).unwrap();
    assert_eq!(look(&mut known), expected, "what is known is not read again");
    assert_eq!(look(&mut KnownPlugins::default()), [(false, false), (true, false)]);
}

/// A project can bring so many rules that searching all of them for each one would never end.
#[test]
fn each_of_very_many_rules_has_the_strongest_place_that_says_the_same() {
    let said = |at: usize, word: &str| (format!("s{at}-*"), toml::Value::from(word));
    let place = |line: usize, rules: Vec<(String, toml::Value)>| {
        let skill = toml::Value::Table(rules.into_iter().collect());
        let value = toml::Value::Table([("skill".to_owned(), skill)].into_iter().collect());
        Setting { value, origin: Origin::File { path: "opencode.json".into(), line: Some(line) } }
    };
    let all = place(2, (0..100_000).map(|at| said(at, "deny")).collect());
    let stronger = place(3, vec![said(1, "deny"), said(2, "allow")]);
    let host = Hosts::builtin().get("opencode").unwrap();
    let mut view = View::new(host, HostSettings::default(), Arc::default()).unwrap();
    let (name, _) = view.permits().next().unwrap();
    let name = name.to_owned();
    view.settings.values.insert(name.clone(), all.clone());
    view.settings.parts.insert(name, vec![place(1, vec![said(0, "deny"), said(2, "deny")]), all, stronger]);

    let rules = view.host_rules().0;
    let origin = |pattern: &str| {
        let rule = rules.iter().find(|rule| rule.pattern == pattern);
        rule.map(|rule| (rule.action.to_string(), rule.origin.as_str()))
    };
    assert_eq!(origin("s0-*"), Some(("deny".to_owned(), "opencode.json:2")));
    assert_eq!(origin("s1-*"), Some(("deny".to_owned(), "opencode.json:3")));
    assert_eq!(origin("s2-*"), Some(("deny".to_owned(), "opencode.json:2")));
    assert!(rules.len() >= 100_000);
}

#[test]
fn a_change_that_keeps_size_and_time_is_seen() {
    let context = TestContext::new();
    context.skill("pdf", "Fill forms");
    let file = context.project().join(".agents/skills/pdf/SKILL.md");
    let time = std::fs::metadata(&file).unwrap().modified().unwrap();
    let view = view(&context);
    assert_eq!(names(&load(std::slice::from_ref(&view), Depth::Quick)[0]), ["pdf: Fill forms"]);
    context.skill("pdf", "Read forms");
    std::fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
    assert_eq!(names(&load(&[view], Depth::Quick)[0]), ["pdf: Read forms"]);
}

#[test]
fn one_folder_alone_is_searched_by_a_hosts_rules() {
    let context = TestContext::new();
    context.tree("//- project/mine/a/SKILL.md\n---\nname: a\ndescription: A\n---\n//- project/mine/group/b/SKILL.md\n---\nname: b\ndescription: B\n---\n");
    let find = |host: &str| {
        discover_dir(&context.project().join("mine"), SkillScope::User, &Hosts::builtin().get(host).unwrap()).unwrap()
    };
    let ours = find("openoxide");
    assert_eq!(names(&ours), ["a: A", "b: B"]);
    assert!(ours.skills.iter().all(|entry| entry.skill.scope == SkillScope::User));
    assert_eq!(names(&find("claude-code")), ["a: A"]);
}
