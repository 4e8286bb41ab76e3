//! The two templates of a catalog: one for an entry, one for the frame around them.

use minijinja::context;

use crate::catalog::Entry;
use crate::host::HostSpec;
use crate::text::template::{RenderError, Templates};

/// A root and its short name.
#[derive(Clone, Debug)]
pub(super) struct AliasLine {
    pub(super) alias: String,
    pub(super) path: String,
}

/// The two templates of a catalog, ready to use.
pub(super) struct CatalogTemplates<'t>(Templates<'t>);

impl<'t> CatalogTemplates<'t> {
    pub(super) fn new(spec: &'t HostSpec) -> Result<CatalogTemplates<'t>, RenderError> {
        Ok(CatalogTemplates(Templates::new(spec, ["entry", "catalog"])?))
    }

    /// Draws one entry with the given text for its description.
    pub(super) fn entry(
        &self,
        name: &str,
        entry: &Entry,
        description: &str,
        path: &str,
    ) -> Result<String, RenderError> {
        let scope = entry.skill.scope.as_str();
        self.0.draw("entry", context! { name, description, path, scope })
    }

    /// Draws the frame around the entries.
    pub(super) fn catalog(&self, entries: &str, roots: &[AliasLine], left_out: usize) -> Result<String, RenderError> {
        let roots: Vec<_> = roots.iter().map(|root| context! { alias => &root.alias, path => &root.path }).collect();
        Ok(self.0.draw("catalog", context! { entries, roots, left_out })? + "\n")
    }
}
