//! Applies permission rules: the last rule that matches a skill decides whether it is denied, or hidden from the model.

use std::collections::HashMap;
use std::path::Path;
use std::str::FromStr as _;

use openoxide_permissions::{Action, Permission, Rule, Rules};
use toml::Value;

use super::{Catalog, Entry, Problem, Status, View};
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::host::{SettingDoes, SettingRule};
use crate::settings::{Origin, Setting};
use crate::text::path_text;

/// Applies the program's own rules, then those of the user and the agent.
pub(super) fn apply(view: &View, entries: &mut [Entry]) {
    let rules = view.host_rules();
    if rules.0.is_empty() && view.rules.0.is_empty() {
        return;
    }
    for entry in entries.iter_mut().filter(|entry| entry.is_active()) {
        keep_from_model(&rules, entry);
        deny(&view.rules, entry);
    }
}

/// Keeps from the model what the program's own rules deny, and says which rule that is.
fn keep_from_model(rules: &Rules, entry: &mut Entry) {
    let rule = rules.deciding(Permission::Skill.as_str(), &entry.skill.name);
    let Some(rule) = rule.filter(|rule| rule.action == Action::Deny) else { return };
    entry.model = false;
    let diagnostic = Diagnostic::new(Code::DisabledBySetting, Level::Note, kept_from_model(rule))
        .help("allow it after that rule, or remove the rule");
    entry.problems.push(Problem { path: entry.skill.path.to_path_buf(), diagnostic });
}

fn kept_from_model(rule: &Rule) -> String {
    format!("the model does not see it: `{}` is denied by {}", rule.pattern, rule.origin)
}

/// Denies a skill that rules deny under any of its names.
fn deny(rules: &Rules, entry: &mut Entry) {
    let Some(rule) = entry.denied_by(rules) else { return };
    let text = format!("the rule `{}` denies it ({})", rule.pattern, rule.origin);
    entry.drop_out(Status::Denied, Code::Denied, text);
}

impl Catalog {
    /// Takes what the program's own rules keep from its model as denied, although its user may still call it. Screens that
    /// compare agents by what their models see say so.
    #[must_use]
    pub fn as_model_sees(mut self, view: &View) -> Catalog {
        let rules = view.host_rules();
        let denied = |entry: &Entry| {
            let rule = rules.deciding(Permission::Skill.as_str(), &entry.skill.name);
            rule.filter(|rule| rule.action == Action::Deny)
        };
        let mut kept = Vec::new();
        for mut entry in self.skills.extract_if(.., |entry| denied(entry).is_some()) {
            if let Some(rule) = denied(&entry) {
                entry.drop_out(Status::Denied, Code::DisabledBySetting, kept_from_model(rule));
            }
            kept.push(entry);
        }
        if !kept.is_empty() {
            self.others.append(&mut kept);
            self.others.sort_by(|left, right| left.found().cmp(right.found()));
        }
        self
    }
}

impl View {
    /// Returns what the program's own settings say about calling skills, weakest first, under our name for that.
    ///
    /// What they say about anything else is left out: a program's settings grant nothing here.
    pub fn host_rules(&self) -> Rules {
        let called = self.permits().find_map(|(_, rule)| rule.form.as_deref()).unwrap_or_default();
        let renamed = |mut rule: Rule| {
            Permission::Skill.as_str().clone_into(&mut rule.permission);
            rule
        };
        Rules(self.program_rules().into_iter().filter(|rule| rule.is_about(called)).map(renamed).collect())
    }

    /// Decides by the program's own rules whether its model may read in the folder of a skill: it may, unless the folder
    /// lies outside of the project and a rule of the user or the agent says otherwise. Returns also that rule.
    pub fn outside(&self, entry: &Entry) -> (Action, Option<Rule>) {
        let around = &self.around;
        let is_inside = |folder: &Path| folder.starts_with(&around.cwd) || folder.starts_with(&around.project);
        let Some(permission) = self.permits().find_map(|(_, rule)| rule.outside.as_deref()) else {
            return (Action::Allow, None);
        };
        if is_inside(entry.dir()) {
            return (Action::Allow, None);
        }
        let rules = Rules(self.program_rules().into_iter().filter(|rule| rule.is_about(permission)).collect());
        let rule = rules.deciding(permission, &format!("{}/*", path_text(entry.dir())));
        (rule.map_or(Action::Allow, |rule| rule.action), rule.cloned())
    }

    pub(super) fn permits(&self) -> impl Iterator<Item = (&str, &SettingRule)> {
        let permits = [SettingDoes::Permit, SettingDoes::PermitAgent].map(|does| self.host.setting_that(does));
        permits.into_iter().flatten()
    }

    /// Returns all rules of the program, weakest first: its own for the agent, the user's, those that the user has for the
    /// agent.
    fn program_rules(&self) -> Vec<Rule> {
        let mut rules = self.rules_of_agent();
        for (name, _) in self.permits() {
            let origins = origins(self.settings.said(name));
            for said in self.settings.get(name).into_iter().flat_map(|setting| statements(&setting.value)) {
                let origin = origins.get(&said).map(ToString::to_string).unwrap_or_default();
                rules.push(self.rule(said, origin));
            }
        }
        rules
    }

    /// Returns the rules that the program itself has for the agent of the conversation.
    fn rules_of_agent(&self) -> Vec<Rule> {
        let Some(agents) = &self.host.agents else { return Vec::new() };
        let name = self.around.agent.as_ref().unwrap_or(&agents.first);
        let own = agents.built_in.get(name).into_iter().flatten();
        let origin = format!("{} for its agent `{name}`", self.host.title);
        own.map(|(permission, word)| self.rule((permission, "*", word), origin.clone())).collect()
    }

    fn rule(&self, (permission, pattern, word): Statement<'_>, origin: String) -> Rule {
        // A word that is no action lets people be asked.
        let action = Action::from_str(word).unwrap_or(Action::Ask);
        Rule::new(permission, pattern, action, origin).at_home(self.around.home.as_deref())
    }

    /// Returns the program's own rules on calling a skill, weakest first; the catalog need not obey all of them.
    pub fn call_rules(&self) -> Rules {
        let denies = self.host.setting_that(SettingDoes::Deny);
        let setting = denies.and_then(|(name, _)| self.settings.get(name));
        let around = denies.and_then(|(_, rule)| rule.form.as_ref()?.split_once("{name}"));
        let (Some(setting), Some((before, after))) = (setting, around) else { return self.host_rules() };
        let items = setting.value.as_array().into_iter().flatten().filter_map(Value::as_str);
        let patterns = items.filter_map(|item| item.strip_prefix(before)?.strip_suffix(after));
        let origin = setting.origin.to_string();
        let denied =
            patterns.map(|pattern| Rule::new(Permission::Skill.as_str(), pattern, Action::Deny, origin.as_str()));
        Rules(self.host_rules().0.into_iter().chain(denied).collect())
    }
}

/// A permission, a pattern, and what is said of both.
type Statement<'v> = (&'v str, &'v str, &'v str);

/// Returns what a setting of permissions says.
fn statements(value: &Value) -> impl Iterator<Item = Statement<'_>> {
    let permissions = value.as_table().into_iter().flatten();
    permissions.flat_map(|(permission, value)| {
        patterns(value).into_iter().map(move |(pattern, word)| (permission.as_str(), pattern, word))
    })
}

/// Returns the patterns of a permission, and what each says; a word alone is for every name.
fn patterns(value: &Value) -> Vec<(&str, &str)> {
    match value {
        Value::String(action) => vec![("*", action)],
        Value::Table(table) => {
            table.iter().filter_map(|(pattern, action)| Some((pattern.as_str(), action.as_str()?))).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns where each rule was written: the strongest place that says the same. A project can have very many rules, so that
/// the places are not searched for each.
fn origins(said: &[Setting]) -> HashMap<Statement<'_>, &Origin> {
    said.iter().flat_map(|setting| statements(&setting.value).map(|said| (said, &setting.origin))).collect()
}
