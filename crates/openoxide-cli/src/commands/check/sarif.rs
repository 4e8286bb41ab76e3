//! Findings as SARIF 2.1.0, for code scanning services.

use openoxide_app::{Code, SkillFinding, Workspace, check::CheckReport, paths};
use serde_json::{Value, json};

pub(super) fn report(workspace: &Workspace, report: &CheckReport) -> Value {
    let findings: Vec<&SkillFinding> = report.findings().collect();
    let mut codes: Vec<Code> = findings.iter().map(|finding| finding.diagnostic.code).collect();
    codes.sort();
    codes.dedup();
    let rules: Vec<Value> =
        codes.iter().map(|code| json!({"id": code.as_str(), "shortDescription": {"text": code.title()}})).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "openoxide", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "results": findings.iter().map(|finding| result(workspace, finding)).collect::<Vec<_>>(),
        }],
    })
}

fn result(workspace: &Workspace, finding: &SkillFinding) -> Value {
    let diagnostic = &finding.diagnostic;
    let mut location = json!({"artifactLocation": {"uri": uri(&paths::short(workspace, &finding.path))}});
    if let Some(place) = &diagnostic.place {
        location["region"] = json!({"startLine": place.line, "startColumn": place.column});
    }
    let help = diagnostic.help.as_ref().map_or_else(String::new, |help| format!(". {help}"));
    json!({
        "ruleId": diagnostic.code.as_str(),
        "level": diagnostic.level.as_str(),
        "message": {"text": format!("{}{help}", diagnostic.message)},
        "locations": [{"physicalLocation": location}],
    })
}

/// Escapes what a URI reference does not allow.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
