//! Random trees for `OpenCode`. No two skills share a name, because the program would race.

use super::frontmatter;
use super::planter::{NAMES, Planter};

const ROOTS: &[&str] = &[
    "home/.claude/skills",
    "home/.agents/skills",
    "project/.claude/skills",
    "project/.agents/skills",
    "project/sub/.claude/skills",
    "project/sub/.agents/skills",
    "home/.config/opencode/skill",
    "home/.config/opencode/skills",
    "project/.opencode/skill",
    "project/.opencode/skills",
    "project/sub/.opencode/skills",
    "home/.opencode/skills",
    "project/extra",
    "project/sub/extra",
    "home/more",
];

const GROUPS: &[&str] = &["group", ".hidden", "d1/d2/d3/d4/d5/d6/d7/d8", "node_modules/x", ".git/y", "group/.dot/in"];

const FILES: &[&str] =
    &["SKILL.md", "SKILL.md", "SKILL.md", "SKILL.md", "SKILL.md", "skill.md", "Skill.md", "SKILL.txt"];

const CONFIGS: &[&str] = &[
    "home/.config/opencode/config.json",
    "home/.config/opencode/opencode.json",
    "home/.config/opencode/opencode.jsonc",
    "project/opencode.json",
    "project/opencode.jsonc",
    "project/sub/opencode.json",
    "project/.opencode/opencode.json",
    "project/sub/.opencode/opencode.jsonc",
    "home/.opencode/opencode.json",
];

const SETTINGS: &[&str] = &[
    "\"skills\": {\"paths\": [\"extra\"]}",
    "\"skills\": {\"paths\": [\"~/more\", \"extra\"]}",
    "\"skills\": {\"paths\": [\"nowhere\", \"./extra/\"]}",
    "\"skills\": {\"paths\": []}",
    "\"permission\": \"ask\"",
    "\"permission\": {\"skill\": \"deny\"}",
    "\"permission\": {\"skill\": {\"*\": \"deny\", \"a*\": \"allow\"}}",
    "\"permission\": {\"skill\": {\"*a\": \"deny\", \"u?\": \"deny\", \"eta *\": \"deny\"}}",
    "\"permission\": {\"skill\": {\"*\": \"ask\"}, \"*\": \"allow\"}",
    "\"permission\": {\"*\": \"allow\", \"sk*\": {\"*eta*\": \"deny\"}}",
    "\"tools\": {\"skill\": false}",
    "\"tools\": {\"skill\": true}",
    "\"agent\": {\"build\": {\"permission\": {\"skill\": {\"*a*\": \"allow\", \"gamma\": \"deny\"}}}}",
];

/// Plants a tree and returns the folder to stand in.
pub(super) fn plant(planter: &mut Planter) -> &'static str {
    let mut names = Vec::new();
    for root in ROOTS {
        if planter.rng.chance(60) {
            plant_root(planter, root, &mut names);
        }
    }
    for config in CONFIGS {
        if planter.rng.chance(12) {
            plant_config(planter, config);
        }
    }
    let cwd = planter.rng.pick(&["project", "project/sub"]);
    planter.folder(&format!("{cwd}/.keep"));
    cwd
}

fn plant_root(planter: &mut Planter, root: &str, names: &mut Vec<String>) {
    for _ in 0..planter.rng.below(8) {
        let folder = place(planter, root);
        let content = skill(planter, names);
        let file = planter.rng.pick(FILES);
        planter.file(&format!("{folder}/{file}"), &content);
    }
    if planter.rng.chance(20) {
        plant_link(planter, root, names);
    }
}

fn place(planter: &mut Planter, root: &str) -> String {
    let name = planter.rng.pick(NAMES);
    match planter.rng.below(20) {
        0..6 => format!("{root}/{}/{name}", planter.rng.pick(GROUPS)),
        6 => root.to_owned(),
        7 => format!("{root}/{name}/inner"),
        _ => format!("{root}/{name}"),
    }
}

/// Returns the text of a skill whose name no other has.
fn skill(planter: &mut Planter, names: &mut Vec<String>) -> String {
    let text = frontmatter::file(&mut planter.rng);
    let text = match planter.rng.below(40) {
        0 => text.replacen("---\n", "---yaml\n", 1),
        1 => text.replacen("---\n", "----\n", 1),
        2 => text.replacen("\n---\n", "\n---glued\n", 1),
        3 => text.replacen("\n---\n", "\n--- \n", 1),
        _ => text,
    };
    let has_name = text.lines().any(|line| line.starts_with("name:"));
    let text = if has_name || planter.rng.chance(20) { text } else { text.replacen("---\n", "---\nname: alpha\n", 1) };
    let unique = |line: &str| {
        let Some(value) = line.strip_prefix("name:") else { return line.to_owned() };
        let name = value.trim().trim_matches(['"', '\'']).to_owned();
        // Names without text, and with control characters, are known to differ.
        let is_odd = (name.is_empty() && !value.trim().is_empty()) || name.contains(['\\', '\t']);
        if is_odd || name.starts_with(['|', '>']) || names.contains(&name) {
            names.push(format!("u{}", names.len()));
            return format!("name: {}", names[names.len() - 1]);
        }
        names.push(name);
        line.to_owned()
    };
    one_line_names(&text).split('\n').map(unique).collect::<Vec<_>>().join("\n")
}

/// Takes away what continues a name: a name of several lines is shown with its line ends escaped.
fn one_line_names(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut in_name = false;
    for line in text.split('\n') {
        in_name = line.starts_with("name:") || (in_name && (line.is_empty() || line.starts_with("  ")));
        if !in_name || line.starts_with("name:") {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// Plants a link to a folder or file that no root leads to. A project's is in the project: that others are not followed before
/// it is trusted is a stated deviation.
fn plant_link(planter: &mut Planter, root: &str, names: &mut Vec<String>) {
    let holder = if root.starts_with("project/") { "project/" } else { "" };
    let store = format!("{holder}store/{}", names.len());
    let content = skill(planter, names);
    planter.file(&format!("{store}/deep/SKILL.md"), &content);
    match planter.rng.below(4) {
        0 => planter.link(&format!("{root}/linked"), &format!("{{root}}/{store}")),
        1 => planter.link(&format!("{root}/linked"), &format!("{{root}}/{store}/deep")),
        2 => planter.link(&format!("{root}/linked/SKILL.md"), &format!("{{root}}/{store}/deep/SKILL.md")),
        _ => planter.link(&format!("{root}/broken"), "nowhere"),
    }
}

fn plant_config(planter: &mut Planter, path: &str) {
    let (first, second) = (planter.rng.pick(SETTINGS), planter.rng.pick(SETTINGS));
    let key = |setting: &str| setting.split(':').next().unwrap_or_default().to_owned();
    let text = if key(first) == key(second) {
        format!("{{ // one\n {first}, }}\n")
    } else {
        format!("{{ /* two */ {first},\n {second} }}\n")
    };
    // Nor does a project's own file lead out of it.
    let text = if path.starts_with("project/") { text.replace("~/more", "./more") } else { text };
    planter.file(path, &text);
}
