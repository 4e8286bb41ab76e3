//! Random trees for omp.

use super::frontmatter;
use super::planter::{NAMES, Planter};

const ROOTS: &[&str] = &[
    "home/.omp/agent/skills",
    "home/.omp/skills",
    "home/.claude/skills",
    "home/.agents/skills",
    "home/.agent/skills",
    "home/.codex/skills",
    "home/.config/opencode/skills",
    "home/.omp/agent/managed-skills",
    "project/.omp/skills",
    "project/.claude/skills",
    "project/.agent/skills",
    "project/.agents/skills",
    "project/.codex/skills",
    "project/.opencode/skills",
    "project/.github/skills",
    "project/sub/.omp/skills",
    "project/sub/.claude/skills",
    "project/sub/.agents/skills",
    "project/sub/.codex/skills",
    "project/sub/deep/.agent/skills",
    "custom/one",
    "custom/two",
];

const PATTERNS: &[&str] =
    &["*", "a*", "*-*", "?????", "[a-d]*", "{alpha,beta}", "!alpha", "Alpha", "*a", "epsilon*", ""];

const SWITCHES: &[&str] = &[
    "enabled",
    "enablePiUser",
    "enablePiProject",
    "enableClaudeUser",
    "enableClaudeProject",
    "enableCodexUser",
    "enableAgentsUser",
    "enableAgentsProject",
];

const PROVIDERS: &[&str] =
    &["claude", "codex", "opencode", "claude-plugins", "agents", "native", "github", "omp-managed", "*"];

/// What the program's YAML library misreads.
const MISREAD: &[&str] = &[": ?", "? ", " --- ", "-- "];

/// Plants a tree and returns the folder to stand in.
pub(super) fn plant(planter: &mut Planter) -> &'static str {
    for root in ROOTS {
        if planter.rng.chance(45) {
            plant_skills(planter, root);
        }
    }
    match planter.rng.below(6) {
        0 => planter.repository("project/sub", ".git", "gitdir: elsewhere\n"),
        1 | 2 => planter.repository("project", ".git/HEAD", "ref: refs/heads/main\n"),
        _ => {}
    }
    if planter.rng.chance(30) {
        plant_plugins(planter);
    }
    for file in ["home/.omp/agent/config.yml", "project/.omp/config.yml", "project/.omp/settings.json"] {
        if planter.rng.chance(40) {
            let settings = settings(planter);
            planter.file(file, &settings);
        }
    }
    let cwd = planter.rng.pick(&["project", "project/sub", "project/sub/deep"]);
    planter.folder(&format!("{cwd}/.keep"));
    cwd
}

fn plant_skills(planter: &mut Planter, root: &str) {
    for _ in 0..planter.rng.below(8) {
        let name = planter.rng.pick(NAMES);
        let group = planter.rng.pick(&["", "", "", "", "", "", "group/", ".hidden-", "node_modules/"]);
        let content = content(planter);
        planter.skill(&format!("{root}/{group}{name}"), &content);
    }
    if planter.rng.chance(25) {
        let name = planter.rng.pick(&["a-link", "z-link", ".hidden-link"]);
        let target = match planter.rng.below(5) {
            0 => planter.rng.pick(&["..", ".", "nowhere"]).to_owned(),
            _ => planter.some_skill().map_or_else(|| ".".to_owned(), |folder| format!("{{root}}/{folder}")),
        };
        planter.link(&format!("{root}/{name}"), &target);
    }
    if planter.rng.chance(10) {
        let content = content(planter);
        let file = planter.rng.pick(&["SKILL.md", "flat.md", "lower/skill.md", "dir/SKILL.md/x"]);
        planter.file(&format!("{root}/{file}"), &content);
    }
}

/// Returns a skill file with what this program alone reads, now and then.
fn content(planter: &mut Planter) -> String {
    let mut text = frontmatter::file(&mut planter.rng);
    while MISREAD.iter().any(|misread| text.contains(misread)) {
        text = frontmatter::file(&mut planter.rng);
    }
    match planter.rng.below(24) {
        0 => format!("<!-- note -->{text}"),
        1 => text.replacen("---\n", "---\nhide: true\n", 1),
        2 => text.replacen("---\n", "---\nenabled: false\n", 1),
        3 => text.replacen("---\n", "---\ndisableModelInvocation: true\n", 1),
        4 => text.replace('\n', "\r"),
        5 => text.replacen("---\n", "----\n", 1),
        6 => text.replacen("\n---\n", "\n--- end\n", 1),
        7 => String::new(),
        8 => text.replacen("description: ", "description:\t", 1),
        9 => text.replacen(' ', " <!-- c\n --> ", 1),
        _ => text,
    }
}

/// Writes settings as JSON, which is YAML too.
fn settings(planter: &mut Planter) -> String {
    let mut skills: Vec<String> = Vec::new();
    for switch in SWITCHES {
        let chance = if *switch == "enabled" { 4 } else { 20 };
        if planter.rng.chance(chance) {
            skills.push(format!("\"{switch}\": {}", planter.rng.chance(50)));
        }
    }
    for key in ["ignoredSkills", "includeSkills"] {
        if planter.rng.chance(15) {
            skills.push(format!("\"{key}\": [{}]", words(planter, PATTERNS)));
        }
    }
    if planter.rng.chance(35) {
        let folders = planter.rng.pick(&[
            "\"{root}/custom/one\"",
            "\"{root}/custom/two\", \"{root}/custom/one\"",
            "\"~/.claude/skills\"",
            "\"~/.agents/skills\", \"{root}/custom/two\"",
            "\"{root}/nowhere\"",
        ]);
        skills.push(format!("\"customDirectories\": [{folders}]"));
    }
    let mut parts = vec![format!("\"skills\": {{{}}}", skills.join(", "))];
    if planter.rng.chance(40) {
        parts.push(format!("\"enabledProviders\": [{}]", words(planter, PROVIDERS)));
    }
    if planter.rng.chance(15) {
        parts.push(format!("\"disabledProviders\": [{}]", words(planter, PROVIDERS)));
    }
    if planter.rng.chance(15) {
        let name = planter.rng.pick(NAMES);
        parts.push(format!("\"disabledExtensions\": [\"skill:{name}\", \"beta\"]"));
    }
    format!("{{{}}}\n", parts.join(", "))
}

fn words(planter: &mut Planter, from: &[&str]) -> String {
    let n = planter.rng.below(3);
    (0..=n).map(|_| format!("\"{}\"", planter.rng.pick(from))).collect::<Vec<_>>().join(", ")
}

fn plant_plugins(planter: &mut Planter) {
    let mut entries = Vec::new();
    for name in ["red", "green", "blue"] {
        let folder = format!("plugins/{name}");
        plant_skills(planter, &format!("{folder}/skills"));
        if planter.rng.chance(40) {
            plant_skills(planter, &format!("{folder}/more"));
            let manifest =
                planter.rng.pick(&["{\"skills\":\"./more\"}", "{\"skills\":[\"more\", \"../x\"]}", "{bad", "{}"]);
            planter.file(&format!("{folder}/.claude-plugin/plugin.json"), manifest);
        }
        let scope = planter.rng.pick(&["\"user\"", "\"user\"", "\"project\",\"projectPath\":\"{root}/project\""]);
        entries.push(format!("\"{name}@mk\":[{{\"scope\":{scope},\"installPath\":\"{{root}}/{folder}\"}}]"));
    }
    let file = planter.rng.pick(&[
        "home/.claude/plugins/installed_plugins.json",
        "home/.claude/plugins/installed_plugins.json",
        "home/.omp/plugins/installed_plugins.json",
    ]);
    planter.file(file, &format!("{{\"version\":2,\"plugins\":{{{}}}}}", entries.join(",")));
    if planter.rng.chance(30) {
        let on = planter.rng.chance(50);
        planter.file("home/.claude/settings.json", &format!("{{\"enabledPlugins\":{{\"red@mk\":{on}}}}}"));
    }
}
