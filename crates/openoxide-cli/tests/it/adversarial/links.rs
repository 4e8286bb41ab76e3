//! Links that lead out of a project: what is beside them is served, and nothing behind them is read.

use openoxide_testkit::TestContext;

use super::door::{Door, Place};
use super::face::{Face, Setting, attack};
use crate::support::{json, run};

pub(super) const CANARY: &str = "CANARY-OUTSIDE";
const VARIABLE: (&str, &str) = ("SECRET", "CANARY-VARIABLE");

attack! { linked_skill_md for everyone { cli, http, mcp, mcp_http, rpc } }
attack! { linked_skill_folder for everyone { cli, http, mcp, mcp_http, rpc } }
attack! { linked_root for everyone { cli, http, mcp, mcp_http, rpc } }
attack! { linked_metadata { cli, http, mcp, mcp_http, rpc } }
attack! { linked_file_beside_the_text { cli, http, mcp, mcp_http, rpc } }
attack! { files_of_the_system for everyone { cli, http, mcp, mcp_http, rpc } }
attack! { the_state_folder_of_a_trusting_user for everyone { cli, http, mcp, mcp_http, rpc } }
attack! { version_control_in_a_skill { cli, http, mcp, mcp_http, rpc } }
attack! { folders_that_settings_of_the_project_name for everyone { cli, http, mcp, mcp_http, rpc } }

/// A repository with a plain skill, where each of these hosts looks, and folders outside of it that nobody may see.
pub(super) fn repository() -> TestContext {
    let context = TestContext::new();
    let stolen = format!("---\nname: stolen\ndescription: {CANARY}\n---\n{CANARY}\n");
    context.tree(&format!(
        "//- outside/one.md\n{stolen}//- outside/dir/SKILL.md\n{stolen}//- outside/dir/extra.md\n{CANARY}\n\
         //- outside/root/stolen/SKILL.md\n{stolen}//- outside/root/stolen/extra.md\n{CANARY}\n\
         //- outside/agents/openai.yaml\ninterface:\n  display_name: {CANARY}\n\
         //- outside/plugin.json\n{{\"name\": \"{CANARY}\"}}\n\
         //- project/.agents/skills/plain/SKILL.md\n---\nname: plain\ndescription: Plain\n---\nPlain text.\n\
         //- project/.agents/skills/plain/extra.md\nPlain extra.\n\
         //- project/.claude/skills -> ../.agents/skills\n//- project/.opencode/skills -> ../.agents/skills\n\
         //- project/.omp/skills -> ../.agents/skills\n"
    ));
    context
}

/// Hosts that follow links, each by rules of its own.
pub(super) const HOSTS: [&str; 4] = ["claude-code", "codex", "opencode", "omp"];

/// Asks for everything, and for everything about these skills: nothing of what is outside is told, and the plain skill is.
fn assert_held(setting: Setting, context: &TestContext, names: &[&str]) {
    assert_held_in(&HOSTS[..1], setting, context, names);
}

pub(super) fn assert_held_in(hosts: &[&str], setting: Setting, context: &TestContext, names: &[&str]) {
    for host in hosts {
        let (name, value) = VARIABLE;
        let variables = vec![(name.to_owned(), value.to_owned())];
        let mut door = Door::at(setting, Place { variables, ..Place::new(context, host) });
        let mut said = door.look();
        assert!(said.contains("plain"), "{host}: {said}");
        for name in names {
            said += &door.about(name);
            said += &door.read(name, "extra.md");
        }
        assert!(!said.contains("CANARY"), "{host}: {said}");
        let plain = door.about("plain");
        assert!(plain.contains("Plain text."), "{host}: {plain}");
    }
}

/// A link that is not followed is listed with the reason, where what is ignored is listed.
fn assert_named(context: &TestContext, name: &str, reason: &str) {
    let list = json(context, &["list", "--all", "--json", "--host", "claude-code"]);
    let entry = list["others"].as_array().unwrap().iter().find(|entry| entry["name"] == name);
    let entry = entry.unwrap_or_else(|| panic!("{name}: {list:#}"));
    assert!(entry["reason"].as_str().unwrap().starts_with(reason), "{entry:#}");
}

fn linked_skill_md(setting: Setting) {
    let context = repository();
    context.tree(
        "//- project/.agents/skills/file/SKILL.md -> ../../../../outside/one.md\n\
         //- project/.agents/skills/whole/SKILL.md -> {root}/outside/one.md rooted\n\
         //- project/.agents/skills/hop/SKILL.md -> ../file/SKILL.md\n\
         //- project/.claude/commands/command.md -> ../../../outside/one.md\n",
    );
    assert_held(setting, &context, &["file", "whole", "hop", "command", "stolen"]);
    assert_held_in(&HOSTS[1..], setting, &context, &["file"]);
    for name in ["file", "whole", "hop"] {
        assert_named(&context, name, "S0018");
    }
}

fn linked_skill_folder(setting: Setting) {
    let context = repository();
    context.tree(
        "//- project/.agents/skills/folder -> ../../../outside/dir\n//- project/.agents/skills/hop -> folder\n\
         //- project/.agents/skills/group -> ../../../outside/root\n",
    );
    assert_held(setting, &context, &["folder", "hop", "group", "stolen", "dir"]);
    for name in ["folder", "hop"] {
        assert_named(&context, name, "S0018");
    }
}

fn linked_root(setting: Setting) {
    let context = repository();
    context
        .tree("//- project/.codex -> ../outside/root\n//- project/.goose -> ../outside\n//- outside/skills -> root\n");
    for place in [".claude/skills", ".opencode/skills", ".omp/skills"] {
        fs_err::remove_file(context.project().join(place)).unwrap();
        context.tree(&format!("//- project/{place} -> ../../outside/root\n"));
    }
    context.tree("//- home/.claude/skills/plain/SKILL.md\n---\nname: plain\ndescription: Plain\n---\nPlain text.\n");
    assert_held(setting, &context, &["stolen"]);
}

fn linked_metadata(setting: Setting) {
    let context = repository();
    context.tree(
        "//- project/.agents/skills/side/SKILL.md\n---\nname: side\ndescription: Side\n---\nSide.\n\
         //- project/.agents/skills/side/agents -> ../../../../outside/agents\n\
         //- project/.agents/skills/side/.codex-plugin/plugin.json -> ../../../../../outside/plugin.json\n",
    );
    assert_held(setting, &context, &["side"]);
}

fn linked_file_beside_the_text(setting: Setting) {
    let context = repository();
    context.tree("//- project/.agents/skills/plain/out.md -> ../../../../outside/one.md\n");
    context.tree("//- project/.agents/skills/plain/folder -> ../../../../outside/dir\n");
    assert_held(setting, &context, &[]);
    let mut door = Door::open(setting, &context, "claude-code");
    for path in ["out.md", "folder/extra.md", "folder", "../../../../outside/one.md", "/etc/passwd"] {
        let said = door.read("plain", path);
        assert!(!said.contains("CANARY") && !said.contains("root:"), "{path}: {said}");
    }
}

fn files_of_the_system(setting: Setting) {
    let context = repository();
    let links = "//- BASE/environ/SKILL.md -> /proc/self/environ\n//- BASE/cwd -> /proc/self/cwd/../outside/dir\n\
                 //- BASE/descriptor/SKILL.md -> /proc/self/fd/0\n//- BASE/status/SKILL.md -> /proc/self/status\n\
                 //- BASE/zero/SKILL.md -> /dev/zero\n//- BASE/kernel/SKILL.md -> /sys/kernel/notes\n";
    context.tree(&links.replace("BASE", "project/.agents/skills"));
    // Not even the user's own links lead there.
    context.tree(&links.replace("BASE", "home/.claude/skills"));
    assert_held(setting, &context, &["environ", "cwd", "descriptor", "status", "zero", "kernel"]);
    assert_named(&context, "environ", "S0018");
}

/// Neither a trusted project nor the user's own folder has links to what OpenOxide keeps for itself.
fn the_state_folder_of_a_trusting_user(setting: Setting) {
    let context = repository();
    context.tree(&format!(
        "//- home/.openoxide/state/secret.md\n---\nname: stolen\ndescription: {CANARY}\n---\n\
         //- home/.openoxide/config.toml\n[trust]\nfolders = [\"{}\"]\n\
         //- project/.agents/skills/state/SKILL.md -> ../../../../home/.openoxide/state/secret.md\n\
         //- project/.agents/skills/whole -> ../../../home/.openoxide\n\
         //- home/.claude/skills/own/SKILL.md -> ../../../.openoxide/state/secret.md\n",
        context.project().display()
    ));
    assert_held(setting, &context, &["state", "whole", "own", "stolen"]);
}

fn version_control_in_a_skill(setting: Setting) {
    let context = repository();
    context.tree(&format!(
        "//- project/.agents/skills/plain/.git/config\n{CANARY}\n//- project/.agents/skills/plain/deep/.git/config\n{CANARY}\n\
         //- project/.agents/skills/plain/way.md -> .git/config\n//- project/.agents/skills/plain/folder -> .git\n"
    ));
    assert_held(setting, &context, &[]);
    let mut door = Door::open(setting, &context, "claude-code");
    let listed = door.files("plain");
    assert!(listed.contains("extra.md") && !listed.contains(".git"), "{listed}");
    for path in [".git/config", "./.git/config", ".git", "deep/.git/config", "way.md", "folder/config", ".GIT/config"] {
        let said = door.read("plain", path);
        assert!(!said.contains("CANARY"), "{path}: {said}");
    }
}

/// Settings of programs that a repository brings with it name no folder outside of it, and no plugin.
fn folders_that_settings_of_the_project_name(setting: Setting) {
    let context = repository();
    let outside = context.root().join("outside/root").display().to_string();
    let plugin = context.root().join("outside/plugin").display().to_string();
    context.tree(&format!(
        "//- outside/plugin/.claude-plugin/plugin.json\n{{\"name\": \"{CANARY}\"}}\n\
         //- outside/plugin/skills/stolen/SKILL.md\n---\nname: stolen\ndescription: {CANARY}\n---\n{CANARY}\n\
         //- project/.omp/config.yml\nskills:\n  customDirectories: [\"{outside}\", \"../outside/root\"]\n\
         //- project/.omp/settings.json\n{{\"skills\": {{\"customDirectories\": [\"{outside}\"]}}}}\n\
         //- project/.omp/plugins/installed_plugins.json\n{{\"version\": 2, \"plugins\": {{\"evil@market\": \
         [{{\"scope\": \"project\", \"installPath\": \"{plugin}\"}}]}}}}\n\
         //- project/opencode.json\n{{\"skills\": {{\"paths\": [\"{outside}\", \"../outside/root\"]}}}}\n\
         //- project/.openoxide/config.toml\n[skills]\npaths = [\"{outside}\", \"../outside/root\"]\n\
         //- project/.codex/config.toml\n[[skills.config]]\npath = \"{outside}/stolen/SKILL.md\"\nenabled = true\n\
         //- project/.claude/settings.json\n{{\"permissions\": {{\"additionalDirectories\": [\"{outside}\"]}}}}\n\
         //- project/crush.json\n{{\"options\": {{\"skills_paths\": [\"{outside}\"]}}}}\n\
         //- project/.pi/settings.json\n{{\"skills\": [\"{outside}\"]}}\n\
         //- project/config.toml\n[app.skills]\nenabled = true\ndirectories = [\"{outside}\", \"../outside/root\"]\n"
    ));
    assert_held_in(&["omp", "opencode"], setting, &context, &["stolen"]);
    if setting.face != Face::Cli {
        return;
    }
    let asked = |args: &[&str]| context.answer(&mut setting.command(&context, args));
    for host in super::hosts(&context) {
        let output = asked(&["list", "--all", "--json", "--host", &host]);
        assert!(!output.to_string().contains(CANARY), "{host}: {output}");
    }
    for host in ["omp", "opencode", "crush"] {
        let problems = asked(&["list", "--json", "--host", host]).stdout;
        assert!(
            problems.contains("S0018") && problems.contains("name this folder outside of it"),
            "{host}: {problems}"
        );
    }
    // The user names what they like, and trusts whom they like.
    asked(&["trust"]);
    assert!(asked(&["list", "--host", "opencode"]).stdout.contains("stolen"));
}

/// What `link` makes, and what people keep in their own folders, goes on to work.
#[test]
fn links_that_stay_or_belong_to_the_user_are_followed() {
    let context = TestContext::new();
    let text = |name: &str| format!("---\nname: {name}\ndescription: About {name}\n---\nBody of {name}.\n");
    context.tree(&format!(
        "//- project/.git/HEAD\nref\n//- project/shared/inside/SKILL.md\n{}//- home/.agents/skills/mine/SKILL.md\n{}\
         //- home/dotfiles/stowed/SKILL.md\n{}//- home/dotfiles/one.md\n{}\
         //- project/.claude/skills/inside -> ../../shared/inside\n\
         //- project/.claude/skills/mine -> ../../../home/.agents/skills/mine\n\
         //- project/.claude/skills/stowed -> ../../../home/dotfiles/stowed\n\
         //- home/.claude/skills/stowed -> ../../dotfiles/stowed\n\
         //- home/.claude/skills/one/SKILL.md -> ../../../dotfiles/one.md\n",
        text("inside"),
        text("mine"),
        text("stowed"),
        text("one"),
    ));
    for name in ["inside", "mine", "stowed", "one"] {
        let output = run(&context, &["activate", name, "--host", "claude-code"]);
        assert!(output.stdout.contains(&format!("Body of {name}.")), "{name}: {output}");
    }
    let list = |context: &TestContext| run(context, &["list", "--all", "--host", "claude-code"]).stdout;
    assert!(list(&context).contains("S0018"), "{}", list(&context));
    let trusted =
        format!("//- home/.openoxide/config.toml\n[trust]\nfolders = [\"{}\"]\n", context.project().display());
    context.tree(&trusted);
    assert!(!list(&context).contains("S0018"), "a trusted project's links lead to what the user owns");
}
