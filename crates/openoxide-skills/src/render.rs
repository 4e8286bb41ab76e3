//! Turns a catalog into what the model sees: entries within a budget, framed by the host's template.
//!
//! Fitting is done here, in numbers; words are the templates'.

use crate::catalog::{Catalog, Entry, View, sort_entries};
use crate::host::{PathForm, Situation};
use crate::text::{cut_utf16, one_line, tokens, utf16_len};

mod alias;
mod fit;
mod prompt;
mod template;
mod tidy;

use crate::text::template::RenderError;

pub(crate) use tidy::tidy;

use alias::Aliases;
use fit::{Fitted, Item};
pub use prompt::{BudgetUnit, DetailLevel, Model, Prompt, ShownSkill};
use template::CatalogTemplates;

/// Renders the catalog of a view.
pub fn render(view: &View, catalog: &Catalog, model: Model) -> Result<Prompt, RenderError> {
    let templates = CatalogTemplates::new(&view.spec)?;
    let mut entries: Vec<Entry> = catalog.skills.iter().filter(|entry| entry.model).cloned().collect();
    let rules = &view.host.catalog;
    let rank = if rules.rank.is_empty() { &view.host.collide.rank } else { &rules.rank };
    sort_entries(&mut entries, &rules.order, rank, false);
    let fit = fit::Fit::new(view, model, &entries);
    let whole = Drawing::draw(&fit, &templates, &entries, view, catalog, None)?;
    let aliases = rules.root_alias.as_ref().map(|pattern| Aliases::new(pattern, view, catalog, &entries));
    let aliased = match aliases {
        Some(aliases) if aliases.fits(&fit) => {
            Some(Drawing::draw(&fit, &templates, &entries, view, catalog, Some(aliases))?)
        }
        _ => None,
    };
    let best = match aliased {
        Some(aliased) if aliased.fitted.beats(&whole.fitted) => aliased,
        _ => whole,
    };
    best.frame(&fit, &templates, &entries, view)
}

/// Entries drawn with or without names for roots.
struct Drawing {
    items: Vec<Item>,
    fitted: Fitted,
    aliases: Option<Aliases>,
}

impl Drawing {
    fn draw(
        fit: &fit::Fit,
        templates: &CatalogTemplates<'_>,
        entries: &[Entry],
        view: &View,
        catalog: &Catalog,
        aliases: Option<Aliases>,
    ) -> Result<Drawing, RenderError> {
        let mut items = Vec::with_capacity(entries.len());
        for entry in entries {
            let path = shown_path(entry, view, catalog);
            let path = aliases.as_ref().map_or_else(|| path.clone(), |aliases| aliases.shorten(&path));
            let text = if entry.name_only { String::new() } else { description(entry, view) };
            let name = shown_name(entry, view);
            let bare = templates.entry(&name, entry, "", &path)?;
            let full = if text.is_empty() { bare.clone() } else { templates.entry(&name, entry, &text, &path)? };
            items.push(Item { full, bare, text, path, fixed: entry.name_only, score: fit.score(&entry.skill.name) });
        }
        let overhead = aliases.as_ref().map_or(0, |aliases| aliases.overhead);
        let fitted = fit.fit(&items, overhead);
        Ok(Drawing { items, fitted, aliases })
    }

    fn frame(
        self,
        fit: &fit::Fit,
        templates: &CatalogTemplates<'_>,
        entries: &[Entry],
        view: &View,
    ) -> Result<Prompt, RenderError> {
        let mut lines = Vec::new();
        let mut shown = Vec::new();
        for ((item, choice), entry) in self.items.iter().zip(&self.fitted.choices).zip(entries) {
            let detail = choice.detail(item);
            shown.push(ShownSkill { name: entry.skill.name.to_string(), path: entry.skill.path.to_path_buf(), detail });
            match detail {
                DetailLevel::LeftOut => {}
                DetailLevel::Full => lines.push(item.full.clone()),
                DetailLevel::NameOnly => lines.push(item.bare.clone()),
                DetailLevel::Cut => {
                    lines.push(templates.entry(&shown_name(entry, view), entry, &item.cut(choice), &item.path)?);
                }
            }
        }
        let left_out = shown.iter().filter(|shown| shown.detail == DetailLevel::LeftOut).count();
        let roots = self.aliases.map(|aliases| aliases.table).unwrap_or_default();
        let rules = &view.host.catalog;
        let is_empty = entries.is_empty() && !rules.shown_empty;
        let mut text = match (rules.shown, is_empty) {
            (false, _) => String::new(),
            (true, true) => {
                view.host.texts.get(Situation::CatalogEmpty).map(|none| format!("{none}\n")).unwrap_or_default()
            }
            (true, false) => templates.catalog(&lines.join(&rules.join), &roots, left_out)?,
        };
        if rules.tidy && !text.is_empty() {
            text = tidy(&text) + "\n";
        }
        Ok(Prompt { text, shown, place: rules.place, budget: fit.budget, used: self.fitted.used, unit: fit.unit })
    }
}

fn shown_name(entry: &Entry, view: &View) -> String {
    guarded(&one_line(&entry.skill.name), view)
}

/// Returns the path that an entry shows.
fn shown_path(entry: &Entry, view: &View, catalog: &Catalog) -> String {
    let path = match view.host.catalog.path {
        PathForm::Canonical => entry.canonical().to_owned(),
        PathForm::AsFound => {
            let searched = &catalog.roots[entry.root];
            entry
                .found()
                .strip_prefix(&searched.root.path)
                .map_or_else(|_| entry.found().to_owned(), |rel| searched.canonical.join(rel))
        }
    };
    guarded(&one_line(&crate::text::path_text(&path)), view)
}

/// Escapes what would end the frame around the entries.
fn guarded(text: &str, view: &View) -> String {
    crate::envelope::guarded(text, &view.host.catalog.guard).into_owned()
}

/// Returns the text that describes an entry, cut and guarded.
fn description(entry: &Entry, view: &View) -> String {
    let rules = &view.host.catalog;
    let mut text = entry.skill.description.to_string();
    text.push_str(entry.note.as_deref().unwrap_or_default());
    if let (Some(join), Some(when)) = (&rules.when_to_use_join, &entry.skill.frontmatter.rare().when_to_use) {
        text = format!("{text}{join}{when}");
    }
    guarded(&capped(&text, view), view)
}

fn capped(text: &str, view: &View) -> String {
    let budget = &view.host.budget;
    let Some(max) = budget.entry_max.map(std::num::NonZeroUsize::get) else { return text.to_owned() };
    let mark = &budget.entry_mark;
    if budget.utf16 {
        return if utf16_len(text) > max {
            cut_utf16(text, max.saturating_sub(utf16_len(mark))) + mark
        } else {
            text.to_owned()
        };
    }
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let kept: String = text.chars().take(max.saturating_sub(mark.chars().count())).collect();
    kept + mark
}

/// What entries cost the model when none is shortened, in tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryCosts {
    /// The line of each entry.
    pub each: Vec<u64>,
    /// What else counts: the list of short names for roots.
    pub besides: u64,
}

/// Returns what the lines of these entries cost the model.
pub fn entry_costs<'e>(view: &View, catalog: &Catalog, entries: impl IntoIterator<Item = &'e Entry>) -> EntryCosts {
    let templates = CatalogTemplates::new(&view.spec).ok();
    let entries: Vec<&Entry> = entries.into_iter().collect();
    let pattern = view.host.catalog.root_alias.as_ref();
    let aliases = pattern.map(|pattern| Aliases::new(pattern, view, catalog, &catalog.skills));
    let line = |entry: &&Entry| {
        let path = shown_path(entry, view, catalog);
        let text = if entry.name_only { String::new() } else { description(entry, view) };
        let name = shown_name(entry, view);
        let drawn = templates.as_ref().and_then(|templates| templates.entry(&name, entry, &text, &path).ok());
        let length = drawn.map_or(entry.skill.name.len() + text.len(), |line| line.len());
        let saved = aliases.as_ref().map_or(0, |aliases| path.len() - aliases.shorten(&path).len().min(path.len()));
        (tokens(length as u64 + 1), tokens((length - saved) as u64 + 1))
    };
    let (whole, aliased): (Vec<u64>, Vec<u64>) = entries.iter().map(line).unzip();
    let overhead = aliases.map_or(0, |aliases| aliases.overhead);
    match aliased.iter().sum::<u64>() + overhead < whole.iter().sum() {
        true => EntryCosts { each: aliased, besides: overhead },
        false => EntryCosts { each: whole, besides: 0 },
    }
}

/// Returns the room for the catalog of a view, if it has a limit, and what is counted.
pub fn catalog_budget(view: &View, model: Model) -> Option<(u64, BudgetUnit)> {
    let fit = fit::Fit::new(view, model, &[]);
    Some((fit.budget?, fit.unit))
}
