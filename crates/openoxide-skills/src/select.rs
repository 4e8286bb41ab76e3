//! Chooses the skills that a turn names, and says why not for everything else that looks like a name.
//!
//! Structured items come first, by path; then the texts, by the host's rules. What the user may not call is not chosen,
//! and a name that a caller may not see is never suggested to them.

use std::path::{Path, PathBuf};
use std::{collections::HashSet, ops::Range};

use crate::catalog::{Catalog, Entry};
use crate::host::{Host, MentionOrder, MentionRules};
use crate::mention::{Mention, MentionFlaw, MentionForm, scan};

mod index;
mod reason;

use index::Index;
pub use reason::IgnoredReason;

/// What a user says in one turn, and what is around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// What is said, in order.
    pub items: Vec<TurnItem>,
    /// Names of connectors, such as apps, that are there.
    pub connectors: Vec<String>,
    /// The folder that relative paths go out from.
    pub cwd: PathBuf,
    /// What `~` stands for.
    pub home: Option<PathBuf>,
}

/// One thing that a user says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnItem {
    /// A text.
    Text(String),
    /// A skill, by its path.
    Skill {
        /// What it is called there; the path decides.
        name: Option<String>,
        /// Its file.
        path: PathBuf,
    },
    /// Something else that has a name and an address: an app, a plugin, a file.
    Other {
        /// Its name.
        name: String,
        /// Its address.
        path: String,
    },
}

impl Turn {
    /// Makes a turn of one text.
    pub fn text(text: impl Into<String>) -> Turn {
        Turn { items: vec![TurnItem::Text(text.into())], ..Turn::default() }
    }
}

/// What a turn names.
#[derive(Clone, Debug, Default)]
pub struct Selection<'c> {
    /// The skills that are meant, in the order in which they are loaded.
    pub selected: Vec<Selected<'c>>,
    /// What looks like a name and means nothing, in the order of the turn.
    pub ignored: Vec<IgnoredMention<'c>>,
}

/// A skill that is meant.
#[derive(Clone, Debug)]
pub struct Selected<'c> {
    /// The skill.
    pub entry: &'c Entry,
    /// Which of the turn's items names it.
    pub item: usize,
    /// Where in the text, in bytes; absent for a structured item.
    pub span: Option<Range<usize>>,
    /// What is said to it, if it is called as a command: what is left of the text without the name.
    pub arguments: Option<String>,
}

/// Something that looks like a name and means nothing.
#[derive(Clone, Debug)]
pub struct IgnoredMention<'c> {
    /// Which of the turn's items it is in.
    pub item: usize,
    /// Where in the text, in bytes; absent for a structured item.
    pub span: Option<Range<usize>>,
    /// It, as it is written.
    pub text: String,
    /// Why it means nothing.
    pub reason: IgnoredReason<'c>,
}

/// Chooses the skills of a catalog that a turn names, by a host's rules.
///
/// ```no_run
/// # use openoxide_skills::catalog::discover_dir;
/// # use openoxide_skills::host::Hosts;
/// # use openoxide_skills::select::{Turn, select};
/// # use openoxide_skills::skill::SkillScope;
/// let spec = Hosts::builtin().get("openoxide")?;
/// let catalog = discover_dir("skills".as_ref(), SkillScope::Repo, &spec)?;
/// for selected in select(&catalog, &spec.host()?, &Turn::text("use $pdf")).selected {
///     println!("{}", selected.entry.skill.name);
/// }
/// # Ok::<(), openoxide_skills::host::HostError>(())
/// ```
pub fn select<'c>(catalog: &'c Catalog, host: &Host, turn: &Turn) -> Selection<'c> {
    let rules = &host.mention;
    let mut chooser = Chooser {
        rules,
        turn,
        index: Index::new(catalog, rules),
        connectors: turn.connectors.iter().map(|name| slug(name)).collect(),
        item_names: HashSet::new(),
        taken: HashSet::new(),
        named: HashSet::new(),
        selection: Selection::default(),
    };
    for (number, item) in turn.items.iter().enumerate() {
        chooser.structured(number, item);
    }
    for (number, item) in turn.items.iter().enumerate() {
        if let TurnItem::Text(text) = item {
            chooser.text(number, text);
        }
    }
    let mut selection = chooser.selection;
    selection.ignored.sort_by_key(|ignored| (ignored.item, ignored.span.as_ref().map(|span| span.start)));
    selection
}

struct Chooser<'c, 't> {
    rules: &'t MentionRules,
    turn: &'t Turn,
    index: Index<'c, 't>,
    connectors: HashSet<String>,
    item_names: HashSet<&'t str>,
    /// Files that are chosen already, links resolved.
    taken: HashSet<&'c Path>,
    /// Names of skills that are chosen by more than a name in running text.
    named: HashSet<&'c str>,
    selection: Selection<'c>,
}

impl<'c, 't> Chooser<'c, 't> {
    fn structured(&mut self, number: usize, item: &'t TurnItem) {
        let (found, text) = match item {
            TurnItem::Text(_) => return,
            TurnItem::Other { path, .. } => (Err(IgnoredReason::OtherKind), path.clone()),
            TurnItem::Skill { name, path } => {
                self.item_names.extend(name.as_deref().filter(|_| self.rules.items));
                let whole = index::lexical(&self.turn.cwd.join(path));
                let found = if self.rules.items { self.index.by_path(&whole) } else { Err(IgnoredReason::NoItems) };
                (found, crate::text::path_text(path))
            }
        };
        self.named.extend(found.as_ref().ok().map(|entry| &*entry.skill.name));
        let chosen = found.and_then(|entry| self.take(entry));
        match chosen {
            Ok(entry) => {
                self.selection.selected.push(Selected { entry, item: number, span: None, arguments: None });
            }
            Err(reason) => self.selection.ignored.push(IgnoredMention { item: number, span: None, text, reason }),
        }
    }

    fn text(&mut self, number: usize, text: &'t str) {
        let mut meant: Vec<(&'c Entry, Mention<'t>)> = Vec::new();
        for mention in scan(text, self.rules) {
            match self.resolve(&mention) {
                Some(Ok(entry)) => meant.push((entry, mention)),
                Some(Err(reason)) => self.ignore(number, text, &mention, reason),
                None => {}
            }
        }
        if self.rules.order == MentionOrder::List {
            // Links come before names, because they say more.
            meant.sort_by_key(|(entry, mention)| (mention.form == MentionForm::Plain, self.index.position(entry)));
        }
        let by_more = meant.iter().filter(|(_, mention)| mention.form != MentionForm::Plain);
        self.named.extend(by_more.map(|(entry, _)| &*entry.skill.name));
        for (entry, mention) in meant {
            // A user who names a skill by its path does not also mean another one of that name.
            let is_said = mention.form == MentionForm::Plain && self.named.contains(&*entry.skill.name);
            match if is_said { Err(IgnoredReason::Duplicate) } else { self.take(entry) } {
                Ok(entry) => self.selection.selected.push(selected(entry, number, mention)),
                Err(reason) => self.ignore(number, text, &mention, reason),
            }
        }
    }

    /// Finds the skill that a mention means; `None` for what is not worth reporting.
    fn resolve(&mut self, mention: &Mention<'t>) -> Option<Result<&'c Entry, IgnoredReason<'c>>> {
        let reason = match mention.flaw {
            None => return Some(self.target(mention)),
            Some(MentionFlaw::Blocked) => return Some(Err(IgnoredReason::Blocked)),
            Some(MentionFlaw::InCode) => IgnoredReason::InCode,
            Some(MentionFlaw::Attached) => IgnoredReason::Attached,
        };
        // Code is full of such marks; only one that would have named a skill is worth reporting.
        self.target(mention).is_ok().then_some(Err(reason))
    }

    fn target(&mut self, mention: &Mention<'t>) -> Result<&'c Entry, IgnoredReason<'c>> {
        match &mention.form {
            MentionForm::Link(target) => self.link(target),
            MentionForm::Command(_) => self.index.by_rank(mention.name),
            MentionForm::Plain => {
                let found = self.index.by_name(mention.name)?;
                if self.rules.connectors && self.connectors.contains(&mention.name.to_ascii_lowercase()) {
                    return Err(IgnoredReason::Connector);
                }
                if self.item_names.contains(mention.name) { Err(IgnoredReason::NamedByItem) } else { Ok(found) }
            }
        }
    }

    fn link(&mut self, target: &str) -> Result<&'c Entry, IgnoredReason<'c>> {
        let rules = &self.rules.link;
        if rules.others.iter().any(|other| target.starts_with(other.as_str())) {
            return Err(IgnoredReason::OtherKind);
        }
        let path = rules.prefixes.iter().find_map(|prefix| target.strip_prefix(prefix.as_str())).unwrap_or(target);
        if !self.rules.loose_paths && !Path::new(path).is_absolute() {
            return Err(IgnoredReason::PathUnknown);
        }
        let home = path.strip_prefix("~/").and_then(|rest| Some(self.turn.home.as_ref()?.join(rest)));
        self.index.by_path(&index::lexical(&home.unwrap_or_else(|| self.turn.cwd.join(path))))
    }

    fn take(&mut self, entry: &'c Entry) -> Result<&'c Entry, IgnoredReason<'c>> {
        if self.taken.insert(entry.canonical()) { Ok(entry) } else { Err(IgnoredReason::Duplicate) }
    }

    fn ignore(&mut self, item: usize, text: &str, mention: &Mention<'_>, reason: IgnoredReason<'c>) {
        let (span, text) = (Some(mention.span.clone()), text[mention.span.clone()].to_owned());
        self.selection.ignored.push(IgnoredMention { item, span, text, reason });
    }
}

fn selected<'c>(entry: &'c Entry, item: usize, mention: Mention<'_>) -> Selected<'c> {
    let arguments = match mention.form {
        MentionForm::Command(arguments) => Some(arguments.into_owned()),
        MentionForm::Plain | MentionForm::Link(_) => None,
    };
    Selected { entry, item, span: Some(mention.span), arguments }
}

/// Returns a connector's name as it is mentioned: lower case, with `-` for what is no letter or digit.
fn slug(name: &str) -> String {
    let part = |part: char| if part.is_ascii_alphanumeric() { part.to_ascii_lowercase() } else { '-' };
    name.chars().map(part).collect::<String>().trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests;
