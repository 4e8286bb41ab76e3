//! Takes the fields out of a frontmatter's YAML tree, or says what is wrong with the tree as a whole.

use std::collections::HashSet;

use super::cache::{Alike, Known};
use super::fields::{self, Collected};
use super::parsed::{Result, Source};
use super::{limits, name};
use super::{problems::feature_problem, reader::HeadReader};
use crate::diagnostic::Code;
use crate::host::{BadYaml, Dialect, EmptyBlock, OnDuplicate, Tags, WrongType};
use crate::text::yaml::{Feature, Node, Pair};

impl HeadReader<'_> {
    /// Takes the fields out of a tree, or says what is wrong with it as a whole; `known` is absent for repaired text.
    pub(super) fn judge(&mut self, source: Source<'_>, root: &Node<'_>, known: Option<Known<'_>>) -> Result<()> {
        // Plain frontmatter has none of what is looked for here.
        let is_plain = matches!(known, Some((Alike::Plain(..), _)));
        if !is_plain {
            self.refuse_features(source, root)?;
        }
        let may_be_empty =
            root.is_null() && self.rules.dialect == Dialect::Core && self.rules.fence.empty != EmptyBlock::Invalid;
        let pairs = match root.as_map() {
            Some(pairs) => pairs,
            None if may_be_empty || self.rules.bad_yaml != BadYaml::Invalid => &[],
            None => {
                let message = "the frontmatter is not a list of `key: value` lines";
                let problem = source.error(&(0..source.text.trim_end().len()), Code::NotMapping, message);
                return Err(problem.help("write `name: …` and `description: …`"));
            }
        };
        if self.rules.duplicates != OnDuplicate::Last && !is_plain {
            self.refuse_duplicates(source, pairs)?;
        }
        if self.rules.wrong_type == WrongType::Invalid
            && let Some((key, _)) = pairs.iter().find(|(key, _)| key.as_text().is_none())
        {
            return Err(source.error(&key.span, Code::WrongType, "a key must be text").help("write `key: value`"));
        }
        self.taken = self.take(source, pairs, known)?;
        self.parsed.problems.append(&mut self.taken.problems);
        let name = self.taken.name.as_deref();
        self.parsed.problems.extend(name::check(self.rules, source, pairs, self.folder, name));
        self.parsed.problems.extend(limits::check_texts(self.rules, source, pairs));
        Ok(())
    }

    /// Takes the fields out, unless another host took them in the same way.
    fn take(&self, source: Source<'_>, pairs: &[Pair<'_>], known: Option<Known<'_>>) -> Result<Collected> {
        let Some((alike, known)) = known else { return fields::collect(self.rules, source, pairs, false) };
        let place = source.offset..source.offset + source.text.len();
        if let Some((.., taken)) = known.iter().find(|(at, other, _)| *at == place && *other == alike) {
            return Ok(taken.clone());
        }
        let taken = fields::collect(self.rules, source, pairs, true)?;
        known.push((place, alike, taken.clone()));
        Ok(taken)
    }

    /// Refuses YAML beyond what the host understands.
    fn refuse_features(&self, source: Source<'_>, root: &Node<'_>) -> Result<()> {
        if self.rules.dialect == Dialect::Strict
            && let Some((feature, span)) = root.first_feature()
        {
            return Err(feature_problem(source, feature, &span));
        }
        let refused = match self.rules.tags {
            Tags::Refuse => root.first_tag(false).map(|span| feature_problem(source, Feature::Tag, &span)),
            Tags::Standard => root.first_tag(true).map(|span| {
                let message = "the frontmatter has a tag that is not one of YAML's own";
                source.error(&span, Code::BadYaml, message).help("remove the tag, or put quotes around the value")
            }),
            Tags::Ignore => None,
        };
        refused.map_or(Ok(()), Err)
    }

    fn refuse_duplicates(&self, source: Source<'_>, pairs: &[Pair<'_>]) -> Result<()> {
        let mut metadata = pairs.iter().filter(|(key, _)| key.as_text() == Some("metadata"));
        if let Some(inner) = metadata.find_map(|(_, value)| value.as_map()) {
            self.refuse_duplicates(source, inner)?;
        }
        let mut seen = HashSet::new();
        for (key, _) in pairs {
            let text = key.as_text();
            let is_second = text.is_some_and(|text| !seen.insert(text));
            let counts = self.rules.duplicates == OnDuplicate::Error
                || text == Some("short-description")
                || text.is_some_and(|text| self.rules.fields.read.iter().any(|read| read == text));
            if counts && is_second {
                let message = format!("`{}` appears twice", text.unwrap_or_default());
                let problem = source.error(&key.span, Code::DuplicateKey, message);
                return Err(problem.label("second time").help("keep one of the two"));
            }
        }
        Ok(())
    }
}
