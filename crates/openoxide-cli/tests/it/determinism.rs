//! The same tree gives the same bytes, however and whenever it was written.

use openoxide_testkit::TestContext;

use crate::support::{HOSTS, LOOKS, bin, run};

/// Entries of a tree, each with its header.
fn entries() -> Vec<String> {
    let mut entries = Vec::new();
    for number in 0..40 {
        let name = format!("s{:02}", number * 7 % 40);
        let folder = if number % 3 == 0 { format!("group/{name}") } else { name.clone() };
        for root in ["project/.agents/skills", "project/.claude/skills", "home/.agents/skills"] {
            entries.push(format!(
                "//- {root}/{folder}/SKILL.md\n---\nname: {name}\ndescription: Number {number} of {root}\n---\n"
            ));
        }
    }
    for text in [
        "//- project/.agents/skills/broken/SKILL.md\n---\nname: [\n---\n",
        "//- project/.agents/skills/Zed/SKILL.md\n---\nname: Zed\ndescription: Upper case\n---\n",
        "//- project/.agents/skills/\u{e9}t\u{e9}/SKILL.md\n---\nname: ete\ndescription: An accent\n---\n",
        "//- project/.agents/skills/.hidden/SKILL.md\n---\nname: hidden\ndescription: Hidden\n---\n",
        "//- project/.agents/skills/to-group -> group\n",
        "//- project/.agents/skills/another -> group\n",
        "//- project/.agents/skills/loop -> .\n",
        "//- project/.agents/skills/gone -> nowhere\n",
        "//- project/.claude/commands/b/run.md\nRun b.\n",
        "//- project/.claude/commands/a/run.md\nRun a.\n",
    ] {
        entries.push(text.to_owned());
    }
    entries
}

fn lay(entries: &[String]) -> TestContext {
    let context = TestContext::new();
    for entry in entries {
        context.tree(entry);
    }
    context
}

fn answers(context: &TestContext) -> Vec<String> {
    let mut answers = Vec::new();
    for host in HOSTS {
        for look in LOOKS {
            for form in [&[][..], &["--json"]] {
                answers.push(run(context, &[look, form, &["--host", host]].concat()).to_string());
            }
        }
    }
    answers
}

#[test]
fn twice() {
    let context = lay(&entries());
    assert_eq!(answers(&context), answers(&context));
}

#[test]
fn written_in_another_order() {
    let forward = entries();
    let mut backward = forward.clone();
    backward.reverse();
    let (forward, backward) = (answers(&lay(&forward)), answers(&lay(&backward)));
    for (left, right) in forward.iter().zip(&backward) {
        assert_eq!(left, right);
    }
}

/// Limits cut at the same place, whatever the file system lists first.
#[test]
fn limits_in_another_order() {
    let names: Vec<String> = (0..60).map(|number| format!("n{:02}", number * 37 % 60)).collect();
    let lay = |names: &[String]| {
        let context = TestContext::new();
        for name in names {
            context.skill(name, "One of many");
        }
        context
    };
    let mut reversed = names.clone();
    reversed.reverse();
    let (left, right) = (lay(&names), lay(&reversed));
    for setting in ["limits.folders=20", "limits.entries=20"] {
        let args = ["list", "--json", "--config", setting];
        assert_eq!(run(&left, &args), run(&right, &args), "{setting}");
        assert!(run(&left, &args).stdout.contains("\"limit\": 20"), "{setting} is reached");
    }
}

/// One thread or many.
#[test]
fn on_one_thread() {
    let context = lay(&entries());
    let many = run(&context, &["list", "--all", "--json"]);
    let mut command = context.command(bin(), ["list", "--all", "--json"]);
    let one = context.answer(command.env("RAYON_NUM_THREADS", "1").env("COLUMNS", "80"));
    assert_eq!(many, one);
}
