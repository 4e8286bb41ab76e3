//! What the model sees of a host's skills, and how much room they may take.

use std::fmt::Write as _;

use openoxide_skills::host::{CatalogPlace, FitStep, Host, Measure};

use super::super::super::markdown::grouped;

pub(super) fn seen(name: &str, host: &Host, has_catalog: bool) -> String {
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
    let _ = write!(text, " `openoxide prompt --host {name}` prints the text and what it costs.");
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
        FitStep::FullWhileFits => Some("the last ones are left out, and none is shortened"),
    }
}

fn percent(share: f64) -> String {
    format!("{}", (share * 1000.0).round() / 10.0)
}
