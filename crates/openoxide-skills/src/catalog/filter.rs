//! Disables skills by settings, by their own frontmatter and by product, and keeps dormant ones apart.

use std::path::Path;

use globset::{GlobBuilder, GlobSetBuilder};
use openoxide_permissions::folded;
use toml::Value;

use super::name_patterns::{NamePatterns, words};
use super::{Entry, SearchedRoot, Status, View};
use crate::host::{Control, SettingDoes, SettingRule};
use crate::{diagnostic::Code, root::Root, settings::Setting};

pub(super) fn apply(view: &View, roots: &[SearchedRoot], entries: &mut [Entry]) {
    let rules = SwitchRules::of(view);
    let denied = all_denied(view);
    let user_calls = view.host.setting_that(SettingDoes::LetUserCall);
    let user_calls = user_calls.is_none_or(|(name, _)| view.settings.is_on(name, true));
    for entry in entries.iter_mut().filter(|entry| entry.is_active()) {
        let root = &roots[entry.root].root;
        own_text(view, root, entry);
        if root.asleep && entry.is_active() {
            let text = format!("it waits until a file in `{}` is touched", root.rel);
            entry.drop_out(Status::Dormant, Code::DormantRoot, text);
        }
        if entry.is_active() && !root.rule.unfiltered {
            rules.apply(view, entry);
        }
        if let Some(why) = root.off.as_ref().filter(|_| entry.is_active()) {
            entry.drop_out(Status::Disabled, Code::DisabledBySetting, why.clone());
        }
        entry.model &= !denied;
        entry.user &= user_calls;
        if entry.is_active() {
            dormant(view, root, entry);
        }
    }
}

/// The settings of a view that switch skills by their name or path, with the links in their paths followed.
#[derive(Debug)]
pub struct SwitchRules {
    rules: Vec<Rule>,
    by_name: ByName,
}

impl SwitchRules {
    /// Reads the settings of a view.
    pub fn of(view: &View) -> SwitchRules {
        let switching = said(view, view.host.switching()).iter();
        let rules = switching.flat_map(|setting| items(setting).filter_map(|item| read_rule(view, item, setting)));
        SwitchRules { rules: rules.collect(), by_name: ByName::new(view) }
    }

    /// Tells whether these settings switch a skill off, which another host may have found.
    pub fn switch_off(&self, view: &View, entry: &Entry) -> bool {
        let is_off = |name: &str| {
            let mut entry = Entry { status: Status::Active, ..entry.clone() };
            entry.skill.name = name.into();
            self.apply(view, &mut entry);
            !entry.is_active()
        };
        entry.names_for_rules().any(is_off)
    }

    fn apply(&self, view: &View, entry: &mut Entry) {
        self.by_rule(view, entry);
        by_state(view, entry);
        if entry.is_active() {
            self.by_name.apply(entry);
        }
    }

    fn by_rule(&self, view: &View, entry: &mut Entry) {
        if self.rules.is_empty() {
            return;
        }
        let own = [&*entry.skill.path, entry.found(), entry.canonical()];
        let takes_folders = view.host.setting_that(SettingDoes::SwitchFolders).is_some();
        let folders: Vec<&Path> = own.iter().filter_map(|file| file.parent()).filter(|_| takes_folders).collect();
        let own_name = folded(&entry.skill.name);
        let last = self.rules.iter().rev().find(|rule| match &rule.selector {
            Selector::Name(name) => {
                **name == *entry.skill.name || rule.folds && !rule.enabled && folded(name) == own_name
            }
            Selector::Path(path) => own.contains(&path.as_path()) || folders.contains(&path.as_path()),
        });
        if let Some(rule) = last.filter(|rule| !rule.enabled) {
            entry.drop_out(Status::Disabled, Code::DisabledBySetting, rule.text.as_str());
        }
    }
}

/// Tells whether the settings of a view can switch a skill off by its name.
pub fn switches_by_name(view: &View) -> bool {
    let lists =
        [view.host.switching(), view.host.setting_that(SettingDoes::SetStates)].map(|setting| said(view, setting));
    lists.iter().any(|list| !list.is_empty()) || !ByName::new(view).is_empty()
}

fn all_denied(view: &View) -> bool {
    let Some((name, rule)) = view.host.setting_that(SettingDoes::Deny) else { return false };
    let form = rule.form.as_deref().unwrap_or("{name}");
    let tool = form.split_once('(').map(|(tool, _)| tool);
    let is_all = |rule: &str| rule == "*" || rule == form.replace("{name}", "*") || Some(rule) == tool;
    view.settings.get(name).is_some_and(|setting| words(setting).any(is_all))
}

/// Settings that list names, or patterns of names.
#[derive(Debug)]
struct ByName {
    ignored: NamePatterns,
    included: NamePatterns,
    off: Vec<Setting>,
    off_prefix: String,
    off_any_case: bool,
}

impl ByName {
    fn new(view: &View) -> ByName {
        let host = &view.host;
        let any_case = host.setting_that(SettingDoes::SwitchOffAnyCase);
        let off = any_case.or_else(|| host.setting_that(SettingDoes::SwitchOff));
        let form = off.and_then(|(_, rule)| rule.form.as_deref()).unwrap_or("{name}");
        ByName {
            ignored: NamePatterns::of(said(view, host.setting_that(SettingDoes::Ignore))),
            included: NamePatterns::of(said(view, host.setting_that(SettingDoes::Include))),
            off: said(view, off).to_vec(),
            off_prefix: form.split_once("{name}").map_or(form, |(before, _)| before).to_owned(),
            off_any_case: any_case.is_some(),
        }
    }

    fn is_empty(&self) -> bool {
        self.off.is_empty() && self.ignored.is_empty() && self.included.is_empty()
    }

    fn apply(&self, entry: &mut Entry) {
        if self.is_empty() {
            return;
        }
        let name = &*entry.skill.name;
        let why =
            self.why_off(name).or_else(|| self.ignored.why_ignored(name)).or_else(|| self.included.why_left_out(name));
        if let Some(why) = why {
            entry.drop_out(Status::Disabled, Code::DisabledBySetting, why);
        }
    }

    fn why_off(&self, name: &str) -> Option<String> {
        let named = |word: &&str| match word.strip_prefix(&self.off_prefix) {
            Some(off) if self.off_any_case => off.to_lowercase() == name.to_lowercase(),
            off => off == Some(name),
        };
        let strongest_first = self.off.iter().rev();
        let hit = strongest_first.into_iter().find_map(|off| Some((off, words(off).find(named)?)));
        hit.map(|(off, word)| format!("it is switched off: {} lists `{word}`", off.origin))
    }
}

fn items(setting: &Setting) -> impl Iterator<Item = &Value> {
    setting.value.as_array().into_iter().flatten()
}

/// Returns what each place says about a setting, weakest first.
fn said<'v>(view: &'v View, setting: Option<(&str, &SettingRule)>) -> &'v [Setting] {
    setting.map_or(&[], |(name, _)| view.settings.said(name))
}

/// Tells whether a control in the frontmatter has an effect below a root.
fn counts(view: &View, root: &Root, control: Control) -> bool {
    view.host.controls.obeyed.contains(&control) && !root.rule.without.contains(&control)
}

/// What the skill's own files say.
fn own_text(view: &View, root: &Root, entry: &mut Entry) {
    let counts = |control| counts(view, root, control);
    let frontmatter = &entry.skill.frontmatter;
    let hidden = (counts(Control::DisableModelInvocation) && frontmatter.disable_model_invocation == Some(true))
        || (counts(Control::AllowImplicitInvocation) && !entry.skill.policy.allow_implicit_invocation)
        || (counts(Control::Hide) && frontmatter.rare().hide == Some(true))
        || (view.host.catalog.described_only && !entry.skill.described)
        || (root.rule.described_only && !entry.skill.described && frontmatter.rare().when_to_use.is_none());
    let unusable = counts(Control::UserInvocable) && frontmatter.user_invocable == Some(false);
    entry.model = !hidden;
    entry.user = !unusable;
    if counts(Control::Enabled) && frontmatter.rare().enabled == Some(false) {
        entry.drop_out(Status::Disabled, Code::DisabledByItself, "its own text says `enabled: false`");
        return;
    }
    let product = view.host.sidecar.as_ref().and_then(|sidecar| sidecar.products.first());
    let products = &entry.skill.policy.products;
    if let Some(product) = product.filter(|product| !products.is_empty() && !products.contains(product)) {
        let text = format!("it is made for {}, not for {product}", products.join(", "));
        entry.drop_out(Status::Invalid, Code::OtherProduct, text);
    }
}

#[derive(Debug)]
struct Rule {
    selector: Selector,
    /// Whether a name switches off every spelling of it in Unicode, which OpenOxide's own rules do.
    folds: bool,
    enabled: bool,
    text: String,
}

#[derive(Debug)]
enum Selector {
    Name(String),
    Path(std::path::PathBuf),
}

fn read_rule(view: &View, item: &Value, setting: &Setting) -> Option<Rule> {
    let text = |key: &str| item.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let selector = match (text("name"), text("path")) {
        (Some(name), None) => Selector::Name(name.to_owned()),
        (None, Some(path)) => {
            let path = view.around.expand(path, &view.host.vars)?;
            Selector::Path(std::fs::canonicalize(&path).unwrap_or(path))
        }
        _ => return None,
    };
    let enabled = item.get("enabled").and_then(Value::as_bool)?;
    // Which of several rules it was is not known, so no line is named.
    let place = match &setting.origin {
        crate::settings::Origin::File { path, .. } => path.display().to_string(),
        other => other.to_string(),
    };
    let rule = view.host.switching().map(|(_, rule)| rule);
    let folds = rule.is_some_and(|rule| rule.from.iter().any(|source| source.config.is_some()));
    Some(Rule { selector, folds, enabled, text: format!("it is switched off: `{place}` says so") })
}

/// Applies the state that a setting gives to the entry's name.
pub(super) fn by_state(view: &View, entry: &mut Entry) {
    let states = said(view, view.host.setting_that(SettingDoes::SetStates));
    let state = states.iter().rev().find_map(|setting| Some((setting.value.get(&*entry.skill.name)?, &setting.origin)));
    let Some((Some(state), origin)) = state.map(|(state, origin)| (state.as_str(), origin)) else { return };
    match state {
        "name-only" => entry.name_only = true,
        "user-invocable-only" => entry.model = false,
        "off" => {
            let text = format!("it is switched off: {origin} says `{state}`");
            entry.drop_out(Status::Disabled, Code::DisabledBySetting, text);
        }
        _ => {}
    }
}

/// Puts a skill with `paths` to sleep until a matching file is touched.
fn dormant(view: &View, root: &Root, entry: &mut Entry) {
    let counts = |control| counts(view, root, control);
    if !counts(Control::Paths) && !counts(Control::PathsForModel) {
        return;
    }
    let patterns = effective_patterns(&entry.skill.frontmatter.rare().paths);
    if patterns.is_empty() || patterns.iter().all(|pattern| is_everything(pattern)) {
        return;
    }
    let touched = view.around.touched.iter().filter_map(|file| file.strip_prefix(&view.around.project).ok());
    if touched.into_iter().any(|file| matches(&patterns, file)) {
        return;
    }
    if counts(Control::PathsForModel) {
        entry.model = false;
    } else {
        let text = format!("it waits until a file is touched that matches `{}`", patterns.join("`, `"));
        entry.drop_out(Status::Dormant, Code::DormantPaths, text);
    }
}

/// Tells whether a pattern, braces expanded, matches everything.
fn is_everything(pattern: &str) -> bool {
    pattern.trim_matches(['{', '}']).split(',').all(|part| part == "**")
}

fn effective_patterns(patterns: &[String]) -> Vec<&str> {
    let trimmed = patterns.iter().map(|pattern| pattern.strip_suffix("/**").unwrap_or(pattern));
    trimmed.filter(|pattern| !pattern.is_empty()).collect()
}

/// Tells whether a file matches as in an ignore file: a pattern without a slash matches at any depth.
fn matches(patterns: &[&str], file: &Path) -> bool {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        let anchored = pattern.trim_end_matches('/').contains('/');
        let base = pattern.trim_start_matches("./").trim_start_matches('/');
        let base = if anchored { base.to_owned() } else { format!("**/{base}") };
        for variant in [base.clone(), format!("{}/**", base.trim_end_matches('/'))] {
            // A pattern that is not one matches nothing.
            if let Ok(glob) = GlobBuilder::new(&variant).literal_separator(true).build() {
                builder.add(glob);
            }
        }
    }
    builder.build().is_ok_and(|set| set.is_match(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_ignore_files() {
        let check = |pattern: &str, file: &str| matches(&[pattern], Path::new(file));
        assert!(check("*.ts", "src/a.ts"));
        assert!(check("src", "src/deep/a.ts"));
        assert!(check("src/*.ts", "src/a.ts"));
        assert!(!check("src/*.ts", "lib/src/a.ts"));
        assert!(check("src/**/*.{ts,js}", "src/x/a.js"));
        assert!(!check("[a", "[a"));
        assert_eq!(effective_patterns(&["/**".to_owned(), "src/**".to_owned()]), ["src"]);
    }
}
