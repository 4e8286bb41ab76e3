//! Files that other programs obey, in a folder that the command may change.

use crate::support::{Folder, each};

fn project(setting: crate::support::Setting) -> Folder {
    let folder = setting.folder();
    folder.file(".git/config", "[core]\n");
    folder.file(".git/hooks/pre-commit.sample", "");
    folder.file(".agents/skills/own/SKILL.md", "mine\n");
    folder.file(".vscode/tasks.json", "{}");
    folder.file("openoxide.lock", "locked\n");
    folder.file("sub/module/.git/config", "[core]\n");
    folder.file("sub/module/code.c", "");
    folder.file("src/main.c", "old\n");
    folder
}

#[test]
fn they_cannot_be_changed_or_made() {
    each(|setting| {
        let folder = project(setting);
        let before = folder.state();
        let ran = setting.attempts(
            &["--write", folder.str(), "--project", folder.str(), "--cwd", folder.str()],
            r#"
            attempt("hook", sub { put(".git/hooks/pre-commit") });
            attempt("config", sub { put(".git/config") });
            attempt("config-mode", sub { chmod(0777, ".git/config") });
            attempt("git-away", sub { rename(".git", "git") });
            attempt("git-gone", sub { rmdir(".git") });
            attempt("skill", sub { put(".agents/skills/own/SKILL.md") });
            attempt("new-skill", sub { mkdir(".agents/skills/new") });
            attempt("skills", sub { mkdir("skills") && mkdir("skills/new") });
            attempt("tasks", sub { put(".vscode/tasks.json") });
            attempt("lock", sub { put("openoxide.lock") });
            attempt("lock-gone", sub { unlink("openoxide.lock") });
            attempt("lock-replaced", sub { put("other") && (rename("other", "openoxide.lock") || (unlink("other"), 0)[1]) });
            attempt("lock-link", sub { link("openoxide.lock", "copy") && unlink("copy") });
            attempt("new-claude", sub { mkdir(".claude/x") || mkdir(".claude") && mkdir(".claude/x") });
            attempt("new-codex", sub { mkdir(".codex") });
            attempt("new-mcp", sub { put(".mcp.json") });
            attempt("new-link", sub { symlink("/x", ".idea") });
            attempt("nested", sub { put("sub/module/.git/config") });
            attempt("nested-away", sub { rename("sub/module", "sub/away") });
            attempt("nested-above-away", sub { rename("sub", "away") });
            "#,
        );
        assert!(ran.stdout.contains("hook DONE") && ran.stdout.contains("nested DONE"), "{setting:?} {ran:?}");
        let kept = ran.changes.iter().filter(|change| change.ends_with(": kept"));
        assert_eq!(kept.count(), 0, "{setting:?} {ran:?}");
        assert_eq!(folder.state(), before, "nothing changed: {setting:?}");
    });
}

#[test]
fn all_else_in_the_folder_can_be_changed() {
    each(|setting| {
        let folder = project(setting);
        let line = "echo new > src/main.c && mkdir build && cp src/main.c build/ && chmod 700 build && mv sub/module/code.c x.c \
                    && ln -s x.c y.c && touch -d 2001-01-01 x.c && rm -r build && cat .git/config y.c";
        let nested = folder.join("sub/module/.git");
        let ran = setting.sh(&["--write", folder.str(), "--seal", &nested, "--cwd", folder.str()], line);
        assert_eq!((ran.ended.as_str(), ran.stdout.as_str()), ("Exit(0)", "[core]\n"), "{setting:?} {ran:?}");
        assert_eq!(fs_err::read_to_string(folder.join("src/main.c")).unwrap(), "new\n");
    });
}

#[test]
fn in_a_home_the_files_of_shells_are_sealed_too() {
    each(|setting| {
        let home = setting.folder();
        home.file(".profile", "mine\n");
        let ran = setting.attempts(
            &["--write", home.str(), "--cwd", home.str()],
            r#"
            attempt("profile", sub { put(".profile") });
            attempt("new-bashrc", sub { put(".bashrc") });
            attempt("new-key", sub { mkdir(".ssh") && put(".ssh/authorized_keys") });
            attempt("note", sub { put("note") && unlink("note") });
            "#,
        );
        ran.expect(setting, "profile DONE\nnew-bashrc DONE\nnew-key DONE\nnote DONE");
        assert_eq!(home.state().len(), 1, "{setting:?}");
    });
}

#[test]
fn a_skill_inside_a_writable_project_stays_as_it_is() {
    each(|setting| {
        let folder = setting.folder();
        folder.file("deep/skill/SKILL.md", "mine\n");
        let (skill, before) = (folder.join("deep/skill"), folder.state());
        let ran = setting.attempts(
            &["--write", folder.str(), "--read", &skill, "--cwd", &skill],
            r#"
            attempt("change", sub { put("SKILL.md") });
            attempt("add", sub { put("new") });
            attempt("beside", sub { put("../beside") && unlink("../beside") });
            attempt("away", sub { rename("../../deep", "../../shallow") });
            "#,
        );
        // It works on a copy, of which nothing is kept.
        ran.expect(setting, "change DONE\nadd DONE\nbeside DONE\naway EXDEV");
        assert_eq!(folder.state(), before, "{setting:?}");
    });
}

/// A folder that other programs obey is never granted, by whichever of its names it is asked for.
#[test]
fn a_sealed_folder_cannot_be_granted() {
    each(|setting| {
        let folder = project(setting);
        folder.dir("home/.ssh");
        let before = folder.state();
        for name in [".git", ".git/hooks", ".agents/skills/own", "sub/module/.git", ".vscode", "home/.ssh"] {
            let path = folder.join(name);
            for option in ["--write", "--write-bare"] {
                let options = ["--project", folder.str(), option, &path, "--cwd", &path];
                let ran = setting.sh(&options, "touch CANARY; echo CANARY");
                assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{setting:?} {name}: {ran:?}");
                assert!(ran.stderr.contains("is sealed, because other programs obey"), "{setting:?} {name}: {ran:?}");
            }
        }
        assert_eq!(folder.state(), before, "{setting:?}");
    });
}
