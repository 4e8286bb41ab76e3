//! A skill's text of several GiB: it costs no more memory than a short one, and the answer says what was left out.

use std::path::Path;
use std::process::Command;

use openoxide_testkit::{Output, TestContext};

use super::door::{Door, Place};
use super::face::{Setting, attack};
use crate::support::{bin, skipped};

attack! { a_text_larger_than_memory for everyone { cli, http, mcp, mcp_http, rpc } }

const GIB: u64 = 1 << 30;
/// Address space for a run. Threads reserve some, but the file would not fit.
const MEMORY: u64 = 3 * GIB;

/// Runs the binary with so little memory that the file does not fit; nothing if that cannot be done here.
fn run_small(context: &TestContext, args: &[&str]) -> Option<Output> {
    let limited = || {
        let mut command = Command::new("prlimit");
        command.arg(format!("--as={MEMORY}"));
        command
    };
    if !limited().arg("true").status().is_ok_and(|status| status.success()) {
        skipped("there is no prlimit here");
        return None;
    }
    let prepared = context.command(bin(), args);
    let mut command = limited();
    command.arg(prepared.get_program()).args(prepared.get_args()).env_clear().current_dir(context.project());
    command.envs(prepared.get_envs().filter_map(|(name, value)| Some((name, value?)))).env("COLUMNS", "80");
    Some(context.answer(&mut command))
}

fn make_huge(file: &Path) {
    fs_err::OpenOptions::new().write(true).open(file).unwrap().set_len(4 * GIB).unwrap();
}

/// With less memory than the text has bytes, everything that asks for it is answered.
fn a_text_larger_than_memory(setting: Setting) {
    if !Path::new("/usr/bin/prlimit").exists() {
        return skipped("there is no prlimit here");
    }
    let context = TestContext::new();
    context.skill("huge", "Is huge").skill("plain", "Is not");
    context.tree("//- project/.agents/skills/plain/references/more.bin\n");
    make_huge(&context.project().join(".agents/skills/huge/SKILL.md"));
    make_huge(&context.project().join(".agents/skills/plain/references/more.bin"));
    let mut door = Door::at(setting, Place { memory: Some(MEMORY), ..Place::new(&context, "openoxide") });
    let said = door.look() + &door.about("huge") + &door.read("plain", "references/more.bin");
    assert!(said.len() < 8 << 20 && !said.contains("memory"), "{} bytes", said.len());
    assert!(said.contains("Is huge"), "{said}");
    let plain = door.about("plain");
    assert!(plain.contains("# plain"), "it serves on: {plain}");
}

#[test]
fn a_huge_text_without_frontmatter_is_checked_by_its_beginning() {
    let context = TestContext::new();
    context.tree("//- project/.agents/skills/huge/SKILL.md\nNothing but text.\n");
    make_huge(&context.project().join(".agents/skills/huge/SKILL.md"));
    for args in [&["check", "--host", "openoxide"][..], &["check", "--host", "openoxide", "--fix"]] {
        let Some(output) = run_small(&context, args) else { return };
        assert_eq!(output.status, Some(1), "{output}");
        assert!(output.stdout.contains("1 | Nothing but text."), "the line is shown: {output}");
        assert!(output.stdout.contains("[S0019]: the file is larger than 1 MiB, and only that much"), "{output}");
    }
}

/// What only the command line does.
#[test]
fn a_huge_text_is_neither_explained_nor_copied_whole() {
    let context = TestContext::new();
    context.skill("huge", "Is huge");
    make_huge(&context.project().join(".agents/skills/huge/SKILL.md"));
    let cases = [
        (&["explain", "huge"][..], "huge"),
        (&["link", "huge", "--into", "claude-code", "--copy"], "a copy holds at most 10000 files and 256 MiB"),
    ];
    for (args, says) in cases {
        let Some(output) = run_small(&context, args) else { return };
        assert!(output.status.is_some(), "{args:?} ends by a signal: {output}");
        assert!(output.to_string().contains(says), "{args:?}: {output}");
        assert!(output.stdout.len() < 4 << 20, "{args:?} prints {} bytes", output.stdout.len());
        assert!(!output.stderr.contains("memory"), "{args:?}: {output}");
    }
}

/// What could be fixed stands at the beginning, and is left alone: the rest of the file would have to be written again.
#[test]
fn a_huge_text_is_not_fixed() {
    let context = TestContext::new();
    context.tree(
        "//- project/.agents/skills/huge/SKILL.md\n---\nname: huge\ndescription: Use this: for all\n---\nText.\n",
    );
    let file = context.project().join(".agents/skills/huge/SKILL.md");
    make_huge(&file);
    let Some(output) = run_small(&context, &["check", "--fix"]) else { return };
    assert!(output.to_string().contains("is not changed: it is larger than 1 MiB"), "{output}");
    assert_eq!(fs_err::metadata(&file).unwrap().len(), 4 * GIB);
}
