//! Switches in TOML: a list of rules, of which the last that is about a skill decides.

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value, value};

/// Changes the rules at a key. The error is the part of the key that is something else than expected.
pub(super) fn change(document: &mut DocumentMut, key: &[String], rule: &Rule<'_>, overrule: bool) -> Result<(), usize> {
    if !rule.enabled {
        return switch_off(document, key, rule);
    }
    let before = document.to_string();
    switch_on(document, key, rule)?;
    if overrule && document.to_string() == before { append(document, key, rule) } else { Ok(()) }
}

/// What a rule says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule<'r> {
    /// `name` or `path`.
    pub(super) field: &'static str,
    pub(super) skill: &'r str,
    pub(super) enabled: bool,
}

impl Rule<'_> {
    fn is_about(&self, rule: &dyn TableLike) -> bool {
        rule.get(self.field).and_then(Item::as_str) == Some(self.skill)
    }

    /// Tells whether rules, the last one first, switch the skill off already. A later one that names skills in the other way and
    /// switches one on could mean this one, and then decides.
    fn is_said_by<'t>(&self, mut rules: impl Iterator<Item = &'t dyn TableLike>) -> bool {
        let matters = |rule: &&dyn TableLike| {
            self.is_about(*rule) || !rule.contains_key(self.field) && Rule::says(*rule) == Some(true)
        };
        rules.find(matters).is_some_and(|rule| self.is_about(rule) && Rule::says(rule) == Some(false))
    }

    fn says(rule: &dyn TableLike) -> Option<bool> {
        rule.get("enabled").and_then(Item::as_bool)
    }
}

/// The rules of a skill, in either of the two forms that TOML has for a list of tables.
enum Rules<'d> {
    Tables(&'d mut ArrayOfTables),
    Inline(&'d mut Array),
}

fn rules_at<'d>(document: &'d mut DocumentMut, key: &[String]) -> Result<Option<Rules<'d>>, usize> {
    let mut item = document.as_item_mut();
    for (depth, part) in key.iter().enumerate() {
        let Some(table) = item.as_table_like_mut() else { return Err(depth.saturating_sub(1)) };
        match table.get_mut(part) {
            Some(inner) => item = inner,
            None => return Ok(None),
        }
    }
    match item {
        Item::ArrayOfTables(rules) => Ok(Some(Rules::Tables(rules))),
        Item::Value(Value::Array(rules)) => Ok(Some(Rules::Inline(rules))),
        _ => Err(key.len() - 1),
    }
}

/// Removes the rules that switch the skill off. One with a comment stays, with its comment, and says the opposite.
fn switch_on(document: &mut DocumentMut, key: &[String], rule: &Rule<'_>) -> Result<(), usize> {
    match rules_at(document, key)? {
        Some(Rules::Tables(rules)) => {
            let is_off = |table: &Table| rule.is_about(table) && Rule::says(table) == Some(false);
            rules.retain(|table| !(is_off(table) && is_plain(table)));
            rules.iter_mut().filter(|table| is_off(table)).for_each(|table| put_enabled(table, true));
            if rules.is_empty() {
                remove_empty(document, key);
            }
        }
        Some(Rules::Inline(rules)) => {
            rules.retain(|item| {
                !item.as_inline_table().is_some_and(|table| rule.is_about(table) && Rule::says(table) == Some(false))
            });
        }
        None => {}
    }
    Ok(())
}

fn switch_off(document: &mut DocumentMut, key: &[String], rule: &Rule<'_>) -> Result<(), usize> {
    match rules_at(document, key)? {
        Some(Rules::Tables(rules)) => {
            let tables: Vec<&Table> = rules.iter().collect();
            if rule.is_said_by(tables.into_iter().rev().map(|table| table as &dyn TableLike)) {
                return Ok(());
            }
            // A rule before another one might not decide.
            if let Some(last) = rules.iter_mut().last().filter(|last| rule.is_about(*last) && !is_plain(last)) {
                put_enabled(last, false);
                return Ok(());
            }
        }
        Some(Rules::Inline(rules)) => {
            let tables: Vec<&InlineTable> = rules.iter().filter_map(Value::as_inline_table).collect();
            if rule.is_said_by(tables.into_iter().rev().map(|table| table as &dyn TableLike)) {
                return Ok(());
            }
        }
        None => {}
    }
    append(document, key, rule)
}

fn append(document: &mut DocumentMut, key: &[String], rule: &Rule<'_>) -> Result<(), usize> {
    match rules_at(document, key)? {
        Some(Rules::Tables(rules)) => rules.push(table(rule)),
        Some(Rules::Inline(rules)) => rules.push(inline(rule)),
        None => {
            let Some((last, outer)) = key.split_last() else { return Ok(()) };
            let mut here = document.as_table_mut();
            for (depth, part) in outer.iter().enumerate() {
                let made = || {
                    let mut made = Table::new();
                    made.set_implicit(true);
                    Item::Table(made)
                };
                here = here.entry(part).or_insert_with(made).as_table_mut().ok_or(depth)?;
            }
            here.insert(last, Item::ArrayOfTables([table(rule)].into_iter().collect()));
        }
    }
    Ok(())
}

/// Removes an empty list of rules, and the tables around it that stand nowhere in the text.
fn remove_empty(document: &mut DocumentMut, key: &[String]) {
    let Some((last, outer)) = key.split_last() else { return };
    let mut here = document.as_table_mut();
    for part in outer {
        let Some(inner) = here.get_mut(part).and_then(Item::as_table_mut) else { return };
        here = inner;
    }
    here.remove(last);
}

fn table(rule: &Rule<'_>) -> Table {
    let mut table = Table::new();
    table.insert(rule.field, value(rule.skill));
    table.insert("enabled", value(rule.enabled));
    table
}

fn inline(rule: &Rule<'_>) -> InlineTable {
    let mut table = InlineTable::new();
    table.insert(rule.field, rule.skill.into());
    table.insert("enabled", rule.enabled.into());
    table
}

/// Tells whether a rule has nothing but its two fields, and no comment.
fn is_plain(table: &Table) -> bool {
    let text = table.to_string();
    let prefix = table.decor().prefix().and_then(toml_edit::RawString::as_str).unwrap_or_default();
    let suffix = table.decor().suffix().and_then(toml_edit::RawString::as_str).unwrap_or_default();
    table.len() == 2 && ![text.as_str(), prefix, suffix].concat().contains('#')
}

fn put_enabled(table: &mut Table, enabled: bool) {
    if let Some(Item::Value(old)) = table.get_mut("enabled") {
        let decor = old.decor().clone();
        *old = enabled.into();
        *old.decor_mut() = decor;
    }
}
