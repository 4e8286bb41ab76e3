//! Servers of tools that skills need.

use std::time::SystemTime;

use openoxide_config::{Timestamp, Trust};
use openoxide_permissions::Action;
use openoxide_runtime::{Answer, Question, Session};

use crate::scene::{Scene, Script, call, told};

const DOCS: &str = "  - {type: mcp, value: docs, description: Manuals, url: \"https://docs.example/mcp\"}";
const TOOL: &str = "  - {type: MCP, value: files, transport: stdio, command: files-server}";

fn names(asked: &[Question]) -> Vec<String> {
    let name = |question: &Question| match question {
        Question::Server { name, target, skills, .. } => format!("{name} {target} {}", skills.join(",")),
        other => format!("{other:?}"),
    };
    asked.iter().map(name).collect()
}

#[test]
fn a_missing_server_is_offered_once_and_written_after_a_yes() {
    let scene = Scene::new();
    scene.context.tree("//- home/.openoxide/config.toml\n# mine\nhost = \"openoxide\" # stays\n");
    scene.skill("b", "text", &format!("{DOCS}\n{TOOL}")).skill("a", "text", DOCS);
    let runtime = scene.runtime();
    let mut session = Session::new("s");
    let mut script = Script::new(|_| Answer::Once);
    let done = call(&runtime, &mut session, &["b", "a"], &mut script);
    assert_eq!(names(&script.asked), ["docs https://docs.example/mcp a,b", "files files-server b"]);
    let added = ["a, b: the server `docs` is in your settings now", "b: the server `files` is in your settings now"];
    assert_eq!(told(&done), added);
    let config = scene.config();
    assert!(config.starts_with("# mine\nhost = \"openoxide\" # stays\n"), "{config}");
    assert!(config.contains("[mcp.servers.docs]\nurl = \"https://docs.example/mcp\"\n"), "{config}");
    assert!(config.contains("[mcp.servers.files]\ncommand = \"files-server\"\n"), "{config}");

    // It is there now: in this conversation, in others, and for who reads the settings again.
    let nobody = || Script::new(|question: &Question| panic!("{question:?}"));
    call(&runtime, &mut session, &["a", "b"], &mut nobody());
    call(&runtime, &mut Session::new("t"), &["a", "b"], &mut nobody());
    scene.call(&mut Session::new("u"), &["a", "b"], &mut nobody());
    assert_eq!(scene.config(), config);
}

#[test]
fn a_no_is_remembered_in_the_conversation_and_nothing_is_written() {
    let scene = Scene::new();
    scene.skill("a", "text", DOCS).skill("b", "text", DOCS);
    let runtime = scene.runtime();
    let mut session = Session::new("s");
    let mut script = Script::new(|_| Answer::No);
    let done = call(&runtime, &mut session, &["a"], &mut script);
    assert_eq!(script.asked.len(), 1);
    assert_eq!(told(&done), ["a: the server `docs` is not configured; what needs it will fail"]);
    let mut script = Script::new(|_| Answer::Once);
    let done = call(&runtime, &mut session, &["b"], &mut script);
    assert_eq!((script.asked.len(), done.notices.len()), (0, 1));
    assert!(!scene.context.home().join(".openoxide").exists());
    // Another conversation is asked.
    let mut script = Script::new(|_| Answer::No);
    call(&runtime, &mut Session::new("t"), &["b"], &mut script);
    assert_eq!(script.asked.len(), 1);
}

#[test]
fn rules_of_the_user_decide() {
    let check = |rules: &[(&str, Action)], asked: usize, written: bool, text: &str| {
        let mut scene = Scene::new();
        scene.skill("a", "text", DOCS);
        for (pattern, action) in rules {
            scene.rule("mcp", pattern, *action);
        }
        let mut script = Script::new(|_| Answer::No);
        let done = scene.call(&mut Session::new("s"), &["a"], &mut script);
        assert_eq!((script.asked.len(), scene.config().contains("docs.example")), (asked, written), "{rules:?}");
        assert!(told(&done)[0].contains(text), "{rules:?} {:?}", done.notices);
    };
    check(&[("docs", Action::Deny)], 0, false, "the server `docs` is denied by `docs` in command line");
    check(&[("https://docs.*", Action::Deny)], 0, false, "is denied");
    check(&[("*", Action::Allow)], 0, true, "the server `docs` was added: https://docs.example/mcp");
    check(&[("docs", Action::Allow), ("https://docs.example/*", Action::Allow)], 0, true, "was added");
    // A name alone is what the skill says: another server could have it.
    check(&[("docs", Action::Allow)], 1, false, "is not configured");
}

#[test]
fn what_a_name_means_is_never_changed() {
    let scene = Scene::new();
    let before = "[mcp.servers.docs]\nurl = \"https://other.example\"\n";
    scene.context.tree(&format!("//- home/.openoxide/config.toml\n{before}"));
    scene.skill("a", "text", DOCS);
    let mut script = Script::new(|_| Answer::Once);
    let done = scene.call(&mut Session::new("s"), &["a"], &mut script);
    assert_eq!(script.asked, []);
    assert_eq!(told(&done), ["a: another server is called `docs`; https://docs.example/mcp was not added"]);

    // The same, when the file changes while the question is open.
    std::fs::remove_file(scene.context.home().join(".openoxide/config.toml")).unwrap();
    let mut script = Script::new(|_| {
        scene.context.tree(&format!("//- home/.openoxide/config.toml\n{before}"));
        Answer::Once
    });
    let done = scene.call(&mut Session::new("s"), &["a"], &mut script);
    assert!(told(&done)[0].contains("another one has the name in"), "{:?}", done.notices);
    assert_eq!(scene.config(), before);
}

#[test]
fn what_is_configured_is_not_offered_under_another_name() {
    let scene = Scene::new();
    scene.context.tree(
        "//- home/.openoxide/config.toml\n[mcp.servers.manuals]\nurl = \"https://docs.example/mcp\"\n\
         [mcp.servers.disk]\ncommand = \"files-server\"\nargs = [\"--all\"]\nenabled = false\n",
    );
    scene.skill("a", "text", &format!("{DOCS}\n{TOOL}"));
    let mut script = Script::new(|question: &Question| panic!("{question:?}"));
    let done = scene.call(&mut Session::new("s"), &["a"], &mut script);
    assert_eq!(told(&done), ["a: the server `disk` is switched off in the settings"]);
}

#[test]
fn what_cannot_be_offered_is_said() {
    let scene = Scene::new();
    let tools = [
        "{type: mcp, value: one}",
        "{type: mcp, value: two, transport: stdio}",
        "{type: mcp, value: three, transport: carrier-pigeon, url: \"https://x\"}",
        "{type: mcp, value: \"bad name\", url: \"https://x\"}",
        "{type: mcp, value: five, url: \"file:///etc/passwd\"}",
    ];
    scene.skill("a", "text", &tools.map(|tool| format!("  - {tool}")).join("\n"));
    let mut session = Session::new("s");
    let mut script = Script::new(|question: &Question| panic!("{question:?}"));
    let done = scene.call(&mut session, &["a"], &mut script);
    let told = told(&done);
    assert_eq!(told.len(), 5, "{told:?}");
    assert!(told[0].contains("with `streamable_http` it needs `url`"), "{told:?}");
    assert!(told[1].contains("with `stdio` it needs `command`"), "{told:?}");
    assert!(told[2].contains("`carrier-pigeon` is no transport that is known"), "{told:?}");
    assert!(told[3].contains("a server's name has letters"), "{told:?}");
    assert!(told[4].contains("must begin with `https://`"), "{told:?}");
    // Once is enough.
    assert_eq!(scene.call(&mut session, &["a"], &mut script).notices, []);
}

#[test]
fn a_project_gets_no_server_in_by_its_own_settings() {
    let scene = Scene::new();
    scene.context.tree(
        "//- project/.openoxide/config.toml\n[mcp.servers.docs]\nurl = \"https://docs.example/mcp\"\n\
         [permission]\nmcp = \"allow\"\n",
    );
    scene.skill("a", "text", DOCS);
    for trusted in [false, true] {
        if trusted {
            let now = Timestamp::from(SystemTime::now());
            Trust::open(&scene.environment()).add_folder(&scene.context.project(), now).unwrap();
        }
        let mut script = Script::new(|_| Answer::No);
        scene.call(&mut Session::new("s"), &["a"], &mut script);
        assert_eq!(names(&script.asked), ["docs https://docs.example/mcp a"], "trusted: {trusted}");
        assert!(!scene.config().contains("docs"));
    }
}
