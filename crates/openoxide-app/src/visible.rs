//! Decides what a program may see that is not the user: the skills that the model may see, and nothing of any other.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use openoxide_config::{ConfigProblem, OWN_HOST};
use openoxide_live::Snapshot;
use openoxide_skills::catalog::{
    Catalog, Entry, HostNames, InnerSkills, KnownPlugins, Problem, SwitchRules, View, ambiguities, switches_by_name,
};
use openoxide_skills::diagnostic::{Diagnostic, Place};
use openoxide_skills::host::Host;
use openoxide_skills::judge::{HiddenSkills, MetadataFiles, OuterSkills, SingleFiles};
use openoxide_skills::parse::{CarefulNames, CarefulReader};
use openoxide_skills::prelude::Code;
use openoxide_skills::text::visible as visible_text;

use crate::error::{ASK_THE_USER, Error};

/// Returns the snapshot as programs see it. Whatever is asked of it, the rest is as if it were not there.
pub fn to_programs(snapshot: &Arc<Snapshot>) -> Result<Arc<Snapshot>, Error> {
    if snapshot.is_narrowed() {
        return Ok(Arc::clone(snapshot));
    }
    if let Some(narrowed) = snapshot.narrowed_already() {
        return Ok(Arc::clone(narrowed));
    }
    let workspace = &snapshot.workspace;
    let catalog = snapshot.runtime()?.catalog();
    let names = HostNames::of(&workspace.hosts);
    let roots = catalog.roots.clone();
    // Its settings are the user's decisions on skills, whichever host looks.
    let (own, _) = workspace.view(OWN_HOST)?;
    let files = MetadataFiles::of(&workspace.hosts);
    let reader = CarefulReader::of(&workspace.hosts);
    // A host that cannot be used finds nothing.
    let views: Vec<View> = workspace.hosts.names().filter_map(|name| Some(workspace.view(name).ok()?.0)).collect();
    let single =
        SingleFiles::of(views.iter().chain([&*snapshot.view]).flat_map(|view| &view.roots), &workspace.project);
    let rules = workspace.own_rules()?;
    let by_name = match rules.mean_names() || switches_by_name(&own) {
        true => CarefulNames::Wanted,
        false => CarefulNames::Unused,
    };
    let switches = SwitchRules::of(&own);
    let outer = OuterSkills::below(outermost(snapshot));
    let hidden = HiddenSkills { rules, own, switches, names, roots, files, single, reader, by_name, outer };
    let settings = || {
        snapshot
            .problems
            .iter()
            .map(|problem| ConfigProblem { path: problem.path.clone(), diagnostic: without_names(&problem.diagnostic) })
    };
    Ok(Arc::clone(
        snapshot.narrowed(|| (visible(&snapshot.view.host, catalog, &snapshot.problems, hidden), settings().collect())),
    ))
}

/// Returns the folders from which on upward no skill is asked for that may hide others: the home, and the project that is
/// served. A project that a program chose may be a folder inside a hidden skill.
fn outermost(snapshot: &Snapshot) -> Vec<PathBuf> {
    let workspace = &snapshot.workspace;
    let home = workspace.environment.home.iter().flat_map(|home| [Some(home.clone()), fs_err::canonicalize(home).ok()]);
    let place = &snapshot.place;
    let project = place.project.clone().or_else(|| (!place.chosen_by_program).then(|| workspace.project.clone()));
    home.flatten().chain(project).collect()
}

/// Returns the catalog without what the model may not see, and without what was found and is not active.
fn visible(host: &Host, catalog: &Catalog, settings: &[ConfigProblem], hidden: HiddenSkills) -> Catalog {
    // Skills lie in few folders, and each is asked for its plugin once.
    let mut plugins = KnownPlugins::default();
    let visible = |entry: &Entry| {
        let may_see = model_may_see(entry);
        let names = may_see.then(|| hidden.names_if_visible(catalog, entry, &mut plugins)).flatten()?;
        let mut entry = shown(entry);
        entry.add_other_names(names);
        Some(entry)
    };
    let skills: Vec<Entry> = catalog.skills.iter().filter_map(visible).collect();
    // Findings about settings, and about skills that are visible. A path belongs to the innermost skill around it; one that
    // belongs to none may be that of a skill which is not visible.
    let is_visible = |path: &Path| skills.iter().any(|entry| *entry.skill.path == *path);
    let folders: HashMap<&Path, bool> =
        catalog.entries().map(|entry| (entry.dir(), is_visible(&entry.skill.path))).collect();
    let is_of_visible = |path: &Path| path.ancestors().find_map(|folder| folders.get(folder).copied()).unwrap_or(false);
    let is_setting = |path: &Path| settings.iter().any(|problem| problem.path.as_deref() == Some(path));
    let shown = |problem: &Problem| match is_setting(&problem.path) {
        true => Some(Problem { path: problem.path.clone(), diagnostic: without_names(&problem.diagnostic) }),
        false => is_of_visible(&problem.path).then(|| problem.clone()),
    };
    // Only visible skills count where a finding says how many have one name.
    let problems = catalog.problems.iter().filter(|problem| problem.diagnostic.code != Code::Ambiguous);
    let problems = problems.filter_map(shown);
    let problems = problems.chain(ambiguities(host, &skills)).collect();
    let inner_skills: Option<Arc<dyn InnerSkills>> = Some(Arc::new(hidden));
    Catalog { problems, skills, others: Vec::new(), inner_skills, ..catalog.clone() }
}

/// Returns a finding about settings without its text, which can have names of hidden skills, rules and other values.
fn without_names(diagnostic: &Diagnostic) -> Diagnostic {
    let place = diagnostic.place.as_ref();
    let place = place.map(|place| Place { span: 0..0, line: place.line, column: 1, lines: String::new() });
    let shown = Diagnostic::new(diagnostic.code, diagnostic.level, diagnostic.code.title());
    Diagnostic { place, ..shown }.help(ASK_THE_USER)
}

/// Returns an entry whose texts hide nothing: a program may hand them to a model.
fn shown(entry: &Entry) -> Entry {
    let mut entry = entry.clone();
    let skill = &mut entry.skill;
    if let Cow::Owned(text) = visible_text(&skill.description) {
        skill.description = text.into();
    }
    show(skill.short_description.as_mut());
    if let Some(interface) = &mut skill.interface {
        let texts = [&mut interface.display_name, &mut interface.short_description, &mut interface.default_prompt];
        for text in texts {
            show(text.as_mut());
        }
    }
    let fields = Arc::make_mut(&mut skill.frontmatter);
    show(fields.license.as_mut());
    show(fields.compatibility.as_mut());
    fields.metadata.iter_mut().chain(&mut fields.unknown).for_each(|(_, value)| show(Some(value)));
    if let Some(rare) = &mut fields.rare {
        show(rare.when_to_use.as_mut());
        show(rare.argument_hint.as_mut());
    }
    entry
}

fn show(text: Option<&mut String>) {
    if let Some(text) = text
        && let Cow::Owned(shown) = visible_text(text)
    {
        *text = shown;
    }
}

/// Tells whether the host lets the model see a skill, and the skill does not say no itself in a way that its host ignores.
fn model_may_see(entry: &Entry) -> bool {
    entry.model && !entry.skill.frontmatter.keeps_from_model
}

#[cfg(test)]
mod tests {
    use openoxide_testkit::TestContext;

    use super::*;
    use crate::testing::snapshot;

    #[test]
    fn programs_see_what_the_model_may_see() {
        let context = TestContext::new();
        context.skill("plain", "X").skill("denied", "X").skill("off", "X");
        for (name, more) in [
            ("closed", "disable-model-invocation: true"),
            ("listed", "disable-model-invocation: [true]"),
            ("said", "disable-model-invocation: perhaps"),
            ("merged", "metadata: &m\n  disable-model-invocation: true\n<<: *m"),
            ("nested", "metadata: &m\n  <<: {disable_model_invocation: [true]}\n<<: [*m]"),
            ("open", "disable-model-invocation: false"),
        ] {
            let text = format!("---\nname: {name}\ndescription: X\n{more}\n---\nX\n");
            context.tree(&format!("//- project/.agents/skills/{name}/SKILL.md\n{text}"));
        }
        context.tree(
            "//- home/.openoxide/config.toml\n[permission.skill]\ndenied = \"deny\"\n\
             [[skills.config]]\nname = \"off\"\nenabled = false\n",
        );
        let whole = Arc::new(snapshot(&context));
        let seen = to_programs(&whole).unwrap();
        let mut names: Vec<&str> = seen.catalog.skills.iter().map(|entry| &*entry.skill.name).collect();
        names.retain(|name| !name.starts_with("openoxide") && !name.starts_with("skill-"));
        names.sort_unstable();
        assert_eq!(names, ["open", "plain"]);
        assert!(seen.catalog.others.is_empty() && Arc::ptr_eq(&seen, &to_programs(&whole).unwrap()));
        assert!(Arc::ptr_eq(&seen, &to_programs(&seen).unwrap()));
    }
}
