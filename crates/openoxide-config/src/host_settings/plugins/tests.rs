//! Tests of the plugins that are found, and of the limits on them.

use openoxide_skills::prelude::View;
use openoxide_testkit::TestContext;

use super::*;
use crate::{Environment, Place, Workspace};

const LIST: &str = "project/.omp/plugins/installed_plugins.json";

/// Returns what a host sees of a project, and the problems that are found.
fn viewed(context: &TestContext, host: &str) -> (View, Vec<ConfigProblem>) {
    let environment = Environment {
        cwd: context.project(),
        home: Some(context.home()),
        admin: context.home().join("admin"),
        ..Environment::default()
    };
    Workspace::open(environment, Place::default()).unwrap().view(host).unwrap()
}

/// Writes a project's list of installed plugins: ids, and the entries of each.
fn list(context: &TestContext, plugins: &[(&str, Vec<String>)]) {
    let plugins: Vec<String> =
        plugins.iter().map(|(id, entries)| format!("\"{id}\": [{}]", entries.join(","))).collect();
    context.tree(&format!("//- {LIST}\n{{\"version\": 2, \"plugins\": {{{}}}}}\n", plugins.join(",")));
}

fn entry(folder: &str, more: &str) -> String {
    format!("{{\"installPath\": \"{folder}\", \"scope\": \"project\"{more}}}")
}

/// Returns how many plugins a project's list gives, and the problems that are found.
fn listed(plugins: &[(&str, Vec<String>)]) -> (usize, Vec<ConfigProblem>) {
    let context = TestContext::new();
    list(&context, plugins);
    let (view, problems) = viewed(&context, "omp");
    (view.settings.plugins["project_plugins"].len(), problems)
}

fn is_limit(problem: &ConfigProblem, file: &str, what: &str) {
    assert!(problem.path.as_ref().unwrap().ends_with(file), "{problem:?}");
    let message = format!("the limit on entries was reached: only the first 1,000 {what} are used");
    assert_eq!((problem.diagnostic.code, &problem.diagnostic.message), (Code::EntryLimit, &message));
}

#[test]
fn a_list_of_plugins_has_a_limit() {
    let different = |number: usize| (0..number).map(|at| entry(&format!("/p/{at}"), "")).collect::<Vec<_>>();
    assert_eq!(listed(&[("a@b", different(limit::MAX))]), (limit::MAX, Vec::new()));
    let (found, problems) = listed(&[("a@b", different(limit::MAX + 1))]);
    let [problem] = &problems[..] else { panic!("{problems:?}") };
    assert_eq!(found, limit::MAX);
    is_limit(problem, "installed_plugins.json", "plugins that are on");
}

/// Otherwise entries that mean nothing here would hide those that do.
#[test]
fn only_active_entries_reach_the_limit_and_each_folder_once() {
    let off = (0..limit::MAX).map(|at| entry(&format!("/off/{at}"), ", \"enabled\": false"));
    let odd = (0..limit::MAX).map(|_| "{}".to_owned());
    let same = (0..limit::MAX).map(|_| entry("/p", ""));
    let entries: Vec<String> = off.chain(odd).chain(same).chain([entry("/./p/", ""), entry("/q", "")]).collect();
    assert_eq!(listed(&[("a@b", entries), ("c@b", vec![entry("/p", "")])]), (2, Vec::new()));
}

#[test]
fn folders_that_manifests_name_have_a_limit_together() {
    let context = TestContext::new();
    let folders = |number: usize| (0..number).map(|at| format!("\"./s{at}\"")).collect::<Vec<_>>().join(",");
    let plugins = [("p", 600), ("q", 400), ("r", 5000), ("s", 5000)];
    for (name, number) in plugins {
        let skills = folders(number);
        context.tree(&format!("//- project/{name}/.claude-plugin/plugin.json\n{{\"skills\": [{skills}]}}\n"));
    }
    let found = |names: &[(&str, usize)]| {
        list(&context, &[("a@b", names.iter().map(|(name, _)| entry(name, "")).collect())]);
        let (view, mut problems) = viewed(&context, "omp");
        problems.retain(|problem| problem.diagnostic.code == Code::EntryLimit);
        let number = |plugin: &Arc<Plugin>| plugin.folders["skills"].len();
        (view.settings.plugins["project_plugins"].iter().map(number).collect::<Vec<_>>(), problems)
    };
    assert_eq!(found(&plugins[..2]), (vec![600, 400], Vec::new()));
    let (numbers, problems) = found(&plugins);
    assert_eq!(numbers, [600, 400, 0, 0]);
    let [problem] = &problems[..] else { panic!("{problems:?}") };
    is_limit(problem, "r/.claude-plugin/plugin.json", "folders that plugins name");
    assert_eq!(found(&plugins[2..]).0, [1000, 0]);
}

#[test]
fn a_manifest_that_many_folders_lead_to_is_read_once() {
    let context = TestContext::new();
    context.tree("//- project/p/.claude-plugin/plugin.json\n{\"name\": \"given\"}\n");
    let links: Vec<String> = (0..9).map(|at| format!("link{at}")).collect();
    for link in &links {
        std::os::unix::fs::symlink("p", context.project().join(link)).unwrap();
    }
    list(&context, &[("a@b", links.iter().map(|link| entry(link, "")).collect())]);
    let (view, _) = viewed(&context, "omp");
    let source = view.host.settings["project_plugins"].plugins.as_ref().unwrap();
    let finder = PluginFinder::new(source, &view.host, &view.around);
    let found = finder.installed(None, true);
    assert_eq!(found.iter().filter(|plugin| plugin.name == "given").count(), 9);
    assert_eq!(finder.manifests.borrow().len(), 1);
}

#[test]
fn plugins_that_settings_switch_on_have_a_limit_and_each_market_is_read_once() {
    let context = TestContext::new();
    let market = context.home().join("market").display().to_string();
    let names: Vec<String> = (0..=limit::MAX).map(|at| format!("p{at:04}")).collect();
    let each = |text: &dyn Fn(&String) -> String| names.iter().map(text).collect::<Vec<_>>().join(",");
    let on = each(&|name| format!("\"{name}@m\": true"));
    let offered = each(&|name| format!("{{\"name\": \"{name}\", \"source\": \"./p\"}}"));
    let known = format!("{{\"m\": {{\"installLocation\": \"{market}\", \"source\": {{\"source\": \"directory\"}}}}}}");
    context.tree(&format!(
        "//- project/.claude/settings.json\n{{\"enabledPlugins\": {{{on}}}}}\n\
         //- home/.claude/plugins/known_marketplaces.json\n{known}\n\
         //- home/market/.claude-plugin/marketplace.json\n{{\"plugins\": [{offered}]}}\n\
         //- home/market/p/.claude-plugin/plugin.json\n{{\"name\": \"p\"}}\n"
    ));
    let (view, problems) = viewed(&context, "claude-code");
    assert_eq!(view.settings.plugins["plugins"].len(), limit::MAX);
    let [problem] = &problems[..] else { panic!("{problems:?}") };
    is_limit(problem, ".claude/settings.json", "plugins that are on");
    let source = view.host.settings["plugins"].plugins.as_ref().unwrap();
    let finder = PluginFinder::new(source, &view.host, &view.around);
    assert_eq!(finder.enabled(view.settings.get(&source.enabled)).len(), limit::MAX);
    let read = (finder.lists.borrow().len(), finder.markets.borrow().len(), finder.manifests.borrow().len());
    assert_eq!(read, (1, 1, 1));
}

#[test]
fn a_list_of_folders_has_a_limit() {
    let context = TestContext::new();
    let paths = |number: usize| (0..number).map(|at| format!("\"/p/{at}\"")).collect::<Vec<_>>().join(",");
    let found = |number: usize| {
        context.tree(&format!("//- project/opencode.json\n{{\"skills\": {{\"paths\": [{}]}}}}\n", paths(number)));
        let (view, mut problems) = viewed(&context, "opencode");
        // None of the folders is there.
        problems.retain(|problem| problem.diagnostic.code != Code::RootRefused);
        (view.roots.iter().filter(|root| root.path.starts_with("/p")).count(), problems)
    };
    assert_eq!(found(limit::MAX), (limit::MAX, Vec::new()));
    let (roots, problems) = found(limit::MAX + 1);
    let [problem] = &problems[..] else { panic!("{problems:?}") };
    assert_eq!(roots, limit::MAX);
    is_limit(problem, "opencode.json", "entries of the setting `paths`");
}

#[test]
fn versions_compare_by_number() {
    let highest = |versions: &[&str]| {
        versions.iter().copied().max_by(|left, right| compare_versions(left, right)).map(str::to_owned)
    };
    assert_eq!(highest(&["1.9.0", "1.10.0"]).as_deref(), Some("1.10.0"));
    assert_eq!(highest(&["1.9.9", "2.0.0-rc.1"]).as_deref(), Some("2.0.0-rc.1"));
    assert_eq!(highest(&["2.0.0-rc.1", "2.0.0"]).as_deref(), Some("2.0.0"));
    assert_eq!(highest(&["9.0.0", "local"]).as_deref(), Some("local"));
}
