//! Chooses how much of each entry is shown so that all of them stay within the budget.

use std::cmp::Reverse;

use unicode_width::UnicodeWidthStr as _;

use super::prompt::{BudgetUnit, DetailLevel, Model};
use super::window::{Window, model_of, window_of};
use crate::catalog::{Entry, View};
use crate::host::{BudgetRules, FitStep, Measure, Reserved};

/// How entries are fitted into the room of a program that is not the host's own.
const CLIENT_STEPS: [FitStep; 4] = [FitStep::Full, FitStep::Deal, FitStep::BareByUseBounded, FitStep::BareWhileFits];
/// How many characters a token is taken for.
const CHARACTERS_PER_TOKEN: u64 = 4;
const CLIENT_DEAL_MIN: usize = 60;
const CLIENT_DEAL_MARK: &str = "…";

/// One entry, drawn whole and bare.
pub(super) struct Item {
    pub(super) full: String,
    pub(super) bare: String,
    pub(super) text: String,
    pub(super) path: String,
    /// Whether a setting shows its name only, whatever room there is.
    pub(super) fixed: bool,
    pub(super) score: f64,
}

/// How much of an entry is shown: none, or so many characters of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    LeftOut,
    Characters(usize),
    Whole,
}

pub(super) struct Fitted {
    pub(super) choices: Vec<Choice>,
    /// The room that is used, that of the program's own entries included.
    pub(super) used: u64,
    /// The room that the program's own entries take.
    pub(super) own: u64,
    lost: usize,
}

impl Choice {
    pub(super) fn detail(self, item: &Item) -> DetailLevel {
        match self {
            Choice::LeftOut => DetailLevel::LeftOut,
            Choice::Whole if item.fixed => DetailLevel::NameOnly,
            Choice::Whole => DetailLevel::Full,
            Choice::Characters(0) if item.text.is_empty() => DetailLevel::Full,
            Choice::Characters(0) => DetailLevel::NameOnly,
            Choice::Characters(_) => DetailLevel::Shortened,
        }
    }
}

impl Fitted {
    /// Tells whether this shows more: more entries, then more text, then for less.
    pub(super) fn beats(&self, other: &Fitted) -> bool {
        let score = |fitted: &Fitted| (shown(&fitted.choices), Reverse(fitted.lost), Reverse(fitted.used));
        score(self) > score(other)
    }
}

pub(super) struct Fit {
    pub(super) budget: Option<u64>,
    pub(super) window: Option<Window>,
    pub(super) unit: BudgetUnit,
    measure: Measure,
    steps: Vec<FitStep>,
    /// The fewest characters that dealing may leave of a text, and the end of a text that it shortened.
    dealt: (usize, String),
    /// Room that the program's own entries take: in full, and at least.
    reserved: (u64, u64),
    reserved_count: u64,
    /// What the descriptions take of those of them that may lose theirs.
    reserved_texts: Vec<u64>,
    usage: Vec<(String, f64)>,
}

impl Fit {
    pub(super) fn new(view: &View, model: Model, entries: &[&Entry]) -> Fit {
        let rules = &view.host.budget;
        let window = window_of(view, model.window);
        let tokens = window.as_ref().map(|window| window.tokens);
        let (budget, measure) = budget(rules, tokens, model_of(view).map(|(name, _)| name));
        let reserved = reserved(view, entries);
        let least = |own: &&Reserved| if own.kept { own.size } else { own.name.width() as u64 + 2 };
        Fit {
            budget,
            window,
            measure,
            unit: if measure == Measure::LineTokens { BudgetUnit::Tokens } else { BudgetUnit::Characters },
            steps: rules.fit.clone(),
            dealt: (rules.deal_min, rules.deal_mark.clone()),
            reserved: (reserved.iter().map(|own| own.size).sum(), reserved.iter().map(least).sum()),
            reserved_count: reserved.len() as u64,
            reserved_texts: reserved
                .iter()
                .map(|own| own.size - least(own).min(own.size))
                .filter(|text| *text > 0)
                .collect(),
            usage: usage(view, model),
        }
    }

    /// Leaves at most so many characters, as another program than the host's own allows it, and none to entries that are
    /// not listed here. Where that is less than the host's budget, the entries are fitted in the usual steps.
    #[must_use]
    pub(super) fn for_client(mut self, room: Option<u64>) -> Fit {
        (self.reserved, self.reserved_count) = ((0, 0), 0);
        self.reserved_texts.clear();
        let characters = |budget: u64| match self.unit {
            BudgetUnit::Characters => budget,
            BudgetUnit::Tokens => budget.saturating_mul(CHARACTERS_PER_TOKEN),
        };
        if let Some(room) = room.filter(|room| self.budget.is_none_or(|budget| *room < characters(budget))) {
            (self.budget, self.unit, self.measure) = (Some(room), BudgetUnit::Characters, Measure::Characters);
            self.steps = CLIENT_STEPS.to_vec();
            self.dealt = (CLIENT_DEAL_MIN, CLIENT_DEAL_MARK.to_owned());
        }
        self
    }

    /// Returns the text that an entry shows.
    pub(super) fn cut(&self, item: &Item, choice: Choice) -> String {
        match choice {
            Choice::Whole => item.text.clone(),
            Choice::LeftOut => String::new(),
            Choice::Characters(count) => {
                let (_, mark) = &self.dealt;
                let (kept, mark) = match count.checked_sub(mark.chars().count()) {
                    Some(kept) if kept > 0 => (kept, mark.as_str()),
                    _ => (count, ""),
                };
                item.text.chars().take(kept).collect::<String>() + mark
            }
        }
    }

    pub(super) fn score(&self, name: &str) -> f64 {
        self.usage.iter().find(|(used, _)| used == name).map_or(0.0, |(_, score)| *score)
    }

    pub(super) fn cost(&self, text: &str) -> u64 {
        match self.measure {
            Measure::Characters => text.chars().count() as u64,
            Measure::Columns => columns(text),
            Measure::LineTokens => crate::text::tokens(text.len() as u64 + 1),
        }
    }

    /// Returns what lies between entries, for so many of them.
    fn between(&self, count: u64) -> u64 {
        if self.measure == Measure::LineTokens { 0 } else { count.saturating_sub(1) }
    }

    /// Chooses how much of each entry is shown, after `overhead` is spent.
    pub(super) fn fit(&self, items: &[Item], overhead: u64) -> Fitted {
        let limit = self.budget.map(|budget| budget.saturating_sub(overhead));
        let outcome = self.steps.iter().find_map(|step| match step {
            FitStep::Full => self.full(items, limit),
            FitStep::Deal => self.deal(items, limit),
            FitStep::BareByUse => Some(self.bare_by_use(items, limit)),
            FitStep::BareByUseBounded => {
                let fits = limit.is_none_or(|limit| self.bare_total(items) <= limit);
                fits.then(|| self.bare_by_use(items, limit))
            }
            FitStep::BareWhileFits => Some(self.while_fits(items, limit, Choice::Characters(0))),
            FitStep::FullWhileFits => Some(self.while_fits(items, limit, Choice::Whole)),
        });
        let choices = outcome.unwrap_or_else(|| vec![Choice::Whole; items.len()]);
        let lost = items.iter().zip(&choices).map(|(item, choice)| lost(item, *choice)).sum();
        let entries = self.total(items, &choices) + overhead;
        let own = self.own(&choices, self.budget.map(|budget| budget.saturating_sub(entries)));
        let used = entries + own;
        Fitted { choices, used, own, lost }
    }

    /// Returns what the program's own entries take beside these, with what lies between them. What is left goes to the
    /// descriptions of those that do not keep them anyway.
    fn own(&self, choices: &[Choice], left: Option<u64>) -> u64 {
        let is_whole = choices.iter().all(|choice| *choice == Choice::Whole);
        let shown = shown(choices);
        let between = self.between(shown + self.reserved_count) - self.between(shown);
        if is_whole {
            return between + self.reserved.0;
        }
        let least = between + self.reserved.1;
        let mut left = left.unwrap_or(0).saturating_sub(least);
        let fits = |extra: &&u64| {
            let fits = **extra <= left;
            left -= if fits { **extra } else { 0 };
            fits
        };
        least + self.reserved_texts.iter().filter(fits).sum::<u64>()
    }

    fn total(&self, items: &[Item], choices: &[Choice]) -> u64 {
        let each = items.iter().zip(choices).map(|(item, choice)| match choice {
            Choice::LeftOut => 0,
            Choice::Whole => self.cost(&item.full),
            Choice::Characters(count) => self.cost_of_cut(item, *count),
        });
        each.sum::<u64>() + self.between(shown(choices))
    }

    /// Returns what a bare entry with so many characters of its text takes.
    fn cost_of_cut(&self, item: &Item, count: usize) -> u64 {
        if count == 0 {
            return self.cost(&item.bare);
        }
        let kept = item.text.char_indices().nth(count).map_or(item.text.len(), |(at, _)| at);
        let gap = item.full.len() - item.bare.len() - item.text.len();
        match self.measure {
            Measure::LineTokens => crate::text::tokens((item.bare.len() + gap + kept + 1) as u64),
            _ => self.cost(&item.bare) + gap as u64 + self.cost(&item.text[..kept]),
        }
    }

    fn full(&self, items: &[Item], limit: Option<u64>) -> Option<Vec<Choice>> {
        let count = items.len() as u64 + self.reserved_count;
        let total = items.iter().map(|item| self.cost(&item.full)).sum::<u64>() + self.reserved.0 + self.between(count);
        limit.is_none_or(|limit| total <= limit).then(|| vec![Choice::Whole; items.len()])
    }

    fn bare_total(&self, items: &[Item]) -> u64 {
        let count = items.len() as u64 + self.reserved_count;
        let bare = |item: &Item| self.cost(if item.fixed { &item.full } else { &item.bare });
        items.iter().map(bare).sum::<u64>() + self.reserved.1 + self.between(count)
    }

    /// Deals the room that bare entries leave to the descriptions, a character at a time; nothing if one would get too few.
    fn deal(&self, items: &[Item], limit: Option<u64>) -> Option<Vec<Choice>> {
        let mut left = limit?.checked_sub(self.bare_total(items))?;
        let lengths: Vec<usize> = items.iter().map(|item| item.text.chars().count()).collect();
        let mut counts = vec![0_usize; items.len()];
        let mut costs: Vec<u64> = items.iter().map(|item| self.cost_of_cut(item, 0)).collect();
        let mut open: Vec<usize> = (0..items.len()).collect();
        let mut changed = true;
        while changed {
            changed = false;
            open.retain(|&index| counts[index] < lengths[index]);
            for &index in &open {
                let next = self.cost_of_cut(&items[index], counts[index] + 1);
                let step = next.saturating_sub(costs[index]);
                if step <= left {
                    left -= step;
                    counts[index] += 1;
                    costs[index] = next;
                    changed = true;
                }
            }
        }
        let too_short = |(count, length): (&usize, &usize)| *count < *length.min(&self.dealt.0);
        if counts.iter().zip(&lengths).any(too_short) {
            return None;
        }
        let choose =
            |(count, length): (usize, usize)| if count == length { Choice::Whole } else { Choice::Characters(count) };
        Some(counts.into_iter().zip(lengths).map(choose).collect())
    }

    /// Keeps whole descriptions for the most used; a later, shorter one may still fit.
    fn bare_by_use(&self, items: &[Item], limit: Option<u64>) -> Vec<Choice> {
        let Some(limit) = limit else { return vec![Choice::Whole; items.len()] };
        let mut choices: Vec<Choice> =
            items.iter().map(|item| if item.fixed { Choice::Whole } else { Choice::Characters(0) }).collect();
        let Some(mut left) = limit.checked_sub(self.bare_total(items)) else { return choices };
        let mut ranked: Vec<usize> = (0..items.len()).filter(|&index| !items[index].fixed).collect();
        ranked.sort_by(|&one, &other| items[other].score.total_cmp(&items[one].score));
        for index in ranked {
            let extra = self.cost(&items[index].full).saturating_sub(self.cost(&items[index].bare));
            if extra <= left {
                left -= extra;
                choices[index] = Choice::Whole;
            }
        }
        choices
    }

    /// Takes entries in order, all of them bare or all of them whole, as long as each fits.
    fn while_fits(&self, items: &[Item], limit: Option<u64>, taken: Choice) -> Vec<Choice> {
        let Some(limit) = limit else { return vec![Choice::Whole; items.len()] };
        let separator = u64::from(self.measure != Measure::LineTokens);
        let mut used = self.reserved.1 + self.reserved_count * separator;
        let choose = |item: &Item| {
            let text = if taken == Choice::Whole { &item.full } else { &item.bare };
            let cost = self.cost(text) + if used > 0 { separator } else { 0 };
            if used + cost > limit {
                return Choice::LeftOut;
            }
            used += cost;
            taken
        };
        items.iter().map(choose).collect()
    }
}

fn shown(choices: &[Choice]) -> u64 {
    choices.iter().filter(|choice| **choice != Choice::LeftOut).count() as u64
}

fn lost(item: &Item, choice: Choice) -> usize {
    let length = item.text.chars().count();
    match choice {
        Choice::Whole => 0,
        Choice::Characters(count) => length - count,
        Choice::LeftOut => length,
    }
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "budgets are small"
)]
fn budget(rules: &BudgetRules, window: Option<u64>, name: Option<&str>) -> (Option<u64>, Measure) {
    if let Some(fixed) = rules.fixed {
        return (Some(rules.fixed_max.map_or(fixed, |max| fixed.min(max))), rules.measure);
    }
    match (rules.share, window) {
        (None, _) => (None, rules.measure),
        (Some(share), Some(window)) => {
            let per_token = rules.chars_per_token.iter().find(|rule| match name {
                Some(name) => rule.models.is_empty() || rule.models.iter().any(|part| name.contains(part)),
                None => rule.up_to.is_none_or(|up_to| window <= up_to),
            });
            let per_token = per_token.map_or(4, |rule| rule.chars);
            let size = if rules.measure == Measure::LineTokens { window } else { window.saturating_mul(per_token) };
            (Some(((size as f64 * share) as u64).max(1)), rules.measure)
        }
        (Some(_), None) => {
            let measure = if rules.measure == Measure::LineTokens { Measure::Characters } else { rules.measure };
            (rules.unknown_chars, measure)
        }
    }
}

/// Returns the names of the program's own skills that are switched on.
pub(super) fn reserved_names(view: &View) -> impl Iterator<Item = &str> {
    let rules = &view.host.budget;
    let on = rules.reserved_switch.as_ref().is_none_or(|switch| view.settings.is_on(switch, true));
    rules.reserved.iter().filter(move |own| on || own.always).map(|own| own.name.as_str())
}

/// Returns the program's own skills that take room: those that no skill here replaces.
fn reserved<'v>(view: &'v View, entries: &[&Entry]) -> Vec<&'v Reserved> {
    let rules = &view.host.budget;
    let on = rules.reserved_switch.as_ref().is_none_or(|switch| view.settings.is_on(switch, true));
    let taken = |own: &&Reserved| entries.iter().any(|entry| *entry.skill.name == *own.name);
    rules.reserved.iter().filter(|own| (on || own.always) && !taken(own)).collect()
}

/// Returns each skill's usage score: its call count, halved every week, at least a tenth.
#[expect(clippy::cast_precision_loss, reason = "milliseconds fit")]
fn usage(view: &View, model: Model) -> Vec<(String, f64)> {
    const WEEK: f64 = 7.0 * 24.0 * 3600.0 * 1000.0;
    let setting = view.host.budget.usage.as_ref().and_then(|name| view.settings.get(name));
    let Some(table) = setting.and_then(|setting| setting.value.as_table()) else { return Vec::new() };
    let number = |value: &toml::Value, key: &str| {
        let value = value.get(key)?;
        value.as_float().or_else(|| value.as_integer().map(|value| value as f64))
    };
    let score = |value: &toml::Value| {
        let age = (model.now as f64 - number(value, "lastUsedAt").unwrap_or(0.0)).max(0.0);
        number(value, "usageCount").unwrap_or(0.0) * 0.5_f64.powf(age / WEEK).max(0.1)
    };
    table.iter().map(|(name, value)| (name.clone(), score(value))).collect()
}

/// Returns the terminal columns of a text; control characters take none.
fn columns(text: &str) -> u64 {
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return text.len() as u64;
    }
    let visible: String = text.chars().filter(|character| !character.is_control()).collect();
    visible.width() as u64
}
