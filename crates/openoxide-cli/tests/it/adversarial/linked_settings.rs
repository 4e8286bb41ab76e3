//! Settings that are links, pipes or devices: what a project brings shows nothing of what is outside of it.

use std::fmt::Write as _;

use openoxide_testkit::TestContext;
use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::door::{Door, Place};
use super::face::{Face, Setting, User, attack};
use super::links::{CANARY, HOSTS, assert_held_in, repository};
use crate::support::{json, run};

attack! { linked_settings for everyone { cli, http, mcp, mcp_http, rpc } }
attack! { settings_in_a_linked_folder { cli, http, mcp, mcp_http, rpc } }
attack! { settings_above_the_repository { cli, http, mcp, mcp_http, rpc } }
attack! { settings_that_are_no_files { cli, http, mcp, mcp_http, rpc } }

/// Files that some host reads of a project, and what stands outside in their place.
const FILES: [(&str, &str); 13] = [
    ("opencode.json", "paths.json"),
    (".opencode/opencode.json", "text"),
    (".omp/config.yml", "text"),
    (".omp/settings.json", "paths.json"),
    (".omp/plugins/installed_plugins.json", "plugins.json"),
    (".claude/settings.json", "text"),
    (".claude/settings.local.json", "paths.json"),
    (".codex/config.toml", "text"),
    (".openoxide/config.toml", "paths.toml"),
    (".gemini/settings.json", "paths.json"),
    ("crush.json", "text"),
    (".crush.json", "paths.json"),
    ("config.toml", "text"),
];

/// A repository beside files that nobody may see, in every form that a message could quote.
fn beside_secrets() -> TestContext {
    let context = repository();
    let plugin = context.root().join("outside/dir").display().to_string();
    context.tree(&format!(
        "//- project/.git/HEAD\nref\n//- outside/text\n{CANARY} {CANARY}\n[{CANARY}\n\
         //- outside/paths.json\n{{\"skills\": {{\"paths\": \"{CANARY}\", \"customDirectories\": \"{CANARY}\", \
         \"disabled\": \"{CANARY}\"}}, \"options\": {{\"disabled_skills\": \"{CANARY}\"}}, \"model\": {{\"{CANARY}\": 1}}}}\n\
         //- outside/paths.toml\n{CANARY} = 1\n[skills]\npaths = \"{CANARY}\"\n\
         //- outside/plugins.json\n{{\"version\": 2, \"plugins\": {{\"{CANARY}@market\": \
         [{{\"scope\": \"project\", \"installPath\": \"{plugin}\"}}]}}}}\n"
    ));
    context
}

fn linked(context: &TestContext) {
    let links = FILES.iter().fold(String::new(), |mut tree, (file, to)| {
        let _ = writeln!(tree, "//- project/{file} -> {{root}}/outside/{to} rooted");
        tree
    });
    context.tree(&links);
}

/// No command repeats what stands outside, for any host.
fn assert_silent(context: &TestContext, setting: Setting) {
    assert_held_in(&HOSTS, setting, context, &[]);
    if setting.face != Face::Cli || setting.user != User::Own {
        return;
    }
    for words in [&["config"][..], &["check"], &["list", "--all"], &["hosts"], &["list", "--hosts"]] {
        let output = run(context, words);
        assert!(!output.to_string().contains(CANARY), "{words:?}: {output}");
    }
    for host in super::hosts(context) {
        let output = run(context, &["roots", "--host", &host]);
        assert!(!output.to_string().contains(CANARY), "{host}: {output}");
    }
}

/// A file that is not read is reported by its name, with the code.
fn assert_reported(context: &TestContext, code: &str) {
    for (host, file) in [
        ("openoxide", ".openoxide/config.toml"),
        ("claude-code", ".claude/settings.json"),
        ("opencode", "opencode.json"),
        ("omp", ".omp/config.yml"),
        ("omp", ".omp/plugins/installed_plugins.json"),
        ("crush", "crush.json"),
        ("gemini-cli", ".gemini/settings.json"),
        ("remcochat", "project/config.toml"),
    ] {
        let list = json(context, &["list", "--json", "--host", host]);
        let is_it = |problem: &&serde_json::Value| {
            problem["code"] == code && problem["path"].as_str().is_some_and(|path| path.ends_with(file))
        };
        let problem = list["problems"].as_array().unwrap().iter().find(is_it);
        let problem = problem.unwrap_or_else(|| panic!("{host}, {file}: {:#}", list["problems"]));
        assert!(problem["help"].is_string(), "{problem:#}");
    }
}

fn linked_settings(setting: Setting) {
    let context = beside_secrets();
    linked(&context);
    assert_silent(&context, setting);
    if setting.face == Face::Cli && setting.user == User::Own {
        assert_reported(&context, "S0018");
    }
}

/// The folder on the way is the link.
fn settings_in_a_linked_folder(setting: Setting) {
    let context = beside_secrets();
    for (at, (file, to)) in FILES.iter().enumerate() {
        let Some((folder, name)) = file.split_once('/') else { continue };
        context.tree(&format!("//- outside/folder-{at}/{name} -> {{root}}/outside/{to} rooted\n"));
        let folder = context.project().join(folder);
        if folder.is_symlink() {
            continue;
        }
        let _ = fs_err::remove_dir_all(&folder);
        std::os::unix::fs::symlink(context.root().join(format!("outside/folder-{at}")), folder).unwrap();
    }
    context.tree("//- home/.claude/skills/plain/SKILL.md\n---\nname: plain\ndescription: Plain\n---\nPlain text.\n");
    context.tree("//- project/.agents/skills/plain/SKILL.md\n---\nname: plain\ndescription: Plain\n---\nPlain text.\n");
    assert_silent(&context, setting);
}

/// A repository in a folder that was unpacked: hosts look above it too, and what lies there came with it.
fn settings_above_the_repository(setting: Setting) {
    let context = beside_secrets();
    linked(&context);
    fs_err::remove_dir_all(context.project().join(".git")).unwrap();
    context.tree(
        "//- project/inner/.git/HEAD\nref\n//- project/inner/.agents/skills/plain/SKILL.md\n---\nname: plain\n\
         description: Plain\n---\nPlain text.\n//- project/inner/.claude/skills -> ../.agents/skills\n",
    );
    for host in HOSTS {
        let place = Place { folder: Some(context.project().join("inner")), ..Place::new(&context, host) };
        let said = Door::at(setting, place).look();
        assert!(said.contains("plain") && !said.contains(CANARY), "{host}: {said}");
    }
}

/// Pipes are not waited for, and devices not read.
fn settings_that_are_no_files(setting: Setting) {
    let context = beside_secrets();
    for (file, _) in FILES {
        let path = context.project().join(file);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
    }
    assert_silent(&context, setting);
    if setting.face == Face::Cli {
        let list = json(&context, &["list", "--json", "--host", "omp"])["problems"].to_string();
        assert!(list.contains("no regular file") && list.contains("installed_plugins.json"), "{list}");
    }
    for (file, _) in FILES {
        fs_err::remove_file(context.project().join(file)).unwrap();
        std::os::unix::fs::symlink("/dev/zero", context.project().join(file)).unwrap();
    }
    assert_silent(&context, setting);
    if setting.face == Face::Cli {
        assert_reported(&context, "S0018");
    }
}

/// Dotfiles are links to what the user owns; a trusted project has such links too.
#[test]
fn links_of_the_user_and_of_trusted_projects_are_followed() {
    let context = TestContext::new();
    context.tree(
        "//- project/.git/HEAD\nref\n//- dotfiles/claude/settings.json\n{\"skillOverrides\": {\"mine\": \"off\"}}\n\
         //- dotfiles/codex.toml\n[skills]\ninclude_instructions = \"wrong\"\n\
         //- dotfiles/openoxide.toml\nhost = \"codex\"\n//- dotfiles/project.toml\n[skills]\npaths = [\"named\"]\n\
         //- dotfiles/opencode.json\n{\"skills\": {\"paths\": [\"named\"]}}\n\
         //- home/.claude -> ../dotfiles/claude\n//- home/.codex/config.toml -> ../../dotfiles/codex.toml\n\
         //- home/.openoxide/config.toml -> ../../dotfiles/openoxide.toml\n\
         //- project/.openoxide/config.toml -> ../../dotfiles/project.toml\n\
         //- project/opencode.json -> ../dotfiles/opencode.json\n\
         //- project/near.json\n{\"skills\": {\"paths\": [\"near\"]}}\n//- project/.opencode/opencode.json -> ../near.json\n",
    );
    let roots = |host: &str| run(&context, &["roots", "--host", host]).to_string();
    assert!(roots("claude-code").contains("mine"), "{}", roots("claude-code"));
    assert!(roots("codex").contains("`instructions` must be"), "{}", roots("codex"));
    assert!(run(&context, &["config"]).to_string().contains("codex"));
    let opencode = roots("opencode");
    assert!(opencode.contains("S0018") && opencode.contains("near") && !opencode.contains("named"), "{opencode}");
    run(&context, &["trust"]);
    assert!(!roots("opencode").contains("S0018"), "{}", roots("opencode"));
    let own = roots("openoxide");
    assert!(own.contains("named") && !own.contains("S0018"), "{own}");
}
