use openoxide_skills::diagnostic::Code;

use super::*;
use crate::environment::Environment;

fn setup(user: &str, project: &str) -> (tempfile::TempDir, Environment) {
    let dir = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(dir.path()).unwrap();
    for (folder, text) in [("home/.openoxide", user), ("project/.openoxide", project)] {
        fs_err::create_dir_all(root.join(folder)).unwrap();
        fs_err::write(root.join(folder).join("config.toml"), text).unwrap();
    }
    let environment = Environment {
        cwd: root.join("project"),
        home: Some(root.join("home")),
        admin: root.join("admin"),
        ..Environment::default()
    };
    (dir, environment)
}

#[test]
fn later_layers_win_and_say_where_they_stand() {
    let (_dir, environment) = setup("# mine\nhost = \"codex\"\n", "host = \"claude-code\"\n");
    let config = Config::load(&environment, &environment.cwd, &[]);
    let host = config.get("host").unwrap();
    assert_eq!(host.value.as_str(), Some("codex"));
    assert!(host.origin.to_string().ends_with("config.toml:2"), "{}", host.origin);
    let codes: Vec<_> = config.problems.iter().map(|problem| problem.diagnostic.code).collect();
    assert_eq!(codes, [Code::ConfigUntrusted]);
    let flags = [format!("trust.folders=[{:?}]", environment.cwd.to_str().unwrap())];
    let config = Config::load(&environment, &environment.cwd, &flags);
    assert_eq!(config.text("host").as_deref(), Some("claude-code"));
    let config = Config::load(&environment, &environment.cwd, &["host=agentskills".to_owned()]);
    assert_eq!(config.get("host").unwrap().origin, Origin::CommandLine);
}

#[test]
fn bad_keys_and_values_are_reported_and_the_rest_counts() {
    let user = "skils.paths = []\n[skills]\nclaude = \"no\"\npaths = [\"/x\"]\n";
    let (_dir, environment) = setup(user, "[trust]\nfolders = [\"/\"]\n");
    let config = Config::load(&environment, &environment.cwd, &[]);
    let shown: Vec<String> = config.problems.iter().map(|problem| problem.diagnostic.message.clone()).collect();
    assert_eq!(shown[..2], ["there is no setting `skils.paths`", "`skills.claude` must be `true` or `false`"]);
    assert!(shown.iter().any(|message| message == "a project cannot set `trust.folders`"));
    assert_eq!(config.problems[1].diagnostic.place.as_ref().unwrap().line, 3);
    assert_eq!(config.get("skills.paths").unwrap().value.as_array().unwrap().len(), 1);
}

/// Returns the rules of `skills.config` that hold, and what is said of the others: line, message, help.
fn rules(text: &str) -> (Vec<String>, Vec<String>) {
    let (_dir, environment) = setup(text, "");
    let config = Config::load(&environment, &environment.cwd, &[]);
    let rule = |rule: &Value| {
        let of = |key: &str| rule.get(key).and_then(Value::as_str);
        format!("{}={}", of("name").or(of("path")).unwrap(), rule["enabled"])
    };
    let rules = config.get("skills.config").unwrap().value.as_array().unwrap().iter().map(rule).collect();
    let problem = |problem: &ConfigProblem| {
        let diagnostic = &problem.diagnostic;
        let line = diagnostic.place.as_ref().unwrap().line;
        format!("{line}: {}; {}", diagnostic.message, diagnostic.help.as_ref().unwrap())
    };
    (rules, config.problems.iter().map(problem).collect())
}

#[test]
fn a_bad_rule_leaves_the_others_and_switches_off_what_it_names() {
    let check = |entry: &str, held: &[&str], problem: &str| {
        let text = format!(
            "[[skills.config]]\nname = \"dep\"\nenabled = false\n\n[[skills.config]]\n{entry}\n\n\
             [[skills.config]]\npath = \"/on\"\nenabled = true\n"
        );
        let (rules, problems) = rules(&text);
        assert_eq!(rules, [&["dep=false"], held, &["/on=true"]].concat(), "{entry}");
        assert_eq!(problems, [format!("5: entry 2 of `skills.config` {problem} until it is fixed")], "{entry}");
    };
    let switch = "must have `enabled = true` or `enabled = false`; what it names is off";
    check("name = \"other\"\nenabled = \"false\"", &["other=false"], switch);
    check("name = \"other\"\nenabled = \"true\"", &["other=false"], switch);
    check("path = \"/other\"", &["/other=false"], switch);
    check("name = \"other\"\nenabeld = false", &["other=false"], switch);
    check("name = 3\nenabled = false", &[], "must have `name` as text; no skill is activated");
    check("nam = \"other\"\nenabled = false", &[], "must have `name` or `path`; no skill is activated");
    check("nam = \"other\"\nenabled = true", &[], "must have `name` or `path`; the entry is ignored");
    let both = "must have `name` or `path`, not both";
    check("name = \"a\"\npath = \"/a\"\nenabled = true", &[], &format!("{both}; the entry is ignored"));
    check("name = \"x\"\npath = 3\nenabled = true", &[], &format!("{both}; the entry is ignored"));
    let off = format!("{both}; what it names is off");
    check("name = \"a\"\npath = \"/a\"\nenabled = false", &["a=false", "/a=false"], &off);
    let closed = format!("{both}; no skill is activated");
    check("name = [\"secret\"]\npath = \"/a\"\nenabled = false", &["/a=false"], &closed);
    let unknown = "has an unknown key, `why`; what it names is off";
    check("name = \"a\"\nenabled = false\nwhy = \"\"", &["a=false"], unknown);
}

/// A slip in the user's or the administrator's file may have been meant to deny, so that nothing is allowed meanwhile. Nobody
/// relies on a project's file to deny something.
#[test]
fn what_is_not_understood_and_may_deny_allows_nothing() {
    let doubtful = [
        "[[permission]]\nskill = \"deny\"\n",
        "permission = [\"deny\"]\n",
        "permission = false\n",
        "permission = 1979-05-27\n",
        "agents = 3\n",
        "[[agents]]\npermission = \"deny\"\n",
        "[[agents.a]]\npermission = \"deny\"\n",
        "agents.a = \"deny\"\n",
        "[permissions.skill]\nx = \"deny\"\n",
        "[permision]\nskill = \"deny\"\n",
        "Permission = \"deny\"\n",
        "[agent.a]\npermission = \"deny\"\n",
        "[[skills]]\nshell = false\n",
        "[skil]\nshell = false\n",
        "[skills]\nshel = false\n",
        "[[skill.config]]\nname = \"x\"\nenabled = false\n",
        "[[skills.config]]\nnames = [\"x\"]\nenabled = false\n",
        "[[skills.config]]\nName = \"x\"\nenabled = false\n",
        "skills.config = [\"secret-skill\"]\n",
        "[skills.config.x]\nenabled = false\n",
        "hosts = 3\n",
        "[[hosts.claude-code]]\noverrides = { x = \"off\" }\n",
        "[host-s.codex]\nbundled = false\n",
        "[host.codex]\nbundled = false\n",
    ];
    let harmless = [
        "colour = 1\n",
        "[skills]\npahts = [\"/x\"]\n",
        "[[skills.config]]\nnam = \"x\"\nenabled = true\n",
        "[permission]\n",
        "budget.share = 7\n",
        "host = 3\n",
    ];
    for (text, is_doubtful) in doubtful.map(|text| (text, true)).into_iter().chain(harmless.map(|text| (text, false))) {
        let (_dir, environment) = setup(text, "");
        let closes = |config: &Config| config.complete_rules().is_err();
        assert_eq!(closes(&Config::load(&environment, &environment.cwd, &[])), is_doubtful, "the user's: {text}");
        let (_dir, environment) = setup("", "");
        fs_err::create_dir_all(&environment.admin).unwrap();
        fs_err::write(environment.admin.join("config.toml"), text).unwrap();
        assert_eq!(
            closes(&Config::load(&environment, &environment.cwd, &[])),
            is_doubtful,
            "the administrator's: {text}"
        );
        let (_dir, environment) = setup("", text);
        assert!(!closes(&Config::load(&environment, &environment.cwd, &[])), "an untrusted project's: {text}");
    }
    let (_dir, environment) = setup("", "[[skills]]\nshell = false\n");
    assert!(trusted(&environment).complete_rules().is_ok());
    let flags = ["permision.skill=deny".to_owned()];
    let config = Config::load(&environment, &environment.cwd, &flags);
    assert!(config.complete_rules().is_err());
}

#[test]
fn what_is_not_understood_is_said_with_its_place_and_the_next_step() {
    let said = |text: &str| {
        let (_dir, environment) = setup(text, "");
        let error = Config::load(&environment, &environment.cwd, &[]).complete_rules().unwrap_err();
        let shown = error.to_string();
        let (_, shown) = shown.split_once("/home/").unwrap();
        (shown.to_owned(), error.hint().to_owned())
    };
    let closed = "fix it; until then no skill is activated";
    let check = |text: &str, shown: &str, hint: &str| {
        assert_eq!(said(text), (format!(".openoxide/config.toml:{shown}"), hint.to_owned()), "{text}");
    };
    check("[[permission]]\nskill = \"deny\"\n", "1: rules are a word, or a table by permission", FIX_RULE);
    check("\n[agents]\na = 1\n", "3: an agent is a table with `permission` and `skills`", FIX_RULE);
    let deny = "and may have been meant to deny";
    check("[permisions]\na = 1\n", &format!("2: there is no setting `permisions`, {deny}"), closed);
    check("[hosts]\ncodex = 1\n", &format!("2: `hosts.codex` must be a table of settings, {deny}"), closed);
    let entry = "entry 1 of `skills.config` must have `name` or `path`";
    check("[[skills.config]]\nnames = []\n", &format!("1: {entry}, {deny}"), closed);
    check(
        "x = ",
        "1: the file is not valid TOML: string values must be quoted, expected literal string; what it denies is not known",
        "fix the file; until then no skill is activated",
    );
    let (_dir, environment) = setup("[permisions.skill]\nx = \"deny\"\n", "");
    let config = Config::load(&environment, &environment.cwd, &[]);
    assert_eq!(config.problems[0].diagnostic.help.as_deref(), Some("did you mean `permission`?"));
}

const FIX_RULE: &str = "fix the rule; OpenOxide does not guess what it means";

#[test]
fn a_bad_host_or_agent_leaves_the_others() {
    let text = "[hosts]\ncodex = 3\n[hosts.claude-code.overrides]\nsecret = \"off\"\n\
                [agents]\nbad = 3\n[agents.a.permission]\nskill = \"deny\"\n";
    let (_dir, environment) = setup(text, "");
    let config = Config::load(&environment, &environment.cwd, &[]);
    assert_eq!(config.get("hosts.claude-code.overrides.secret").unwrap().value.as_str(), Some("off"));
    assert_eq!(config.agents()["a"].rules.0.len(), 1);
    let problem = &config.problems[0].diagnostic;
    assert_eq!(
        (problem.message.as_str(), problem.help.as_deref(), problem.place.as_ref().unwrap().line),
        ("`hosts.codex` must be a table of settings", Some("no skill is activated until it is fixed"), 2)
    );
}

fn numbered(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().join("\n") + "\n"
}

/// A project that is not trusted could write thousands.
#[test]
fn many_problems_of_a_file_are_counted() {
    let keys = numbered(3000, |at| format!("key{at} = 1"));
    let entries = "[[skills.config]]\nname = \"n\"\n".repeat(3000);
    let allowed = numbered(3000, |at| format!("p{at} = \"allow\""));
    let text = format!("{keys}{entries}[permission.skill]\n{allowed}");
    let (_dir, environment) = setup("", &text);
    let config = trusted(&environment);
    assert_eq!(config.problems.len(), 2 * 21 + 21);
    let said = said(&config);
    assert_eq!(said.iter().filter(|message| **message == "and 2980 more of this kind").count(), 3, "{said:?}");
    let lines = config.problems.iter().filter_map(|problem| problem.diagnostic.place.as_ref());
    assert_eq!(lines.map(|place| place.line).max(), Some(3000 + 2 * 19 + 1));
}

#[test]
fn every_one_of_many_rules_knows_its_line() {
    let text = numbered(3000, |at| format!("p{at} = \"deny\""));
    let (_dir, environment) = setup(&format!("[permission.skill]\n{text}"), "");
    let config = Config::load(&environment, &environment.cwd, &[]);
    assert!(config.rules().unwrap().0[2999].origin.ends_with("config.toml:3001"));
}

#[test]
fn a_flag_that_cannot_be_used_says_what_is_meant() {
    let help = |flag: &str| {
        let (_dir, environment) = setup("", "");
        let config = Config::load(&environment, &environment.cwd, &[flag.to_owned()]);
        config.problems[0].diagnostic.help.clone().unwrap()
    };
    assert_eq!(help("skills.shell=flase"), "did you mean `false`?");
    assert_eq!(help("skills.shell=3"), "Whether commands in the text of a skill may run at all.");
    assert_eq!(help("skills.shell=off"), "did you mean `false`?");
    assert_eq!(help("color=nevr"), "did you mean `never`?");
    assert!(help("agents.a.skills=x").starts_with("Agents for `--agent NAME`"));
}

#[test]
fn a_rule_that_is_in_no_list_switches_off_what_it_names() {
    let (held, problems) = rules("[skills.config]\nname = \"dep\"\nenabled = false\n");
    let expected = "1: `skills.config` must be a list of tables with `name` or `path`, and `enabled`";
    assert_eq!(
        (held, problems),
        (vec!["dep=false".to_owned()], vec![format!("{expected}; what it names is off until it is fixed")])
    );
    assert_eq!(rules("[skills]\nconfig = 3\n").0, [""; 0]);
}

#[test]
fn a_bad_value_of_a_strict_key_means_the_strictest_one() {
    use openoxide_permissions::ProfileMode;

    use crate::{AllowedTools, PermissionPolicy};
    let strictest =
        PermissionPolicy { shell: false, allowed_tools: AllowedTools::Limit, profiles: ProfileMode::Strict };
    let bad = "[sandbox]\nnetwork = \"no\"\n[skills]\nallowed_tools = \"limits\"\nprofiles = []\nshell = \"false\"\n";
    let expected = [
        "the strictest value, `false`, holds until it is fixed",
        "the strictest value, `\"limit\"`, holds until it is fixed",
        "the strictest value, `\"strict\"`, holds until it is fixed",
        "the strictest value, `false`, holds until it is fixed",
    ];
    for (user, project) in [(bad, ""), ("sandbox.network = true\n", bad)] {
        let (_dir, environment) = setup(user, project);
        let config = trusted(&environment);
        assert_eq!((config.permission_policy(), config.sandbox().network), (strictest, false));
        let helps: Vec<_> = config.problems.iter().filter_map(|problem| problem.diagnostic.help.as_deref()).collect();
        assert_eq!(helps, expected);
    }
    // A table is a value of the wrong type too, and not a key of its own.
    let (_dir, environment) = setup("[skills.shell]\nenabled = false\n", "");
    let config = Config::load(&environment, &environment.cwd, &[]);
    assert_eq!(
        (config.permission_policy().shell, said(&config)),
        (false, vec!["`skills.shell` must be `true` or `false`"])
    );
}

fn said(config: &Config) -> Vec<&str> {
    config.problems.iter().map(|problem| problem.diagnostic.message.as_str()).collect()
}

fn trusted(environment: &Environment) -> Config {
    let now = crate::Timestamp::from(std::time::UNIX_EPOCH);
    Trust::open(environment).add_folder(&environment.cwd, now).unwrap();
    Config::load(environment, &environment.cwd, &[])
}

#[test]
fn a_folder_is_trusted_by_the_list_or_by_what_was_written_down() {
    let (_dir, environment) = setup("", "host = \"codex\"\n");
    assert!(!Config::load(&environment, &environment.cwd, &[]).trusts(&environment.cwd));
    let config = trusted(&environment);
    assert!(config.trusts(&environment.cwd) && config.text("host").as_deref() == Some("codex"));
    assert!(!config.trusts(&environment.cwd.join("below")) && !config.trusts(environment.cwd.parent().unwrap()));
    let link = environment.cwd.with_file_name("link");
    fs_err::os::unix::fs::symlink(&environment.cwd, &link).unwrap();
    assert!(config.trusts(&link), "a link to a trusted folder is that folder");
    let listed = format!("trust.folders = [{:?}]", environment.cwd.to_str().unwrap());
    let (_dir, other) = setup(&listed, "");
    assert!(Config::load(&other, &other.cwd, &[]).trusts(&environment.cwd));
}

/// Whatever lies in a project came with it, the user's own folder too.
#[test]
fn what_lies_in_a_project_cannot_vouch_for_it() {
    let (_dir, mut environment) = setup("", "host = \"codex\"\n");
    let inside = environment.cwd.join("home");
    environment.variables.insert("OPENOXIDE_HOME".to_owned(), inside.to_str().unwrap().to_owned());
    assert!(!trusted(&environment).trusts(&environment.cwd));
    let listed = format!("trust.folders = [{:?}]", environment.cwd.to_str().unwrap());
    fs_err::write(inside.join("config.toml"), listed).unwrap();
    assert!(!Config::load(&environment, &environment.cwd, &[]).trusts(&environment.cwd));
    let flag = format!("trust.folders=[{:?}]", environment.cwd.to_str().unwrap());
    assert!(Config::load(&environment, &environment.cwd, &[flag]).trusts(&environment.cwd), "what was typed counts");
}

#[test]
fn a_trusted_project_can_be_stricter_and_never_looser() {
    use openoxide_permissions::ProfileMode;

    use crate::{AllowedTools, PermissionPolicy};
    let loose = "connectors.names = [\"x\"]\n[mcp.servers.evil]\ncommand = \"sh\"\n[sandbox]\nnetwork = true\n\
                 writable = [\"/\"]\ntime = 9\n[skills]\nallowed_tools = \"preapprove\"\nprofiles = \"ask\"\nshell = true\n";
    let strictest =
        PermissionPolicy { shell: false, allowed_tools: AllowedTools::Limit, profiles: ProfileMode::Strict };
    let strict = "[sandbox]\nnetwork = false\n\
                  [skills]\nallowed_tools = \"limit\"\nprofiles = \"strict\"\nshell = false\n";
    let (_dir, environment) = setup(strict, loose);
    let config = trusted(&environment);
    assert_eq!(
        said(&config),
        [
            "a project cannot set `connectors.names`",
            "a project cannot set `mcp.servers.evil`",
            "a project can set `sandbox.network` to `false` only",
            "a project cannot set `sandbox.writable`",
            "a project cannot set `sandbox.time`",
            "a project can set `skills.allowed_tools` to `\"limit\"` only",
            "a project can set `skills.profiles` to `\"strict\"` only",
            "a project can set `skills.shell` to `false` only",
        ]
    );
    assert!(config.problems.iter().all(|problem| problem.diagnostic.place.is_some()));
    assert_eq!((config.permission_policy(), config.mcp_servers().len(), config.connectors().len()), (strictest, 0, 0));
    let sandbox = config.sandbox();
    assert_eq!((sandbox.network, sandbox.writable.len(), sandbox.time.as_secs()), (false, 0, 120));
    assert!(config.get("mcp.servers").is_none(), "an empty table is not left to hide the user's");
    // The other way round.
    let (_dir, environment) = setup("[sandbox]\nnetwork = true\n", strict);
    let before = Config::load(&environment, &environment.cwd, &[]);
    assert!(before.sandbox().network && before.permission_policy().shell);
    let config = trusted(&environment);
    assert_eq!((said(&config).len(), config.permission_policy(), config.sandbox().network), (0, strictest, false));
}

#[test]
fn what_the_administrator_made_strict_stays_strict() {
    let (_dir, environment) = setup("[skills]\nshell = true\nprofiles = \"ask\"\nclaude = false\n", "");
    fs_err::create_dir_all(&environment.admin).unwrap();
    let admin = environment.admin.join("config.toml");
    fs_err::write(&admin, "[skills]\nshell = false\nprofiles = \"trusted-sources\"\nclaude = true\n").unwrap();
    let flags = ["skills.shell=true".to_owned()];
    let config = Config::load(&environment, &environment.cwd, &flags);
    let shell = config.get("skills.shell").unwrap();
    assert_eq!((shell.value.as_bool(), shell.origin), (Some(false), Origin::File { path: admin, line: Some(2) }));
    assert_eq!(config.text("skills.profiles").as_deref(), Some("ask"), "that is no more than a default");
    assert_eq!(config.get("skills.claude").unwrap().value.as_bool(), Some(false));
}

#[test]
fn a_damaged_store_is_told_and_trusts_nothing() {
    let (_dir, environment) = setup("", "");
    trusted(&environment);
    let store = environment.openoxide_home().unwrap().join("state/trust.toml");
    fs_err::write(&store, fs_err::read_to_string(&store).unwrap() + "[[folders]]\n").unwrap();
    let config = Config::load(&environment, &environment.cwd, &[]);
    assert!(!config.trusts(&environment.cwd));
    let problem = &config.problems[0];
    assert_eq!((problem.path.as_ref(), problem.diagnostic.code), (Some(&store), Code::ConfigInvalid));
    assert_eq!(problem.diagnostic.place.as_ref().unwrap().line, 7);
}
