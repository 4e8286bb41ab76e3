//! Which skills a turn names: Codex's table row by row, and what only our own rules decide.

use std::fmt::Write as _;
use std::sync::Arc;

use openoxide_testkit::TestContext;
use proptest::prelude::*;

use super::*;
use crate::catalog::{Depth, View, load};
use crate::host::Hosts;
use crate::root::Surroundings;
use crate::settings::HostSettings;

/// A project with skills, as one host sees it.
struct Scene {
    context: TestContext,
    view: View,
    catalog: Catalog,
}

impl Scene {
    fn new(host: &str, tree: &str) -> Scene {
        let context = TestContext::new();
        context.tree(tree);
        let (cwd, project) = (context.project(), context.project());
        let around =
            Surroundings { cwd, project, home: Some(context.home()), trusted: true, ..Surroundings::default() };
        let spec = Hosts::builtin().get(host).unwrap();
        let view = View::new(spec, HostSettings::default(), Arc::new(around)).unwrap();
        let catalog = load(std::slice::from_ref(&view), Depth::Quick).remove(0);
        Scene { context, view, catalog }
    }

    /// Puts the folder of skills in the place of `S`.
    fn place(&self, text: &str) -> String {
        text.replace("{S}", &self.context.project().join(".agents/skills").to_string_lossy())
    }

    fn turn(&self, items: Vec<TurnItem>) -> Turn {
        Turn { items, connectors: Vec::new(), cwd: self.context.project(), home: Some(self.context.home()) }
    }

    fn select(&self, turn: &Turn) -> Selection<'_> {
        select(&self.catalog, &self.view.host, turn)
    }

    fn names(&self, turn: &Turn) -> String {
        let selection = self.select(turn);
        let folder = |selected: &Selected<'_>| selected.entry.dir().file_name().unwrap().to_string_lossy().into_owned();
        selection.selected.iter().map(folder).collect::<Vec<_>>().join(" ")
    }

    /// Compares the folders of the skills that a text names.
    #[track_caller]
    fn check(&self, text: &str, expected: &str) {
        let turn = self.turn(vec![TurnItem::Text(self.place(text))]);
        assert_eq!(self.names(&turn), expected, "{text:?}");
    }

    /// Compares the reasons for everything in a text that is not chosen.
    #[track_caller]
    fn check_ignored(&self, text: &str, expected: &str) {
        let turn = self.turn(vec![TurnItem::Text(self.place(text))]);
        assert_eq!(reasons(&self.select(&turn)), expected, "{text:?}");
    }
}

fn reasons(selection: &Selection<'_>) -> String {
    let reason =
        |ignored: &IgnoredMention<'_>| format!("{} {}: {}", ignored.text, ignored.reason.word(), ignored.reason);
    selection.ignored.iter().map(reason).collect::<Vec<_>>().join("\n")
}

/// Writes skills into the project's folder, as `FOLDER=NAME` or a name for both.
fn skills(all: &[&str]) -> String {
    let mut tree = String::new();
    for skill in all {
        let (folder, name) = skill.split_once('=').unwrap_or((skill, skill));
        let _ = writeln!(tree, "//- project/.agents/skills/{folder}/SKILL.md\n---\nname: {name}\ndescription: It\n---");
    }
    tree
}

/// The skills of the table in which Codex's answers were measured.
fn table() -> Scene {
    let plain = [
        "alpha",
        "beta",
        "gamma",
        "path",
        "HOME",
        "tmp",
        "foo_bar",
        "my-skill",
        "Upper",
        "a1",
        "1st",
        "xy=x:y",
        "dup-a=dup",
        "dup-b=dup",
        "sp=two words",
        "jp=日本",
        "ab=a.b",
        "quiet",
    ];
    let sidecar = "//- project/.agents/skills/quiet/agents/openai.yaml\npolicy:\n  allow_implicit_invocation: false\n";
    Scene::new("codex", &(skills(&plain) + sidecar))
}

#[test]
fn codex_names() {
    let scene = table();
    for text in [
        "$alpha",
        "($alpha)",
        "\"$alpha\"",
        "`$alpha`",
        "```\n$alpha\n```",
        "x$alpha",
        "email$alpha",
        "$$alpha",
        "\\$alpha",
        "$alpha.",
        "$alpha!",
        "$alpha's",
        "$alpha/beta",
        "$alpha()",
        "$alpha日",
        "日$alpha",
        "$alpha $alpha",
    ] {
        scene.check(text, "alpha");
    }
    scene.check("$alpha$beta", "alpha beta");
    scene.check("use $alpha, $beta.", "alpha beta");
    scene.check("$gamma $beta $alpha", "alpha beta gamma");
    for text in [
        "$Alpha",
        "$ALPHA",
        "$upper",
        "$alpha:",
        "$alpha:x",
        "$alpha-",
        "$alpha_",
        "$alphabet",
        "$ alpha",
        "$",
        "${alpha}",
        "$(alpha)",
        "$my-skill-",
        "$日本",
        "$a.b",
        "$two words",
        "$nope",
        "$path",
        "$PATH",
        "$HOME",
        "$home",
        "$tmp",
        "$TMP",
        "$dup",
        "@alpha",
        "/alpha",
        "alpha",
    ] {
        scene.check(text, "");
    }
    for name in ["foo_bar", "my-skill", "Upper", "a1", "1st", "quiet"] {
        scene.check(&format!("${name}"), name);
    }
    scene.check("$x:y", "xy");
}

#[test]
fn codex_links() {
    let scene = table();
    scene.check("[$dup]({S}/dup-b/SKILL.md)", "dup-b");
    scene.check("$dup and [$dup]({S}/dup-a/SKILL.md)", "dup-a");
    for text in [
        "[$alpha]({S}/alpha/SKILL.md)",
        "[$alpha](skill://{S}/alpha/SKILL.md)",
        "[$alpha]  ({S}/alpha/SKILL.md)",
        "[$alpha]\n({S}/alpha/SKILL.md)",
        "[$alpha](  {S}/alpha/SKILL.md )",
        "[$wrongname]({S}/alpha/SKILL.md)",
        "[$alpha]({S}/missing/SKILL.md) $alpha",
        "[$alpha]()",
        "[$alpha]",
        "[ $alpha](p)",
        "[$alpha ](p)",
    ] {
        scene.check(text, "alpha");
    }
    scene.check("[$alpha]({S}/beta/SKILL.md)", "beta");
    scene.check("[$alpha]({S}/beta/SKILL.md) $alpha", "beta alpha");
    for text in [
        "[$alpha]({S}/missing/SKILL.md)",
        "[alpha]({S}/alpha/SKILL.md)",
        "[$alpha](alpha)",
        "[$alpha]({S}/alpha)",
        "[$alpha](.agents/skills/alpha/SKILL.md)",
        "[$alpha]({S}/alpha/SKILL.md#x)",
        "[$alpha](file://{S}/alpha/SKILL.md)",
        "[$alpha](app://alpha)",
        "[$alpha](mcp://alpha)",
        "[$alpha](plugin://alpha)",
        "[$HOME]({S}/HOME/SKILL.md)",
        "[$path]({S}/alpha/SKILL.md)",
        "[@alpha]({S}/alpha/SKILL.md)",
    ] {
        scene.check(text, "");
    }
    scene.check("[$sp]({S}/sp/SKILL.md)", "sp");
    scene.check("[$x]({S}/beta/../alpha/./SKILL.md)", "alpha");
    scene.check("[$x]({S}\\alpha\\SKILL.md)", "");
}

#[test]
fn codex_items() {
    let scene = table();
    let text = |text: &str| TurnItem::Text(text.to_owned());
    let skill = |name: &str, folder: &str| TurnItem::Skill {
        name: Some(name.to_owned()),
        path: scene.place(&format!("{{S}}/{folder}/SKILL.md")).into(),
    };
    let check = |items: Vec<TurnItem>, expected: &str| assert_eq!(scene.names(&scene.turn(items)), expected);
    check(vec![text("go $alpha"), skill("alpha", "missing")], "");
    check(vec![text("go $beta"), skill("alpha", "alpha")], "alpha beta");
    check(vec![text("go $alpha"), skill("zzz", "alpha")], "alpha");
    check(vec![skill("gamma", "gamma"), skill("alpha", "alpha"), text("$beta")], "gamma alpha beta");
    check(vec![text("$alpha"), text("$alpha $beta")], "alpha beta");
    let other = TurnItem::Other { name: "alpha".to_owned(), path: scene.place("{S}/alpha/SKILL.md") };
    check(vec![other], "");
    let relative = TurnItem::Skill { name: None, path: "./.agents/skills/x/../alpha/SKILL.md".into() };
    check(vec![relative], "alpha");
}

#[test]
fn codex_connectors_and_switches() {
    let off = "//- home/.codex/config.toml\n";
    let scene = Scene::new("codex", &(skills(&["alpha", "beta"]) + off));
    let turn = Turn {
        connectors: vec!["Alpha".to_owned(), "My Mail".to_owned()],
        ..scene.turn(vec![TurnItem::Text(scene.place("$alpha $beta [$a]({S}/alpha/SKILL.md)"))])
    };
    assert_eq!(scene.names(&turn), "alpha beta");
    let turn = Turn { items: vec![TurnItem::Text("$alpha".to_owned())], ..turn };
    assert_eq!(reasons(&scene.select(&turn)), "$alpha connector-conflict: a connector has the same name");
    assert_eq!(slug(" My Mail!"), "my-mail");
}

#[test]
fn every_reason_has_a_word_and_a_sentence() {
    let scene = table();
    scene.check_ignored(
        "$nope $dup $HOME $alpha $alpha [$x](app://x) [$x](y)",
        "$nope unknown: no skill is called `nope`\n\
         $dup ambiguous: 2 skills are called `dup`\n\
         $HOME blocked-name: it is the name of an environment variable\n\
         $alpha duplicate: a skill of this name is chosen already\n\
         [$x](app://x) other-kind: it leads to something that is no skill\n\
         [$x](y) path-unknown: no skill is at that path",
    );
    let items = vec![
        TurnItem::Skill { name: Some("beta".to_owned()), path: "nowhere".into() },
        TurnItem::Text("$beta".to_owned()),
        TurnItem::Other { name: "x".to_owned(), path: "app://x".to_owned() },
    ];
    let expected = "nowhere path-unknown: no skill is at that path\n\
         $beta named-by-item: an item of the turn has this name, and its path decides\n\
         app://x other-kind: it leads to something that is no skill";
    assert_eq!(reasons(&scene.select(&scene.turn(items))), expected);
}

/// A project in which every status is met.
fn ours() -> Scene {
    let tree = skills(&["pdf", "csv", "deploy"])
        + "//- home/.agents/skills/deploy/SKILL.md\n---\nname: deploy\ndescription: Mine\n---\n\
           //- project/.agents/skills/off/SKILL.md\n---\nname: off\ndescription: It\nenabled: false\n---\n\
           //- project/.agents/skills/asleep/SKILL.md\n---\nname: asleep\ndescription: It\npaths: src/*.ts\n---\n\
           //- project/.agents/skills/model-only/SKILL.md\n---\nname: model-only\ndescription: It\nuser-invocable: false\n---\n\
           //- project/.agents/skills/demo/.claude-plugin/plugin.json\n{\"name\": \"demo\"}\n\
           //- project/.agents/skills/demo/skills/form/SKILL.md\n---\nname: form\ndescription: It\n---\n";
    Scene::new("openoxide", &tree)
}

#[test]
fn ours_names_links_and_commands() {
    let scene = ours();
    scene.check("use $csv, then $pdf.", "csv pdf");
    scene.check("$demo:form and $demo:form.", "form");
    scene.check("[$any](.agents/skills/pdf) [$any](~/.agents/skills/deploy/SKILL.md)", "pdf deploy");
    scene.check("[$any](./.agents/skills/../skills/pdf/SKILL.md) [$HOME]({S}/csv)", "pdf csv");
    scene.check("/deploy now", "deploy");
    scene.check("/nope $pdf", "pdf");
    scene.check("`$pdf` \\$pdf $pdf/a", "");
    let selection = scene.turn(vec![TurnItem::Text(" /deploy to  $csv ".to_owned())]);
    let selection = scene.select(&selection);
    let first = &selection.selected[0];
    assert_eq!((first.span.clone(), first.arguments.as_deref()), (Some(1..8), Some("to  $csv")));
    assert!(first.entry.is_active() && selection.selected[1].arguments.is_none());
}

#[test]
fn ours_says_why_and_what_else() {
    let scene = ours();
    scene.check_ignored(
        "$dpeloy $deploy $off $asleep $model-only /pdf",
        "$dpeloy unknown: no skill is called `dpeloy`; did you mean `deploy`?\n\
         $deploy ambiguous: 2 skills are called `deploy`; say which by its path, as `[$deploy](PATH)`\n\
         $off disabled: its own text says `enabled: false`\n\
         $asleep dormant: it waits until a file is touched that matches `src/*.ts`\n\
         $model-only not-user-invocable: the user may not call this skill",
    );
    scene.check_ignored(
        "`$pdf` `$other` x$csv x$other [$a]({S}/off) [$b]({S}/model-only/SKILL.md)",
        "$pdf in-code: it stands in code; outside of the backticks it would count\n\
         $csv attached: it is joined to what stands beside it; between blanks it would count\n\
         [$a]({S}/off) disabled: its own text says `enabled: false`\n\
         [$b]({S}/model-only/SKILL.md) not-user-invocable: the user may not call this skill"
            .replace("{S}", &scene.place("{S}"))
            .as_str(),
    );
    let turn = scene.turn(vec![TurnItem::Text("$deploy".to_owned())]);
    let IgnoredReason::Ambiguous { candidates, total: 2, .. } = &scene.select(&turn).ignored[0].reason else {
        panic!()
    };
    assert!(candidates[0].is_active() && candidates[1].status == crate::catalog::Status::Shadowed);
}

#[test]
fn ours_by_rank_when_asked() {
    let mut scene = ours();
    scene.view.host.mention.ambiguous = crate::host::Ambiguous::Rank;
    let turn = scene.turn(vec![TurnItem::Text("$deploy".to_owned())]);
    assert!(scene.select(&turn).selected[0].entry.dir().starts_with(scene.context.project()));
}

/// An untrusted project must not be able to take away what the user's own names mean.
#[test]
fn an_untrusted_skill_makes_no_name_ambiguous() {
    let mut scene = ours();
    let around = Surroundings { trusted: false, ..(*scene.view.around).clone() };
    scene.view = View::new(scene.view.spec, HostSettings::default(), Arc::new(around)).unwrap();
    scene.catalog = load(std::slice::from_ref(&scene.view), Depth::Quick).remove(0);
    let turn = scene.turn(vec![TurnItem::Text("$deploy".to_owned())]);
    assert!(scene.select(&turn).selected[0].entry.dir().starts_with(scene.context.home()));
    scene.check("[$deploy]({S}/deploy)", "deploy");
    // A path that says which is meant leaves nothing to the name, wherever it stands.
    let turn = scene.turn(vec![TurnItem::Text(scene.place("$deploy [$deploy]({S}/deploy)"))]);
    let selection = scene.select(&turn);
    assert!(selection.selected.len() == 1 && selection.selected[0].entry.dir().starts_with(scene.context.project()));
    assert_eq!(reasons(&selection), "$deploy duplicate: a skill of this name is chosen already");
}

#[test]
fn what_is_kept_from_the_user_is_never_suggested() {
    let mut scene = ours();
    scene.check_ignored("$model-onl", "$model-onl unknown: no skill is called `model-onl`");
    let pdf = scene.catalog.skills.iter().position(|entry| &*entry.skill.name == "pdf").unwrap();
    let mut denied = scene.catalog.skills.remove(pdf);
    denied.status = crate::catalog::Status::Denied;
    scene.catalog.others.push(denied);
    scene.check_ignored("$pd", "$pd unknown: no skill is called `pd`");
    scene.check_ignored("$pdf", "$pdf denied: the skill is denied");
    scene.check_ignored("[$x]({S}/pdf)", &scene.place("[$x]({S}/pdf) denied: the skill is denied"));
}

#[test]
fn near_names_are_looked_up_for_a_few_only() {
    let scene = ours();
    let turn = scene.turn(vec![TurnItem::Text("$pdff ".repeat(1000))]);
    let selection = scene.select(&turn);
    let guessed = |ignored: &&IgnoredMention<'_>| matches!(&ignored.reason, IgnoredReason::Unknown { near, .. } if !near.is_empty());
    assert_eq!((selection.ignored.len(), selection.ignored.iter().filter(guessed).count()), (1000, 8));
}

#[test]
fn a_host_without_items_says_so() {
    let scene = Scene::new("claude-code", "//- project/.claude/skills/a/SKILL.md\n---\ndescription: A\n---\n");
    let item = TurnItem::Skill { name: None, path: ".claude/skills/a/SKILL.md".into() };
    let selection = scene.turn(vec![item, TurnItem::Text("/a x".to_owned())]);
    let selection = scene.select(&selection);
    let expected = ".claude/skills/a/SKILL.md no-items: the host takes skills from the text only";
    assert_eq!((reasons(&selection), selection.selected.len()), (expected.to_owned(), 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_turn_has_an_answer(text in r"([\[\]()$`/ a-c.:~]|pdf|deploy|日|\[\$pdf\]\(|/skill:){0,30}", path in any::<String>()) {
        thread_local!(static SCENE: Scene = ours());
        SCENE.with(|scene| {
            let items = vec![
                TurnItem::Skill { name: None, path: path.clone().into() },
                TurnItem::Text(text.clone()),
                TurnItem::Text(path.clone()),
            ];
            let turn = scene.turn(items);
            let selection = scene.select(&turn);
            let files: HashSet<&Path> = selection.selected.iter().map(|selected| selected.entry.canonical()).collect();
            prop_assert_eq!(files.len(), selection.selected.len(), "no skill is chosen twice");
            prop_assert!(selection.selected.iter().all(|selected| selected.entry.user));
            for ignored in &selection.ignored {
                prop_assert!(!ignored.reason.word().is_empty() && !ignored.reason.to_string().is_empty());
            }
            Ok(())
        })?;
    }
}
