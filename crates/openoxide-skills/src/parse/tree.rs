//! Takes the fields out of a frontmatter's YAML tree, or says what is wrong with the tree as a whole.

use super::cache::{Alike, Taken};
use super::fields::{self, Collected};
use super::parsed::Source;
use super::problems::feature_problem;
use super::reader::Reader;
use super::{limits, name};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::host::{BadYaml, Dialect, EmptyBlock, OnDuplicate, Tags, WrongType};
use crate::text::yaml::{Feature, Node, Value};

impl Reader<'_> {
    /// Takes the fields out of a tree, or says what is wrong with it as a whole; `known` is absent for repaired text.
    pub(super) fn judge(
        &mut self,
        source: Source<'_>,
        text: &str,
        root: &Node<'_>,
        known: Option<(Alike, &mut Taken)>,
    ) -> Result<(), Diagnostic> {
        // Plain frontmatter has none of what is looked for here.
        let is_plain = matches!(known, Some((Alike::Plain(..), _)));
        if !is_plain {
            self.refuse_features(source, root)?;
        }
        let pairs = match &root.value {
            Value::Map(pairs) => pairs.as_slice(),
            Value::Scalar { .. }
                if root.is_null()
                    && self.rules.dialect == Dialect::Core
                    && self.rules.fence.empty != EmptyBlock::Invalid =>
            {
                &[]
            }
            _ if self.rules.bad_yaml != BadYaml::Invalid => &[],
            _ => {
                return Err(Diagnostic::error(Code::NotMapping, "the frontmatter is not a list of `key: value` lines")
                    .at(source.file, source.span(&(0..text.trim_end().len())))
                    .help("write `name: …` and `description: …`"));
            }
        };
        if self.rules.duplicates != OnDuplicate::Last && !is_plain {
            self.refuse_duplicates(source, pairs)?;
        }
        if let Some((key, _)) = pairs
            .iter()
            .find(|(key, _)| key.as_text().is_none())
            .filter(|_| self.rules.wrong_type == WrongType::Invalid)
        {
            return Err(Diagnostic::error(Code::WrongType, "a key must be text")
                .at(source.file, source.span(&key.span))
                .help("write `key: value`"));
        }
        self.taken = self.take(source, text, pairs, known)?;
        self.parsed.problems.append(&mut self.taken.problems);
        let name = self.taken.name.as_deref();
        self.parsed.problems.extend(name::check(self.rules, source, pairs, self.folder, name));
        self.parsed.problems.extend(limits::check_texts(self.rules, source, pairs));
        Ok(())
    }

    /// Takes the fields out, unless another host took them in the same way.
    fn take(
        &self,
        source: Source<'_>,
        text: &str,
        pairs: &[(Node<'_>, Node<'_>)],
        known: Option<(Alike, &mut Taken)>,
    ) -> Result<Collected, Diagnostic> {
        let Some((alike, known)) = known else { return fields::collect(self.rules, source, pairs, false) };
        let place = source.offset..source.offset + text.len();
        if let Some((.., taken)) = known.iter().find(|(at, other, _)| *at == place && *other == alike) {
            return Ok(taken.clone());
        }
        let taken = fields::collect(self.rules, source, pairs, true)?;
        known.push((place, alike, taken.clone()));
        Ok(taken)
    }

    /// Refuses YAML beyond what the host understands.
    fn refuse_features(&self, source: Source<'_>, root: &Node<'_>) -> Result<(), Diagnostic> {
        if self.rules.dialect == Dialect::Strict
            && let Some((feature, span)) = root.first_feature()
        {
            return Err(feature_problem(source, feature, &span));
        }
        match self.rules.tags {
            Tags::Refuse => {
                root.first_tag(false).map_or(Ok(()), |span| Err(feature_problem(source, Feature::Tag, &span)))
            }
            Tags::Standard => root.first_tag(true).map_or(Ok(()), |span| {
                Err(Diagnostic::error(Code::BadYaml, "the frontmatter has a tag that is not one of YAML's own")
                    .at(source.file, source.span(&span))
                    .help("remove the tag, or put quotes around the value"))
            }),
            Tags::Ignore => Ok(()),
        }
    }

    fn refuse_duplicates(&self, source: Source<'_>, pairs: &[(Node<'_>, Node<'_>)]) -> Result<(), Diagnostic> {
        let inner =
            pairs.iter().find(|(key, value)| key.as_text() == Some("metadata") && matches!(value.value, Value::Map(_)));
        if let Some((_, Node { value: Value::Map(inner), .. })) = inner {
            self.refuse_duplicates(source, inner)?;
        }
        for (index, (key, _)) in pairs.iter().enumerate() {
            let text = key.as_text();
            let counts = self.rules.duplicates == OnDuplicate::Error
                || text == Some("short-description")
                || text.is_some_and(|text| self.rules.fields.read.iter().any(|read| read == text));
            if counts && text.is_some() && pairs[..index].iter().any(|(earlier, _)| earlier.as_text() == text) {
                return Err(Diagnostic::error(
                    Code::DuplicateKey,
                    format!("`{}` stands twice", text.unwrap_or_default()),
                )
                .at(source.file, source.span(&key.span))
                .label("second time")
                .help("keep one of the two"));
            }
        }
        Ok(())
    }
}
