//! The table of all keys of `config.toml`.

use openoxide_permissions::ProfileMode;

use super::key::ValueKind::{
    self, Agents, Bool, Choice, Codes, Folders, HostName, HostNames, Hosts, Integer, List, ModelName, Models,
    Permissions, Rules, Servers, Share,
};
use super::key::{ConfigKey, ProjectAccess, parse_value};

/// All keys, sorted by name.
pub const CONFIG_KEYS: &[ConfigKey] = &[
    key(
        "agents",
        Agents,
        "",
        "Agents for `--agent NAME`: `agents.NAME.permission` has rules as `permission` does, which follow those; `agents.NAME.skills` lists the skills that the agent starts with.",
    ),
    key("budget.share", Share, "0.02", "The share of the context window that the catalog may take."),
    key("budget.unknown_chars", Integer(0), "16000", "The catalog's size in characters when the window is not known."),
    key("check.ignore", Codes, "[]", "Codes of findings that `check` does not report, as `--ignore` does."),
    key(
        "check.select",
        Codes,
        "[]",
        "Codes of findings that `check` reports, and no others, as `--select` does; empty: all.",
    ),
    key("color", Choice(&["auto", "always", "never"]), "\"auto\"", "When to use color."),
    private(
        "connectors.names",
        List,
        "[]",
        "Names of connectors; in running text, `$NAME` means the connector and not a skill.",
    ),
    key(
        "host",
        HostName,
        "",
        "The one host whose rules are followed, as `name` or `name@edition`; acts like `--host` on every command.",
    ),
    key(
        "hosts",
        Hosts,
        "",
        "Settings of other hosts, as `hosts.NAME.SETTING`; `openoxide roots --host NAME` lists them.",
    ),
    key("limits.depth", Integer(1), "6", "The deepest folder below a root that may be a skill."),
    key("limits.entries", Integer(1), "200000", "The most entries examined below a root."),
    key("limits.folders", Integer(1), "50000", "The most folders opened below a root."),
    private(
        "mcp.servers",
        Servers,
        "",
        "Servers of tools by name: `command` with `args` and `env` (names of variables), or `url`, with `token_env` (the name of a variable) or `token_file` (a path) if it wants a token; `transport` and `enabled`.",
    ),
    key(
        "mentions.ambiguous",
        Choice(&["nothing", "rank"]),
        "\"nothing\"",
        "What `$name` in a text means when several skills have the name: `nothing`, or by `rank` the one that is active.",
    ),
    private("model", ModelName, "", "The model that is used where none is named: one of `models`."),
    private(
        "models",
        Models,
        "",
        "Models by name: `url` of the server, `api` (`openai`, the default, or `anthropic`), `model` (what the server calls it, if not as you), `key_env` (the name of a variable) or `key_file` (a path) if the server wants a key, and `context` (the tokens of its window).",
    ),
    ConfigKey {
        name: "my_agents",
        kind: HostNames,
        default: "",
        about: "The agents that you use, as names of hosts: `list`, `explain`, `hosts`, `check` and the overview speak of these. Without it, of the agents found on this machine and in this project. A project's file may set it without being trusted.",
        project: ProjectAccess::Always,
    },
    key(
        "permission",
        Permissions,
        "",
        "What is allowed, asked for or denied, by permission (`skill`, `read`, `shell`, `script`, `hook`, `mcp`, `profile`, `tool`, `network`) and pattern; the last rule that matches wins. A rule in a list may carry examples under `matches` and `not`, which are checked. A project can deny and ask, and not allow.",
    ),
    private("sandbox.file_size", Integer(1), "268435456", "The most bytes of a file that a command may write."),
    private("sandbox.memory", Integer(1), "1073741824", "The most bytes of memory that a command may take."),
    strict("false", "sandbox.network", Bool, "false", "Whether commands of skills may use the network."),
    private("sandbox.output", Integer(1), "1048576", "The most bytes that a script may print."),
    private("sandbox.processes", Integer(1), "64", "The most processes that a command may have at once."),
    private("sandbox.shell_output", Integer(1), "65536", "The most bytes that a command in a skill's text may print."),
    private("sandbox.shell_time", Integer(1), "10", "The seconds that a command in a skill's text may run."),
    private("sandbox.time", Integer(1), "120", "The seconds that a script may run."),
    private("sandbox.writable", Folders, "[]", "Folders that commands of skills may write to."),
    strict(
        "\"limit\"",
        "skills.allowed_tools",
        Choice(&["preapprove", "limit"]),
        "\"preapprove\"",
        "What a skill's `allowed-tools` means once you agreed: tools that are not asked for again, or the only ones.",
    ),
    key("skills.claude", Bool, "true", "Whether skills in `.claude/skills` are read."),
    key("skills.config", Rules, "[]", "Skills switched on or off by `name` or `path`; a later rule wins."),
    key("skills.paths", List, "[]", "More folders of skills."),
    strict(
        "\"strict\"",
        "skills.profiles",
        Choice(ProfileMode::WORDS),
        "\"ask\"",
        "Permissions that a skill asks for: ask you, take none, or take those of the system's and the administrator's.",
    ),
    strict("false", "skills.shell", Bool, "true", "Whether commands in the text of a skill may run at all."),
    private("skills.untrusted_loses", Bool, "true", "Whether a skill of an untrusted project loses every name clash."),
    private("trust.folders", List, "[]", "Trusted projects, besides those that `openoxide trust` wrote down."),
];

const fn key(name: &'static str, kind: ValueKind, default: &'static str, about: &'static str) -> ConfigKey {
    ConfigKey { name, kind, default, about, project: ProjectAccess::Any }
}

/// Makes a key that a project can set to one value only, the strictest one.
const fn strict(
    only: &'static str,
    name: &'static str,
    kind: ValueKind,
    default: &'static str,
    about: &'static str,
) -> ConfigKey {
    ConfigKey { name, kind, default, about, project: ProjectAccess::Only(only) }
}

/// Makes a key that no project can set.
const fn private(name: &'static str, kind: ValueKind, default: &'static str, about: &'static str) -> ConfigKey {
    ConfigKey { name, kind, default, about, project: ProjectAccess::Denied }
}

impl ConfigKey {
    /// Finds the key that a dotted name belongs to.
    pub fn find(name: &str) -> Option<&'static ConfigKey> {
        CONFIG_KEYS.iter().find(|key| {
            let is_below = || name.strip_prefix(key.name).is_some_and(|rest| rest.starts_with('.'));
            key.name == name || key.kind.has_open_names() && is_below()
        })
    }

    /// Tells whether a project's value of a key is in effect before the project is trusted.
    pub(crate) fn needs_no_trust(name: &str) -> bool {
        ConfigKey::find(name).is_some_and(|key| key.project == ProjectAccess::Always)
    }

    pub(crate) fn default_value(&self) -> Option<toml::Value> {
        parse_value(self.default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_of_its_type() {
        for key in CONFIG_KEYS.iter().filter(|key| !key.default.is_empty()) {
            assert!(key.accepts(&key.default_value().unwrap()), "{}", key.name);
        }
        for key in CONFIG_KEYS.iter().filter(|key| matches!(key.project, ProjectAccess::Only(_))) {
            assert!(key.strictest().is_some_and(|value| key.accepts(&value)), "{}", key.name);
        }
        assert!(CONFIG_KEYS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }

    #[test]
    fn host_settings_belong_to_one_key() {
        assert_eq!(ConfigKey::find("hosts.codex.bundled").unwrap().name, "hosts");
        assert!(ConfigKey::find("skils.paths").is_none());
    }
}
