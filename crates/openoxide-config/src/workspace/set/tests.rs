//! Changes to settings of a user and a project, before and after.

use openoxide_skills::settings::Origin;

use super::*;
use crate::document::dotted_key;
use crate::environment::Environment;
use crate::mcp::McpServer;
use crate::mcp::parse::parse_server;
use crate::workspace::Place;

const MINE: &str = "# mine\n[skills]\nclaude = true # why\n";

type Came = (String, Result<SettingOutcome, String>);

fn set(key: &str, value: Option<toml::Value>, owner: SettingsOwner, flags: &[&str]) -> Came {
    set_in(MINE, key, value, owner, flags)
}

/// Changes a setting of a user who has these; returns them as they are then, and what is told.
fn set_in(mine: &str, key: &str, value: Option<toml::Value>, owner: SettingsOwner, flags: &[&str]) -> Came {
    let dir = tempfile::tempdir().unwrap();
    let home = std::fs::canonicalize(dir.path()).unwrap();
    fs_err::create_dir_all(home.join("p/.git")).unwrap();
    fs_err::create_dir_all(home.join(".openoxide")).unwrap();
    let file = home.join(".openoxide/config.toml");
    fs_err::write(&file, mine).unwrap();
    let (cwd, admin) = (home.join("p"), home.join("admin"));
    let environment = Environment { cwd, home: Some(home.clone()), admin, ..Environment::default() };
    let config = flags.iter().map(|&flag| flag.to_owned()).collect();
    let workspace = Workspace::open(environment, Place { config, ..Place::default() }).unwrap();
    let change = SettingChange { key: key.to_owned(), value, owner };
    let before = workspace.validate_setting(&change).map_err(|error| error.to_string());
    assert_eq!(fs_err::read_to_string(&file).unwrap(), mine, "who only asks changes nothing");
    let changed = workspace.set(&change);
    assert_eq!(before.err(), changed.as_ref().err().map(ToString::to_string));
    // A file that has nothing left in it is removed.
    let text = fs_err::read_to_string(&file).unwrap_or_default();
    (text, changed.map_err(|error| format!("{error}; {}", error.hint().unwrap_or_default())))
}

#[test]
fn what_could_give_power_is_known() {
    let gives = |key: &str, value: &str| {
        let value = (!value.is_empty()).then(|| format!("x = {value}").parse::<toml::Table>().unwrap()["x"].clone());
        SettingChange { key: key.to_owned(), value, owner: SettingsOwner::User }.widens_permissions()
    };
    for (key, value) in [
        ("permission.shell", "\"allow\""),
        ("permission.shell", "\"ask\""),
        ("permission", "{ skill = { x = \"deny\" } }"),
        ("permission.shell", ""),
        ("agents.a.permission", "{ shell = \"allow\" }"),
        ("hosts.x.permission", "{ skill = \"allow\" }"),
        ("trust.folders", "[\"/\"]"),
        ("sandbox.network", "true"),
        ("sandbox.writable", "[\"/\"]"),
        ("sandbox.time", "99999"),
        ("mcp.servers.x", "{ command = \"sh\" }"),
        ("skills.shell", "true"),
        ("skills.shell", ""),
        ("skills.untrusted_loses", "false"),
        ("no.such", "1"),
    ] {
        assert!(gives(key, value), "{key} = {value}");
    }
    for (key, value) in [
        ("permission.shell", "\"deny\""),
        ("sandbox.network", "false"),
        ("skills.shell", "false"),
        ("skills.profiles", "\"strict\""),
        ("skills.claude", ""),
        ("skills.paths", "[\"/x\"]"),
        ("color", "\"never\""),
    ] {
        assert!(!gives(key, value), "{key} = {value}");
    }
}

#[test]
fn what_is_written_counts_or_that_is_said() {
    let (text, changed) = set("skills.claude", Some(false.into()), SettingsOwner::User, &[]);
    assert_eq!(text, "# mine\n[skills]\nclaude = false # why\n");
    let changed = changed.unwrap();
    assert_eq!(
        (changed.changed, changed.effective.unwrap().value, changed.ineffective_reason),
        (true, false.into(), None)
    );
    let (_, stronger) = set("skills.claude", Some(false.into()), SettingsOwner::User, &["skills.claude=true"]);
    let stronger = stronger.unwrap();
    assert_eq!(stronger.effective.unwrap().value, true.into());
    assert!(stronger.ineffective_reason.unwrap().ends_with(" overrides it"));
    let (_, removed) = set("skills.claude", None, SettingsOwner::User, &[]);
    let removed = removed.unwrap();
    assert_eq!(
        (removed.changed, removed.effective.unwrap().origin, removed.ineffective_reason),
        (true, Origin::Default, None)
    );
    let (_, project) = set("skills.claude", Some(false.into()), SettingsOwner::Project, &[]);
    let why = "the project's settings apply only once the project is trusted";
    assert_eq!(project.unwrap().ineffective_reason.as_deref(), Some(why));
}

#[test]
fn what_would_not_count_is_not_written() {
    let rule = |text: &str| text.parse::<toml::Table>().unwrap().into();
    let cases: [(&str, toml::Value, SettingsOwner, &str); 6] = [
        (
            "skils.paths",
            "x".into(),
            SettingsOwner::User,
            "there is no setting `skils.paths`; did you mean `skills.paths`?",
        ),
        ("skills.claude", "x".into(), SettingsOwner::User, "`skills.claude` must be `true` or `false`; Whether"),
        ("sandbox.network", true.into(), SettingsOwner::Project, "a project can set `sandbox.network` to `false` only"),
        ("trust.folders", toml::Value::Array(vec![]), SettingsOwner::Project, "a project cannot set `trust.folders`"),
        ("permission.shell", rule("\"*\" = \"perhaps\""), SettingsOwner::User, ""),
        ("mcp.servers.x", rule("nothing = 1"), SettingsOwner::User, "`mcp.servers.x`: "),
    ];
    for (key, value, owner, expected) in cases {
        let (text, refused) = set(key, Some(value), owner, &[]);
        let refused = refused.unwrap_err();
        assert!(refused.starts_with(expected), "{key}: {refused}");
        assert_eq!(text, "# mine\n[skills]\nclaude = true # why\n");
    }
}
const PRIVATE: &str =
    "[mcp.servers.private] # mine\nurl = \"https://a.example/mcp\"\ntoken_env = \"T\"\nenabled = true\n";

fn server(text: &str) -> McpServer {
    let table: toml::Table = text.parse().unwrap();
    parse_server("private", dotted_key::get(&table, "mcp.servers.private").unwrap()).unwrap()
}

/// A token, and what else was meant for one server, is for no other.
#[test]
fn a_server_that_is_reached_in_another_way_gets_nothing_of_the_old_one() {
    let change = |before: &str, field: &str, value: &str| {
        let key = format!("mcp.servers.private.{field}");
        let (text, changed) = set_in(before, &key, Some(value.into()), SettingsOwner::User, &[]);
        (text, changed.unwrap().dropped)
    };
    let (text, dropped) = change(PRIVATE, "url", "https://evil.example/mcp");
    assert_eq!(text, PRIVATE.replace("a.example", "evil.example").replace("token_env = \"T\"\n", ""));
    assert_eq!(dropped, ["mcp.servers.private.token_env"]);
    let file = PRIVATE.replace("token_env = \"T\"", "token_file = \"~/t\"").replace("mcp.servers", "mcp.\"servers\"");
    let (text, dropped) = change(&file, "url", "http://plain.example/mcp");
    assert!(!text.contains("token") && dropped == ["mcp.servers.private.token_file"], "{text}");
    let (text, dropped) = change(PRIVATE, "url", "https://a.example/mcp");
    assert_eq!((text.as_str(), dropped.len()), (PRIVATE, 0), "it is the same server");
    let (text, dropped) = change(PRIVATE, "command", "sh");
    assert_eq!((server(&text).transport.as_str(), dropped.len()), ("stdio", 2), "{text}");
    let command = "[mcp.servers.private]\ncommand = \"a\"\nargs = [\"b\"]\nenv = [\"KEY\"]\nenabled = false\n";
    let (text, _) = change(command, "command", "other");
    assert_eq!(text, "[mcp.servers.private]\ncommand = \"other\"\nenabled = false\n");
}

/// One field counts or does not by what the server is as a whole.
#[test]
fn a_server_is_looked_at_as_a_whole() {
    let change = |before: &str, field: &str, value: Option<toml::Value>| {
        let (text, changed) = set_in(before, &format!("mcp.servers.private{field}"), value, SettingsOwner::User, &[]);
        if changed.is_err() {
            assert_eq!(text, before, "nothing is written that is ignored");
        }
        (text, changed.err().unwrap_or_default())
    };
    let (text, refused) = change(PRIVATE, ".enabled", Some(false.into()));
    assert_eq!((refused.as_str(), server(&text).enabled), ("", false));
    let plain = "[mcp.servers.private]\nurl = \"http://plain.example\"\n";
    let (_, refused) = change(plain, ".token_env", Some("T".into()));
    assert!(refused.contains("a token is sent to `https://` or to this machine only"), "{refused}");
    for (before, field, value) in [
        ("", ".enabled", Some(true.into())),
        (PRIVATE, ".token_file", Some("/t".into())),
        (PRIVATE, ".args", Some(toml::Value::Array(vec![]))),
        (PRIVATE, ".nothing.more", Some(1.into())),
        (PRIVATE, ".url", Some("ftp://a".into())),
        (PRIVATE, ".url", None),
    ] {
        let (_, refused) = change(before, field, value);
        assert!(refused.starts_with("`mcp.servers.private`: "), "{field}: {refused}");
    }
    let (_, refused) = change(PRIVATE, ".url", None);
    assert!(refused.ends_with("; to remove it as a whole, remove `mcp.servers.private`"), "{refused}");
    assert_eq!(change(PRIVATE, "", None).1, "");
    // What is bad already can be fixed, bit by bit.
    let (text, refused) = change(&format!("{PRIVATE}one = 1\ntwo = 2\n"), ".one", None);
    assert!(refused.is_empty() && !text.contains("one"), "{refused}");
}

#[test]
fn the_name_of_a_host_that_does_not_exist_is_refused() {
    let came = |key: &str, value: toml::Value| {
        let (text, came) = set(key, Some(value), SettingsOwner::User, &[]);
        assert_eq!(came.is_ok(), text != MINE, "{text}");
        came.err().unwrap_or_default()
    };
    assert!(came("host", "codx".into()).starts_with("`host`: no host is called `codx`; did you mean `codex`? "));
    assert_eq!(came("host", "codex@x".into()), "`host`: host `codex` has no edition `x`; there are `seed`");
    assert_eq!(came("host", "codex@seed".into()), "");
    let list = |names: &[&str]| toml::Value::from(names.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert!(came("my_agents", list(&["pi", "codx"])).starts_with("`my_agents`: no host is called `codx`"));
    assert!(came("my_agents", "pi".into()).starts_with("`my_agents` must be a list of names of hosts"));
    assert_eq!(came("my_agents", list(&["pi", "codex"])), "");
}

/// It frames what is looked at and grants nothing, so that nothing has to be trusted for it.
#[test]
fn a_project_lists_agents_without_trust() {
    let value = toml::Value::from(vec!["codex".to_owned()]);
    let (_, came) = set("my_agents", Some(value.clone()), SettingsOwner::Project, &[]);
    let came = came.unwrap();
    assert_eq!((came.effective.map(|setting| setting.value), came.ineffective_reason), (Some(value), None));
}

/// Every kind of value, with the words that say what is wrong and what may be meant. Nothing is written.
#[test]
fn a_bad_value_of_any_key_is_refused_with_the_next_step() {
    for (key, value, words) in [
        ("hosts.codx.bundled", "false", "`hosts.codx` is for a host that is not there; did you mean `hosts.codex`?"),
        ("hosts.codex.bundeld", "false", "there is no setting `hosts.codex.bundeld`; did you mean `bundled`?"),
        ("hosts.codex.bundled", "'maybe'", "`hosts.codex.bundled` must be `true` or `false`; "),
        ("hosts", "{ codx = { a = 1 } }", "`hosts.codx` is for a host that is not there; "),
        ("hosts.codex", "1", "`hosts.codex` must be a table of settings; Settings of other hosts"),
        ("budget.share", "5", "`budget.share` must be a number above 0 and at most 1; The share"),
        ("budget.share", "-0.1", "`budget.share` must be a number above 0 and at most 1; "),
        ("budget.share", "nan", "`budget.share` must be a number above 0 and at most 1; "),
        ("budget.unknown_chars", "-1", "`budget.unknown_chars` must be a whole number, 0 or more; "),
        ("check.ignore", "['S9120']", "`check.ignore`: there is no code `S9120`; did you mean `S0120`?"),
        ("check.ignore", "'S0110'", "`check.ignore` must be a list of codes; did you mean `[\"S0110\"]`?"),
        ("color", "'alwys'", "`color` must be one of `auto`, `always`, `never`; did you mean `always`?"),
        ("limits.depth", "0", "`limits.depth` must be a whole number, 1 or more; "),
        ("mentions.ambiguous", "'rnk'", "`mentions.ambiguous` must be one of `nothing`, `rank`; did you mean `rank`?"),
        ("my_agents", "'codex'", "`my_agents` must be a list of names of hosts; did you mean `[\"codex\"]`?"),
        ("permission.skil", "'deny'", "`permission.skil` is no permission; did you mean `skill`?"),
        ("permission.skill", "'dny'", "`permission.skill`: `dny` is not `allow`, `ask` or `deny`; fix the rule"),
        ("agents.a.permision", "'deny'", "there is no setting `agents.a.permision`; an agent has `permission`"),
        ("agents.a.skills", "5", "`agents.a.skills` must be a list of texts; Agents for `--agent NAME`"),
        ("sandbox.memory", "0", "`sandbox.memory` must be a whole number, 1 or more; "),
        ("sandbox.network", "'yes'", "`sandbox.network` must be `true` or `false`; did you mean `true`?"),
        ("sandbox.writable", "['x']", "`sandbox.writable` must be a list of folders that begin with `/` or `~/`; "),
        ("skills.paths", "'~/x'", "`skills.paths` must be a list of texts; did you mean `[\"~/x\"]`?"),
        ("skills.profiles", "'srtict'", "must be one of `ask`, `strict`, `trusted-sources`; did you mean `strict`?"),
        ("sandbox.writable", "['x']", "`sandbox.writable` must be a list of folders that begin with `/` or `~/`; "),
        ("mcp.servers.x.comand", "'sh'", "`mcp.servers.x`: a server has no `comand`; it has `command`"),
    ] {
        let value = format!("value = {value}").parse::<toml::Table>().unwrap().remove("value");
        let (text, came) = set(key, value, SettingsOwner::User, &[]);
        let came = came.map(|_| ()).unwrap_err();
        assert!(came.contains(words), "{key}: {came}");
        assert_eq!(text, MINE, "{key}: nothing is written");
    }
}

#[test]
fn good_values_of_hosts_and_codes_are_written() {
    for (key, value) in
        [("hosts.codex.bundled", "false"), ("check.ignore", "['S0110', 's0123']"), ("budget.share", "1")]
    {
        let value = format!("value = {value}").parse::<toml::Table>().unwrap().remove("value");
        let (_, came) = set(key, value, SettingsOwner::User, &[]);
        assert!(came.is_ok_and(|came| came.changed), "{key}");
    }
}
