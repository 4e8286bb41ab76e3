//! Random trees for Codex.

use super::frontmatter;
use super::planter::{NAMES, Planter};

const ROOTS: &[&str] = &[
    "project/.agents/skills",
    "project/.codex/skills",
    "project/sub/.agents/skills",
    "project/sub/.codex/skills",
    "project/sub/deep/.agents/skills",
    "home/.agents/skills",
    "home/.codex/skills",
];

const GROUPS: &[&str] =
    &["group", "other", ".hidden", "d1/d2/d3/d4/d5", "d1/d2/d3/d4/d5/d6", "group/inner", "node_modules"];

const SIDECARS: &[&str] = &[
    "interface: {display_name: Shown}\n",
    "policy: {products: [chatgpt]}\n",
    "policy: {products: [codex, chatgpt]}\n",
    "policy: {allow_implicit_invocation: false}\n",
    "interface: text\npolicy: {products: [chatgpt]}\n",
    "broken: [\n",
    "policy:\n  products:\n    - atlas\n",
    "policy: {products: [other]}\n",
    "interface:\n  display_name: [x]\n",
];

const MANIFESTS: &[&str] = &[
    "{\"name\":\"space\"}",
    "{\"name\":\"other\"}",
    "{}",
    "{bad",
    "{\"name\":\"\"}",
    "[\"listed\"]",
    "{\"name\":5}",
    "{\"name\":\" pad \"}",
];

const KINDS: &[&str] = &[".codex-plugin", ".claude-plugin", ".cursor-plugin"];

/// Plants a tree and returns the folder to stand in.
pub(super) fn plant(planter: &mut Planter) -> &'static str {
    for root in ROOTS {
        if planter.rng.chance(60) {
            plant_root(planter, root);
        }
    }
    plant_marks(planter);
    let plugins = plant_plugins(planter);
    plant_settings(planter, &plugins);
    let cwd = planter.rng.pick(&["project", "project/sub", "project/sub/deep"]);
    planter.folder(&format!("{cwd}/.keep"));
    cwd
}

fn plant_root(planter: &mut Planter, root: &str) {
    for _ in 0..planter.rng.below(10) {
        let folder = place(planter, root);
        let content = frontmatter::file(&mut planter.rng);
        planter.skill(&folder, &content);
        if planter.rng.chance(15) {
            let sidecar = planter.rng.pick(SIDECARS);
            planter.file(&format!("{folder}/agents/openai.yaml"), sidecar);
        }
        if planter.rng.chance(8) {
            plant_manifest(planter, &folder);
        }
    }
    if planter.rng.chance(30) {
        plant_link(planter, root);
    }
    if planter.rng.chance(10) {
        let group = format!("{root}/{}", planter.rng.pick(GROUPS));
        plant_manifest(planter, &group);
    }
}

fn place(planter: &mut Planter, root: &str) -> String {
    let name = planter.rng.pick(NAMES);
    if planter.rng.chance(30) {
        let group = planter.rng.pick(GROUPS);
        format!("{root}/{group}/{name}")
    } else {
        format!("{root}/{name}")
    }
}

fn plant_manifest(planter: &mut Planter, folder: &str) {
    let kind = planter.rng.pick(KINDS);
    let manifest = planter.rng.pick(MANIFESTS);
    planter.file(&format!("{folder}/{kind}/plugin.json"), manifest);
}

fn plant_link(planter: &mut Planter, root: &str) {
    let name = planter.rng.pick(&["a-link", "z-link", ".hidden-link", "m-link"]);
    let target = match planter.rng.below(5) {
        0 => planter.rng.pick(&["..", ".", "nowhere", "group"]).to_owned(),
        1 => planter.rng.pick(&["{root}/project/.agents", "{root}/home/.agents/skills/group"]).to_owned(),
        _ => planter.some_skill().map_or_else(|| ".".to_owned(), |folder| format!("{{root}}/{folder}")),
    };
    planter.link(&format!("{root}/{name}"), &target);
}

/// Plants what marks or does not mark a project's root.
fn plant_marks(planter: &mut Planter) {
    match planter.rng.below(10) {
        0 => planter.repository("project/sub", ".git", "gitdir: elsewhere\n"),
        1 => planter.repository("project/sub", ".git/HEAD", "ref: refs/heads/main\n"),
        2 => plant_manifest(planter, "project"),
        _ => {}
    }
}

/// Plants installed plugins and returns their keys.
fn plant_plugins(planter: &mut Planter) -> Vec<String> {
    let mut keys = Vec::new();
    while planter.rng.chance(35) {
        let (name, market) = (planter.rng.pick(&["red", "green", "blue"]), planter.rng.pick(&["one", "two"]));
        let version = planter.rng.pick(&["1.0.0", "1.10.0", "1.9.0", "local", "abc", "2.0.0-rc.1"]);
        let folder = format!("home/.codex/plugins/cache/{market}/{name}/{version}");
        plant_plugin(planter, &folder, name);
        keys.push(format!("{name}@{market}"));
    }
    keys.sort();
    keys.dedup();
    keys
}

fn plant_plugin(planter: &mut Planter, folder: &str, name: &str) {
    let manifest = match planter.rng.below(8) {
        0 => "{bad".to_owned(),
        1 => "{}".to_owned(),
        2 => format!("{{\"name\":\"{name}\",\"skills\":\"./more\"}}"),
        3 => format!("{{\"name\":\"{name}\",\"skills\":[\"./skills\",\"./more\",\"x\"]}}"),
        _ => format!("{{\"name\":\"{name}\"}}"),
    };
    let kind = planter.rng.pick(KINDS);
    planter.file(&format!("{folder}/{kind}/plugin.json"), &manifest);
    plant_root(planter, &format!("{folder}/skills"));
    if planter.rng.chance(40) {
        plant_root(planter, &format!("{folder}/more"));
    }
}

fn plant_settings(planter: &mut Planter, plugins: &[String]) {
    let mut lines: Vec<String> = plugins.iter().map(|key| format!("[plugins.\"{key}\"]\n")).collect();
    while planter.rng.chance(35) {
        let selector = selector(planter);
        let enabled = planter.rng.chance(25);
        lines.push(format!("[[skills.config]]\n{selector}\nenabled = {enabled}\n"));
    }
    if planter.rng.chance(5) {
        lines.insert(0, "project_root_markers = [\"sub\", \".keep\"]\n".to_owned());
    }
    if !lines.is_empty() {
        planter.file("home/.codex/config.toml", &lines.concat());
    }
}

fn selector(planter: &mut Planter) -> String {
    match (planter.rng.below(3), planter.some_skill()) {
        (0, Some(folder)) => format!("path = \"{{root}}/{folder}/SKILL.md\""),
        (1, _) => format!("name = \"space:{}\"", planter.rng.pick(NAMES)),
        _ => format!("name = \"{}\"", planter.rng.pick(NAMES)),
    }
}
