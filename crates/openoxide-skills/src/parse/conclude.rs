//! Chooses the name and the description that a skill gets.

use std::sync::Arc;

use super::{name, problems::no_description, reader::HeadReader};
use crate::host::{Clean, EmptyText, NameSource};
use crate::text::{cut_utf16, is_blank, utf16_len};

impl HeadReader<'_> {
    /// Chooses the skill's name and description, and takes them out of the frontmatter.
    pub(super) fn conclude(&mut self, file: &str, body: &str) {
        let first = self.rules.name.from.first();
        let own_first = first.is_none_or(|source| *source == NameSource::Frontmatter);
        let written = self.taken.name.take().filter(|name| !name.is_empty());
        let own = written.clone().filter(|_| own_first);
        let from_folder = own.is_none();
        let replaced = |character: char| self.rules.name.replaced().contains(character);
        let own = own.map(|name| if name.contains(replaced) { name.replace(replaced, "-").into() } else { name });
        self.parsed.name = own.unwrap_or_else(|| self.cleaned_folder().into());
        self.parsed.own_name = written;
        if from_folder && own_first {
            self.parsed.problems.extend(name::check_length(self.rules, file, &self.parsed));
        } else if from_folder {
            self.parsed.problems.extend(name::check_folder(self.rules, file, &self.parsed.name));
        }
        let rules = &self.rules.description;
        let own = self.taken.description.take();
        let is_enough = own.is_some() && rules.empty == EmptyText::Allowed;
        let own = own.filter(|text: &Arc<str>| {
            matches!(rules.empty, EmptyText::Kept | EmptyText::Loose) || !text.trim().is_empty()
        });
        self.parsed.described = own.is_some();
        self.parsed.description = own.unwrap_or_else(|| self.fallback(body).into());
        let judged = self.parsed.invalid().is_some();
        if self.rules.description.required && !self.parsed.described && !is_enough && !judged {
            let first_line = 0..file.find('\n').unwrap_or(file.len());
            self.parsed.problems.push(no_description(file, first_line, "the skill has no description"));
        }
        self.parsed.frontmatter = std::mem::take(&mut self.taken.frontmatter);
    }

    /// A name that comes from the folder is cleaned like one that is written.
    fn cleaned_folder(&self) -> String {
        if self.rules.clean != Clean::Collapse {
            return self.folder.to_owned();
        }
        let cleaned = crate::text::collapse(self.folder).into_owned();
        if cleaned.is_empty() && !self.rules.name.fallback.is_empty() {
            self.rules.name.fallback.clone()
        } else {
            cleaned
        }
    }

    fn fallback(&self, body: &str) -> String {
        let Some(rules) = &self.rules.description.first_line else { return String::new() };
        let Some(line) = body.split('\n').map(|line| line.trim_matches(is_blank)).find(|line| !line.is_empty()) else {
            return rules.empty.clone();
        };
        let unmarked = line.trim_start_matches('#');
        let heading = unmarked.len() < line.len() && unmarked.starts_with(char::is_whitespace);
        let line = if heading { unmarked.trim_start() } else { line };
        if utf16_len(line) <= rules.max {
            return line.to_owned();
        }
        let mut cut = cut_utf16(line, rules.max.saturating_sub(3));
        let is_halved = !line.starts_with(cut.as_str());
        if let (true, Some(half)) = (is_halved, rules.half) {
            cut.pop();
            cut.push(half);
        }
        cut + "..."
    }
}
