//! Random trees for Claude Code.

use super::frontmatter;
use super::planter::{NAMES, Planter};

const HOLDERS: &[&str] = &["home/.claude", "project/.claude", "project/sub/.claude", "project/sub/deep/.claude"];

const SETTINGS: &[&str] = &[
    "{}",
    "{\"skillOverrides\":{\"alpha\":\"off\",\"beta\":\"name-only\"}}",
    "{\"skillOverrides\":{\"gamma\":\"user-invocable-only\",\"alpha\":\"on\"}}",
    "{\"skillListingMaxDescChars\":20}",
    "{\"skillListingMaxDescChars\":0,\"skillOverrides\":{\"alpha\":\"off\"}}",
    "{bad",
    "[]",
    "{\"skillOverrides\":{\"alpha\":\"nope\"}}",
    "{\"skillListingBudgetFraction\":0.0005}",
    "{\"permissions\":{\"deny\":[\"Skill(alpha)\"]}}",
];

/// Plants a tree and returns the folder to stand in.
pub(super) fn plant(planter: &mut Planter) -> &'static str {
    for holder in HOLDERS {
        if planter.rng.chance(65) {
            plant_skills(planter, &format!("{holder}/skills"));
        }
        if planter.rng.chance(30) {
            plant_commands(planter, &format!("{holder}/commands"));
        }
    }
    if planter.rng.chance(10) {
        planter.repository("project/sub", ".git", "gitdir: elsewhere\n");
    }
    plant_settings(planter);
    let cwd = planter.rng.pick(&["project", "project/sub", "project/sub/deep"]);
    planter.folder(&format!("{cwd}/.keep"));
    cwd
}

fn plant_skills(planter: &mut Planter, root: &str) {
    for _ in 0..planter.rng.below(10) {
        let name = planter.rng.pick(NAMES);
        let group = planter.rng.pick(&["", "", "", "", "", "", "", "group/", ".hidden-", "synced-"]);
        let content = frontmatter::file(&mut planter.rng);
        planter.skill(&format!("{root}/{group}{name}"), &content);
    }
    if planter.rng.chance(25) {
        plant_link(planter, root);
    }
    if planter.rng.chance(10) {
        let content = frontmatter::file(&mut planter.rng);
        let file = planter.rng.pick(&["SKILL.md", "flat.md", "lower/skill.md", "dir/SKILL.md/x"]);
        planter.file(&format!("{root}/{file}"), &content);
    }
}

fn plant_link(planter: &mut Planter, root: &str) {
    let name = planter.rng.pick(&["a-link", "z-link", ".hidden-link"]);
    let target = match planter.rng.below(4) {
        0 => planter.rng.pick(&["..", ".", "nowhere"]).to_owned(),
        _ => planter.some_skill().map_or_else(|| ".".to_owned(), |folder| format!("{{root}}/{folder}")),
    };
    planter.link(&format!("{root}/{name}"), &target);
}

fn plant_commands(planter: &mut Planter, root: &str) {
    for _ in 0..=planter.rng.below(4) {
        let name = planter.rng.pick(NAMES);
        let group = planter.rng.pick(&["", "", "git/", "git/deep/"]);
        let content = frontmatter::file(&mut planter.rng);
        planter.file(&format!("{root}/{group}{name}.md"), &content);
    }
    if planter.rng.chance(15) {
        let content = frontmatter::file(&mut planter.rng);
        planter.file(&format!("{root}/folder/SKILL.md"), &content);
        planter.file(&format!("{root}/folder/beside.md"), &content);
    }
}

/// Plants settings in their layers; the user's may switch plugins on.
fn plant_settings(planter: &mut Planter) {
    for file in
        ["project/.claude/settings.json", "project/.claude/settings.local.json", "project/sub/.claude/settings.json"]
    {
        if planter.rng.chance(20) {
            let settings = planter.rng.pick(SETTINGS);
            planter.file(file, settings);
        }
    }
    if planter.rng.chance(35) {
        plant_plugins(planter);
    } else if planter.rng.chance(30) {
        let settings = planter.rng.pick(SETTINGS);
        planter.file("home/.claude/settings.json", settings);
    }
}

fn plant_plugins(planter: &mut Planter) {
    planter.file(
        "home/.claude/plugins/known_marketplaces.json",
        "{\"mk\":{\"source\":{\"source\":\"directory\",\"path\":\"{root}/mk\"},\"installLocation\":\"{root}/mk\",\"lastUpdated\":\"2026-01-01T00:00:00.000Z\"}}",
    );
    let names = ["red", "green", "blue"];
    let offers = names.map(|name| format!("{{\"name\":\"{name}\",\"source\":\"./{name}\"}}")).join(",");
    planter.file(
        "mk/.claude-plugin/marketplace.json",
        &format!("{{\"name\":\"mk\",\"owner\":{{\"name\":\"x\"}},\"plugins\":[{offers}]}}"),
    );
    for name in names {
        plant_plugin(planter, name);
    }
    let enabled = names.map(|name| format!("\"{name}@mk\":{}", planter.rng.chance(70))).join(",");
    planter.file("home/.claude/settings.json", &format!("{{\"enabledPlugins\":{{{enabled}}}}}"));
}

fn plant_plugin(planter: &mut Planter, name: &str) {
    let manifest = match planter.rng.below(8) {
        0 => "{bad".to_owned(),
        1 => "{\"version\":\"1.0.0\"}".to_owned(),
        2 => format!("{{\"name\":\"{name}\",\"skills\":[\"./more\"]}}"),
        3 => "{\"name\":\"renamed\"}".to_owned(),
        _ => format!("{{\"name\":\"{name}\"}}"),
    };
    if planter.rng.chance(70) {
        planter.file(&format!("mk/{name}/.claude-plugin/plugin.json"), &manifest);
    }
    for folder in ["skills", "more"] {
        for _ in 0..planter.rng.below(4) {
            let skill = planter.rng.pick(NAMES);
            let content = frontmatter::file(&mut planter.rng);
            planter.file(&format!("mk/{name}/{folder}/{skill}/SKILL.md"), &content);
        }
    }
    if planter.rng.chance(30) {
        plant_commands(planter, &format!("mk/{name}/commands"));
    }
}
