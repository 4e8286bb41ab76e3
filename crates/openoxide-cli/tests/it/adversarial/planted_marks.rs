//! Marks of a project that another user planted above a folder, or that stand in the user's home: they widen nothing.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;

use openoxide_testkit::TestContext;

use crate::serve::{Server, answer};
use crate::support::run;

const CANARY: &str = "CANARY-ABOVE";

/// A project in a folder where everyone can write, and a file of the user that nobody else can read.
fn shared() -> (TestContext, String) {
    let context = TestContext::new();
    context.tree(&format!(
        "//- private/secret\n{CANARY}\n\
         //- shared/project/.agents/skills/own/SKILL.md\n---\nname: own\ndescription: Own\n---\nOwn.\n"
    ));
    let mode = |path: &str, mode| {
        fs_err::set_permissions(context.root().join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("private/secret", 0o600);
    mode("shared", 0o777);
    let project = context.root().join("shared/project").display().to_string();
    (context, project)
}

/// What another user can put into that folder.
fn plant(context: &TestContext) {
    let mut tree = "//- shared/.git/HEAD\nref\n".to_owned();
    for folder in [".claude", ".agents", ".opencode", ".omp", ".codex", ".pi"] {
        let _ = write!(
            tree,
            "//- shared/{folder}/skills/lnk/SKILL.md -> ../../../../private/secret\n\
             //- shared/{folder}/skills/planted/SKILL.md\n---\nname: planted\ndescription: {CANARY}\n---\n{CANARY}\n"
        );
    }
    context.tree(&tree);
}

#[test]
fn a_planted_mark_does_not_bring_skills_into_a_project() {
    let (context, project) = shared();
    plant(&context);
    for host in super::hosts(&context) {
        for way in [&["list", "--all"][..], &["prompt"], &["read", "lnk", "--as", "model"], &["activate", "planted"]] {
            let args = [way, &["--host", &host, "--project", &project]].concat();
            let output = run(&context, &args);
            assert!(!output.to_string().contains(CANARY), "{args:?}: {output}");
        }
    }
}

#[test]
fn a_server_without_tokens_serves_no_more_than_it_was_started_with() {
    let (context, project) = shared();
    // Even a mark that would count, had it been there at the start.
    fs_err::set_permissions(context.root().join("shared"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let server = Server::start(&context, &["--log", "off", "--auth", "none", "--project", &project]);
    plant(&context);
    let mut served = false;
    for host in ["claude-code", "codex", "opencode", "omp", "pi", "openoxide"] {
        for directory in ["", &format!("&directory={project}")] {
            for path in ["skills?all=true", "prompt?", "roots?", "skills/lnk/files/SKILL.md?", "skills/planted?"] {
                let line = format!("GET /v1/{path}&host={host}{directory}");
                let (_, text) = answer(server.send(&line, "", ""));
                assert!(!text.contains(CANARY) && !text.contains("planted/SKILL.md"), "{line}: {text}");
                served |= text.contains("Own");
            }
        }
    }
    assert!(served, "what was named is served");
    // A link in the project's place leads nowhere.
    fs_err::rename(&project, context.root().join("shared/aside")).unwrap();
    std::os::unix::fs::symlink(context.root().join("shared"), &project).unwrap();
    for directory in ["", &format!("&directory={project}")] {
        let (_, text) = answer(server.send(&format!("GET /v1/skills?host=claude-code{directory}"), "", ""));
        assert!(!text.contains(CANARY), "{text}");
    }
}

/// Home is a repository of dotfiles: what is unpacked below it stays untrusted, and the user's own links still count.
#[test]
fn a_repository_of_home_does_not_make_what_lies_below_the_users() {
    let context = TestContext::new();
    let text = |name: &str| format!("---\nname: {name}\ndescription: About {name}\n---\nBody of {name}.\n");
    context.tree(&format!(
        "//- home/.git/HEAD\nref\n//- home/.ssh/id\n{CANARY}\n//- outside/file\n{CANARY}\n\
         //- home/dotfiles/mine/SKILL.md\n{}//- home/.claude/skills/mine -> ../../dotfiles/mine\n\
         //- home/.agents/skills/mine -> ../../dotfiles/mine\n",
        text("mine")
    ));
    for folder in [".claude", ".agents", ".opencode", ".omp", ".codex"] {
        context.tree(&format!(
            "//- home/dl/evil/{folder}/skills/lnk/SKILL.md -> ../../../../../.ssh/id\n\
             //- home/dl/evil/{folder}/skills/out/SKILL.md -> ../../../../../../outside/file\n\
             //- home/dl/{folder}/skills/above/SKILL.md -> ../../../../.ssh/id\n"
        ));
    }
    let evil = context.home().join("dl/evil").display().to_string();
    for host in super::hosts(&context) {
        for way in [
            &["list", "--all"][..],
            &["prompt"],
            &["read", "lnk", "--as", "model"],
            &["read", "out"],
            &["read", "above"],
        ] {
            let args = [way, &["--host", &host, "--project", &evil]].concat();
            let output = run(&context, &args);
            assert!(!output.to_string().contains(CANARY), "{args:?}: {output}");
        }
    }
    for host in ["claude-code", "opencode", "codex", "omp"] {
        let output = run(&context, &["activate", "mine", "--host", host, "--project", &evil]);
        assert!(output.stdout.contains("Body of mine."), "{host}: {output}");
    }
}
