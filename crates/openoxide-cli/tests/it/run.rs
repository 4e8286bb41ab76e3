//! `run`: a script of a skill runs only when it may, in the sandbox, from exactly the bytes that were agreed to.

use std::process::Stdio;

use openoxide_testkit::{Output, TestContext};

use crate::support::{bin, isolates, run, skipped, valid_json};

/// A skill with scripts of several kinds.
fn furnished() -> TestContext {
    let context = TestContext::new();
    context.tree(
        "
//- project/.agents/skills/tools/SKILL.md
---
name: tools
description: Has scripts
allowed-tools: Bash(scripts/say.sh:*), Read
---
See @scripts.
//- project/.agents/skills/tools/scripts/say.sh
printf '%s\\n' \"$@\"
echo talk >&2
//- project/.agents/skills/tools/scripts/fail.sh mode=755
#!/bin/sh
echo before
exit 3
//- project/.agents/skills/tools/scripts/read.sh
cat
//- project/.agents/skills/tools/scripts/where.sh
pwd; cat \"$OPENOXIDE_SKILL_DIR/SKILL.md\" | head -n 2; echo x > \"$OPENOXIDE_SKILL_DIR/new\" || echo sealed
//- project/.agents/skills/tools/scripts/loop.sh
while :; do echo 0123456789012345678901234567890123456789; done
//- project/.agents/skills/tools/scripts/sleep.sh
sleep 30
//- project/.agents/skills/tools/scripts/odd
#!/opt/none/such
//- project/.agents/skills/tools/scripts/notes.txt
no script
//- project/.agents/skills/tools/scripts/link.sh -> say.sh
//- project/.agents/skills/tools/out -> ../../../secret
//- project/secret/script.sh
echo LEAKED
//- project/.agents/skills/hidden/SKILL.md
---
name: hidden
description: Only for people
disable-model-invocation: true
---
//- project/.agents/skills/hidden/a.sh
echo LEAKED
",
    );
    // A link that leads out makes a skill powerless as a whole.
    fs_err::remove_file(context.project().join(".agents/skills/tools/out")).unwrap();
    context
}

fn allowed(context: &TestContext, args: &[&str]) -> Output {
    let mut all = vec!["run", "--yes", "-q"];
    all.extend(args);
    run(context, &all)
}

#[test]
fn without_a_yes_nothing_runs_and_the_remedy_is_said() {
    let context = furnished();
    let said = run(&context, &["run", "tools", "scripts/say.sh", "hello"]).stderr;
    assert!(said.contains("\n  openoxide run tools scripts/say.sh --yes -- hello\n"), "{said}");
    for args in [&["run", "tools", "scripts/say.sh"][..], &["run", "tools", "scripts/say.sh", "--no-input"]] {
        insta::allow_duplicates! { insta::assert_snapshot!(run(&context, args), @"
        status: 1
        ----- stdout -----
        ----- stderr -----
        warning: `tools` was not allowed to run a script, because nobody was asked
        hint: to be asked, run it in a terminal; to allow it this time:
          openoxide run tools scripts/say.sh --yes
        error: `tools/scripts/say.sh` was not allowed to run
        ") };
    }
    let answer = valid_json(&context, &["run", "tools", "scripts/say.sh", "--json"]);
    assert_eq!((answer["refused"]["why"].as_str(), &answer["ran"]), (Some("rejected"), &serde_json::Value::Null));
}

#[test]
fn arguments_arrive_whole_and_output_goes_where_it_belongs() {
    let context = furnished();
    if !isolates(&context) {
        return skipped("this machine cannot isolate a command");
    }
    let output = run(&context, &["run", "--yes", "tools", "scripts/say.sh", "a b", "$(id)", "--", "--yes", "'"]);
    assert_eq!((output.status, output.stdout.as_str()), (Some(0), "a b\n$(id)\n--yes\n'\n"), "{output}");
    assert!(
        output.stderr.contains("tools wants to run a script:\n\n    scripts/say.sh\n"),
        "shown although --yes: {output}"
    );
    assert!(output.stderr.contains("120 s") && output.stderr.ends_with("talk\n"), "{output}");
    let answer = valid_json(&context, &["run", "--yes", "tools", "scripts/say.sh", "x", "--json"]);
    let ran = &answer["ran"];
    assert_eq!((ran["stdout"].as_str(), ran["stderr"].as_str()), (Some("x\n"), Some("talk\n")));
    assert_eq!(
        (ran["status"].as_i64(), ran["ended"].as_str(), ran["truncated"].as_bool()),
        (Some(0), Some("exit"), Some(false))
    );
    assert!(ran["digest"].as_str().unwrap().starts_with("sha256:") || !ran["digest"].as_str().unwrap().is_empty());
    assert!(["bubblewrap", "landlock"].contains(&ran["isolation"].as_str().unwrap()));
}

#[test]
fn how_it_ended_is_reported() {
    let context = furnished();
    if !isolates(&context) {
        return skipped("this machine cannot isolate a command");
    }
    let output = allowed(&context, &["tools", "scripts/fail.sh"]);
    assert_eq!((output.status, output.stdout.as_str()), (Some(1), "before\n"));
    assert!(output.stderr.ends_with("error: `tools/scripts/fail.sh` exited with status 3\n"), "{output}");
    let answer = valid_json(&context, &["run", "--yes", "tools", "scripts/fail.sh", "--json"]);
    assert_eq!(answer["ran"]["status"], 3);
    let limits = ["--config", "sandbox.time=1", "--config", "sandbox.output=1000"];
    for (script, ended) in [("scripts/sleep.sh", "took too long"), ("scripts/loop.sh", "wrote too much")] {
        let output = allowed(&context, &[&["tools", script][..], &limits].concat());
        assert_eq!(output.status, Some(1), "{output}");
        assert!(output.stderr.contains(ended) && output.stdout.len() <= 1000, "{output}");
    }
}

#[test]
fn standard_input_is_passed_only_when_asked() {
    let context = furnished();
    if !isolates(&context) {
        return skipped("this machine cannot isolate a command");
    }
    context.tree("//- input\nfrom outside\n");
    let with = |args: &[&str]| {
        let file = fs_err::File::open(context.root().join("input")).unwrap().into_parts().0;
        context.answer(context.command(bin(), args).stdin(Stdio::from(file)))
    };
    assert_eq!(with(&["run", "-y", "tools", "scripts/read.sh"]).stdout, "");
    assert_eq!(with(&["run", "-y", "--stdin", "tools", "scripts/read.sh"]).stdout, "from outside\n");
}

#[test]
fn what_runs_is_a_copy_that_stays_as_it_is() {
    let context = furnished();
    if !isolates(&context) {
        return skipped("this machine cannot isolate a command");
    }
    let output = allowed(&context, &["tools", "scripts/where.sh"]);
    assert_eq!(output.stdout, "[ROOT]/project\n---\nname: tools\nsealed\n", "{output}");
    assert!(!context.project().join(".agents/skills/tools/new").exists());
}

#[test]
fn only_files_of_the_skill_run() {
    let context = furnished();
    let refused = [
        ("../hidden/a.sh", "climbs out of the skill's folder"),
        ("/bin/ls", "is absolute"),
        ("scripts/none.sh", "has no file `scripts/none.sh`\nhint: its scripts: scripts/fail.sh"),
        ("scripts", "has no file `scripts`"),
        ("scripts/link.sh", "is a link, and links are not run"),
    ];
    for (script, why) in refused {
        let output = run(&context, &["run", "--yes", "tools", script]);
        assert_eq!(output.status, Some(1), "{output}");
        assert!(output.stderr.contains(why), "{output}");
    }
    for (script, why) in [("scripts/odd", "`/opt/none/such`"), ("scripts/notes.txt", "no known end")] {
        let output = run(&context, &["run", "--yes", "tools", script]);
        assert_eq!((output.status, output.stdout.as_str()), (Some(2), ""), "{output}");
        assert!(output.stderr.contains(why), "{output}");
    }
    fs_err::os::unix::fs::symlink("/etc", context.project().join(".agents/skills/tools/etc")).unwrap();
    let output = run(&context, &["run", "--yes", "tools", "etc/init.d/x"]);
    assert_eq!((output.status, output.stdout.as_str()), (Some(1), ""), "{output}");
}

#[test]
fn what_somebody_may_not_call_they_may_not_run() {
    let context = furnished();
    let output = run(&context, &["run", "--yes", "--as", "model", "hidden", "a.sh"]);
    assert_eq!(output.status, Some(1), "{output}");
    assert!(!output.to_string().contains("LEAKED"), "{output}");
    let rules = "[permission]\nskill = { tools = \"deny\" }\n[agents.free.permission]\nskill = \"allow\"\nscript = { \"tools/scripts/f*\" = \"deny\", \"tools/scripts/s*\" = \"allow\" }\n";
    context.tree(&format!("//- home/.openoxide/config.toml\n{rules}"));
    let output = run(&context, &["run", "--yes", "tools", "scripts/say.sh"]);
    assert_eq!(output.status, Some(1), "{output}");
    let free = |script| run(&context, &["run", "--agent", "free", "--no-input", "tools", script, "x"]);
    let output = free("scripts/fail.sh");
    assert_eq!(output.status, Some(1));
    assert!(output.stderr.contains("a permission rule denies running `tools/scripts/fail.sh`"), "{output}");
    if !isolates(&context) {
        return skipped("this machine cannot isolate a command");
    }
    assert_eq!(free("scripts/say.sh").stdout, "x\n", "a rule allows it, so nobody is asked");
}

#[test]
fn trust_is_for_these_bytes_and_these_scripts() {
    let context = furnished();
    if !isolates(&context) {
        return skipped("this machine cannot isolate a command");
    }
    assert_eq!(run(&context, &["trust", "--skill", "tools", "--permission", "script", "--yes"]).status, Some(0));
    let say = || run(&context, &["run", "--no-input", "tools", "scripts/say.sh", "x"]);
    assert_eq!(say().stdout, "x\n");
    context.tree("//- project/.agents/skills/tools/scripts/say.sh\necho CHANGED\n");
    let output = say();
    assert_eq!((output.status, output.stdout.as_str()), (Some(1), ""), "{output}");
}

#[test]
fn a_limit_lets_run_only_what_the_skill_lists() {
    let context = furnished();
    let limit = ["--config", "skills.allowed_tools=\"limit\""];
    let output = allowed(&context, &[&["tools", "scripts/fail.sh"][..], &limit].concat());
    assert_eq!((output.status, output.stdout.as_str()), (Some(1), ""), "{output}");
    assert!(output.stderr.contains("the skill's `allowed-tools` does not list it"), "{output}");
    let answer = valid_json(&context, &[&["activate", "tools", "--json"][..], &limit].concat());
    assert_eq!(answer["activated"][0]["limited_to"], serde_json::json!(["Bash(scripts/say.sh:*)", "Read"]));
    let answer = valid_json(&context, &["activate", "tools", "--json"]);
    assert_eq!(answer["activated"][0]["limited_to"], serde_json::Value::Null);
    if !isolates(&context) {
        return skipped("this machine cannot isolate a command");
    }
    assert_eq!(allowed(&context, &[&["tools", "scripts/say.sh", "x"][..], &limit].concat()).stdout, "x\n");
}
