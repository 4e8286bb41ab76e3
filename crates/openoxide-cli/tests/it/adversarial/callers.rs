//! Skills that are not for everyone: refused to whom they are not for, and named to nobody.

use openoxide_testkit::{Output, TestContext};

use super::door::{Door, Place};
use super::face::{Face, Setting, attack};
use super::{everywhere, file, on_terminal, skill};
use crate::serve::{Server, answer};
use crate::support::{json, run};

attack! { skills_that_the_model_may_not_see for everyone { cli, http, mcp, mcp_http, rpc } }

attack! { skills_that_hosts_read_differently for everyone {
    cli = "the client that started us speaks for the user",
    http,
    mcp = "the client that started us speaks for the user",
    mcp_http,
    rpc = "the client that started us speaks for the user"
} }

attack! { names_that_hosts_read_differently for everyone {
    cli = "the client that started us speaks for the user",
    http,
    mcp = "the client that started us speaks for the user",
    mcp_http,
    rpc = "the client that started us speaks for the user"
} }

attack! { names_spelled_otherwise_in_unicode { cli, http, mcp, mcp_http, rpc } }

/// Skills that the model may not see, each for a reason of its own.
const HIDDEN: [(&str, &str); 8] = [
    ("hidden-rule", ""),
    ("hidden-itself", "disable-model-invocation: true\n"),
    ("hidden-setting", ""),
    ("hidden-list", "disable-model-invocation: [true]\n"),
    ("hidden-word", "disable-model-invocation: certainly\n"),
    ("hidden-spelling", "disable_model_invocation: \"true\"\n"),
    // These two by a metadata file.
    ("hidden-policy", ""),
    ("hidden-unreadable", ""),
];

/// Returns which of them the model may not see. Whoever started us is the user, who has each host as its program is; what
/// the user's own rules deny is denied in all of them. A program that comes over HTTP gets the strictest of all rules.
fn hidden(host: &str, face: Face) -> &'static [(&'static str, &'static str)] {
    match (host, face) {
        ("openoxide", _) => &HIDDEN[..7],
        (_, Face::Http | Face::McpHttp) => &HIDDEN,
        ("claude-code", _) => &HIDDEN[..2],
        _ => &HIDDEN[..1],
    }
}

/// Who calls for the model gets nothing of them; who comes over HTTP is told what is told of a skill that never was.
fn skills_that_the_model_may_not_see(setting: Setting) {
    let context = TestContext::new();
    skill(&context, "plain", "", "Plain text.");
    for (name, more) in HIDDEN {
        skill(&context, name, more, "LEAKED body.");
        file(&context, name, "notes.md", "LEAKED notes.\n");
    }
    file(&context, "hidden-policy", "agents/openai.yaml", "policy:\n  allow_implicit_invocation: false\n");
    file(&context, "hidden-unreadable", "agents/openai.yaml", &"# too long\n".repeat(10_000));
    everywhere(&context);
    context.tree(
        "//- home/.openoxide/config.toml\n[permission.skill]\nhidden-rule = \"deny\"\n\
         [[skills.config]]\nname = \"hidden-setting\"\nenabled = false\n",
    );
    for host in HOSTS {
        let mut door = Door::at(setting, Place::new(&context, host));
        let is_program = matches!(setting.face, Face::Http | Face::McpHttp);
        if is_program {
            let listed = door.look();
            assert!(listed.contains("plain") && !listed.contains("hidden-"), "{host}: {listed}");
        }
        for (name, _) in hidden(host, setting.face) {
            let mut asked = |name: &str| {
                let said = door.activate(name) + &door.read_as_model(name, "notes.md");
                if is_program { said + &door.about(name) } else { said }
            };
            let said = asked(name);
            assert!(!said.contains("LEAKED"), "{host} {name}: {said}");
            // As long as the other, so that the answers are.
            let absent = name.replace("hidden", "absent");
            assert!(
                !is_program || timeless(&said.replace(name, &absent)) == timeless(&asked(&absent)),
                "{host} {name}: {said}"
            );
        }
        let plain = door.activate("plain") + &door.read_as_model("plain", "SKILL.md");
        assert!(plain.contains("Plain text."), "{host}: {plain}");
    }
}

/// Texts that keep a skill from the model as one host reads them, and not as another does. `NAME` is the skill's name.
const READ_DIFFERENTLY: [&str; 10] = [
    "---\nname: NAME\ndescription: |\n  X\n  ---\n  Y\ndisable-model-invocation: true\n---\nLEAKED body.\n",
    "---\nname: NAME\ndescription: X --- Y\ndisable-model-invocation: true\n---\nLEAKED body.\n",
    "\n\n---\nname: NAME\ndescription: X\ndisable-model-invocation: true\n---\nLEAKED body.\n",
    "  ---\nname: NAME\ndescription: X\ndisable-model-invocation: true\n  ---\nLEAKED body.\n",
    "---\rname: NAME\rdescription: X\rdisable-model-invocation: true\r---\rLEAKED body.\r",
    "\u{feff}---\nname: NAME\ndescription: X\ndisable-model-invocation: true\n---\nLEAKED body.\n",
    "---\nname: NAME\ndescription: X\ndisable-model-invocation: true\nLEAKED body.\n",
    "---\nname: NAME\ndescription: [X\ndisable-model-invocation: true\n---\nLEAKED body.\n",
    "---\nname: NAME\ndescription: X\nmore: PADDING\ndisable-model-invocation: true\n---\nLEAKED body.\n",
    "---\nname: NAME\ndescription: X\nhide: true\n---\nLEAKED body.\n",
];

/// The host that a program names chooses how a text is read. It does not choose whether a skill is for people only.
fn skills_that_hosts_read_differently(setting: Setting) {
    let context = TestContext::new();
    skill(&context, "plain", "", "Plain text.");
    let example = "Write this:\n\n---\ndisable-model-invocation: true\n---\n\nExample text.";
    skill(&context, "about-controls", "disable-model-invocation: false\n", example);
    let names: Vec<String> = (0..READ_DIFFERENTLY.len()).map(|number| format!("hidden-{number}")).collect();
    for (name, text) in names.iter().zip(READ_DIFFERENTLY) {
        let text = text.replace("NAME", name).replace("PADDING", &"x".repeat(70_000));
        file(&context, name, "SKILL.md", &text);
        file(&context, name, "notes.md", "LEAKED notes.\n");
    }
    everywhere(&context);
    for host in ["openoxide", "claude-code", "opencode", "codex", "omp", "crush", "pi", "zed"] {
        let mut door = Door::at(setting, Place::new(&context, host));
        let listed = door.look();
        assert!(listed.contains("plain") && listed.contains("about-controls"), "{host}: {listed}");
        assert!(!listed.contains("hidden-"), "{host}: {listed}");
        for name in &names {
            let said = door.activate(name) + &door.read_as_model(name, "notes.md") + &door.about(name);
            assert!(!said.contains("LEAKED"), "{host} {name}: {said}");
        }
        let example = door.read_as_model("about-controls", "SKILL.md");
        assert!(example.contains("Example text."), "{host}: {example}");
    }
}

/// Texts that are called `NAME` as some host reads them, and otherwise as another does.
const NAMED_DIFFERENTLY: [&str; 9] = [
    "---\ndescription: a --- b\nname: NAME\n---\nLEAKED body.\n",
    "---\ndescription: |\n  a\n  ---\n  b\nname: NAME\n---\nLEAKED body.\n",
    "\n\n---\nname: NAME\ndescription: X\n---\nLEAKED body.\n",
    "---\rname: NAME\rdescription: X\r---\rLEAKED body.\r",
    "---yaml\nname: NAME\ndescription: X\n---\nLEAKED body.\n",
    "<!-- x -->---\nname: NAME\ndescription: X\n---\nLEAKED body.\n",
    "  ---\nname: NAME\ndescription: X\n  ---\nLEAKED body.\n",
    "---\n<<: {name: NAME}\ndescription: X\n---\nLEAKED body.\n",
    "---\nmore: PADDING\nname: NAME\ndescription: X\n---\nLEAKED body.\n",
];

/// Nor does the host that a program names choose by which name a rule or a switch means a skill.
fn names_that_hosts_read_differently(setting: Setting) {
    let context = TestContext::new();
    skill(&context, "plain", "", "Plain text.");
    let mut folders = Vec::new();
    for (number, text) in NAMED_DIFFERENTLY.iter().enumerate() {
        for name in ["denied-plan", "off-plan"] {
            let folder = format!("p{number}-{}", &name[..3]);
            let text = text.replace("NAME", name).replace("PADDING", &"x".repeat(70_000));
            file(&context, &folder, "SKILL.md", &text);
            file(&context, &folder, "notes.md", "LEAKED notes.\n");
            file(&context, &format!("plain/{folder}"), "SKILL.md", &text);
            folders.push(folder);
        }
    }
    everywhere(&context);
    context.tree(
        "//- home/.openoxide/config.toml\n[permission.skill]\ndenied-plan = \"deny\"\n\
         [[skills.config]]\nname = \"off-plan\"\nenabled = false\n",
    );
    for host in ["openoxide", "claude-code", "opencode", "codex", "omp"] {
        let mut door = Door::at(setting, Place::new(&context, host));
        let listed = door.look();
        assert!(listed.contains("plain"), "{host}: {listed}");
        for folder in &folders {
            let said = door.activate(folder)
                + &door.read_as_model(folder, "notes.md")
                + &door.read_as_model("plain", &format!("{folder}/SKILL.md"));
            assert!(!said.contains("LEAKED"), "{host} {folder}: {said}");
        }
        for name in ["denied-plan", "off-plan"] {
            let said = door.activate(name) + &door.about(name);
            assert!(!said.contains("LEAKED"), "{host} {name}: {said}");
        }
    }
}

/// A rule and a switch mean a skill also where one has `é` as one character and the other as two.
fn names_spelled_otherwise_in_unicode(setting: Setting) {
    let context = TestContext::new();
    // The names, and how the settings spell them.
    let kept = [("caf\u{e9}", "cafe\u{301}"), ("the\u{301}", "th\u{e9}"), ("off-\u{e9}", "off-e\u{301}")];
    for (name, _) in kept {
        skill(&context, name, "", "LEAKED body.");
        file(&context, name, "notes.md", "LEAKED notes.\n");
    }
    skill(&context, "\u{e9}t\u{e9}", "", "OPEN body.");
    everywhere(&context);
    let [(_, first), (_, second), (_, off)] = kept;
    context.tree(&format!(
        "//- home/.openoxide/config.toml\n[permission.skill]\n\"{first}\" = \"deny\"\n\"{second}*\" = \"deny\"\n\
         [[skills.config]]\nname = \"{off}\"\nenabled = false\n"
    ));
    let in_path = |name: &str| match setting.face {
        Face::Http => name.replace('\u{e9}', "%C3%A9").replace('\u{301}', "%CC%81"),
        _ => name.to_owned(),
    };
    // A host that lets names have any letters; its programs are switched by OpenOxide's own settings, its user is not.
    let mut door = Door::at(setting, Place::new(&context, "claude-code"));
    let is_program = matches!(setting.face, Face::Http | Face::McpHttp);
    let kept = &kept[..if is_program { 3 } else { 2 }];
    let open = door.activate(&in_path("\u{e9}t\u{e9}"));
    assert!(open.contains("OPEN"), "{open}");
    for name in kept.iter().flat_map(|(name, spelled)| [name, spelled]) {
        let said = door.activate(&in_path(name)) + &door.read_as_model(&in_path(name), "notes.md");
        assert!(!said.contains("LEAKED"), "{name}: {said}");
    }
}

/// An answer without what is different in each.
fn timeless(answer: &str) -> String {
    let differs =
        |line: &str| ["x-request-id: ", "date: ", "content-length: "].iter().any(|name| line.starts_with(name));
    let lines = answer.lines().filter(|line| !differs(line));
    lines.map(|line| line.split(",\"request_id\":").next().unwrap_or_default().to_owned() + "\n").collect()
}

const HOSTS: [&str; 5] = ["openoxide", "claude-code", "opencode", "codex", "pepper"];

fn context() -> TestContext {
    let context = TestContext::new();
    skill(&context, "people-only", "disable-model-invocation: true\n", "LEAKED");
    skill(&context, "model-only", "user-invocable: false\n", "LEAKED");
    skill(&context, "secret-plan", "", "LEAKED");
    skill(&context, "plain", "", "Plain.");
    for name in ["people-only", "model-only", "secret-plan", "plain"] {
        file(&context, name, "scripts/s.sh", "echo LEAKED\n");
    }
    everywhere(&context);
    context.tree("//- home/.openoxide/config.toml\n[agents.strict.permission]\nskill = { \"secret-*\" = \"deny\" }\n");
    context
}

fn assert_refused(what: &[&str], output: &Output) {
    assert!(matches!(output.status, Some(1 | 2)), "{what:?}: {output}");
    assert!(!output.to_string().contains("LEAKED"), "{what:?}: {output}");
}

#[test]
fn a77_the_model_cannot_call_what_is_for_people() {
    let context = context();
    let ways: [&[&str]; 4] = [
        &["activate", "people-only", "--as", "model", "--yes"],
        &["read", "people-only", "--as", "model"],
        &["read", "people-only", "scripts/s.sh", "--as", "model"],
        &["run", "people-only", "scripts/s.sh", "--as", "model", "--yes"],
    ];
    for way in ways {
        assert_refused(way, &run(&context, way));
    }
    for host in ["openoxide", "claude-code"] {
        assert!(!run(&context, &["prompt", "--host", host]).stdout.contains("people-only"), "{host}");
        let near = run(&context, &["activate", "people-onl", "--as", "model", "--host", host]);
        assert_refused(&["near", host], &near);
        assert!(!near.to_string().contains("people-only"), "{host}: {near}");
        let way = ["activate", "people-only", "--as", "model", "--yes", "--host", host];
        assert_refused(&way, &run(&context, &way));
    }
    // By its path neither: a model is told names.
    let path = context.project().join(".agents/skills/people-only/SKILL.md").display().to_string();
    for path in [path.as_str(), ".agents/skills/people-only", "./.agents/skills/people-only/SKILL.md", "PEOPLE-ONLY"] {
        let way = ["activate", path, "--as", "model", "--yes"];
        assert_refused(&way, &run(&context, &way));
    }
    assert!(run(&context, &["activate", "people-only"]).stdout.contains("LEAKED"), "people can");
}

#[test]
fn a77_people_cannot_call_what_is_for_the_model() {
    let context = context();
    let ways: [&[&str]; 4] = [
        &["activate", "model-only", "--yes"],
        &["read", "model-only", "--as", "user"],
        &["run", "model-only", "scripts/s.sh", "--yes"],
        &["activate", "--turn", "/model-only now", "--yes"],
    ];
    for way in ways {
        let output = run(&context, way);
        assert!(!output.to_string().contains("LEAKED"), "{way:?}: {output}");
    }
    let near = run(&context, &["activate", "model-onl"]);
    assert!(!near.to_string().contains("model-only"), "{near}");
    let turn = json(&context, &["mentions", "/model-only now", "--json"]);
    assert_eq!(turn["selected"], serde_json::json!([]), "{turn:#}");
    for host in ["openoxide", "claude-code"] {
        let way = ["activate", "model-only", "--host", host];
        assert_refused(&way, &run(&context, &way));
    }
    assert!(run(&context, &["activate", "model-only", "--as", "model"]).stdout.contains("LEAKED"), "the model can");
}

#[test]
fn a77_what_is_denied_has_no_name() {
    let context = context();
    for host in HOSTS {
        for wanted in ["secret-pla", "nothing-like-it", "SECRET-PLAN"] {
            for way in [
                &["activate", wanted, "--as", "model"][..],
                &["read", wanted, "--as", "model"],
                &["run", wanted, "scripts/s.sh", "--as", "model", "--yes"],
            ] {
                for json in [&[][..], &["--json"]] {
                    let args = [way, json, &["--agent", "strict", "--host", host]].concat();
                    let output = run(&context, &args);
                    assert!(!output.to_string().contains("secret-plan"), "{args:?}: {output}");
                    assert!(!output.to_string().contains("LEAKED"), "{args:?}: {output}");
                }
            }
        }
        // Named, it is no more there than what never was.
        let told = |name: &str| {
            let args = ["activate", name, "--as", "model", "--yes", "--agent", "strict", "--host", host];
            let output = run(&context, &args);
            assert_refused(&args, &output);
            output.to_string().replace(name, "NAME")
        };
        let (denied, unknown) = (told("secret-plan"), told("qqqqqq-qqqq"));
        if ["openoxide", "codex", "pepper"].contains(&host) {
            assert_eq!(denied, unknown, "{host}");
        }
        let prompt = run(&context, &["prompt", "--agent", "strict", "--host", host]);
        assert!(!prompt.stdout.contains("secret-plan"), "{host}: {prompt}");
    }
}

/// Somebody who is asked on a terminal: once is once, always is until it is taken back, no is no.
#[test]
fn a77_somebody_is_asked_on_a_terminal() {
    let context = context();
    let ask = ["--config", "permission.skill.plain=\"ask\""];
    let called = |typed: &str| on_terminal(&context, 80, &[&["activate", "plain"][..], &ask].concat(), typed);
    let is_sent = |output: &Output| output.stdout.contains("Plain.");
    let is_asked = |output: &Output| output.stdout.contains("`plain` may be called only if you approve");
    let Some(no) = called("n\n") else { return };
    assert!(is_asked(&no) && !is_sent(&no), "{no}");
    for typed in ["", "\n", "q\nn\n", "no\n", "\u{4}"] {
        let output = called(typed).unwrap();
        assert!(!is_sent(&output), "{typed:?}: {output}");
    }
    for typed in ["o\n", "y\n", "z\nonce\n"] {
        let output = called(typed).unwrap();
        assert!(is_asked(&output) && is_sent(&output), "{typed:?}: {output}");
    }
    let always = called("a\n").unwrap();
    assert!(is_asked(&always) && is_sent(&always), "{always}");
    let later = called("n\n").unwrap();
    assert!(!is_asked(&later) && is_sent(&later), "{later}");
    let list = json(&context, &["trust", "--list", "--json"]);
    assert_eq!(list["answers"].as_array().unwrap().len(), 1, "{list:#}");
    let deny = ["--config", "permission.skill.plain=\"deny\""];
    let denied = run(&context, &[&["activate", "plain"][..], &deny].concat());
    assert_eq!((denied.status, denied.stdout.as_str()), (Some(1), ""), "a rule beats an answer: {denied}");
    let revoke =
        list["answers"][0]["revoke"].as_str().unwrap().replace("openoxide", crate::support::bin().to_str().unwrap());
    let revoked = context.answer(&mut context.command("/bin/sh".as_ref(), ["-c", &revoke]));
    assert_eq!(revoked.status, Some(0), "{revoked}");
    assert!(is_asked(&called("n\n").unwrap()));
}

/// Hosts call a skill by its folder or by the name in its text. A program that chooses the host does not choose the rules.
#[test]
fn a_rule_means_a_skill_by_the_name_of_every_host() {
    let context = TestContext::new();
    for (folder, name) in [("folder-deny", "text-deny"), ("folder-ask", "text-ask"), ("folder-off", "text-off")] {
        for root in [".agents/skills", ".claude/skills"] {
            context.tree(&format!(
                "//- project/{root}/{folder}/SKILL.md\n---\nname: {name}\ndescription: LEAKED\n---\nLEAKED body.\n"
            ));
        }
    }
    for rules in [
        "[permission.skill]\ntext-deny = \"deny\"\ntext-ask = \"ask\"\n[[skills.config]]\nname = \"text-off\"\nenabled = false\n",
        "[permission.skill]\nfolder-deny = \"deny\"\nfolder-ask = \"ask\"\n[[skills.config]]\nname = \"folder-off\"\nenabled = false\n",
    ] {
        context.tree(&format!("//- home/.openoxide/config.toml\n{rules}"));
        let server = Server::start(&context, &["--log", "off"]);
        for host in ["openoxide", "claude-code", "codex", "opencode", "omp", "gemini-cli"] {
            for name in ["folder-deny", "text-deny", "folder-ask", "text-ask", "folder-off", "text-off"] {
                let activated =
                    answer(server.send(&format!("POST /v1/skills/{name}/activate?host={host}"), "", "{}")).1;
                assert!(!activated.contains("LEAKED body."), "{host} {name} {rules}: {activated}");
                if !name.ends_with("ask") {
                    let read = server.get(&format!("/v1/skills/{name}/files/SKILL.md?host={host}")).1;
                    assert!(!read.contains("LEAKED"), "{host} {name} {rules}: {read}");
                }
            }
            let listed = server.get(&format!("/v1/skills?host={host}")).1;
            assert!(!listed.contains("-deny") && !listed.contains("-off"), "{host} {rules}: {listed}");
        }
    }
}

/// A server for one agent keeps its rules, whatever agent and folder of the project a program names.
#[test]
fn a_program_leaves_neither_the_agent_nor_the_project() {
    let context = TestContext::new();
    context.skill("plain", "Plain").skill("secret", "LEAKED").skill("ours", "LEAKED");
    context.tree(
        "//- project/sub/\n//- project/.openoxide/config.toml\n[permission.skill]\nours = \"deny\"\n\
         //- project/nested/.git/HEAD\nref: refs/heads/main\n\
         //- project/nested/.agents/skills/ours/SKILL.md\n---\nname: ours\ndescription: LEAKED\n---\nLEAKED\n\
         //- home/.openoxide/config.toml\n[agents.reviewer.permission.skill]\nsecret = \"deny\"\n[agents.other]\n",
    );
    assert_eq!(run(&context, &["trust"]).status, Some(0));
    let server = Server::start(&context, &["--agent", "reviewer", "--log", "off"]);
    let below = |folder: &str| format!("?directory={}", context.project().join(folder).display());
    for query in [String::new(), "?agent=other".to_owned(), below("sub"), below("nested")] {
        for host in ["openoxide", "omp", "opencode", "pi", "codex"] {
            let query = if query.is_empty() { format!("?host={host}") } else { format!("{query}&host={host}") };
            let said = server.get(&format!("/v1/skills{query}")).1;
            assert!(!said.contains("LEAKED"), "{query}: {said}");
        }
    }
    assert!(server.get("/v1/skills").1.contains("Plain"));
    assert_eq!(server.get("/v1/skills?agent=other").0, 403);
    let visible = server.get("/v1/skills").1.matches(r#""status":"active""#).count();
    let (_, counts) = answer(server.send("POST /v1/reload", "", "{}"));
    assert!(counts.contains(&format!(r#""skills":{visible},"others":0"#)), "{counts}");
}

/// A rule holds from the next request on, whenever the system tells of the change.
#[test]
fn a_new_rule_holds_at_the_next_request() {
    let context = TestContext::new();
    skill(&context, "plan", "", "LEAKED body.");
    let server = Server::start(&context, &["--log", "off"]);
    for host in ["openoxide", "codex", "opencode"] {
        let read = || server.get(&format!("/v1/skills/plan/files/SKILL.md?host={host}")).1;
        let config = context.home().join(".openoxide/config.toml");
        for _ in 0..5 {
            assert!(read().contains("LEAKED"), "{host}");
            fs_err::write(&config, "[permission.skill]\nplan = \"deny\"\n").unwrap();
            let said = read();
            assert!(!said.contains("LEAKED"), "{host}: {said}");
            fs_err::remove_file(&config).unwrap();
        }
    }
}
