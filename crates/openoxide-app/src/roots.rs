//! Use case: shows where a host looks for skills, in what order, by what settings, and how commands are isolated here.

use openoxide_config::detect_host;
use openoxide_live::Snapshot;
use openoxide_sandbox::{Isolation, Mechanism};
use openoxide_skills::catalog::{Status, View};
use openoxide_skills::host::{SettingKind, SettingRule};
use openoxide_skills::settings::Origin;
use openoxide_wire::{
    IsolationLine, MissingLine, OtherLine, ProblemLine, RootLine, RootsAnswer, SchemaVersion, SettingLine,
};

use crate::{driver::CommandRunner, error::Error, hosts::installed_line};

/// Returns where a host looks, by what settings, and what this machine has to isolate a command with.
pub fn roots(snapshot: &Snapshot, runner: &CommandRunner) -> Result<RootsAnswer, Error> {
    let isolation = runner.isolation()?;
    let (view, catalog) = (&snapshot.view, &snapshot.catalog);
    let roots = catalog.roots.iter().enumerate().map(|(index, searched)| RootLine {
        path: searched.root.path.to_string_lossy().into_owned(),
        scope: searched.root.scope.as_str().to_owned(),
        exists: searched.exists,
        skills: catalog.skills.iter().filter(|entry| entry.root == index).count(),
        others: catalog.others.iter().filter(|entry| entry.root == index).count(),
        provider: searched.root.rule.provider.clone(),
    });
    let disabled = catalog.others.iter().filter(|entry| entry.status == Status::Disabled);
    // They name skills that are left out.
    let settings = view.host.settings.iter().filter(|_| !snapshot.is_narrowed());
    Ok(RootsAnswer {
        schema: SchemaVersion::default(),
        host: catalog.host.clone(),
        installed: installed_line(view, &detect_host(&view.host, &view.around)),
        project: view.around.project.to_string_lossy().into_owned(),
        trusted: view.around.trusted,
        roots: roots.collect(),
        precedence: view.host.collide.rank.iter().map(|scope| scope.as_str().to_owned()).collect(),
        settings: settings.map(|(name, rule)| setting_line(view, name, rule)).collect(),
        disabled: disabled.map(|entry| OtherLine::new(catalog, entry)).collect(),
        problems: catalog.problems.iter().map(ProblemLine::from).collect(),
        limits: catalog.limits.iter().map(Into::into).collect(),
        isolation: isolation_line(isolation),
    })
}

fn isolation_line(isolation: &Isolation) -> IsolationLine {
    let (path, version) = match &isolation.mechanism {
        Mechanism::Bubblewrap { path, version } => (Some(path.to_string_lossy().into_owned()), Some(version.clone())),
        Mechanism::Landlock | Mechanism::None => (None, None),
    };
    let missing = isolation.missing.iter().map(|missing| MissingLine {
        what: missing.what.to_owned(),
        why: missing.why.clone(),
        remedy: missing.remedy.to_owned(),
    });
    IsolationLine {
        mechanism: isolation.mechanism.as_str().to_owned(),
        summary: isolation.to_string(),
        path,
        version,
        landlock: isolation.landlock,
        control_groups: isolation.control_groups,
        missing: missing.collect(),
    }
}

fn setting_line(view: &View, name: &str, rule: &SettingRule) -> SettingLine {
    let json = |value: &toml::Value| serde_json::to_value(value).ok();
    let (value, origin) = match (view.settings.get(name), view.settings.plugins.get(name)) {
        (Some(setting), _) => (json(&setting.value), setting.origin.clone()),
        (None, Some(plugins)) if rule.kind == SettingKind::Plugins => {
            let ids: Vec<&str> = plugins.iter().map(|plugin| plugin.id.as_str()).collect();
            (serde_json::to_value(ids).ok(), Origin::Default)
        }
        _ => (rule.default.as_ref().and_then(json), Origin::Default),
    };
    SettingLine { name: name.to_owned(), value, origin: origin.to_string(), about: rule.about.clone() }
}

#[cfg(test)]
mod tests {
    use openoxide_testkit::TestContext;

    use super::*;
    use crate::testing::snapshot;

    #[test]
    fn a_root_tells_how_many_of_its_skills_are_active() {
        let context = TestContext::new();
        context.skill("deploy", "Deploys").tree(
            "//- project/.agents/skills/broken/SKILL.md\nno frontmatter\n\
             //- home/.agents/skills/lint/SKILL.md\n---\nname: lint\ndescription: Lints\n---\n",
        );
        let answer = roots(&snapshot(&context), &CommandRunner::default()).unwrap();
        let found = |folder: std::path::PathBuf| {
            let path = folder.join(".agents/skills").to_string_lossy().into_owned();
            let root = answer.roots.iter().find(|root| root.path == path).unwrap();
            (root.scope.as_str(), root.exists, root.skills, root.others)
        };
        assert_eq!(found(context.project()), ("repo", true, 1, 1));
        assert_eq!(found(context.home()), ("user", true, 1, 0));
        assert!(answer.roots.iter().any(|root| !root.exists && root.skills == 0), "{:?}", answer.roots);
    }
}
