//! The five answers at the top of a host's page: where it looks, what it ignores, which skill wins, what the model sees,
//! and how a skill is switched off.

use std::fmt::Write as _;

use openoxide_skills::host::{
    Ambiguous, BadYaml, CatalogPlace, FitStep, FolderNames, Host, Layout, Links, Measure, NoFrontmatter, OnClash,
    SettingDoes, SettingRule, UnknownFields, WrongType,
};

use super::super::markdown::code;
use super::places::{Places, join};
use super::settings;

/// Scopes in the order of the first answer, with what they are called there.
const SCOPES: &[(&str, &str)] = &[
    ("repo", "In a project"),
    ("user", "Yours"),
    ("system", "Its own"),
    ("admin", "The administrator's"),
    ("plugin", "Of plugins"),
];

/// Writes the five answers.
pub(super) fn answers(host: &Host, places: &Places<'_>, has_catalog: bool) -> String {
    let mut text = String::new();
    let answers = [
        ("Where does it look?", places_of(host, places)),
        ("What does it ignore, and why?", ignored(host)),
        ("Which skill wins when two have one name?", format!("{}\n", winner(host))),
        ("What does the model see?", format!("{}\n", seen(host, has_catalog))),
        ("How do I switch a skill off?", switching(host, places)),
    ];
    for (question, answer) in answers {
        let _ = write!(text, "\n## {question}\n\n{answer}");
    }
    text
}

fn places_of(host: &Host, places: &Places<'_>) -> String {
    let mut text = String::new();
    for (scope, title) in SCOPES {
        let mut folders: Vec<String> = Vec::new();
        for root in host.roots.iter().filter(|root| root.scope.as_str() == *scope) {
            let folder = places.words(&root.path, root.listed.as_deref().unwrap_or_default());
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        if !folders.is_empty() {
            let _ = writeln!(text, "- {title}: {}.", folders.join("; "));
        }
    }
    if text.is_empty() {
        text.push_str("Nowhere by itself: only in folders that are named.\n");
    }
    text
}

fn ignored(host: &Host) -> String {
    let mut text = String::from("While it searches:\n\n");
    for line in skipped(host) {
        let _ = writeln!(text, "- {line}.");
    }
    let invalid = invalid(host);
    if !invalid.is_empty() {
        text.push_str("\nA skill is invalid, and ignored, if:\n\n");
        for line in invalid {
            let _ = writeln!(text, "- {line}.");
        }
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

fn seen(host: &Host, has_catalog: bool) -> String {
    if !has_catalog || !host.catalog.shown {
        return "This host has no catalog: OpenOxide does not know the text that its model sees.".to_owned();
    }
    let place = match host.catalog.place {
        CatalogPlace::SystemPrompt => "in the system prompt",
        CatalogPlace::ToolDescription => "in the description of the tool that loads skills",
    };
    let whose = if host.catalog.described_only { "each skill that has a description" } else { "each active skill" };
    let mut text = format!("A line for {whose}, {place}. {}", budget(host));
    if let Some(max) = host.budget.entry_max {
        let _ = write!(text, " One description has at most {} characters.", grouped(max.get() as u64));
    }
    text.push_str(" `openoxide prompt --host` prints the text and what it costs.");
    text
}

fn budget(host: &Host) -> String {
    let budget = &host.budget;
    let unit = match budget.measure {
        Measure::Characters => "characters",
        Measure::Columns => "terminal columns",
        Measure::LineTokens => "tokens of four bytes",
    };
    let room = match (budget.fixed, budget.share, budget.window.filter(|window| *window > 0)) {
        (Some(fixed), ..) => format!("at most {} {unit}", grouped(fixed)),
        (None, Some(share), Some(window)) => format!(
            "at most {}% of the context window (of {} tokens, unless another size is given), measured in {unit}",
            percent(share),
            grouped(window)
        ),
        (None, Some(share), None) => {
            let unknown = budget
                .unknown_chars
                .map(|chars| format!(", or {} characters if its size is not known", grouped(chars)));
            format!("at most {}% of the context window{}", percent(share), unknown.unwrap_or_default())
        }
        (None, None, _) => return "There is no limit.".to_owned(),
    };
    let steps: Vec<&str> = budget.fit.iter().filter_map(|step| fit(*step)).collect();
    let after =
        if steps.is_empty() { String::new() } else { format!(" If they do not fit, {}.", steps.join("; then ")) };
    format!("All lines together take {room}.{after}")
}

fn fit(step: FitStep) -> Option<&'static str> {
    match step {
        FitStep::Full => None,
        FitStep::Deal => Some("all descriptions are shortened evenly"),
        FitStep::BareByUse | FitStep::BareByUseBounded => {
            Some("the most used skills keep their descriptions, and the others show only their name")
        }
        FitStep::BareWhileFits => Some("skills show only their name, and the last ones are left out"),
    }
}

fn switching(host: &Host, places: &Places<'_>) -> String {
    let mut text = String::new();
    for (name, rule) in &host.settings {
        if let Some(how) = switch(rule).filter(|_| !rule.from.is_empty()) {
            let _ = writeln!(text, "- {how}: {} ({} below).", settings::sources(places, &rule.from), code(name));
        }
    }
    if text.is_empty() {
        return "It has no setting for that. Move the skill out of the folders above, or remove the link to it.\n"
            .to_owned();
    }
    format!("In its settings:\n\n{text}")
}

/// Says what to write to switch a skill off, where a setting can.
fn switch(rule: &SettingRule) -> Option<String> {
    let form = rule.form.as_deref().unwrap_or("{name}").replace("{name}", "NAME");
    Some(match rule.does? {
        SettingDoes::Switch | SettingDoes::SwitchFolders => {
            "Add a table with the skill's `name` or `path`, and `enabled = false`".to_owned()
        }
        SettingDoes::SetStates => "Map the skill's name to `off`".to_owned(),
        SettingDoes::Deny => format!("Keep it from the model: add {}", code(&form)),
        SettingDoes::Ignore => "Add the skill's name, or a pattern".to_owned(),
        SettingDoes::SwitchOff | SettingDoes::SwitchOffAnyCase => format!("Add {}", code(&form)),
        SettingDoes::Permit => format!("Deny it under {}: map the skill's name to `deny`", code(&form)),
        SettingDoes::PermitAgent | SettingDoes::Include | SettingDoes::LetUserCall => return None,
    })
}

fn percent(share: f64) -> String {
    format!("{}", (share * 1000.0).round() / 10.0)
}

/// Writes a number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
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
        answers(&host, &Places::new(&host), true)
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
            "- Map the skill's name to `off`: `skills` in `~/.t/s.json` (`off` below).",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn a_host_without_a_switch_says_so() {
        assert!(page("").contains("It has no setting for that."));
    }
}
