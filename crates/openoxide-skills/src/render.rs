//! Turns a catalog into what the model sees: entries within a budget, framed by the host's template.
//!
//! Fitting is done here, in numbers; words are the templates'.

use minijinja::context;
use rayon::prelude::*;

use crate::catalog::{Catalog, Entry, View, sort_entries};
use crate::host::{CatalogLines, PathForm, Situation};
use crate::text::template::{RenderError, Templates};
use crate::text::{cut_utf16, one_line, tokens, utf16_len, visible_line};

mod alias;
mod fit;
mod prompt;
mod tidy;
mod window;

pub(crate) use tidy::tidy;

use alias::Aliases;
use fit::{Fit, Fitted, Item};
pub use prompt::{BudgetUnit, DetailLevel, Model, Prompt, ShownSkill};
pub use window::{Window, WindowOrigin};

/// Renders the catalog of a view as the host's own program would send it.
pub fn render(view: &View, catalog: &Catalog, model: Model) -> Result<Prompt, RenderError> {
    render_with(view, catalog, model, view.host.catalog.lines == CatalogLines::Visible)
}

/// Renders the catalog of a view for a model that we serve: whatever the host does, each description stands on one line,
/// and nothing in it is hidden.
pub fn render_served(view: &View, catalog: &Catalog, model: Model) -> Result<Prompt, RenderError> {
    render_with(view, catalog, model, true)
}

fn render_with(view: &View, catalog: &Catalog, model: Model, visible: bool) -> Result<Prompt, RenderError> {
    let templates = Templates::new(&view.spec, TEMPLATES)?;
    let mut entries: Vec<&Entry> = catalog.skills.iter().filter(|entry| entry.model).collect();
    let rules = &view.host.catalog;
    let rank = if rules.rank.is_empty() { &view.host.collide.rank } else { &rules.rank };
    sort_entries(&mut entries, &rules.order, rank, false);
    let fit = Fit::new(view, model, &entries);
    let renderer = Renderer { view, catalog, templates: &templates, entries: &entries, fit: &fit, visible };
    let whole = renderer.draw(None)?;
    let aliases = rules.root_alias.as_ref().map(|pattern| Aliases::new(pattern, view, catalog, &entries));
    let aliased =
        aliases.filter(|aliases| aliases.fits(&fit)).map(|aliases| renderer.draw(Some(aliases))).transpose()?;
    renderer.frame(aliased.filter(|aliased| aliased.fitted.beats(&whole.fitted)).unwrap_or(whole))
}

/// The two templates of a catalog: one for an entry, one for the frame around them.
const TEMPLATES: [&str; 2] = ["entry", "catalog"];

struct Renderer<'r> {
    view: &'r View,
    catalog: &'r Catalog,
    templates: &'r Templates<'r>,
    entries: &'r [&'r Entry],
    fit: &'r Fit,
    visible: bool,
}

/// Entries drawn with or without names for roots.
struct Drawing {
    items: Vec<Item>,
    fitted: Fitted,
    aliases: Option<Aliases>,
}

impl Renderer<'_> {
    fn draw(&self, aliases: Option<Aliases>) -> Result<Drawing, RenderError> {
        let items: Result<Vec<Item>, RenderError> =
            map_all(self.entries, |entry| self.item(entry, aliases.as_ref())).into_iter().collect();
        let items = items?;
        let fitted = self.fit.fit(&items, aliases.as_ref().map_or(0, |aliases| aliases.overhead));
        Ok(Drawing { items, fitted, aliases })
    }

    fn item(&self, entry: &Entry, aliases: Option<&Aliases>) -> Result<Item, RenderError> {
        let path = shown_path(entry, self.view, self.catalog);
        let path = aliases.map_or_else(|| path.clone(), |aliases| aliases.shorten(&path));
        let text = description(entry, self.view, self.visible);
        let name = shown_name(entry, self.view);
        let bare = draw_entry(self.templates, &name, entry, "", &path)?;
        let full = if text.is_empty() { bare.clone() } else { draw_entry(self.templates, &name, entry, &text, &path)? };
        let score = self.fit.score(&entry.skill.name);
        Ok(Item { full, bare, text, path, fixed: entry.name_only, score })
    }

    fn frame(&self, drawing: Drawing) -> Result<Prompt, RenderError> {
        let mut lines = Vec::new();
        let mut shown = Vec::new();
        for ((item, choice), entry) in drawing.items.into_iter().zip(&drawing.fitted.choices).zip(self.entries) {
            let detail = choice.detail(&item);
            let (name, path) = (entry.skill.name.to_string(), entry.skill.path.to_path_buf());
            let cost = self.fit.cost(&item.full);
            let line = match detail {
                DetailLevel::LeftOut => None,
                DetailLevel::Full => Some(item.full),
                DetailLevel::NameOnly => Some(item.bare),
                DetailLevel::Shortened => {
                    let (name, text) = (shown_name(entry, self.view), item.cut(choice));
                    Some(draw_entry(self.templates, &name, entry, &text, &item.path)?)
                }
            };
            let room = match detail {
                DetailLevel::Full => cost,
                _ => line.as_ref().map_or(0, |line| self.fit.cost(line)),
            };
            shown.push(ShownSkill { name, path, detail, cost, room });
            lines.extend(line);
        }
        let rules = &self.view.host.catalog;
        let mut text = if !rules.shown {
            String::new()
        } else if self.entries.is_empty() && !rules.shown_empty {
            let none = self.view.host.texts.get(Situation::CatalogEmpty);
            none.map(|none| format!("{none}\n")).unwrap_or_default()
        } else {
            let left_out = shown.iter().filter(|shown| shown.detail == DetailLevel::LeftOut).count();
            let roots = drawing.aliases.iter().flat_map(|aliases| &aliases.table);
            let roots: Vec<_> = roots.map(|root| context! { alias => &root.alias, path => &root.path }).collect();
            let entries = lines.join(&rules.join);
            self.templates.draw("catalog", context! { entries, roots, left_out })? + "\n"
        };
        if rules.lines == CatalogLines::Tidy && !text.is_empty() {
            text = tidy(&text) + "\n";
        }
        let Fitted { used, own, .. } = drawing.fitted;
        let (budget, unit, window) = (self.fit.budget, self.fit.unit, self.fit.window.clone());
        Ok(Prompt { text, shown, place: rules.place, budget, used, own, window, unit })
    }
}

/// Fewer entries than this are not worth a second thread.
const PARALLEL_FROM: usize = 512;

/// Draws something of each entry, in their order.
fn map_all<T: Send>(entries: &[&Entry], draw: impl Fn(&Entry) -> T + Sync) -> Vec<T> {
    match entries.len() >= PARALLEL_FROM {
        true => entries.par_iter().with_min_len(64).map(|entry| draw(entry)).collect(),
        false => entries.iter().map(|entry| draw(entry)).collect(),
    }
}

fn draw_entry(
    templates: &Templates<'_>,
    name: &str,
    entry: &Entry,
    description: &str,
    path: &str,
) -> Result<String, RenderError> {
    let scope = entry.skill.scope.as_str();
    templates.draw("entry", context! { name, description, path, scope })
}

fn shown_name(entry: &Entry, view: &View) -> String {
    guarded(&one_line(&entry.skill.name), view)
}

fn shown_path(entry: &Entry, view: &View, catalog: &Catalog) -> String {
    let path = match view.host.catalog.path {
        PathForm::Canonical => entry.canonical().to_owned(),
        PathForm::AsFound => {
            let searched = &catalog.roots[entry.root];
            let below = entry.found().strip_prefix(&searched.root.path);
            below.map_or_else(|_| entry.found().to_owned(), |below| searched.canonical.join(below))
        }
    };
    guarded(&one_line(&crate::text::path_text(&path)), view)
}

fn guarded(text: &str, view: &View) -> String {
    crate::envelope::guarded(text, &view.host.catalog.guard).into_owned()
}

/// Returns the text that describes an entry, cut and guarded; none if only its name is shown.
fn description(entry: &Entry, view: &View, visible: bool) -> String {
    if entry.name_only {
        return String::new();
    }
    let rules = &view.host.catalog;
    let mut text = entry.skill.description.to_string();
    text.push_str(entry.note.as_deref().unwrap_or_default());
    if let (Some(join), Some(when)) = (&rules.when_to_use_join, &entry.skill.frontmatter.rare().when_to_use) {
        text = format!("{text}{join}{when}");
    }
    if visible {
        text = visible_line(&text);
    }
    guarded(&capped(&text, view), view)
}

fn capped(text: &str, view: &View) -> String {
    let budget = &view.host.budget;
    let Some(max) = budget.entry_max.map(std::num::NonZeroUsize::get) else { return text.to_owned() };
    let mark = &budget.entry_mark;
    if budget.utf16 && utf16_len(text) > max {
        cut_utf16(text, max.saturating_sub(utf16_len(mark))) + mark
    } else if !budget.utf16 && text.chars().count() > max {
        text.chars().take(max.saturating_sub(mark.chars().count())).collect::<String>() + mark
    } else {
        text.to_owned()
    }
}

/// What entries cost the model when none is shortened, in tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryCosts {
    /// The line of each entry.
    pub each: Vec<u64>,
    /// What else takes room: the list of short names for roots.
    pub besides: u64,
}

/// Returns what the lines of these entries cost the model.
pub fn entry_costs<'e>(view: &View, catalog: &Catalog, entries: impl IntoIterator<Item = &'e Entry>) -> EntryCosts {
    let templates = Templates::new(&view.spec, TEMPLATES).ok();
    let entries: Vec<&Entry> = entries.into_iter().collect();
    let rules = &view.host.catalog;
    let pattern = rules.root_alias.as_ref();
    let aliases =
        pattern.map(|pattern| Aliases::new(pattern, view, catalog, &catalog.skills.iter().collect::<Vec<_>>()));
    let line = |entry: &Entry| {
        let path = shown_path(entry, view, catalog);
        let (name, text) = (shown_name(entry, view), description(entry, view, rules.lines == CatalogLines::Visible));
        let drawn = templates.as_ref().and_then(|templates| draw_entry(templates, &name, entry, &text, &path).ok());
        let length = drawn.map_or(entry.skill.name.len() + text.len(), |line| line.len());
        let saved = aliases.as_ref().map_or(0, |aliases| path.len() - aliases.shorten(&path).len().min(path.len()));
        (tokens(length as u64 + 1), tokens((length - saved) as u64 + 1))
    };
    let (whole, aliased): (Vec<u64>, Vec<u64>) = map_all(&entries, line).into_iter().unzip();
    let overhead = aliases.map_or(0, |aliases| aliases.overhead);
    match aliased.iter().sum::<u64>() + overhead < whole.iter().sum() {
        true => EntryCosts { each: aliased, besides: overhead },
        false => EntryCosts { each: whole, besides: 0 },
    }
}

/// Returns the room for the catalog of a view, if it has a limit, and what is counted.
pub fn catalog_budget(view: &View, model: Model) -> Option<(u64, BudgetUnit)> {
    let fit = Fit::new(view, model, &[]);
    Some((fit.budget?, fit.unit))
}
