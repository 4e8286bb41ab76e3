//! Files of a skill that rules keep from a model: by every name of the skill, behind links, and in skills inside it.

use openoxide_testkit::TestContext;

use super::door::{Door, Place};
use super::face::{Setting, attack};
use super::{everywhere, file, skill};

attack! { files_that_rules_keep for everyone { cli, http, mcp, mcp_http, rpc } }
attack! { skills_inside_a_visible_one for everyone {
    cli = "who starts us is the user, whose files these are",
    http,
    mcp = "who starts us is the user, whose files these are",
    mcp_http,
    rpc = "who starts us is the user, whose files these are"
} }

attack! { single_files_beside_a_visible_skill for everyone {
    cli = "who starts us is the user, whose files these are",
    http,
    mcp = "who starts us is the user, whose files these are",
    mcp_http,
    rpc = "who starts us is the user, whose files these are"
} }

const HOSTS: [&str; 5] = ["openoxide", "claude-code", "opencode", "codex", "pepper"];

/// A rule on a file holds for the name of the folder and the name in the text, and for links that lead to the file.
fn files_that_rules_keep(setting: Setting) {
    for rule in ["declared/in/secret.md", "folder/in/*"] {
        let context = TestContext::new();
        context.tree(
            "//- project/.agents/skills/folder/SKILL.md\n---\nname: declared\ndescription: X\n---\nText.\n\
             //- project/.agents/skills/folder/in/secret.md\nLEAKED\n\
             //- project/.agents/skills/folder/plain.md\nPlain text.\n\
             //- project/.agents/skills/folder/link.md -> in/secret.md\n\
             //- project/.agents/skills/folder/linked -> in\n",
        );
        everywhere(&context);
        context.tree(&format!("//- home/.openoxide/config.toml\n[permission.read]\n\"{rule}\" = \"deny\"\n"));
        for host in HOSTS {
            let mut door = Door::at(setting, Place::new(&context, host));
            let mut read = |path: &str| {
                let by_text = door.read_as_model("declared", path);
                by_text + &door.read_as_model("folder", path)
            };
            let plain = read("plain.md");
            // Some hosts have no skill whose name is not that of its folder, and MCP serves none.
            assert!(plain.contains("Plain text.") || host != "openoxide", "{host}: {plain}");
            for path in ["in/secret.md", "link.md", "linked/secret.md", "./in/../link.md"] {
                let said = read(path);
                assert!(!said.contains("LEAKED"), "{host} {rule} {path}: {said}");
            }
        }
    }
}

/// A skill that a program may not see is no file of a skill that it may see either.
fn skills_inside_a_visible_one(setting: Setting) {
    let context = TestContext::new();
    skill(&context, "outer", "", "Outer text.");
    file(&context, "outer", "notes.md", "Outer notes.\n");
    file(&context, "outer", "templates/SKILL.md", "---\nname: template\ndescription: X\n---\nOuter template.\n");
    for (name, more) in
        [("hidden-rule", ""), ("hidden-switch", ""), ("hidden-itself", "disable-model-invocation: true\n")]
    {
        let text = format!("---\nname: {name}\ndescription: X\n{more}---\nLEAKED\n");
        file(&context, "outer", &format!("{name}/SKILL.md"), &text);
        file(&context, "outer", &format!("{name}/deep/notes.md"), "LEAKED\n");
    }
    file(&context, "outer", "other-folder/SKILL.md", "---\nname: hidden-rule\ndescription: X\n---\nLEAKED\n");
    // One host calls it `tools:dep`; another path leads to the file that is switched off.
    file(&context, "outer", "pack/.claude-plugin/plugin.json", "{\"name\": \"tools\"}");
    for folder in ["pack/dep", "by-path"] {
        file(&context, "outer", &format!("{folder}/SKILL.md"), "---\nname: dep\ndescription: X\n---\nLEAKED\n");
        file(&context, "outer", &format!("{folder}/deep/notes.md"), "LEAKED\n");
    }
    everywhere(&context);
    let path = context.project().join(".claude/skills/outer/by-path/SKILL.md");
    context.tree(&format!(
        "//- home/.openoxide/config.toml\n[permission.skill]\nhidden-rule = \"deny\"\n\"tools:dep\" = \"deny\"\n\
         [[skills.config]]\nname = \"hidden-switch\"\nenabled = false\n\
         [[skills.config]]\npath = \"{}\"\nenabled = false\n",
        path.display()
    ));
    for host in HOSTS {
        let mut door = Door::at(setting, Place::new(&context, host));
        for (path, text) in [("notes.md", "Outer notes."), ("templates/SKILL.md", "Outer template.")] {
            let said = door.read_as_model("outer", path);
            assert!(said.contains(text), "{host} {path}: {said}");
        }
        let listed = door.look() + &door.about("outer") + &door.files("outer");
        assert!(listed.contains("outer") && !listed.contains("hidden-"), "{host}: {listed}");
        for folder in ["other-folder", "pack/dep", "by-path"] {
            assert!(!listed.contains(folder), "{host}: {listed}");
        }
        for folder in ["hidden-rule", "hidden-switch", "hidden-itself", "other-folder", "pack/dep", "by-path"] {
            for path in ["SKILL.md", "deep/notes.md"] {
                let said = door.read_as_model("outer", &format!("{folder}/{path}"));
                assert!(!said.contains("LEAKED"), "{host} {folder}/{path}: {said}");
            }
        }
    }
}

/// Some hosts take single files for skills. One that is hidden is no file of a skill whose folder is the one that it lies in.
fn single_files_beside_a_visible_skill(setting: Setting) {
    let context = TestContext::new();
    let text = |name: &str, more: &str, body: &str| format!("---\nname: {name}\ndescription: X\n{more}---\n{body}\n");
    file(&context, "", "SKILL.md", &text("outer", "", "Outer text."));
    file(&context, "", "open.md", &text("open", "", "Open text."));
    file(&context, "", "notes.md", "Outer notes.\n");
    file(&context, "", "hidden-itself.md", &text("hidden-itself", "disable-model-invocation: true\n", "LEAKED"));
    let elsewhere = "apps/web/.claude/commands/hidden-elsewhere.md";
    file(&context, "", elsewhere, &text("hidden-elsewhere", "disable-model-invocation: true\n", "LEAKED"));
    file(&context, "", "hidden-rule.md", &text("hidden-rule", "", "LEAKED"));
    file(&context, "", "hidden-switch.md", &text("hidden-switch", "", "LEAKED"));
    // Nobody takes this for a skill: it shows what one looks like.
    file(&context, "", "docs/example.md", &text("example", "disable-model-invocation: true\n", "Example text."));
    everywhere(&context);
    context.tree(
        "//- project/.agents/skills/link.md -> hidden-itself.md\n\
         //- home/.openoxide/config.toml\n[permission.skill]\nhidden-rule = \"deny\"\n\
         [[skills.config]]\nname = \"hidden-switch\"\nenabled = false\n",
    );
    let mut found = 0;
    for host in ["openoxide", "codex", "opencode", "pi", "crush"] {
        let mut door = Door::at(setting, Place::new(&context, host));
        let listed = door.look() + &door.about("outer") + &door.files("outer");
        assert!(!listed.contains("hidden-"), "{host}: {listed}");
        for path in
            [elsewhere, "hidden-itself.md", "hidden-rule.md", "hidden-switch.md", "link.md", "./docs/../hidden-rule.md"]
        {
            let said = door.read_as_model("outer", path);
            assert!(!said.contains("LEAKED"), "{host} {path}: {said}");
        }
        // Not every host has a skill in the root itself.
        if door.read_as_model("outer", "SKILL.md").contains("Outer text.") {
            found += 1;
            for (path, text) in
                [("notes.md", "Outer notes."), ("open.md", "Open text."), ("docs/example.md", "Example text.")]
            {
                let said = door.read_as_model("outer", path);
                assert!(said.contains(text), "{host} {path}: {said}");
            }
        }
    }
    assert!(found > 0, "no host has the outer skill");
}
