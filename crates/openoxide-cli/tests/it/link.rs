//! `link` and `unlink`: put where another agent looks, taken away again, and nothing else touched.

use std::path::Path;
use std::process::Command;

use openoxide_testkit::{Output, TestContext};

use crate::support::{bin, changes, field, json, run, skill_file, skipped, snapshot_of};

/// A project with a skill for most agents and one for Claude Code alone, and a user with one.
fn project() -> TestContext {
    let context = TestContext::new();
    context.tree(&skill_file("project/.agents/skills", "deploy", "deploy"));
    context.tree(&skill_file("project/.claude/skills", "notes", "notes"));
    context.tree(&skill_file("home/.agents/skills", "sql", "sql"));
    context
}

fn names(context: &TestContext, host: &str) -> Vec<String> {
    let list = json(context, &["list", "--json", "--host", host]);
    let mut names: Vec<String> = field(&list["skills"], "name").into_iter().map(str::to_owned).collect();
    names.sort();
    names
}

fn target(context: &TestContext, link: &str) -> String {
    fs_err::read_link(context.root().join(link)).unwrap().to_string_lossy().into_owned()
}

/// Runs a command that must fail with these words, and leave the disk as it was.
fn refused(context: &TestContext, args: &[&str], status: i32, stderr: &str) -> Output {
    let before = snapshot_of(context.root());
    let output = run(context, args);
    assert_eq!((output.status, output.stdout.as_str()), (Some(status), ""), "{args:?}\n{output}");
    assert!(output.stderr.contains(stderr), "{args:?} does not say {stderr:?}\n{output}");
    assert_eq!(snapshot_of(context.root()), before, "{args:?}\n{output}");
    output
}

#[test]
fn there_and_back() {
    let context = project();
    let before = names(&context, "claude-code");
    assert_eq!(before, ["notes"]);
    insta::assert_snapshot!(run(&context, &["link", "deploy", "--into", "claude-code"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    linked .claude/skills/deploy to .agents/skills/deploy
    undo: openoxide unlink deploy --from claude-code
    ");
    assert_eq!(target(&context, "project/.claude/skills/deploy"), "../../.agents/skills/deploy");
    assert_eq!(names(&context, "claude-code"), ["deploy", "notes"]);
    insta::assert_snapshot!(run(&context, &["link", "deploy", "--into", "claude-code"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    Claude Code sees deploy already
    ");
    insta::assert_snapshot!(run(&context, &["unlink", "deploy", "--from", "claude-code"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    removed .claude/skills/deploy
    undo: openoxide link deploy --into claude-code
    ");
    assert_eq!(names(&context, "claude-code"), before);
    insta::assert_snapshot!(run(&context, &["unlink", "deploy", "--from", "claude-code"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    Claude Code has no link to it
    ");
    assert!(context.project().join(".agents/skills/deploy/SKILL.md").is_file());
}

#[test]
fn all_of_them() {
    let context = project();
    let before = snapshot_of(context.root());
    insta::assert_snapshot!(run(&context, &["link", "--all", "--into", "claude-code", "--dry-run"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    would link .claude/skills/deploy to .agents/skills/deploy
    would link ~/.claude/skills/sql to ~/.agents/skills/sql
    2 skills would be put where Claude Code looks
    ");
    assert_eq!(snapshot_of(context.root()), before, "a dry run writes nothing");
    insta::assert_snapshot!(run(&context, &["link", "--all", "--into", "claude-code"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    linked .claude/skills/deploy to .agents/skills/deploy
    linked ~/.claude/skills/sql to ~/.agents/skills/sql
    2 skills put where Claude Code looks
    undo: openoxide unlink deploy sql --from claude-code
    ");
    assert_eq!(names(&context, "claude-code"), ["deploy", "notes", "sql"]);
    assert_eq!(target(&context, "home/.claude/skills/sql"), "../../.agents/skills/sql", "the user's goes to the user");
    let once = snapshot_of(context.root());
    insta::assert_snapshot!(run(&context, &["link", "--all", "--into", "claude-code"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    there is nothing to link for Claude Code
    ");
    assert_eq!(snapshot_of(context.root()), once);
    insta::assert_snapshot!(run(&context, &["unlink", "--all", "--from", "claude-code", "--dry-run"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    would remove .claude/skills/deploy
    would remove ~/.claude/skills/sql
    2 links of Claude Code would be removed
    ");
    assert_eq!(snapshot_of(context.root()), once, "a dry run removes nothing");
    insta::assert_snapshot!(run(&context, &["unlink", "--all", "--from", "claude-code"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    removed .claude/skills/deploy
    removed ~/.claude/skills/sql
    2 links of Claude Code removed
    removed ~/.claude, which is empty now
    undo: openoxide link deploy sql --into claude-code
    ");
    assert_eq!(names(&context, "claude-code"), ["notes"]);
    assert_eq!(names(&context, "openoxide"), ["deploy", "notes", "sql"]);
}

/// Skills of the system and of plugins are nobody's to be spread.
#[test]
fn all_means_those_of_the_project_and_the_user() {
    let context = project();
    context.tree(&skill_file("home/.openoxide/skills/.system", "own", "own"));
    assert!(names(&context, "openoxide").contains(&"own".to_owned()));
    let output = run(&context, &["link", "--all", "--into", "claude-code"]);
    assert_eq!(output.status, Some(0), "{output}");
    assert_eq!(names(&context, "claude-code"), ["deploy", "notes", "sql"]);
    assert_eq!(run(&context, &["link", "own", "--into", "claude-code"]).status, Some(0), "one that is named is linked");
    assert_eq!(names(&context, "claude-code"), ["deploy", "notes", "own", "sql"]);
}

#[test]
fn a_copy_goes_only_while_it_is_the_same() {
    let context = project();
    context.tree(
        "//- project/.agents/skills/deploy/scripts/run.sh exec\necho\n//- project/.agents/skills/deploy/empty/\n",
    );
    insta::assert_snapshot!(run(&context, &["link", "deploy", "--into", "claude-code", "--copy"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    copied .agents/skills/deploy to .claude/skills/deploy
    undo: openoxide unlink deploy --from claude-code
    ");
    let copy = context.project().join(".claude/skills/deploy");
    assert!(!copy.is_symlink() && copy.join("empty").is_dir());
    let is_program = |path: &Path| {
        use std::os::unix::fs::PermissionsExt as _;
        fs_err::metadata(path).unwrap().permissions().mode() & 0o111 != 0
    };
    assert!(is_program(&copy.join("scripts/run.sh")));
    let once = snapshot_of(context.root());
    insta::assert_snapshot!(run(&context, &["link", "deploy", "--into", "claude-code", "--copy"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    .claude/skills/deploy is there already
    ");
    assert_eq!(snapshot_of(context.root()), once);
    fs_err::write(copy.join("mine.txt"), "mine").unwrap();
    let words = "`.claude/skills/deploy` is neither a link to the skill nor an unchanged copy, and stays";
    refused(&context, &["unlink", "deploy", "--from", "claude-code"], 2, words);
    fs_err::remove_file(copy.join("mine.txt")).unwrap();
    fs_err::write(copy.join("scripts/run.sh"), "Echo\n").unwrap();
    refused(&context, &["unlink", "deploy", "--from", "claude-code"], 2, words);
    fs_err::write(copy.join("scripts/run.sh"), "echo\n").unwrap();
    insta::assert_snapshot!(run(&context, &["unlink", "deploy", "--from", "claude-code"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    removed .claude/skills/deploy
    undo: openoxide link deploy --into claude-code --copy
    ");
    assert!(!copy.exists() && context.project().join(".agents/skills/deploy/scripts/run.sh").is_file());
    assert_eq!(fs_err::read_dir(copy.parent().unwrap()).unwrap().count(), 1, "nothing is left of the work");
}

/// An agent that does not follow links gets copies without being asked.
#[test]
fn links_that_an_agent_would_not_follow_become_copies() {
    let context = project();
    context.tree(
        "
//- home/.openoxide/hosts/acme/host.toml
title = \"Acme\"
program = \"acme 1\"
[[roots]]
path = \"{project}/.acme/skills\"
scope = \"repo\"
folder_links = \"skip\"
",
    );
    let output = run(&context, &["link", "deploy", "--into", "acme"]);
    assert_eq!(
        output.stderr,
        "copied .agents/skills/deploy to .acme/skills/deploy\nundo: openoxide unlink deploy --from acme\n"
    );
    assert_eq!(names(&context, "acme"), ["deploy"]);
    let output = run(&context, &["unlink", "deploy", "--from", "acme"]);
    assert_eq!(
        (output.status, output.stderr.as_str()),
        (
            Some(0),
            "removed .acme/skills/deploy\nremoved .acme, which is empty now\nundo: openoxide link deploy --into acme --copy\n"
        )
    );
    // It has no folder for what is the user's, and says so; all of them is all that have a place.
    refused(&context, &["link", "sql", "--into", "acme"], 2, "Acme has no folder for the skills of a user");
    let output = run(&context, &["link", "--all", "--into", "acme"]);
    assert_eq!(output.status, Some(0), "{output}");
    assert_eq!(names(&context, "acme"), ["deploy", "notes"]);
}

#[test]
fn what_is_there_is_never_replaced() {
    let taken = |tree: &str, words: &str| {
        for args in [&["--copy"][..], &["--dry-run"], &[]] {
            let context = project();
            context.tree(tree);
            let mut all = vec!["link", "deploy", "--into", "claude-code"];
            all.extend(args);
            refused(&context, &all, 2, words);
        }
    };
    let other = "`.claude/skills/deploy` is there already, and is something else";
    taken("//- project/.claude/skills/deploy\nmine\n", other);
    taken("//- project/.claude/skills/deploy/\n", other);
    taken("//- project/.claude/skills/deploy/note.txt\nmine\n", other);
    taken("//- project/.claude/skills/deploy -> ../../elsewhere\n//- project/elsewhere/\n", other);
    taken("//- project/.claude/skills/deploy -> deploy\n", other);
    taken("//- project/.claude/skills/deploy fifo\n", other);
    taken("//- project/.claude/skills/deploy -> nowhere\n", "is there already, a link that leads nowhere");
}

#[test]
fn one_that_is_taken_does_not_stop_the_others() {
    let context = project();
    context.tree("//- project/.claude/skills/deploy\nmine\n");
    insta::assert_snapshot!(run(&context, &["link", "--all", "--into", "claude-code"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: `.claude/skills/deploy` is there already, and is something else
    hint: nothing is replaced: rename or remove what is there
    linked ~/.claude/skills/sql to ~/.agents/skills/sql
    1 skill put where Claude Code looks
    undo: openoxide unlink sql --from claude-code
    error: 1 of 2 skills could not be linked
    ");
    assert_eq!(fs_err::read_to_string(context.project().join(".claude/skills/deploy")).unwrap(), "mine\n");
    assert_eq!(names(&context, "claude-code"), ["notes", "sql"]);
}

/// Whoever wrote the project must not choose where on the disk something is written or removed.
#[test]
fn a_link_of_the_project_to_elsewhere_is_not_written_through() {
    for (link, to) in [(".claude", "../outside"), (".claude/skills", "../../outside")] {
        let context = TestContext::new();
        context.tree(&skill_file("project/.agents/skills", "deploy", "deploy"));
        context.tree(&format!("//- outside/\n//- project/{link} -> {to}\n"));
        for args in [&["--copy"][..], &["--dry-run"], &[]] {
            let mut all = vec!["link", "deploy", "--into", "claude-code"];
            all.extend(args);
            refused(&context, &all, 2, "`.claude/skills` leads out of the project, to `[ROOT]/outside");
        }
        refused(&context, &["link", "--all", "--into", "claude-code"], 2, "leads out of the project");
        // Nor is anything removed there.
        let skills = if link == ".claude" { "outside/skills" } else { "outside" };
        context.tree(&format!("//- {skills}/deploy -> {{root}}/project/.agents/skills/deploy rooted\n"));
        refused(&context, &["unlink", "--all", "--from", "claude-code"], 0, "0 links of Claude Code removed");
    }
    let context = TestContext::new();
    context.tree(&skill_file("project/.agents/skills", "deploy", "deploy"));
    context.tree("//- project/.claude -> nowhere\n");
    refused(&context, &["link", "deploy", "--into", "claude-code"], 2, "`.claude` is a link that leads nowhere");
    let context = TestContext::new();
    context.tree(&skill_file("project/.agents/skills", "deploy", "deploy"));
    context.tree("//- project/.claude\na file\n");
    refused(&context, &["link", "deploy", "--into", "claude-code"], 2, "`.claude` is not a folder");
}

/// The user's own folder may be anywhere: it is the user who put the link there.
#[test]
fn a_linked_folder_of_the_user_is_used() {
    let context = project();
    context.tree("//- home/.claude -> ../dotfiles/claude\n//- dotfiles/claude/\n");
    let output = run(&context, &["link", "sql", "--into", "claude-code"]);
    assert_eq!(output.status, Some(0), "{output}");
    assert_eq!(target(&context, "dotfiles/claude/skills/sql"), "../../../home/.agents/skills/sql");
    assert!(names(&context, "claude-code").contains(&"sql".to_owned()));
    let output = run(&context, &["unlink", "sql", "--from", "claude-code"]);
    assert_eq!(output.status, Some(0), "{output}");
    assert!(!context.root().join("dotfiles/claude/skills/sql").is_symlink());
}

/// A folder that is a link to the skills themselves: the skill is met again, and must not be taken for a copy.
#[test]
fn a_folder_that_is_a_link_to_the_skills_is_left_alone() {
    let context = TestContext::new();
    context.tree(&skill_file("project/.agents/skills", "deploy", "deploy"));
    context.tree(&skill_file("home/.agents/skills", "sql", "sql"));
    context.tree("//- project/.claude/skills -> ../.agents/skills\n//- home/.claude/skills -> ../.agents/skills\n");
    for name in ["deploy", "sql"] {
        refused(&context, &["link", name, "--into", "claude-code"], 0, &format!("Claude Code sees {name} already"));
        refused(&context, &["unlink", name, "--from", "claude-code"], 1, "itself, not a link to it");
    }
    refused(&context, &["unlink", "--all", "--from", "claude-code"], 0, "0 links of Claude Code removed");
    refused(&context, &["unlink", "--all", "--from", "opencode"], 0, "0 links of OpenCode removed");
}

#[test]
fn a_link_inside_the_project_leads_back_from_where_it_really_is() {
    let context = TestContext::new();
    context.tree(&skill_file("project/.agents/skills", "deploy", "deploy"));
    context.tree("//- project/.claude -> tools/agents/claude\n//- project/tools/agents/claude/\n");
    let output = run(&context, &["link", "deploy", "--into", "claude-code"]);
    assert_eq!(output.status, Some(0), "{output}");
    let link = "project/tools/agents/claude/skills/deploy";
    assert_eq!(target(&context, link), "../../../../.agents/skills/deploy");
    assert_eq!(names(&context, "claude-code"), ["deploy"]);
    assert_eq!(run(&context, &["unlink", "deploy", "--from", "claude-code"]).status, Some(0));
    assert!(!context.root().join(link).is_symlink());
}

#[test]
fn a_real_folder_is_not_unlinked() {
    let context = project();
    refused(&context, &["unlink", "notes", "--from", "claude-code"], 1, "sees .claude/skills/notes itself, not a link");
    // Another skill of the name, the agent's own.
    context.tree(&skill_file("home/.agents/skills", "notes", "notes"));
    context.tree("//- project/.claude/skills/sql/SKILL.md\n---\nname: sql\ndescription: Another\n---\n");
    let words = "is neither a link to the skill nor an unchanged copy, and stays";
    refused(&context, &["unlink", "~/.agents/skills/sql", "--from", "claude-code"], 0, "has no link to it");
    context.tree("//- home/.claude/skills/sql/SKILL.md\n---\nname: sql\ndescription: Another\n---\n");
    refused(&context, &["unlink", "~/.agents/skills/sql", "--from", "claude-code"], 2, words);
    refused(&context, &["unlink", "--all", "--from", "claude-code"], 0, "0 links of Claude Code removed");
}

/// Two equal folders, and an agent that reads both: one of them always stays.
#[test]
fn the_last_of_two_equal_copies_stays() {
    let context = TestContext::new();
    context.tree(&skill_file("project/.agents/skills", "deploy", "deploy"));
    context.tree(&skill_file("project/.claude/skills", "deploy", "deploy"));
    refused(&context, &["unlink", "--all", "--from", "opencode"], 0, "0 links of OpenCode removed");
    let output = run(&context, &["unlink", "deploy", "--from", "opencode"]);
    assert_eq!(output.status, Some(0), "{output}");
    let left = [".agents", ".claude"].map(|dir| context.project().join(dir).join("skills/deploy/SKILL.md").is_file());
    assert_eq!(left.iter().filter(|left| **left).count(), 1, "{output}");
}

/// A skill from elsewhere, which a link alone brings into the project.
#[test]
fn the_only_way_to_a_skill_is_not_removed() {
    let context = TestContext::new();
    context.tree(&skill_file("project/vendor", "tool-1.2", "tool"));
    context.tree("//- project/.agents/skills/tool -> ../../vendor/tool-1.2\n");
    refused(&context, &["unlink", "tool", "--from", "codex"], 2, "`.agents/skills/tool` is the only way to the skill");
    refused(&context, &["unlink", "--all", "--from", "codex"], 0, "0 links of Codex removed");
    let output = run(&context, &["link", "tool", "--into", "claude-code"]);
    assert_eq!(output.status, Some(0), "{output}");
    assert_eq!(names(&context, "claude-code"), ["tool"], "called like the skill, not like the folder behind it");
    let output = run(&context, &["unlink", "--all", "--from", "claude-code"]);
    assert!(output.stderr.contains("removed .claude/skills/tool\n1 link of Claude Code removed"), "{output}");
    assert_eq!(names(&context, "openoxide"), ["tool"]);
}

/// Some agents call a skill by its folder: the link is called like the skill.
#[test]
fn a_folder_that_is_called_otherwise() {
    let context = TestContext::new();
    context.tree(&skill_file("project/.agents/skills", "pdf_forms", "pdf-forms"));
    let output = run(&context, &["link", "pdf-forms", "--into", "claude-code"]);
    assert!(output.stderr.starts_with("linked .claude/skills/pdf-forms to .agents/skills/pdf_forms\n"), "{output}");
    assert_eq!(names(&context, "claude-code"), ["pdf-forms"]);
    // By the folder's name, and by path, it is the same skill.
    assert_eq!(run(&context, &["unlink", "pdf_forms", "--from", "claude-code"]).status, Some(0));
    assert_eq!(names(&context, "claude-code"), [] as [&str; 0]);
    assert!(!context.project().join(".claude").exists(), "nothing is left of the link");
    assert_eq!(run(&context, &["link", ".agents/skills/pdf_forms", "--into", "claude-code"]).status, Some(0));
    assert_eq!(names(&context, "claude-code"), ["pdf-forms"]);
    // A link by hand under any name is found too.
    context.tree("//- project/.claude/skills/forms -> ../../.agents/skills/pdf_forms\n");
    let output = run(&context, &["unlink", "pdf-forms", "--from", "claude-code"]);
    let expected = "removed .claude/skills/forms\nremoved .claude/skills/pdf-forms\nremoved .claude, which is empty now\n\
         undo by hand: link .claude/skills/forms to .agents/skills/pdf_forms\n\
         undo: openoxide link pdf-forms --into claude-code\n";
    assert_eq!(output.stderr, expected);
}

#[test]
fn a_skill_that_holds_a_link_is_not_copied() {
    let context = project();
    context.tree("//- project/.agents/skills/deploy/secret -> /etc/hostname\n");
    let words = "`[ROOT]/project/.agents/skills/deploy/secret` cannot be copied";
    refused(&context, &["link", "deploy", "--into", "claude-code", "--copy"], 2, words);
    // A link to it is as good as it was.
    assert_eq!(run(&context, &["link", "deploy", "--into", "claude-code"]).status, Some(0));
    let context = project();
    context.tree("//- project/.agents/skills/deploy/pipe fifo\n");
    refused(&context, &["link", "deploy", "--into", "claude-code", "--copy"], 2, "deploy/pipe` cannot be copied");
}

/// Runs without the right to skip permissions, which root has.
fn run_plainly(context: &TestContext, args: &[&str]) -> Option<Output> {
    let mut bare = Command::new("setpriv");
    let works = bare.args(["--bounding-set", "-dac_override", "true"]).status().is_ok_and(|status| status.success());
    works.then(|| {
        let mut command = context.command("/usr/bin/env".as_ref(), ["setpriv", "--bounding-set", "-dac_override"]);
        context.answer(command.arg(bin()).args(args))
    })
}

#[test]
fn a_folder_that_may_not_be_written() {
    let context = project();
    context.tree("//- project/.claude/skills/ mode=555\n");
    let claude = context.project().join(".claude");
    let before = snapshot_of(&claude.join("skills"));
    for args in
        [&["link", "deploy", "--into", "claude-code", "--copy"][..], &["link", "deploy", "--into", "claude-code"]]
    {
        let is_root = fs_err::metadata("/proc/self").is_ok_and(|stat| std::os::unix::fs::MetadataExt::uid(&stat) == 0);
        let output = if is_root { run_plainly(&context, args) } else { Some(run(&context, args)) };
        let Some(output) = output else {
            skipped("root may write everywhere, and there is no setpriv to take that right away");
            return;
        };
        assert_eq!(output.status, Some(2), "{output}");
        assert!(
            output.stderr.contains("Caused by: Permission denied") && output.stderr.contains("error: `"),
            "{output}"
        );
        assert_eq!(snapshot_of(&claude.join("skills")), before, "{output}");
        assert_eq!(fs_err::read_dir(&claude).unwrap().count(), 1, "nothing is left of the work");
    }
}

/// This version of Claude Code calls a skill by its folder, whatever that is called; so the links have the same names.
#[test]
fn names_that_nobody_could_print() {
    let context = TestContext::new();
    for folder in [r"two\nlines", r"red\x1b[31m", r"hidden\u{202e}", r"\xff\xfe", r"it's\x20$(two)", "-x"] {
        context.tree(&format!("//- project/.claude/skills/{folder}/SKILL.md escaped\n---\ndescription: Odd\n---\n"));
    }
    let count = |dir: &str| fs_err::read_dir(context.project().join(dir)).unwrap().count();
    let clean = |output: &Output| {
        assert_eq!(output.status, Some(0), "{output}");
        let is_plain = |character: char| character == '\n' || !(character.is_control() || character == '\u{202e}');
        assert!(output.stderr.chars().all(is_plain), "{output:?}");
    };
    insta::assert_snapshot!(run(&context, &["link", "--all", "--into", "codex", "--host", "claude-code@2.1.240"]), @r#"
    status: 0
    ----- stdout -----
    ----- stderr -----
    linked .codex/skills/-x to .claude/skills/-x
    linked .codex/skills/\xff\xfe to .claude/skills/\xff\xfe
    linked .codex/skills/hidden\u{202e} to .claude/skills/hidden\u{202e}
    linked .codex/skills/it's $(two) to .claude/skills/it's $(two)
    linked .codex/skills/red\u{1b}[31m to .claude/skills/red\u{1b}[31m
    linked .codex/skills/two lines to .claude/skills/two lines
    6 skills put where Codex looks
    undo: openoxide unlink --from codex --host claude-code@2.1.240 -- -x '\xff\xfe' 'it'\''s $(two)'
    undo by hand: remove .codex/skills/hidden\u{202e}
    undo by hand: remove .codex/skills/red\u{1b}[31m
    undo by hand: remove .codex/skills/two lines
    "#);
    assert_eq!(count(".codex/skills"), 6);
    let words = ["unlink", "--from", "codex", "--host", "claude-code@2.1.240", "--", "-x", r"\xff\xfe", "it's $(two)"];
    clean(&run(&context, &words));
    assert_eq!(count(".codex/skills"), 3);
    clean(&run(&context, &["link", "--all", "--into", "codex", "--host", "claude-code@2.1.240"]));
    assert_eq!(names(&context, "codex").len(), names(&context, "claude-code@2.1.240").len());
    clean(&run(&context, &["unlink", "--all", "--from", "codex", "--host", "claude-code@2.1.240"]));
    assert!(!context.project().join(".codex").exists());
    // One by one, as a shell hands them over.
    for name in ["two\nlines", "red\u{1b}[31m", "it's $(two)"] {
        clean(&run(&context, &["link", name, "--into", "codex", "--host", "claude-code@2.1.240"]));
        clean(&run(&context, &["unlink", name, "--from", "codex", "--host", "claude-code@2.1.240"]));
    }
    let output = run(&context, &["link", "--into", "codex", "--host", "claude-code@2.1.240", "--", "-x"]);
    assert!(
        output.stderr.ends_with("undo: openoxide unlink --from codex --host claude-code@2.1.240 -- -x\n"),
        "{output}"
    );
    assert_eq!((count(".codex/skills"), count(".claude/skills")), (1, 6));
}

/// A link to what the agent will not count is made, and said to be useless.
#[test]
fn a_link_that_does_not_help_is_a_no() {
    let context = TestContext::new();
    context.tree("//- project/.claude/skills/forms/SKILL.md\n---\nname: forms\ndescription: Fill: them\n---\n");
    context.tree("//- home/.openoxide/config.toml\nhost = \"claude-code\"\n");
    insta::assert_snapshot!(run(&context, &["link", "forms", "--into", "zed"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    linked .agents/skills/forms to .claude/skills/forms
    warning: Zed still ignores forms: a value needs quotes
    undo: openoxide unlink forms --from zed
    ");
    insta::assert_snapshot!(run(&context, &["link", "forms", "--into", "zed"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    error: Zed finds .agents/skills/forms/SKILL.md already, and ignores it: a value needs quotes
    hint: openoxide explain forms
    ");
}

/// What the agent would drop is not linked with the rest, and that is no failure.
#[test]
fn all_of_them_leaves_out_what_the_agent_would_drop() {
    let context = project();
    context.tree("//- project/.claude/skills/forms/SKILL.md\n---\nname: forms\ndescription: Fill: them\n---\n");
    // The folder is called otherwise, but the link is called like the skill.
    context.tree(&skill_file("project/.agents/skills", "pdf_forms", "pdf-forms"));
    insta::assert_snapshot!(run(&context, &["link", "--all", "--into", "roo"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    linked .roo/skills/deploy to .agents/skills/deploy
    warning: forms is left out, because Roo Code would drop it: a value needs quotes
    linked .roo/skills/notes to .claude/skills/notes
    linked .roo/skills/pdf-forms to .agents/skills/pdf_forms
    linked ~/.roo/skills/sql to ~/.agents/skills/sql
    4 skills put where Roo Code looks
    undo: openoxide unlink deploy notes pdf-forms sql --from roo
    ");
    assert_eq!(names(&context, "roo"), ["deploy", "notes", "pdf-forms", "sql"]);
    assert!(!context.project().join(".roo/skills/forms").is_symlink());
    insta::assert_snapshot!(run(&context, &["link", "--all", "--into", "roo"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    warning: forms is left out, because Roo Code would drop it: a value needs quotes
    there is nothing to link for Roo Code
    ");
}

/// A folder that only one mode of an agent reads is not where a skill is put, even if it is there already.
#[test]
fn a_folder_for_all_of_the_agent_is_chosen() {
    let context = project();
    context.tree("//- project/.roo/skills-code/\n");
    let output = run(&context, &["link", "deploy", "--into", "roo"]);
    assert!(output.stderr.starts_with("linked .roo/skills/deploy to .agents/skills/deploy\n"), "{output}");
    assert_eq!(names(&context, "roo"), ["deploy"]);
    // A link there is found and removed all the same.
    context.tree("//- project/.roo/skills-code/notes -> ../../.claude/skills/notes\n");
    let output = run(&context, &["unlink", "notes", "--from", "roo"]);
    assert!(output.stderr.starts_with("removed .roo/skills-code/notes\n"), "{output}");
}

/// Lists what is below a folder: paths and what links lead to.
fn tree_of(context: &TestContext) -> Vec<String> {
    let walk = Command::new("find").arg(context.root()).args(["-printf", "%P %y %l\\n"]).output().unwrap();
    let mut lines: Vec<String> = String::from_utf8(walk.stdout).unwrap().lines().map(str::to_owned).collect();
    assert!(walk.status.success() && lines.len() > 3, "{lines:?}");
    lines.sort();
    lines
}

/// Link and undo, as printed: the tree is as it was, and an agent that was not there is not found.
#[test]
fn the_undo_leaves_the_tree_as_it_was() {
    let hosts = ["claude-code", "codex", "gemini-cli", "goose", "opencode", "pi", "qwen-code", "roo", "zed", "crush"];
    for host in hosts {
        for extra in ["", " --copy"] {
            let context = project();
            // Of these nothing was made by `link`, and nothing may go.
            context.tree(&skill_file("project/.claude/skills", "deploy", "deploy"));
            context.tree(&skill_file("home/.agents/skills", "mine", "mine"));
            context.tree("//- home/.claude/skills/mine -> ../../.agents/skills/mine\n");
            context.tree("//- project/.roo/rules.md\n//- home/.codex/config.toml\n");
            let before = tree_of(&context);
            let sh = |command: &str| {
                let command = command.replacen("openoxide", &bin().to_string_lossy(), 1);
                context.answer(&mut context.command("/bin/sh".as_ref(), ["-c", &command]))
            };
            let output = sh(&format!("openoxide link --all --into {host}{extra}"));
            assert_eq!(output.status, Some(0), "{output}");
            if let Some((_, undo)) = output.stderr.split_once("undo: ") {
                assert_ne!(tree_of(&context), before, "{host}\n{output}");
                let undone = sh(undo.trim_end());
                assert_eq!(undone.status, Some(0), "{undo}{undone}");
            }
            assert_eq!(tree_of(&context), before, "{host}{extra}\n{output}");
        }
    }
}

/// What brings links back makes them as they were, and nothing else.
#[test]
fn the_undo_of_unlink_brings_the_links_back() {
    for extra in [&[][..], &["--copy"]] {
        let context = project();
        run(&context, &[&["link", "deploy", "sql", "--into", "claude-code"], extra].concat());
        let before = tree_of(&context);
        let output = run(&context, &["unlink", "deploy", "sql", "--from", "claude-code"]);
        let (_, undo) = output.stderr.split_once("undo: openoxide ").unwrap();
        let undo: Vec<&str> = undo.split_whitespace().collect();
        assert_ne!(tree_of(&context), before, "{output}");
        assert_eq!(run(&context, &undo).status, Some(0), "{output}");
        assert_eq!(tree_of(&context), before, "{output}");
    }
    // One of these has another name than `link` would give it.
    let context = project();
    run(&context, &["link", "deploy", "sql", "--into", "claude-code"]);
    let skills = context.project().join(".claude/skills");
    fs_err::rename(skills.join("deploy"), skills.join("ship")).unwrap();
    insta::assert_snapshot!(run(&context, &["unlink", "--all", "--from", "claude-code"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    removed .claude/skills/ship
    removed ~/.claude/skills/sql
    2 links of Claude Code removed
    removed ~/.claude, which is empty now
    undo by hand: link .claude/skills/ship to .agents/skills/deploy
    undo: openoxide link sql --into claude-code
    ");
}

/// Of the folders that an agent reads, one in a folder of the agent's that is there; no new one beside it.
#[test]
fn no_second_folder_is_made_for_an_agent() {
    let context = project();
    context.tree("//- home/.config/opencode/opencode.json\n{}\n//- home/.codex/config.toml\n//- home/.claude/settings.json\n{}\n");
    context.tree(&skill_file("home/.codex/skills", "lint", "lint"));
    let output = run(&context, &["link", "lint", "--into", "opencode"]);
    assert!(output.stderr.starts_with("linked ~/.config/opencode/skill/lint to "), "{output}");
    assert!(!context.home().join(".opencode").exists(), "{output}");
}

#[test]
fn all_links_are_not_all_copies() {
    let context = project();
    context.tree(&skill_file("project/.claude/skills", "deploy", "deploy"));
    context.tree("//- home/.claude/skills/sql -> ../../.agents/skills/sql\n");
    insta::assert_snapshot!(run(&context, &["unlink", "--all", "--from", "claude-code"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    removed ~/.claude/skills/sql
    1 link of Claude Code removed
    removed ~/.claude, which is empty now
    undo: openoxide link sql --into claude-code
    ");
    assert!(context.project().join(".claude/skills/deploy/SKILL.md").is_file(), "a copy stays");
}

/// One name that means nothing, and nothing is done; one that has no link, and the others go.
#[test]
fn several_at_once() {
    let context = project();
    assert_eq!(run(&context, &["link", "--all", "--into", "claude-code"]).status, Some(0));
    refused(&context, &["unlink", "deploy", "nothing", "--from", "claude-code"], 1, "no skill is called `nothing`");
    insta::assert_snapshot!(run(&context, &["unlink", "deploy", "notes", "sql", "--from", "claude-code"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    removed .claude/skills/deploy
    Claude Code sees .claude/skills/notes itself, not a link to it
    removed ~/.claude/skills/sql
    removed ~/.claude, which is empty now
    undo: openoxide link deploy sql --into claude-code
    ");
    assert_eq!(names(&context, "claude-code"), ["notes"]);
}

/// A name that two skills have does not say which of them was linked.
#[test]
fn the_undo_of_one_of_two_goes_by_path() {
    let context = project();
    context.tree(&skill_file("home/.agents/skills", "deploy", "deploy"));
    context.tree("//- home/.claude/skills/deploy -> ../../.agents/skills/deploy\n");
    let output = run(&context, &["link", ".agents/skills/deploy", "--into", "claude-code"]);
    assert!(output.stderr.contains("undo: openoxide unlink .agents/skills/deploy --from claude-code\n"), "{output}");
    assert_eq!(run(&context, &["unlink", ".agents/skills/deploy", "--from", "claude-code"]).status, Some(0));
    assert!(!context.project().join(".claude/skills/deploy").is_symlink());
    assert!(context.home().join(".claude/skills/deploy").is_symlink(), "the user's own stays");
}

#[test]
fn answers_in_json() {
    let context = project();
    let answer = changes(&context, &["link", "deploy", "--into", "claude-code", "--dry-run", "--json"]);
    assert_eq!((&answer["dry_run"], &answer["changes"][0]["action"]), (&true.into(), &"link".into()));
    let answer = changes(&context, &["link", "--all", "--into", "claude-code", "--json"]);
    let (path, target) = ("[ROOT]/project/.claude/skills/deploy", "[ROOT]/project/.agents/skills/deploy");
    let line = |action: &str| serde_json::json!({ "action": action, "path": path, "target": target });
    assert_eq!((&answer["changes"][0], &answer["dry_run"]), (&line("link"), &false.into()));
    assert_eq!(answer["changes"].as_array().unwrap().len(), 2);
    assert_eq!(answer["undo"], "openoxide unlink deploy sql --from claude-code");
    let answer = changes(&context, &["link", "deploy", "--into", "claude-code", "--json"]);
    assert_eq!(answer["changes"], serde_json::json!([]), "it is there already");
    let answer = changes(&context, &["unlink", "deploy", "--from", "claude-code", "--json"]);
    assert_eq!(answer["undo"], "openoxide link deploy --into claude-code");
    assert_eq!(answer["changes"], serde_json::json!([line("remove")]));
    let answer = changes(&context, &["link", "deploy", "--into", "claude-code", "--copy", "--json", "--quiet"]);
    assert_eq!(answer["changes"], serde_json::json!([line("copy")]));
}

#[test]
fn what_cannot_be_meant() {
    let context = project();
    context.tree("//- project/.claude/commands/ship.md\n---\ndescription: Ship\n---\n");
    insta::assert_snapshot!(refused(&context, &["link", "deplyo", "--into", "claude-code"], 1, "no skill"), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    error: no skill is called `deplyo`
    hint: did you mean `deploy`? `openoxide list` shows every skill
    ");
    insta::assert_snapshot!(refused(&context, &["link", "deploy", "--into", "claude"], 2, "no host"), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: no host is called `claude`
    hint: did you mean `claude-code`? There are `agentskills`, `claude-code`, `codex`, `copilot-cli`, `crush`, `gemini-cli`, `goose`, `omp`, `opencode`, `openoxide`, `pepper`, `pi`, `qwen-code`, `remcochat`, `roo`, `vscode`, `zed`
    ");
    insta::assert_snapshot!(refused(&context, &["link", "deploy", "--into", "openoxide"], 2, "already"), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: OpenOxide sees its own skills already
    hint: name another host; `openoxide hosts` lists them
    ");
    let ship = ["link", "ship", "--into", "codex", "--host", "claude-code"];
    insta::assert_snapshot!(refused(&context, &ship, 2, "single file"), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: `.claude/commands/ship.md` is a single file, not a skill's folder
    hint: only a folder with a `SKILL.md` can be linked
    ");
    let output = refused(&context, &["link", "--into", "codex"], 2, "required");
    assert!(output.stderr.contains("SKILL"), "{output}");
    refused(&context, &["unlink", "deplyo", "--from", "claude-code"], 1, "no skill is called `deplyo`");
}

#[test]
fn quiet_says_nothing_and_does_the_same() {
    let context = project();
    let output = run(&context, &["link", "deploy", "--into", "claude-code", "--quiet"]);
    assert_eq!((output.status, output.stdout.as_str(), output.stderr.as_str()), (Some(0), "", ""));
    assert_eq!(names(&context, "claude-code"), ["deploy", "notes"]);
    let output = run(&context, &["unlink", "deploy", "--from", "claude-code", "--quiet"]);
    assert_eq!((output.status, output.stdout.as_str(), output.stderr.as_str()), (Some(0), "", ""));
    assert_eq!(names(&context, "claude-code"), ["notes"]);
}

/// Home and project in one: whose a skill is does not matter then.
#[test]
fn a_home_that_is_the_project() {
    let context = project();
    let at_home = |args: &[&str]| {
        let mut command = context.command(bin(), args);
        context.answer(command.current_dir(context.home()).env("COLUMNS", "80"))
    };
    let output = at_home(&["link", "sql", "--into", "claude-code"]);
    assert_eq!(
        output.stderr,
        "linked .claude/skills/sql to .agents/skills/sql\nundo: openoxide unlink sql --from claude-code\n"
    );
    let output = at_home(&["unlink", "sql", "--from", "claude-code"]);
    let expected = "removed .claude/skills/sql\nremoved .claude, which is empty now\nundo: openoxide link sql --into claude-code\n";
    assert_eq!((output.status, output.stderr.as_str()), (Some(0), expected));
}

/// From a folder below, the project's folder is used, and the undo can be typed there.
#[test]
fn from_a_folder_below_and_from_outside() {
    let context = project();
    context.tree("//- project/src/deep/\n");
    let mut command = context.command(bin(), ["link", "deploy", "--into", "claude-code"]);
    let output = context.answer(command.current_dir(context.project().join("src/deep")));
    assert!(
        output.stderr.starts_with("linked ../../.claude/skills/deploy to ../../.agents/skills/deploy\n"),
        "{output}"
    );
    let mut command = context.command(bin(), ["unlink", "deploy", "--from", "claude-code", "--project", "project"]);
    let output = context.answer(command.current_dir(context.root()));
    assert_eq!(
        output.stderr,
        "removed .claude/skills/deploy\nundo: openoxide link deploy --into claude-code --project project\n",
        "{output}"
    );
    let mut command = context.command(bin(), ["link", "deploy", "--into", "claude-code", "--project", "project"]);
    let output = context.answer(command.current_dir(context.root()));
    assert!(
        output.stderr.ends_with("undo: openoxide unlink deploy --from claude-code --project project\n"),
        "{output}"
    );
}

/// Several at once, as two agents or two windows would: one does it, the others find it done.
#[test]
fn many_at_once() {
    for extra in [&[][..], &["--copy"]] {
        let context = project();
        context.tree("//- project/.agents/skills/deploy/data/{i}.txt repeat=40\n{pad}\n");
        let at_once = |args: &[&str]| {
            let commands = (0..8).map(|_| context.command(bin(), args.iter().chain(extra)).spawn().unwrap());
            let children: Vec<std::process::Child> = commands.collect();
            for mut child in children {
                assert!(child.wait().unwrap().success(), "{args:?} {extra:?}");
            }
        };
        at_once(&["link", "--all", "--into", "claude-code", "--quiet"]);
        assert_eq!(names(&context, "claude-code"), ["deploy", "notes", "sql"]);
        let once = snapshot_of(context.root());
        assert!(!once.iter().any(|line| line.contains("/.openoxide-")), "something is left of the work");
        assert_eq!(run(&context, &["unlink", "deploy", "sql", "--from", "claude-code"]).status, Some(0));
        assert_eq!((names(&context, "claude-code").len(), names(&context, "openoxide").len()), (1, 3));
    }
}

#[test]
fn a_skill_that_only_a_third_agent_sees() {
    let context = TestContext::new();
    context.tree(&skill_file("project/.codex/skills", "lint", "lint"));
    context.tree("//- home/.claude/\n//- home/.codex/\n");
    assert_eq!(names(&context, "openoxide"), [""; 0]);
    for skill in ["lint", ".codex/skills/lint"] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(run(&context, &["link", skill, "--into", "claude-code"]), @"
            status: 0
            ----- stdout -----
            ----- stderr -----
            linked .claude/skills/lint to .codex/skills/lint
            undo: openoxide unlink .codex/skills/lint --from claude-code
            ");
        }
        assert_eq!(target(&context, "project/.claude/skills/lint"), "../../.codex/skills/lint");
        assert_eq!(names(&context, "claude-code"), ["lint"]);
        insta::allow_duplicates! {
            insta::assert_snapshot!(run(&context, &["unlink", skill, "--from", "claude-code"]), @"
            status: 0
            ----- stdout -----
            ----- stderr -----
            removed .claude/skills/lint
            removed .claude, which is empty now
            undo: openoxide link .codex/skills/lint --into claude-code
            ");
        }
        assert!(!context.project().join(".claude").exists());
    }
    refused(&context, &["link", "lnit", "--into", "claude-code"], 1, "no skill is called `lnit`");
}

/// One wrong name, or one place that is taken, and nothing is linked.
#[test]
fn several_skills_or_none() {
    let context = project();
    let before = tree_of(&context);
    let link = |skills: &[&str]| run(&context, &[&["link"], skills, &["--into", "claude-code"]].concat());
    insta::assert_snapshot!(link(&["deploy", "sqk"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    error: no skill is called `sqk`
    hint: did you mean `sql`? `openoxide list` shows every skill
    ");
    assert_eq!(tree_of(&context), before);
    context.tree("//- project/.claude/skills/deploy/mine.txt\n");
    let taken = tree_of(&context);
    let output = link(&["sql", "deploy"]);
    assert!(output.status == Some(2) && output.stderr.contains("deploy` is there already"), "{output}");
    assert_eq!(tree_of(&context), taken);
    fs_err::remove_dir_all(context.project().join(".claude/skills/deploy")).unwrap();
    insta::assert_snapshot!(link(&["deploy", "sql", "deploy"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    linked .claude/skills/deploy to .agents/skills/deploy
    linked ~/.claude/skills/sql to ~/.agents/skills/sql
    undo: openoxide unlink deploy sql --from claude-code
    ");
    let output = run(&context, &["unlink", "deploy", "sqk", "--from", "claude-code"]);
    assert!(output.status == Some(1) && output.stderr.contains("did you mean `sql`?"), "{output}");
    assert_eq!(names(&context, "claude-code"), ["deploy", "notes", "sql"]);
}

/// Two skills whose links would have one name.
#[test]
fn two_of_one_name_do_not_both_go() {
    let context = TestContext::new();
    context.tree(&skill_file("project/.agents/skills", "a", "same"));
    context.tree(&skill_file("project/.agents/skills", "b", "same"));
    let both = ["link", ".agents/skills/a", ".agents/skills/b", "--into", "claude-code"];
    refused(&context, &both, 2, "would both go to `.claude/skills/same`");
    assert!(!context.project().join(".claude").exists());
}

#[test]
fn the_folder_that_your_other_agents_do_not_read_is_chosen() {
    let context = TestContext::new();
    context.tree(
        "//- home/.codex/config.toml\n//- home/.claude/settings.json\n{}\n//- home/.config/opencode/opencode.json\n{}\n\
         //- project/.git/HEAD\nref: refs/heads/main\n//- project/.claude/skills/\n//- project/.agents/skills/\n",
    );
    context.tree(&skill_file("project/.codex/skills", "deploy", "deploy"));
    insta::assert_snapshot!(run(&context, &["link", "deploy", "--into", "opencode"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    linked .opencode/skill/deploy to .codex/skills/deploy
    undo: openoxide unlink .codex/skills/deploy --from opencode
    ");
    assert_eq!(names(&context, "claude-code"), [] as [&str; 0]);
    assert_eq!(names(&context, "opencode"), ["deploy"]);
    // Claude Code has one folder, which OpenCode reads too.
    insta::assert_snapshot!(run(&context, &["link", "deploy", "--into", "claude-code", "--dry-run"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    would link .claude/skills/deploy to .codex/skills/deploy
    OpenCode looks there too
    ");
}

/// The last moment at which a full catalog can still be prevented is before anything is written.
#[test]
fn a_dry_run_says_what_the_catalog_has_no_room_for() {
    let context = TestContext::new();
    context.tree("//- home/.claude/settings.json\n{}\n");
    for at in 0..30 {
        let about = "words ".repeat(60);
        context.tree(&format!("//- home/.agents/skills/s{at}/SKILL.md\n---\nname: s{at}\ndescription: {about}\n---\n"));
    }
    context.tree(&skill_file("home/.agents/skills", "sql", "sql"));
    let before = snapshot_of(context.root());
    let all = ["link", "--all", "--into", "claude-code"];
    let dry = run(&context, &[&all[..], &["--dry-run"]].concat());
    assert_eq!(dry.status, Some(0), "{dry}");
    let (head, would) = dry.stderr.split_once("warning: Claude Code's catalog would be full: ").unwrap();
    assert!(head.ends_with("31 skills would be put where Claude Code looks\n"), "{dry}");
    let one = run(&context, &["link", "sql", "--into", "claude-code", "--dry-run"]);
    assert!(!one.stderr.contains("full"), "one that fits is no matter\n{one}");
    assert_eq!(snapshot_of(context.root()), before, "a dry run writes nothing");
    let real = run(&context, &all).stderr;
    let (_, is) = real.split_once("warning: Claude Code's catalog is full: ").unwrap();
    assert!(is.starts_with(would), "foreseen: {would}{real}");
}
