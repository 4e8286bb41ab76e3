//! What the model may not see is nowhere for a program: every route, for every host.

use axum::body::Body;
use http::Request;
use openoxide_server::{HttpOptions, Identity, Peer};
use openoxide_testkit::TestContext;

use crate::http::Server;

/// Skills that the model may not see, each for a reason of its own.
const HIDDEN: [(&str, &str); 6] = [
    ("hidden-rule", ""),
    ("hidden-setting", ""),
    ("hidden-itself", "disable-model-invocation: true"),
    ("hidden-list", "disable-model-invocation: [true]"),
    ("hidden-word", "disable-model-invocation: certainly"),
    ("hidden-spelling", "disable_model_invocation: \"true\""),
];

fn context() -> TestContext {
    let context = TestContext::new();
    context.skill("plain", "Plain words");
    for (name, more) in HIDDEN {
        let text = format!("---\nname: {name}\ndescription: Hidden words\n{more}\n---\nHidden body of {name}.\n");
        let folder = format!("project/.agents/skills/{name}");
        context.tree(&format!("//- {folder}/SKILL.md\n{text}//- {folder}/notes.md\nHidden notes\n"));
        // Some hosts also find the skills inside a skill, which say nothing against it.
        let inner = format!("---\nname: inside-{name}\ndescription: Hidden words\n---\nHidden body\n");
        let (parts, clone) =
            (format!("{folder}/parts/inside-{name}"), format!("{folder}/.agents/skills/inside-{name}"));
        context.tree(&format!("//- {parts}/SKILL.md\n{inner}//- {parts}/notes.md\nHidden notes\n"));
        context.tree(&format!("//- {folder}/.git/HEAD\nref\n//- {clone}/SKILL.md\n{inner}"));
    }
    context.tree(
        "//- project/.claude/skills -> ../.agents/skills\n//- project/.opencode/skills -> ../.agents/skills\n\
         //- home/.openoxide/config.toml\n[permission.skill]\nhidden-rule = \"deny\"\n\
         [[skills.config]]\nname = \"hidden-setting\"\nenabled = false\n",
    );
    context
}

fn server() -> Server {
    Server::serving(context(), HttpOptions::default())
}

const HOSTS: [&str; 5] = ["openoxide", "opencode", "claude-code", "codex", "agentskills"];

/// Every address that answers names, texts, files or digests of skills; `{}` is the name of a skill.
const LOOKS: [&str; 21] = [
    "GET /v1/skills",
    "GET /v1/skills?all=true",
    "GET /v1/skills/{}",
    "GET /v1/skills/{}/files",
    "GET /v1/skills/{}/files?as=model",
    "GET /v1/skills/{}/files/SKILL.md",
    "GET /v1/skills/{}/files/SKILL.md?as=model",
    "GET /v1/skills/{}/files/notes.md",
    "POST /v1/skills/{}/activate {}",
    "POST /v1/skills/{}/activate {\"as\":\"model\"}",
    "POST /v1/activate {\"skill\":\"NAME\"}",
    "POST /v1/activate {\"turn\":{\"items\":[{\"type\":\"text\",\"text\":\"use $NAME and /NAME\"}]}}",
    "POST /v1/activate {\"turn\":{\"items\":[{\"type\":\"skill\",\"path\":\".agents/skills/NAME/SKILL.md\"}]}}",
    "GET /v1/skills?all=true&fields=name,description,reason&limit=50",
    "POST /v1/mentions {\"items\":[{\"type\":\"text\",\"text\":\"use $NAME and /NAME\"}]}",
    "GET /v1/search?q=hidden",
    "GET /v1/prompt",
    "GET /v1/roots",
    "GET /v1/problems",
    "GET /v1/hosts",
    "GET /",
];

/// Addresses that know no host.
const FIXED: [&str; 6] = [
    "GET /skill",
    "GET /command",
    "GET /.well-known/agent-skills/index.json",
    "GET /.well-known/agent-skills/{}.tar.gz",
    "GET /.well-known/agent-skills/{}/SKILL.md",
    "GET /.well-known/skills/{}/SKILL.md",
];

fn request(line: &str, host: Option<&str>, identity: Identity) -> Request<Body> {
    let (line, body) = line.split_at(line.find(" {\"").or_else(|| line.find(" {}")).unwrap_or(line.len()));
    let (method, path) = line.split_once(' ').unwrap();
    let host = host.map(|host| format!("{}host={host}", if path.contains('?') { "&" } else { "?" }));
    let path = format!("{path}{}", host.filter(|_| path != "/").unwrap_or_default());
    let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    let request = request.header("host", "localhost").extension(Peer::Local).extension(identity);
    request.body(Body::from(body.trim().to_owned())).unwrap()
}

/// Fills in a name where the address has a place for it.
fn named(line: &str, name: &str) -> String {
    line.replacen("/{}", &format!("/{name}"), 1).replace("NAME", name)
}

/// An answer, without the name that was asked for: an error may repeat that.
fn without(text: &str, name: &str) -> String {
    text.replace(name, "NAME")
}

#[tokio::test]
async fn no_route_answers_a_program_anything_of_what_the_model_may_not_see() {
    let server = server();
    for identity in [Identity::Anonymous, Identity::Program] {
        for (name, _) in HIDDEN {
            for (line, host) in LOOKS
                .iter()
                .flat_map(|line| HOSTS.iter().map(move |host| (line, Some(*host))))
                .chain(FIXED.iter().map(|line| (line, None)))
            {
                let came = server.ask(request(&named(line, name), host, identity)).await;
                let text = without(&came.text(), name);
                let never = server.ask(request(&named(line, "never-was"), host, identity)).await;
                for word in ["Hidden words", "Hidden body", "Hidden notes", "hidden-"] {
                    assert!(!text.contains(word), "{identity:?} {line} {host:?} {name}: {word} in {text}");
                }
                if line.contains("/{}") {
                    assert_eq!(came.status, never.status, "{identity:?} {line} {host:?} {name}: {text}");
                    assert_eq!(
                        text,
                        without(&never.text(), "never-was"),
                        "{line} {host:?}: it is as if it were not there"
                    );
                }
            }
        }
    }
    for host in HOSTS {
        let seen = server.ask(request("GET /v1/skills", Some(host), Identity::Program)).await.text();
        assert!(seen.contains("Plain words"), "the case shows nothing: {host}: {seen}");
    }
    let own = server.ask(request("GET /v1/skills?all=true", Some("openoxide"), Identity::Person)).await.text();
    assert!(HIDDEN.iter().all(|(name, _)| own.contains(name)), "the user sees all: {own}");
}

/// A folder inside a hidden skill is a project like any other to a program that chooses it, but shows it nothing.
#[tokio::test]
async fn skills_inside_a_hidden_skill_are_hidden_in_every_folder_that_a_program_chooses() {
    let context = context();
    let project = context.project();
    let server = Server::serving(context, HttpOptions::default());
    for (name, _) in HIDDEN {
        for below in ["", "/parts", "/.agents/skills"] {
            let folder = format!("{}/.agents/skills/{name}{below}", project.display());
            for host in HOSTS {
                let line = format!("GET /v1/skills?directory={folder}");
                let text = server.ask(request(&line, Some(host), Identity::Program)).await.text();
                assert!(!text.contains("Hidden words"), "{host} {folder}: {text}");
            }
        }
    }
}

/// A rule on the files of a skill is one on those of every skill inside it.
#[tokio::test]
async fn a_rule_on_files_holds_for_skills_inside() {
    let context = TestContext::new();
    let skill = |name: &str| format!("---\nname: {name}\ndescription: X\n---\nBody\n");
    context.tree(&format!(
        "//- project/.agents/skills/outer/SKILL.md\n{}//- project/.agents/skills/outer/parts/inner/SKILL.md\n{}\
         //- project/.agents/skills/outer/parts/inner/ref.md\nSecret\n\
         //- project/.agents/skills/outer/parts/inner/open.md\nOpen\n\
         //- home/.openoxide/config.toml\n[permission.read]\n\"*\" = \"allow\"\n\"outer/*/ref.md\" = \"deny\"\n",
        skill("outer"),
        skill("inner")
    ));
    let server = Server::serving(context, HttpOptions::default());
    let read = async |file: &str| {
        let line = format!("GET /v1/skills/inner/files/{file}");
        server.ask(request(&line, Some("codex"), Identity::Program)).await
    };
    assert_eq!(read("open.md").await.status, 200);
    let refused = read("ref.md").await;
    assert!(refused.status == 403 && !refused.text().contains("Secret"), "{}", refused.text());
}

/// A finding about settings says where something is wrong, and nothing that the settings say.
#[tokio::test]
async fn findings_about_settings_have_no_names_and_values() {
    let context = TestContext::new();
    context.skill("plain", "Plain words").tree(
        "//- project/.claude/skills -> ../.agents/skills\n\
         //- project/.claude/settings.json\n{\"skillOverrides\": {\"hidden-off\": \"off\", \"hidden-bad\": \"hidden-word\"}}\n\
         //- home/.openoxide/config.toml\nhidden-key = 1\n\n[hosts.codex]\nhidden-setting = 2\n\n[[skills.config]]\n\
         name = \"hidden-switch\"\nenabled = \"hidden-value\"\n\
         //- project/.openoxide/config.toml\n[hidden-table]\nhidden = 1\nhidden = 2\n",
    );
    let server = Server::serving(context, HttpOptions::default());
    for host in HOSTS {
        for line in ["GET /v1/problems", "GET /v1/roots", "GET /v1/skills?all=true", "GET /v1/skills/plain", "GET /"] {
            for identity in [Identity::Anonymous, Identity::Program] {
                let text = server.ask(request(line, Some(host), identity)).await.text();
                assert!(!text.contains("hidden-"), "{identity:?} {host} {line}: {text}");
            }
        }
    }
    let problems = |identity| server.ask(request("GET /v1/problems", Some("claude-code"), identity));
    let found = problems(Identity::Program).await.json();
    let lines: Vec<String> = found["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| {
            let path = problem["path"].as_str().unwrap().rsplit('/').next().unwrap();
            format!(
                "{path}:{} {} {}",
                problem["line"],
                problem["code"].as_str().unwrap(),
                problem["message"].as_str().unwrap()
            )
        })
        .collect();
    assert!(lines.contains(&"config.toml:1 S0402 an unknown configuration key".to_owned()), "{lines:#?}");
    assert!(lines.contains(&"config.toml:6 S0403 a configuration value of the wrong type".to_owned()), "{lines:#?}");
    assert!(
        lines.contains(&"settings.json:null S0403 a configuration value of the wrong type".to_owned()),
        "{lines:#?}"
    );
    assert!(lines.iter().any(|line| line.contains("S0401")), "{lines:#?}");
    let whole = problems(Identity::Person).await.text();
    let named =
        "`hidden-bad` in the setting `overrides` must be one of `on`, `name-only`, `user-invocable-only`, `off`";
    assert!(whole.contains(named) && !whole.contains("hidden-word") && !whole.contains("hidden-off"), "{whole}");
}

/// What is wrong in the user's rules and hosts is for the user: the text has names of skills, and whole lines of files.
#[tokio::test]
async fn errors_about_rules_and_hosts_repeat_nothing_to_programs() {
    const RULES: [&str; 4] = [
        "[permission]\nskill = [{ pattern = \"hidden-*\", action = \"deny\", matches = [\"other\"] }]\n",
        "[permission.skill]\nhidden-rule = \"hidden-word\"\n",
        "[permission.hidden-kind]\nx = \"deny\"\n",
        "[agents.hidden-agent.permission.skill]\nx = \"hidden-word\"\n",
    ];
    let lines = ["/v1/skills", "/v1/problems", "/v1/roots", "/v1/hosts", "/v1/skills/plain", "/"];
    for rules in RULES {
        let context = TestContext::new();
        context.skill("plain", "Plain words").tree(&format!("//- home/.openoxide/config.toml\n{rules}"));
        let server = Server::serving(context, HttpOptions::default());
        for line in lines {
            for identity in [Identity::Anonymous, Identity::Program] {
                let answer = server.ask(request(&format!("GET {line}"), Some("openoxide"), identity)).await;
                let (status, text) = (answer.status, answer.text());
                assert!(!text.contains("hidden-") && !text.contains("config.toml"), "{identity:?} {line}: {text}");
                assert!(line == "/" || (status == 409 && text.contains("bad-rule")), "{rules} {line}: {status} {text}");
            }
        }
        let told = server.ask(request("GET /v1/skills/plain", Some("openoxide"), Identity::Person)).await.text();
        assert!(told.contains("hidden-") && told.contains("config.toml"), "{told}");
    }
    let context = TestContext::new();
    context.skill("plain", "Plain words").tree(
        "//- home/.openoxide/config.toml\nmy_agents = [\"codex\"]\n\
         //- home/.openoxide/hosts/codex/host.toml\nnonsense = [\"hidden-skill\"]\n",
    );
    let server = Server::serving(context, HttpOptions::default());
    for line in lines {
        for host in [None, Some("codex"), Some("claude-code")] {
            for identity in [Identity::Anonymous, Identity::Program] {
                let text = server.ask(request(&format!("GET {line}"), host, identity)).await.text();
                assert!(!text.contains("hidden-"), "{identity:?} {host:?} {line}: {text}");
            }
        }
    }
    let told = server.ask(request("GET /v1/skills", Some("codex"), Identity::Person)).await.text();
    assert!(told.contains("hidden-skill"), "{told}");
}

/// A text whose skill asks first is given by no list, and the name of an agent is no password.
#[tokio::test]
async fn what_asks_first_is_in_no_list_and_the_name_of_an_agent_allows_nothing() {
    let context = TestContext::new();
    context.skill("plain", "Plain words").skill("asks-first", "Asks").skill("never", "Denied").tree(
        "//- project/.opencode/skills -> ../.agents/skills\n//- home/.openoxide/config.toml\n[permission.skill]\n\
         \"*\" = \"allow\"\nasks-first = \"ask\"\nnever = \"deny\"\n\
         [agents.free.permission]\nskill = \"allow\"\nread = \"allow\"\nshell = \"allow\"\n\
         [agents.strict.permission.skill]\nplain = \"deny\"\n",
    );
    let server = Server::serving(context, HttpOptions::default());
    let ask = async |line: &str, identity| server.ask(request(line, None, identity)).await;
    for line in ["GET /skill", "GET /command"] {
        for identity in [Identity::Anonymous, Identity::Program] {
            let text = ask(line, identity).await.text();
            assert!(
                text.contains("plain") && !text.contains("asks-first") && !text.contains("never"),
                "{line}: {text}"
            );
        }
        assert!(ask(line, Identity::Person).await.text().contains("asks-first"), "{line}");
    }
    for line in ["GET /v1/skills/never/files/SKILL.md?agent=free", "GET /v1/skills/never?agent=free"] {
        assert_eq!(ask(line, Identity::Program).await.status, 404, "{line}");
        assert_eq!(ask(line, Identity::Person).await.status, 200, "{line}");
    }
    let asks = ask("POST /v1/skills/asks-first/activate?agent=free {}", Identity::Program).await;
    assert_eq!(asks.status, 202, "{}", asks.text());
    let strict = ask("GET /v1/skills?agent=strict", Identity::Program).await.text();
    assert!(!strict.contains("plain"), "an agent's rules restrict: {strict}");
}
