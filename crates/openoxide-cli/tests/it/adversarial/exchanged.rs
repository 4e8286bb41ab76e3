//! What is exchanged while the program looks or serves: for a link, or by a mount, nothing from outside is told.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use openoxide_testkit::TestContext;

use super::door::{Door, Place};
use super::face::{Face, Setting, attack};
use crate::support::skipped;

const CANARY: &str = "CANARY-OUTSIDE";
const ROUNDS: usize = 25;
/// More rounds, where nothing plain was read in the first ones.
const LATER_ROUNDS: usize = 1_000;

attack! { raced_links for everyone { cli, http, mcp, mcp_http, rpc } }
attack! { root_exchanged_for_a_link for everyone { cli, http, mcp, mcp_http, rpc } }
attack! { project_exchanged_for_a_link {
    cli = "every command resolves the project anew, as it was typed",
    http, mcp, mcp_http, rpc
} }
attack! { skill_under_a_bind_mount {
    cli = "every command searches anew, and holds nothing from before the mount",
    http, mcp, mcp_http, rpc
} }
attack! { root_under_a_bind_mount {
    cli = "every command searches anew, and holds nothing from before the mount",
    http, mcp, mcp_http, rpc
} }
attack! { root_under_a_tmpfs {
    cli = "every command searches anew, and holds nothing from before the mount",
    http, mcp, mcp_http, rpc
} }

/// A repository with a plain skill, and the same outside with other words.
fn repository() -> TestContext {
    let context = TestContext::new();
    let stolen = format!("---\nname: plain\ndescription: {CANARY}\n---\n{CANARY}\n");
    context.tree(&format!(
        "//- project/.claude/skills/plain/SKILL.md\n---\nname: plain\ndescription: Plain\n---\nPlain text.\n\
         //- project/.claude/skills/plain/extra.md\nExtra.\n\
         //- outside/one.md\n{stolen}//- outside/dir/SKILL.md\n{stolen}//- outside/dir/extra.md\n{CANARY}\n\
         //- outside/race/plain/SKILL.md\n{stolen}//- outside/race/plain/extra.md\n{CANARY}\n"
    ));
    context
}

fn everything(door: &mut Door<'_>) -> String {
    door.look() + &door.about("plain") + &door.read("plain", "extra.md")
}

/// Exchanges a file, a skill's folder and a root for links, again and again, while another thread looks.
fn raced_links(setting: Setting) {
    let context = repository();
    let (root, stop, calm) = (context.root().to_owned(), AtomicBool::new(false), AtomicBool::new(false));
    let mut door = Door::open(setting, &context, "claude-code");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let swap = |place: &Path, aside: &Path, to: &Path| {
                drop(fs_err::rename(place, aside));
                drop(std::os::unix::fs::symlink(to, place));
                drop(fs_err::remove_file(place));
                drop(fs_err::rename(aside, place));
            };
            let skills = root.join("project/.claude/skills");
            // Sometimes without a break, and sometimes with one that is long enough to read what is plain.
            for pause in (0..).map(|turn| [0, 0, 1, 5, 25, 100][turn % 6]) {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                swap(&skills.join("plain/SKILL.md"), &root.join("project/a"), &root.join("outside/one.md"));
                swap(&skills.join("plain"), &root.join("project/b"), &root.join("outside/dir"));
                swap(&skills, &root.join("project/c"), &root.join("outside/race"));
                // A server looks again a second after it last looked, and later where the machine is busy: with shorter
                // pauses it may see a link each time.
                let pause = if calm.load(Ordering::Relaxed) { 5_000 } else { pause };
                std::thread::sleep(Duration::from_millis(pause));
            }
        });
        let (mut plain, mut last) = (0, String::new());
        // A server that saw a link in place of the folder looks again within a second; until then nothing is there.
        for round in 0..ROUNDS + LATER_ROUNDS {
            if round >= ROUNDS {
                if plain > 0 {
                    break;
                }
                calm.store(true, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(20));
            }
            let said = match (door.face(), round % 3) {
                // A command takes long enough for many exchanges.
                (Face::Cli, 0) => door.activate("plain"),
                (Face::Cli, 1) => door.read("plain", "extra.md"),
                (Face::Cli, _) => door.files("plain"),
                _ => door.about("plain") + &door.read("plain", "extra.md"),
            };
            if said.contains(CANARY) {
                stop.store(true, Ordering::Relaxed);
                panic!("round {round}: {said}");
            }
            plain += usize::from(["Plain", "Extra."].iter().any(|word| said.contains(word)));
            last = said;
        }
        stop.store(true, Ordering::Relaxed);
        assert!(plain > 0, "nothing was ever read, so this shows nothing: {last}");
    });
}

fn root_exchanged_for_a_link(setting: Setting) {
    let context = repository();
    let mut door = Door::open(setting, &context, "claude-code");
    assert!(everything(&mut door).contains("Plain text."));
    let skills = context.project().join(".claude/skills");
    fs_err::rename(&skills, context.project().join("aside")).unwrap();
    std::os::unix::fs::symlink(context.root().join("outside/race"), &skills).unwrap();
    for _ in 0..3 {
        let said = everything(&mut door);
        assert!(!said.contains(CANARY), "{said}");
    }
}

/// The owner of the folder above the project puts a link to a private folder in its place: what is there stays there.
fn project_exchanged_for_a_link(setting: Setting) {
    let context = repository();
    context.tree(&format!(
        "//- home/.claude/skills/look/SKILL.md\n---\nname: look\ndescription: Looks\n---\nLook at @notes.txt\n\
         //- project/notes.txt\nmine\n//- outside/notes.txt\n{CANARY}\n\
         //- outside/.claude/skills/private/SKILL.md\n---\nname: private\ndescription: Private\n---\n{CANARY}\n"
    ));
    let mut door = Door::open(setting, &context, "claude-code");
    let said = door.activate("look");
    assert!(said.contains("mine"), "{said}");
    fs_err::rename(context.project(), context.root().join("aside")).unwrap();
    std::os::unix::fs::symlink(context.root().join("outside"), context.project()).unwrap();
    for _ in 0..3 {
        let said = door.activate("look") + &door.activate("private");
        assert!(!said.contains(CANARY), "{said}");
        door.search_again();
    }
}

/// Serves in a namespace where mounting harms nobody, mounts there, and looks again.
fn mounted(setting: Setting, mount: &str) {
    let context = repository();
    if context.answer(&mut context.command("unshare".as_ref(), ["-rm", "true"])).status != Some(0) {
        return skipped("this machine gives no mount namespace");
    }
    let mut door = Door::at(setting, Place { own_mounts: true, ..Place::new(&context, "claude-code") });
    assert!(everything(&mut door).contains("Plain text."), "it was served before");
    let process = door.process().unwrap().to_string();
    let mut command = Command::new("nsenter");
    command.args(["-t", &process, "-U", "-m", "--preserve-credentials", "sh", "-ec"]);
    command.arg(format!("cd {}; {mount}", context.root().display()));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    for _ in 0..3 {
        let said = everything(&mut door);
        assert!(!said.contains(CANARY), "{said}");
        door.search_again();
    }
}

fn skill_under_a_bind_mount(setting: Setting) {
    mounted(setting, "mount --bind outside/dir project/.claude/skills/plain");
}

fn root_under_a_bind_mount(setting: Setting) {
    mounted(setting, "mount --bind outside/race project/.claude/skills");
}

fn root_under_a_tmpfs(setting: Setting) {
    mounted(setting, "mount -t tmpfs tmpfs project/.claude/skills; cp -r outside/race/plain project/.claude/skills");
}
