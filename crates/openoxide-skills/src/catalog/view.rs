//! One host's view of one project: the rules, settings and roots that its catalog is made from.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use openoxide_permissions::Rules;

use crate::host::{Host, HostError, HostSpec, ManifestFolders};
use crate::root::{Root, Surroundings, resolve_roots};
use crate::settings::HostSettings;

/// One host's view of one project: its rules, settings and roots.
#[derive(Clone, Debug)]
pub struct View {
    /// The host as its folder states it.
    pub spec: HostSpec,
    /// Its rules with settings applied.
    pub host: Host,
    /// Its settings.
    pub settings: HostSettings,
    /// The folders it searches.
    pub roots: Vec<Root>,
    /// The environment around the project, as values.
    pub around: Arc<Surroundings>,
    /// Permission rules of the user and the agent; a skill that they deny is not active.
    pub rules: Rules,
}

impl View {
    /// Makes a view from a host, its settings and its surroundings, without permission rules.
    pub fn new(spec: HostSpec, settings: HostSettings, around: Arc<Surroundings>) -> Result<View, HostError> {
        let host = spec.with(&settings)?;
        let roots = resolve_roots(&host, &settings, &around);
        Ok(View { spec, host, settings, roots, around, rules: Rules::default() })
    }

    /// Returns the plugin manifests above its roots that prefix its skills' names, whether or not they exist.
    pub fn manifests_above(&self) -> Vec<PathBuf> {
        let rules = &self.host.namespace;
        if rules.folders != ManifestFolders::ToTop {
            return Vec::new();
        }
        let mut paths = BTreeSet::new();
        for root in &self.roots {
            let root = std::fs::canonicalize(&root.path).unwrap_or_else(|_| root.path.clone());
            for folder in root.ancestors().skip(1) {
                paths.extend(rules.manifests.iter().map(|file| folder.join(file)));
            }
        }
        paths.into_iter().collect()
    }
}
