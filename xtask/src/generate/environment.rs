//! Generates the reference page on environment variables.

use anyhow::Result;
use openoxide_config::variables;
use openoxide_skills::host::Hosts;
use openoxide_skills::settings::HostSettings;

use super::NOTICE;
use super::markdown::{code, table};

/// Returns the page.
pub(super) fn page() -> Result<String> {
    let own = variables::ALL.iter().map(|(name, about)| [code(name), (*about).to_owned()]);
    Ok(format!(
        "{NOTICE}# Environment variables\n\nThese change what `openoxide` does:\n\n{}\n{INTRODUCTION}\n{}",
        table(["variable", "what it does"], own),
        table(["variable", "host", "setting"], of_hosts()?)
    ))
}

const INTRODUCTION: &str = "\
Following another host, `openoxide` reads the variables that the program itself reads for its settings. A program's own
folder can have a variable too, such as `CODEX_HOME`; `openoxide roots --host HOST` shows where that leads.
";

fn of_hosts() -> Result<Vec<[String; 3]>> {
    let mut rows = Vec::new();
    for spec in Hosts::builtin().all() {
        for (setting, rule) in &spec.with(&HostSettings::default())?.settings {
            let named = rule.from.iter().filter_map(|source| source.env.as_deref());
            rows.extend(named.map(|name| [code(name), code(&spec.name), code(setting)]));
        }
    }
    rows.sort();
    rows.dedup();
    Ok(rows)
}
