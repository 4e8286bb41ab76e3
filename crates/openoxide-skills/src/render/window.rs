//! The context window that a budget is a share of, and how it came to be known.

use crate::catalog::View;
use crate::host::{BudgetRules, ModelWindow};
use crate::settings::{Origin, Setting};

/// The rule that a setting about the window replaces.
const RULE: &str = "budget.window";

/// A context window, and how it came to be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its size, in tokens.
    pub tokens: u64,
    /// How it came to be known.
    pub origin: WindowOrigin,
}

/// How a context window came to be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowOrigin {
    /// The caller told it.
    Told,
    /// The agent's own settings say it, or name a model that has it.
    Settings(Origin),
    /// The host is described with it, and no setting says otherwise.
    Default,
}

impl WindowOrigin {
    /// Returns the word used in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            WindowOrigin::Told => "option",
            WindowOrigin::Settings(_) => "settings",
            WindowOrigin::Default => "default",
        }
    }
}

/// Returns the window that the catalog of a view is fitted to: the one told, else the one in the agent's settings, else that
/// of the model in its settings, else the host's; none if the catalog is no share of a window.
pub(super) fn window_of(view: &View, told: Option<u64>) -> Option<Window> {
    let rules = &view.host.budget;
    if rules.fixed.is_some() || rules.share.is_none() {
        return None;
    }
    let told = told.map(|tokens| Window { tokens, origin: WindowOrigin::Told });
    let window = told.or_else(|| set(view)).or_else(|| of_model(view)).or_else(|| by_default(rules))?;
    (window.tokens > 0).then_some(window)
}

/// Returns the setting that names the model.
pub(super) fn model_of(view: &View) -> Option<(&str, &Setting)> {
    let setting = view.settings.get(view.host.budget.model.as_ref()?)?;
    Some((setting.value.as_str()?, setting))
}

fn set(view: &View) -> Option<Window> {
    let mut settings = view.host.settings.iter().filter(|(_, rule)| rule.sets.as_deref() == Some(RULE));
    let origin = settings.find_map(|(name, _)| Some(view.settings.get(name)?.origin.clone()))?;
    Some(Window { tokens: view.host.budget.window?, origin: WindowOrigin::Settings(origin) })
}

fn of_model(view: &View) -> Option<Window> {
    let (model, setting) = model_of(view)?;
    let is_meant = |rule: &&ModelWindow| rule.models.iter().any(|part| model.contains(part));
    let tokens = view.host.budget.windows.iter().find(is_meant)?.tokens;
    Some(Window { tokens, origin: WindowOrigin::Settings(setting.origin.clone()) })
}

fn by_default(rules: &BudgetRules) -> Option<Window> {
    Some(Window { tokens: rules.window?, origin: WindowOrigin::Default })
}
