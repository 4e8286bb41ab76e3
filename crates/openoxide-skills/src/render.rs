//! Turns a catalog into what the model sees: entries within a budget, framed by the host's template.
//!
//! Fitting is done here, in numbers; words are the templates'.

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::context;
use rayon::prelude::*;

use crate::catalog::{Catalog, Entry, FolderPlaces, View, sort_entries};
use crate::host::{CatalogLines, PathForm, Situation};
use crate::text::template::{RenderError, Templates};
use crate::text::{blanked_line, cut_utf16, one_line, tokens, utf16_len, visible_line};

mod alias;
mod fit;
mod other_names;
mod prompt;
mod tidy;
mod window;

pub(crate) use tidy::tidy;

use alias::Aliases;
use fit::{Fit, Fitted, Item};
use other_names::OtherNames;
pub use prompt::{BudgetUnit, DetailLevel, Model, Prompt, ShownSkill};
pub use window::{Window, WindowOrigin};

/// Renders the catalog of a view as the host's own program would send it.
pub fn render(view: &View, catalog: &Catalog, model: Model) -> Result<Prompt, RenderError> {
    render_with(view, catalog, model, Reader::Host)
}

/// Renders the catalog of a view for a model that we serve: whatever the host does, each description stands on one line,
/// and nothing in it is hidden.
pub fn render_served(view: &View, catalog: &Catalog, model: Model) -> Result<Prompt, RenderError> {
    render_with(view, catalog, model, Reader::Served)
}

/// Renders the catalog of a view for another program, within so many characters if it allows no more: as
/// [`render_served`] does, or, with [`ClientForm::Lines`], without the frame and the paths, which tell that program nothing.
pub fn render_for_client(
    view: &View,
    catalog: &Catalog,
    model: Model,
    form: ClientForm,
    room: Option<u64>,
) -> Result<Prompt, RenderError> {
    render_with(view, catalog, model, Reader::Client(form, room))
}

/// How the catalog is drawn for another program than the host's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientForm {
    /// With the host's templates.
    Framed,
    /// A line for each skill: its name, and what it is for.
    Lines,
}

/// For whom a catalog is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// The model of the host's own program.
    Host,
    /// A model that we serve.
    Served,
    /// The model of another program, which allows so many characters.
    Client(ClientForm, Option<u64>),
}

impl Reader {
    /// Returns how descriptions stand on lines: for another model than the host's, each on one, with nothing hidden.
    fn lines(self, view: &View) -> CatalogLines {
        if self == Reader::Host { view.host.catalog.lines } else { CatalogLines::Visible }
    }

    /// Tells whether entries are plain lines, without a frame.
    fn gets_lines(self) -> bool {
        matches!(self, Reader::Client(ClientForm::Lines, _))
    }
}

fn render_with(view: &View, catalog: &Catalog, model: Model, reader: Reader) -> Result<Prompt, RenderError> {
    let templates = Templates::new(&view.spec, TEMPLATES)?;
    let mut entries: Vec<&Entry> = catalog.skills.iter().filter(|entry| entry.model).collect();
    let rules = &view.host.catalog;
    let rank = if rules.rank.is_empty() { &view.host.collide.rank } else { &rules.rank };
    let folders = FolderPlaces::new(&catalog.roots, catalog.entries());
    sort_entries(&mut entries, &rules.order, rank, &folders, false);
    let fit = Fit::new(view, model, &entries);
    let fit = if let Reader::Client(_, room) = reader { fit.for_client(room) } else { fit };
    let names = OtherNames::new(view, catalog);
    let renderer =
        Renderer { view, catalog, templates: &templates, entries: &entries, fit: &fit, reader, names: &names };
    let whole = renderer.draw(None)?;
    let aliases = rules
        .root_alias
        .as_ref()
        .filter(|pattern| !pattern.is_empty() && !reader.gets_lines())
        .map(|pattern| Aliases::new(pattern, view, catalog, &entries));
    let aliased =
        aliases.filter(|aliases| aliases.fits(&fit)).map(|aliases| renderer.draw(Some(aliases))).transpose()?;
    let costs = EntryCosts::cheaper(whole.costs(), aliased.as_ref().map(Drawing::costs));
    renderer.frame(aliased.filter(|aliased| aliased.fitted.beats(&whole.fitted)).unwrap_or(whole), &costs.each)
}

/// The two templates of a catalog: one for an entry, one for the frame around them.
const TEMPLATES: [&str; 2] = ["entry", "catalog"];

struct Renderer<'r> {
    view: &'r View,
    catalog: &'r Catalog,
    templates: &'r Templates<'r>,
    entries: &'r [&'r Entry],
    fit: &'r Fit,
    reader: Reader,
    names: &'r OtherNames,
}

/// Entries drawn with or without names for roots.
struct Drawing {
    items: Vec<Item>,
    fitted: Fitted,
    aliases: Option<Aliases>,
}

impl Drawing {
    fn costs(&self) -> EntryCosts {
        let each = self.items.iter().map(|item| tokens(item.full.len() as u64 + 1)).collect();
        EntryCosts { each, besides: self.aliases.as_ref().map_or(0, |aliases| aliases.overhead) }
    }
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
        let text = description(entry, self.view, self.reader.lines(self.view));
        let bare = self.draw_entry(entry, "", &path)?;
        let full = if text.is_empty() { bare.clone() } else { self.draw_entry(entry, &text, &path)? };
        let score = self.fit.score(&entry.skill.name);
        Ok(Item { full, bare, text, path, fixed: entry.name_only, score })
    }

    fn draw_entry(&self, entry: &Entry, description: &str, path: &str) -> Result<String, RenderError> {
        let name = shown_name(entry, self.view);
        match (self.reader.gets_lines(), description.is_empty()) {
            (false, _) => draw_entry(self.templates, &name, self.names.of(entry), entry, description, path),
            (true, true) => Ok(format!("- {name}")),
            (true, false) => Ok(format!("- {name}: {description}")),
        }
    }

    fn frame(&self, drawing: Drawing, tokens: &[u64]) -> Result<Prompt, RenderError> {
        let mut lines = Vec::new();
        let mut shown = Vec::new();
        let drawn = drawing.items.into_iter().zip(&drawing.fitted.choices);
        for (((item, choice), entry), tokens) in drawn.zip(self.entries).zip(tokens) {
            let detail = choice.detail(&item);
            let (name, path) = (Arc::clone(&entry.skill.name), Arc::clone(&entry.skill.path));
            let cost = self.fit.cost(&item.full);
            let line = match detail {
                DetailLevel::LeftOut => None,
                DetailLevel::Full => Some(item.full),
                DetailLevel::NameOnly => Some(item.bare),
                DetailLevel::Shortened => Some(self.draw_entry(entry, &self.fit.cut(&item, *choice), &item.path)?),
            };
            let room = match detail {
                DetailLevel::Full => cost,
                _ => line.as_ref().map_or(0, |line| self.fit.cost(line)),
            };
            shown.push(ShownSkill { name, path, detail, cost, room, tokens: *tokens });
            lines.extend(line);
        }
        let rules = &self.view.host.catalog;
        let mut text = if !rules.shown {
            String::new()
        } else if self.reader.gets_lines() {
            lines.join("\n")
        } else if self.entries.is_empty() && !rules.shown_empty {
            let none = self.view.host.texts.get(Situation::CatalogEmpty);
            none.map(|none| format!("{none}\n")).unwrap_or_default()
        } else {
            let left_out = shown.iter().filter(|shown| shown.detail == DetailLevel::LeftOut).count();
            let roots = drawing.aliases.iter().flat_map(|aliases| &aliases.table);
            let roots: Vec<_> = roots.map(|root| context! { alias => &root.alias, path => &root.path }).collect();
            let entries = lines.join(&rules.join);
            let tools = tool_names(self.view);
            self.templates.draw("catalog", context! { entries, roots, left_out, tools })? + "\n"
        };
        if rules.lines == CatalogLines::Tidy && !text.is_empty() && !self.reader.gets_lines() {
            text = tidy(&text) + "\n";
        }
        let Fitted { used, own, .. } = drawing.fitted;
        let (budget, unit, window) = (self.fit.budget, self.fit.unit, self.fit.window.clone());
        Ok(Prompt { text, shown, place: rules.place, budget, used, own, window, unit })
    }
}

/// Returns the first name of each tool of the host, by what the tool does.
fn tool_names(view: &View) -> BTreeMap<&'static str, String> {
    view.host.tools.iter().filter_map(|rule| Some((rule.does.as_str(), rule.names.first()?.clone()))).collect()
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
    other_name: Option<&str>,
    entry: &Entry,
    description: &str,
    path: &str,
) -> Result<String, RenderError> {
    let scope = entry.skill.scope.as_str();
    templates.draw("entry", context! { name, other_name, description, path, scope })
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
fn description(entry: &Entry, view: &View, lines: CatalogLines) -> String {
    if entry.name_only {
        return String::new();
    }
    let rules = &view.host.catalog;
    let mut text = entry.skill.description.to_string();
    text.push_str(entry.note.as_deref().unwrap_or_default());
    if let (Some(join), Some(when)) = (&rules.when_to_use_join, &entry.skill.frontmatter.rare().when_to_use) {
        text = format!("{text}{join}{when}");
    }
    match lines {
        CatalogLines::Visible => text = visible_line(&text),
        CatalogLines::Blanked => text = blanked_line(&text),
        CatalogLines::AsWritten | CatalogLines::Tidy => {}
    }
    if rules.escape_angles && text.contains(['<', '>']) {
        text = text.replace('<', "&lt;").replace('>', "&gt;");
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

impl EntryCosts {
    /// Chooses between lines with whole paths and lines with short names for roots.
    fn cheaper(whole: EntryCosts, aliased: Option<EntryCosts>) -> EntryCosts {
        let sum = |costs: &EntryCosts| costs.each.iter().sum::<u64>() + costs.besides;
        aliased.filter(|aliased| sum(aliased) < sum(&whole)).unwrap_or(whole)
    }
}

/// Returns what the lines of these entries cost the model.
pub fn entry_costs<'e>(view: &View, catalog: &Catalog, entries: impl IntoIterator<Item = &'e Entry>) -> EntryCosts {
    let templates = Templates::new(&view.spec, TEMPLATES).ok();
    let entries: Vec<&Entry> = entries.into_iter().collect();
    let rules = &view.host.catalog;
    let pattern = rules.root_alias.as_ref().filter(|pattern| !pattern.is_empty());
    let aliases =
        pattern.map(|pattern| Aliases::new(pattern, view, catalog, &catalog.skills.iter().collect::<Vec<_>>()));
    let names = OtherNames::new(view, catalog);
    let line = |entry: &Entry| {
        let path = shown_path(entry, view, catalog);
        let (name, text) = (shown_name(entry, view), description(entry, view, rules.lines));
        let other = names.of(entry);
        let drawn =
            templates.as_ref().and_then(|templates| draw_entry(templates, &name, other, entry, &text, &path).ok());
        let length = drawn.map_or(entry.skill.name.len() + text.len(), |line| line.len());
        let saved = aliases.as_ref().map_or(0, |aliases| path.len() - aliases.shorten(&path).len().min(path.len()));
        (tokens(length as u64 + 1), tokens((length - saved) as u64 + 1))
    };
    let (whole, aliased): (Vec<u64>, Vec<u64>) = map_all(&entries, line).into_iter().unzip();
    let aliased = aliases.map(|aliases| EntryCosts { each: aliased, besides: aliases.overhead });
    EntryCosts::cheaper(EntryCosts { each: whole, besides: 0 }, aliased)
}

/// Returns the room for the catalog of a view, if it has a limit, and what is counted.
pub fn catalog_budget(view: &View, model: Model) -> Option<(u64, BudgetUnit)> {
    let fit = Fit::new(view, model, &[]);
    Some((fit.budget?, fit.unit))
}
