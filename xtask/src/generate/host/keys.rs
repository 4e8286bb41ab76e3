//! Counts the keys of `host.toml`, and the built-in hosts that set each of them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use serde_json::Value as Schema;
use toml::{Table, Value};

/// What each host writes: its name, its file and its editions.
pub(in super::super) type Files = Vec<(String, Vec<Table>)>;

/// The leaf keys of the vocabulary, by their path in the file, with the hosts that set them.
///
/// A list of tables adds `[]` to a path and a table of tables `.NAME`. A key is set if a host writes it in its file or in
/// an edition, or has a setting that `sets` it.
#[derive(Debug, Default)]
pub(in super::super) struct Keys {
    leaves: BTreeMap<String, BTreeSet<String>>,
    /// The same hosts by definition of the schema and key, which is how the reference is drawn.
    rows: BTreeMap<(String, String), BTreeSet<String>>,
}

impl Keys {
    /// Counts the keys of a schema in the files of hosts.
    pub(in super::super) fn count(schema: &Schema, files: &Files) -> Result<Keys> {
        let mut keys = Keys::default();
        for (host, tables) in files {
            let walk = Walk { schema, host, sets: sets(tables) };
            let values: Vec<Value> = tables.iter().cloned().map(Value::Table).collect();
            walk.table(&mut keys, schema, "", "", &values.iter().collect::<Vec<_>>())?;
        }
        Ok(keys)
    }

    /// Returns the number of leaf keys.
    pub(in super::super) fn total(&self) -> usize {
        self.leaves.len()
    }

    /// Returns the leaf keys that exactly `hosts` hosts set.
    pub(in super::super) fn set_by(&self, hosts: usize) -> Vec<&str> {
        self.leaves.iter().filter(|(_, names)| names.len() == hosts).map(|(path, _)| path.as_str()).collect()
    }

    /// Returns how many hosts set a key of a definition; nothing for a key that is a table.
    pub(super) fn hosts(&self, definition: &str, key: &str) -> Option<usize> {
        self.rows.get(&(definition.to_owned(), key.to_owned())).map(BTreeSet::len)
    }
}

/// One host's files on their way through the schema.
struct Walk<'s> {
    schema: &'s Schema,
    host: &'s str,
    /// Keys that the host's settings set.
    sets: BTreeSet<String>,
}

impl Walk<'_> {
    /// Notes the keys of a table; `values` are all tables that the host writes in this place.
    fn table(&self, keys: &mut Keys, schema: &Schema, name: &str, prefix: &str, values: &[&Value]) -> Result<()> {
        let properties = schema["properties"].as_object().context("a table of the schema has no keys")?;
        for (key, property) in properties {
            let written: Vec<&Value> = values.iter().filter_map(|value| value.get(key)).collect();
            let path = format!("{prefix}{key}");
            self.key(keys, property, (name, key), &path, &written)?;
        }
        Ok(())
    }

    /// Notes a key, or the keys of the tables that it holds.
    fn key(&self, keys: &mut Keys, schema: &Schema, row: (&str, &str), path: &str, values: &[&Value]) -> Result<()> {
        let (name, definition) = self.resolved(schema)?;
        if definition["properties"].is_object() {
            return self.table(keys, definition, &name, &format!("{path}."), values);
        }
        if self.holds_tables(&definition["items"])? {
            let items: Vec<&Value> = values.iter().filter_map(|value| value.as_array()).flatten().collect();
            return self.key(keys, &definition["items"], row, &format!("{path}[]"), &items);
        }
        if self.holds_tables(&definition["additionalProperties"])? {
            let inner: Vec<&Value> = values
                .iter()
                .filter_map(|value| value.as_table())
                .flat_map(|table| table.iter().map(|(_, value)| value))
                .collect();
            return self.key(keys, &definition["additionalProperties"], row, &format!("{path}.NAME"), &inner);
        }
        let is_set = !values.is_empty() || self.sets.contains(path);
        let leaf = keys.leaves.entry(path.to_owned()).or_default();
        let row = keys.rows.entry((row.0.to_owned(), row.1.to_owned())).or_default();
        if is_set {
            leaf.insert(self.host.to_owned());
            row.insert(self.host.to_owned());
        }
        Ok(())
    }

    /// Tells whether a value is a table with known keys, or a list or table of such.
    fn holds_tables(&self, schema: &Schema) -> Result<bool> {
        let (_, definition) = self.resolved(schema)?;
        if definition["properties"].is_object() {
            return Ok(true);
        }
        let inner =
            [&definition["items"], &definition["additionalProperties"]].into_iter().find(|inner| inner.is_object());
        inner.map_or(Ok(false), |inner| self.holds_tables(inner))
    }

    /// Follows a reference to its definition.
    fn resolved<'v>(&'v self, schema: &'v Schema) -> Result<(String, &'v Schema)> {
        let options = schema["anyOf"].as_array().into_iter().flatten();
        let Some(name) = [schema].into_iter().chain(options).find_map(reference) else {
            return Ok((String::new(), schema));
        };
        let definition =
            self.schema["$defs"].get(name).with_context(|| format!("the schema does not define `{name}`"))?;
        Ok((name.to_owned(), definition))
    }
}

/// Returns the definition that a schema refers to.
pub(super) fn reference(schema: &Schema) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

/// Returns the keys that the settings of a host set.
fn sets(tables: &[Table]) -> BTreeSet<String> {
    let settings = tables.iter().filter_map(|table| table.get("settings")?.as_table());
    let rules = settings.flat_map(|settings| settings.iter().map(|(_, rule)| rule));
    rules.filter_map(|rule| rule.get("sets")?.as_str()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::hosts;

    /// The most leaf keys that the vocabulary may have. A new rule replaces an old one or joins it; where it cannot, as
    /// switches, versions, a program's own agents and its variables could not, this number grows in the same commit.
    const MOST: usize = 327;

    fn keys() -> Keys {
        Keys::count(&hosts::tests::schema(), &hosts::files().unwrap()).unwrap()
    }

    #[test]
    fn the_vocabulary_stays_small() {
        let total = keys().total();
        assert!(total <= MOST, "{total} keys, more than {MOST}");
    }

    /// A key earns its place by a host.
    #[test]
    fn every_key_has_a_host() {
        assert_eq!(keys().set_by(0), [""; 0]);
    }

    #[test]
    fn keys_are_counted_by_path_and_once_for_each_host() {
        let schema = hosts::tests::schema();
        let toml = "title = 'T'\nroots = [{ path = 'a' }, { path = 'b' }]\n[settings.x]\nsets = 'budget.share'\n";
        let tables = vec![toml.parse().unwrap(), "title = 'U'".parse().unwrap()];
        let keys = Keys::count(&schema, &vec![("t".to_owned(), tables)]).unwrap();
        assert_eq!(keys.set_by(1), ["budget.share", "roots[].path", "settings.NAME.sets", "title"]);
        assert_eq!((keys.hosts("RootRule", "path"), keys.hosts("", "budget")), (Some(1), None));
    }
}
