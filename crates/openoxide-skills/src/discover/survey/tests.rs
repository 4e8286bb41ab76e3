//! Tests of the limit on text, with a low one.

use std::sync::Arc;

use openoxide_testkit::TestContext;

use super::*;
use crate::catalog::View;
use crate::host::Hosts;
use crate::root::Surroundings;
use crate::settings::HostSettings;

const TEXT: usize = 4096;

fn plan(context: &TestContext, text: usize) -> (PathBuf, Plan) {
    let (cwd, project) = (context.project(), context.project());
    let around = Surroundings { cwd, project, ..Surroundings::default() };
    let spec = Hosts::builtin().get("openoxide").unwrap();
    let view = View::new(spec, HostSettings::default(), Arc::new(around)).unwrap();
    let root = view.roots.iter().find(|root| root.path.ends_with(".agents/skills")).unwrap();
    let plan = Plan::new([(&view.host, &root.scan)], false, root.boundary.clone());
    (root.path.clone(), Plan { text, ..plan })
}

fn skill(context: &TestContext, name: &str, line: &str) {
    let text = format!("---\nname: {name}\ndescription: X\n{line}\n---\n");
    context.tree(&format!("//- project/.agents/skills/{name}/SKILL.md\n{text}"));
}

fn found(survey: &Survey) -> Vec<&str> {
    let with_files = survey.folders.iter().filter(|folder| folder.files.iter().any(|file| !file.parsed.is_empty()));
    with_files.filter_map(|folder| folder.path.file_name()?.to_str()).collect()
}

#[test]
fn the_first_skills_remain_where_the_limit_is_reached() {
    let context = TestContext::new();
    for name in ["a", "b", "c", "d", "e"] {
        skill(&context, name, &format!("license: {}", "x".repeat(3000)));
    }
    let (root, plan) = plan(&context, TEXT);
    let survey = survey(&root, &plan, None, None);
    assert!(survey.exists && survey.problems.is_empty(), "{:?}", survey.problems);
    assert_eq!(found(&survey), ["a", "b", "c"]);
    assert_eq!(survey.limits, [(Code::TextLimit, TEXT)]);
}

#[test]
fn every_field_that_can_be_long_is_counted() {
    let long = "x".repeat(9000);
    let lists = format!("[{}]", [long.as_str(); 2].join(", "));
    for (key, value) in [
        ("name", &long),
        ("description", &long),
        ("license", &long),
        ("compatibility", &long),
        ("when_to_use", &long),
        ("argument-hint", &long),
        ("model", &long),
        ("effort", &long),
        ("shell", &long),
        ("agent", &long),
        ("arguments", &lists),
        ("paths", &lists),
        ("allowed-tools", &lists),
        ("disallowed-tools", &lists),
        ("metadata", &format!("{{short-description: {long}}}")),
        ("hooks", &format!("{{PreToolUse: [{{hooks: [{{type: command, command: {long}}}]}}]}}")),
        ("whatever", &long),
    ] {
        let context = TestContext::new();
        let folder = context.project().join(".agents/skills/a");
        fs_err::create_dir_all(&folder).unwrap();
        let plain = ["name: a\n", "description: X\n"].iter().filter(|line| !line.starts_with(key)).copied();
        let plain: String = plain.collect();
        fs_err::write(folder.join("SKILL.md"), format!("---\n{plain}context: fork\n{key}: {value}\n---\n")).unwrap();
        let (root, plan) = plan(&context, TEXT);
        assert_eq!(survey(&root, &plan, None, None).limits, [(Code::TextLimit, TEXT)], "{key}");
    }
}

#[test]
fn reading_again_keeps_the_limit() {
    let context = TestContext::new();
    for name in ["a", "b"] {
        skill(&context, name, "license: x");
    }
    let (root, plan) = plan(&context, TEXT);
    let mut cache = SurveyCache::default();
    let mut before = survey(&root, &plan, Some(&cache), None);
    cache.finish(&before, false);
    // Each alone is within the limit.
    for (name, is_within) in [("a", true), ("b", false)] {
        skill(&context, name, &format!("license: {}", "x".repeat(4000)));
        let folder = root.join(name);
        cache.doubt(&[folder.join("SKILL.md")]);
        let index = before.folders.iter().position(|one| one.path == folder).unwrap();
        let Some(survey) = refresh(before, &plan, &cache, vec![index]) else {
            assert!(!is_within, "{name}");
            return;
        };
        before = survey;
        assert!(is_within, "{name}");
    }
}
