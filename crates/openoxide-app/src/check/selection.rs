//! The codes that are reported: those selected, without those ignored.

use openoxide_config::Workspace;
use openoxide_skills::diagnostic::{Code, Level};
use openoxide_skills::judge::SkillFinding;
use openoxide_skills::text::{TerminalText, near};

use crate::{Error, ErrorKind, Progress, Report};

#[derive(Debug, Default)]
pub(super) struct Selection {
    /// Only these; all if there is none.
    select: Vec<Code>,
    ignore: Vec<Code>,
}

impl Selection {
    /// Takes the codes of the request, or else those of the settings. An unknown code of a setting is said; one of the
    /// request is an error.
    pub(super) fn read(
        workspace: &Workspace,
        select: &[String],
        ignore: &[String],
        report: Report<'_>,
    ) -> Result<Selection, Error> {
        let mut codes = |asked: &[String], key: &str| {
            if asked.is_empty() { Ok(from_setting(workspace, key, report)) } else { from_request(asked) }
        };
        Ok(Selection { select: codes(select, "check.select")?, ignore: codes(ignore, "check.ignore")? })
    }

    pub(super) fn has(&self, code: Code) -> bool {
        (self.select.is_empty() || self.select.contains(&code)) && !self.ignore.contains(&code)
    }

    pub(super) fn retain(&self, findings: &mut Vec<SkillFinding>) {
        findings.retain(|finding| self.has(finding.diagnostic.code));
    }

    /// Tells whether a finding is to be fixed, if it can be. A note is only if its code was asked for: no agent minds it.
    pub(super) fn fixes(&self, finding: &SkillFinding) -> bool {
        let code = finding.diagnostic.code;
        self.has(code) && (finding.diagnostic.level > Level::Note || self.select.contains(&code))
    }
}

fn from_request(asked: &[String]) -> Result<Vec<Code>, Error> {
    asked.iter().map(|text| Code::parse(text).ok_or_else(|| unknown(text))).collect()
}

fn from_setting(workspace: &Workspace, key: &str, report: Report<'_>) -> Vec<Code> {
    let Some(setting) = workspace.config.get(key) else { return Vec::new() };
    let texts = setting.value.as_array().into_iter().flatten().filter_map(toml::Value::as_str);
    let mut codes = Vec::new();
    for text in texts {
        match Code::parse(text) {
            Some(code) => codes.push(code),
            None => report(Progress::Warning(format!("`{key}` in {}: {}", setting.origin, unknown(text)))),
        }
    }
    codes
}

fn unknown(text: &str) -> Error {
    let message = format!("`{}` is not the code of a finding", TerminalText(text));
    let codes = Code::ALL.iter().map(|code| code.as_str());
    let help = match near(&text.to_uppercase(), codes).first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => "codes look like `S0102`; `openoxide explain CODE` says what one means".to_owned(),
    };
    Error::other(ErrorKind::Invalid, "bad-code", message).with_help(help)
}
