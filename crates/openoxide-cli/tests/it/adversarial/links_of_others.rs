//! Links that show what their maker cannot read, or a skill of the user under a name that no rule knows.

use std::os::unix::fs::{PermissionsExt as _, lchown};
use std::path::Path;

use openoxide_testkit::TestContext;

use crate::serve::{Server, answer};
use crate::support::{run, skipped};

const CANARY: &str = "CANARY-OF-OTHERS";

/// Asks for skills of these names in every way that shows text, and for everything that lists them.
fn assert_held(context: &TestContext, folder: &str, hosts: &[String], names: &[&str]) {
    for host in hosts {
        let at = ["--host", host, "--project", folder];
        let named = names.iter().flat_map(|name| [["read", name], ["activate", name]]);
        let ways = [["list", "--all"], ["prompt", "--json"]].into_iter().chain(named);
        for way in ways {
            let args = [&way[..], &at].concat();
            let output = run(context, &args);
            assert!(!output.to_string().contains(CANARY), "{args:?}: {output}");
        }
    }
    let server = Server::start(context, &["--log", "off"]);
    for host in ["claude-code", "omp", "pepper", "opencode", "codex", "openoxide"] {
        for name in names {
            for way in ["", "/files/SKILL.md", "/files/notes.md"] {
                let line = format!("GET /v1/skills/{name}{way}?host={host}&directory={folder}");
                let (_, text) = answer(server.send(&line, "", ""));
                assert!(!text.contains(CANARY), "{line}: {text}");
            }
            let line = format!("POST /v1/skills/{name}/activate?host={host}&directory={folder}");
            let (_, text) = answer(server.send(&line, "", "{}"));
            assert!(!text.contains(CANARY), "{line}: {text}");
        }
        let (_, text) = answer(server.send(&format!("GET /v1/skills?host={host}&directory={folder}"), "", ""));
        assert!(!text.contains(CANARY), "{host}: {text}");
    }
    for route in ["/skill", "/command"] {
        let (_, text) = answer(server.send(&format!("GET {route}?directory={folder}"), "", ""));
        assert!(!text.contains(CANARY), "{route}: {text}");
    }
}

/// In a folder that everyone can write to, another user links to files there that only the user reads.
#[test]
fn a_link_does_not_show_what_its_maker_does_not_own() {
    if !rustix::process::geteuid().is_root() {
        return skipped("giving a file to another user needs root");
    }
    let context = TestContext::new();
    context.tree(&format!("//- shared/private/secret\n---\nname: lnk\ndescription: {CANARY}\n---\n{CANARY}\n"));
    let shared = context.root().join("shared");
    fs_err::set_permissions(&shared, std::fs::Permissions::from_mode(0o1777)).unwrap();
    fs_err::set_permissions(shared.join("private"), std::fs::Permissions::from_mode(0o700)).unwrap();
    for folder in [".claude", ".agents", ".opencode", ".omp", ".codex", ".pi", "skills"] {
        context.tree(&format!(
            "//- shared/{folder}/skills/lnk/SKILL.md -> ../../../private/secret\n\
             //- shared/{folder}/skills/whole -> ../../private\n//- shared/{folder}/commands/cmd.md -> ../../private/secret\n"
        ));
        for path in ["skills/lnk/SKILL.md", "skills/lnk", "skills/whole", "skills", "commands/cmd.md", "commands", ""] {
            lchown(shared.join(folder).join(path), Some(65534), Some(65534)).unwrap();
        }
    }
    let hosts = ["claude-code", "omp", "pepper", "opencode", "codex", "openoxide", "pi"].map(str::to_owned);
    assert_held(&context, &shared.display().to_string(), &hosts, &["lnk", "whole", "cmd"]);
}

/// A rule denies a skill of the user by its name; a project that nobody trusts links to it, or to its files, as others.
#[test]
fn a_link_gives_a_denied_skill_no_other_name() {
    let context = TestContext::new();
    let text = format!("---\nname: deploy-prod\ndescription: Deploys\n---\n{CANARY}\n");
    for root in ["home/.claude/skills", "home/.agents/skills"] {
        context.tree(&format!(
            "//- {root}/deploy-prod/SKILL.md\n{text}//- {root}/deploy-prod/notes.md\n---\ndescription: Notes\n---\n{CANARY}\n"
        ));
    }
    context
        .tree("//- home/.openoxide/config.toml\n[permission.skill]\n\"deploy-*\" = \"deny\"\n//- ev/.git/HEAD\nref\n");
    for folder in [".claude", ".agents", ".opencode", ".omp", ".codex", ".pi", "files"] {
        let user = "../../../../home/.claude/skills/deploy-prod";
        context.tree(&format!(
            "//- ev/{folder}/skills/innocent/SKILL.md -> {user}/notes.md\n//- ev/{folder}/skills/harmless/SKILL.md -> {user}/SKILL.md\n\
             //- ev/{folder}/skills/folder -> ../../../home/.claude/skills/deploy-prod\n\
             //- ev/{folder}/skills/flat.md -> ../../../home/.claude/skills/deploy-prod/SKILL.md\n\
             //- ev/{folder}/commands/cmd.md -> ../../../home/.claude/skills/deploy-prod/notes.md\n\
             //- ev/{folder}/commands/cmd2.md -> ../../../home/.claude/skills/deploy-prod/SKILL.md\n\
             //- ev/{folder}/commands/deep -> ../../../home/.claude/skills\n"
        ));
    }
    let names = ["innocent", "harmless", "folder", "flat", "cmd", "cmd2", "deep:deploy-prod:notes"];
    let folder = context.root().join("ev").display().to_string();
    let hosts = ["claude-code", "omp", "pepper", "opencode", "codex", "openoxide", "pi"].map(str::to_owned);
    assert_held(&context, &folder, &hosts, &names);
    // A trusted project's links lead there, and the rule still counts.
    let rules = fs_err::read_to_string(context.home().join(".openoxide/config.toml")).unwrap();
    let trusted = format!("{rules}[trust]\nfolders = [{:?}]\n", Path::new(&folder));
    fs_err::write(context.home().join(".openoxide/config.toml"), trusted).unwrap();
    for name in ["harmless", "folder", "cmd2", "deploy-prod"] {
        let output = run(&context, &["activate", name, "--as", "model", "--host", "claude-code", "--project", &folder]);
        assert!(!output.to_string().contains(CANARY), "{name}: {output}");
    }
}

/// Another user shares a folder, and their skill names a file of this user: it is not attached.
#[test]
fn a_skill_of_another_user_attaches_no_file_of_the_project() {
    let context = TestContext::new();
    context.tree(&format!(
        "//- project/note.txt\n{CANARY}\n//- project/.claude/skills/look/SKILL.md\n---\nname: look\ndescription: Looks\n---\n\
         Look at @note.txt\n"
    ));
    let activate = |host: &str| run(&context, &["activate", "look", "--host", host]).to_string();
    let hosts = ["openoxide", "claude-code"];
    assert!(hosts.iter().any(|host| activate(host).contains(CANARY)), "nothing is ever attached");
    if lchown(context.project().join(".claude/skills/look/SKILL.md"), Some(65534), Some(65534)).is_err() {
        return skipped("only root gives files away");
    }
    for host in hosts {
        let said = activate(host);
        assert!(!said.contains(CANARY), "{host}: {said}");
    }
}
