//! The five answers at the top of a host's page.

mod seen;
mod switching;

use std::fmt::Write as _;

use openoxide_skills::host::{
    Ambiguous, BadYaml, Control, FolderNames, Host, Layout, Links, NoFrontmatter, OnClash, SettingKind, UnknownFields,
    WrongType,
};

use super::super::markdown::{code, grouped};
use super::places::{Places, join};

/// Scopes in the order of the first answer, with what they are called there.
const SCOPES: &[(&str, &str)] = &[
    ("repo", "In a project"),
    ("user", "Yours"),
    ("system", "Its own"),
    ("admin", "The administrator's"),
    ("plugin", "Of plugins"),
];

/// Writes the five answers.
pub(super) fn answers(name: &str, host: &Host, places: &Places<'_>, has_catalog: bool) -> String {
    let mut text = String::new();
    let answers = [
        ("Where does it look?", places_of(host, places)),
        ("What does it ignore, and why?", ignored(host)),
        ("Which skill wins when two have one name?", format!("{}\n", winner(host))),
        ("What does the model see?", format!("{}\n", seen::seen(name, host, has_catalog))),
        ("How do I switch a skill off?", switching::switching(name, host, places)),
    ];
    for (question, answer) in answers {
        let _ = write!(text, "\n## {question}\n\n{answer}");
    }
    text
}

fn places_of(host: &Host, places: &Places<'_>) -> String {
    let mut text = String::new();
    for (scope, title) in SCOPES {
        let groups = grouped_folders(host, places, scope);
        let said: Vec<String> = groups.iter().map(|(around, inside)| place(around, inside)).collect();
        match said.as_slice() {
            [] => {}
            [one] => drop(writeln!(text, "- {title}: {one}.")),
            several => drop(writeln!(text, "- {title}:\n  - {}", several.join("\n  - "))),
        }
    }
    if text.is_empty() {
        text.push_str("Nowhere by itself: only in folders that are named.\n");
    }
    text
}

/// Returns the folders of a scope, by the folder that they lie in.
fn grouped_folders(host: &Host, places: &Places<'_>, scope: &str) -> Vec<(String, Vec<String>)> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for root in host.roots.iter().filter(|root| root.scope.as_str() == scope) {
        let listed = root.listed.as_deref().unwrap_or_default();
        let is_plugin = host.settings.get(listed).is_some_and(|setting| setting.kind == SettingKind::Plugins);
        let mut words = places.words(&root.path, listed);
        if is_plugin {
            words = words.replace(&format!("each folder that {} names", code(listed)), "each installed plugin");
        }
        let (inside, around) = words.split_once(" in ").unwrap_or(("", words.as_str()));
        let (inside, around) =
            if words.starts_with('`') && inside.is_empty() { (words.as_str(), "") } else { (inside, around) };
        let at = groups.iter().position(|(other, _)| other == around).unwrap_or_else(|| {
            groups.push((around.to_owned(), Vec::new()));
            groups.len() - 1
        });
        if !inside.is_empty() && !groups[at].1.iter().any(|other| other == inside) {
            groups[at].1.push(inside.to_owned());
        }
    }
    groups
}

fn place(around: &str, inside: &[String]) -> String {
    match (around.is_empty(), inside.is_empty()) {
        (true, _) => join(inside, "and"),
        (false, true) => around.to_owned(),
        (false, false) => format!("{} in {around}", join(inside, "and")),
    }
}

fn ignored(host: &Host) -> String {
    let mut text = String::from("While it searches:\n\n");
    for line in skipped(host) {
        let _ = writeln!(text, "- {line}.");
    }
    let invalid = invalid(host);
    if invalid.is_empty() {
        text.push_str("\nMistakes in the frontmatter make no skill invalid.\n");
    } else {
        text.push_str("\nA skill is invalid, and ignored, if:\n\n");
        for line in invalid {
            let _ = writeln!(text, "- {line}");
        }
    }
    let controls: Vec<&str> = host.controls.obeyed.iter().map(|control| hides(*control)).collect();
    if !controls.is_empty() {
        let _ = write!(text, "\nA skill can restrict itself in its own text:\n\n- {}\n", controls.join("\n- "));
    }
    text.push_str("\n`openoxide explain SKILL` names the reason for one skill.\n");
    text
}

/// Says which folders and files are not searched.
fn skipped(host: &Host) -> Vec<String> {
    let scan = &host.scan;
    let mut lines = vec![match scan.layout {
        Layout::Tree => format!("It finds skills up to {} folders deep", scan.depth),
        Layout::Child => "It finds skills only directly below those folders, not deeper".to_owned(),
        Layout::Flat | Layout::Files => "It finds single Markdown files".to_owned(),
        Layout::Single => "Each of those folders is one skill".to_owned(),
    }];
    let mut skips = Vec::new();
    if scan.hidden == FolderNames::Skip {
        skips.push("hidden folders".to_owned());
    }
    if scan.folder_links == Links::Skip {
        skips.push("linked folders".to_owned());
    }
    if scan.file_links == Links::Skip {
        skips.push("skill files that are links".to_owned());
    }
    if !scan.inside_skill && scan.layout == Layout::Tree {
        skips.push("skills inside another skill's folder".to_owned());
    }
    if !scan.ignored.is_empty() {
        let names: Vec<String> = scan.ignored.iter().map(|name| code(name)).collect();
        skips.push(format!("folders called {}", join(&names, "or")));
    }
    if let Some(max) = scan.file_max {
        skips.push(format!("files larger than {} bytes", grouped(max)));
    }
    if !skips.is_empty() {
        lines.push(format!("It skips {}", join(&skips, "and")));
    }
    lines
}

/// Says what makes a skill invalid.
fn invalid(host: &Host) -> Vec<String> {
    let parse = &host.parse;
    let mut lines = Vec::new();
    let mut add = |is_so: bool, line: &str| {
        if is_so {
            lines.push(line.to_owned());
        }
    };
    add(parse.no_frontmatter == NoFrontmatter::Invalid, "it has no frontmatter");
    add(parse.bad_yaml == BadYaml::Invalid, "its frontmatter is not valid YAML");
    add(parse.wrong_type == WrongType::Invalid, "its name or description is not text");
    add(parse.name.required, "it has no `name`");
    add(parse.description.required, "it has no `description`");
    add(parse.name.must.folder || parse.name.must.folder_any_case, "its name differs from its folder");
    add(parse.name.must.lower, "its name has upper-case letters");
    add(parse.fields.unknown == UnknownFields::Error, "its frontmatter has unknown keys");
    let unit = parse.lengths.as_str();
    if let Some(max) = parse.name.must.max {
        lines.push(format!("its name is longer than {max} {unit}"));
    }
    if let Some(max) = parse.description.max {
        lines.push(format!("its description is longer than {} {unit}", grouped(max as u64)));
    }
    lines
}

/// Says what a control does, as it is written.
fn hides(control: Control) -> &'static str {
    match control {
        Control::DisableModelInvocation => "`disable-model-invocation: true`: the model cannot call it",
        Control::UserInvocable => "`user-invocable: false`: you cannot call it",
        Control::AllowImplicitInvocation => "`policy.allow_implicit_invocation: false`: the model does not see it",
        Control::Paths => "`paths`: it is ignored until a matching file is touched",
        Control::PathsForModel => "`paths`: the model does not see it until a matching file is touched",
        Control::Enabled => "`enabled: false`: it is switched off",
        Control::Hide => "`hide: true`: the model does not see it",
    }
}

fn winner(host: &Host) -> String {
    let collide = &host.collide;
    let scopes: Vec<String> = collide.rank.iter().map(|scope| code(scope.as_str())).collect();
    let order = match scopes.is_empty() {
        _ if !collide.order.is_empty() => "by its own order, which is under `collide.order` below".to_owned(),
        true => "in the order of the roots below".to_owned(),
        false => format!("by scope ({}), then in the order of the roots below", scopes.join(", ")),
    };
    let mut text = match collide.names {
        OnClash::First => format!("The first one wins, {order}. The others are ignored as shadowed."),
        OnClash::FirstPerCaller => {
            format!("The first one that the caller may call wins, {order}. That can differ between you and the model.")
        }
        OnClash::Last => format!("The last one wins, {order}. The others are ignored as shadowed."),
        OnClash::All => match host.mention.ambiguous {
            Ambiguous::Nothing => "None: all of them stay active. The name alone selects none of them.".to_owned(),
            Ambiguous::Rank => format!("All of them stay active. The name alone means the first, {order}."),
        },
    };
    if collide.untrusted_loses {
        text.push_str(" A skill of a project that you do not trust always loses.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::hosts::rules;

    fn page(rules_text: &str) -> String {
        let text =
            format!("title = 'T'\nprogram = 't 1'\n[[roots]]\npath = '~/.t/skills'\nscope = 'user'\n{rules_text}");
        let host = rules::host(&text.parse().unwrap()).unwrap();
        answers("t", &host, &Places::new(&host), true)
    }

    #[test]
    fn each_answer_follows_from_the_rules() {
        let text = page(
            "[scan]\nfile_links = 'skip'\n[collide]\nnames = 'last'\n[budget]\nshare = 0.02\nwindow = 272000\n\
             measure = 'line-tokens'\nfit = ['full', 'bare-while-fits']\n[settings.off]\nabout = 'x'\ntype = 'table'\n\
             does = 'set-states'\nfrom = [{ file = '~/.t/s.json', key = 'skills' }]\n",
        );
        for part in [
            "- Yours: `~/.t/skills`.",
            "skill files that are links",
            "The last one wins, in the order of the roots below.",
            "at most 2% of the context window (of 272,000 tokens, unless another size is given), measured in tokens of four bytes.",
            "If they do not fit, skills show only their name, and the last ones are left out.",
            "- Set the skill's name to `off` under `skills` in `~/.t/s.json`.",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn a_host_without_a_switch_says_so() {
        assert!(page("").contains("It has no setting for that."));
    }
}
