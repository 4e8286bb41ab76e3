//! Edits the trust file as a document, so that comments and unknown fields stay.

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value, value};

use super::record::{TrustEntry, TrustRecord};

/// Adds a record, replacing the one with the same subject.
pub(super) fn add(entries: &[TrustEntry], document: &mut DocumentMut, record: TrustRecord) {
    let Some(record) = merged(entries, record) else { return };
    remove(entries, document, &|old| old.has_same_subject(&record));
    if document.as_table().is_empty() {
        add_header(document);
    }
    let list = document.entry(record.list()).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    let fields = fields(&record);
    match list {
        Item::ArrayOfTables(tables) => {
            tables.push(fields.into_iter().map(|(key, new)| (key, value(new))).collect::<Table>());
        }
        Item::Value(Value::Array(values)) => values.push(fields.into_iter().collect::<InlineTable>()),
        // Parsing succeeded before, so the list has one of the two forms.
        _ => {}
    }
}

fn add_header(document: &mut DocumentMut) {
    document.insert("version", value(1));
    if let Some(mut key) = document.as_table_mut().key_mut("version") {
        key.leaf_decor_mut().set_prefix(HEADER);
    }
}

const HEADER: &str = "\
# What you trust. `openoxide trust --list` shows it, `openoxide trust --revoke` takes it back.
";

/// Merges a record with the existing one of the same subject. Returns `None` if nothing would change.
fn merged(entries: &[TrustEntry], record: TrustRecord) -> Option<TrustRecord> {
    let existing = entries.iter().map(|entry| &entry.record).find(|old| old.has_same_subject(&record));
    match (record, existing) {
        (record, None) => Some(record),
        (TrustRecord::Grant(mut new), Some(TrustRecord::Grant(old))) if old.digest == new.digest => {
            let mut shown = old.shown.clone();
            shown.extend(new.shown.into_iter().filter(|item| !old.shown.contains(item)));
            new.shown = shown;
            (new.shown != old.shown).then_some(TrustRecord::Grant(new))
        }
        (TrustRecord::Grant(new), Some(_)) => Some(TrustRecord::Grant(new)),
        (TrustRecord::Remote(new), Some(TrustRecord::Remote(old))) if old.digest != new.digest => {
            Some(TrustRecord::Remote(new))
        }
        (_, Some(_)) => None,
    }
}

pub(super) fn remove(entries: &[TrustEntry], document: &mut DocumentMut, matches: &dyn Fn(&TrustRecord) -> bool) {
    // From the end, so that the indexes of the other entries stay valid.
    for entry in entries.iter().rev().filter(|entry| matches(&entry.record)) {
        match document.get_mut(entry.record.list()) {
            Some(Item::ArrayOfTables(tables)) => drop(tables.remove(entry.index)),
            Some(Item::Value(Value::Array(values))) => drop(values.remove(entry.index)),
            _ => {}
        }
    }
}

fn fields(record: &TrustRecord) -> Vec<(&'static str, Value)> {
    let path = |path: &std::path::Path| Value::from(path.to_string_lossy().as_ref());
    let (mut fields, at) = match record {
        TrustRecord::Folder { path: folder, at } => (vec![("path", path(folder))], *at),
        TrustRecord::Source { source, at } => (vec![("source", source.as_str().into())], *at),
        TrustRecord::Grant(grant) => {
            let shown: Array = grant.shown.iter().map(String::as_str).collect();
            let fields = vec![
                ("skill", path(&grant.skill)),
                ("digest", grant.digest.as_str().into()),
                ("permission", grant.permission.as_str().into()),
                ("shown", shown.into()),
            ];
            (fields, grant.at)
        }
        TrustRecord::Answer(answer) => {
            let texts = [("permission", &answer.permission), ("pattern", &answer.pattern), ("skill", &answer.skill)];
            let mut fields = texts.map(|(field, text)| (field, text.as_str().into())).to_vec();
            fields.extend(answer.agent.as_ref().map(|agent| ("agent", agent.as_str().into())));
            (fields, answer.at)
        }
        TrustRecord::Remote(remote) => {
            let texts = [("server", &remote.server), ("uri", &remote.uri), ("digest", &remote.digest)];
            (texts.map(|(field, text)| (field, text.as_str().into())).to_vec(), remote.at)
        }
        TrustRecord::UnknownGrant { .. } => return Vec::new(),
    };
    fields.push(("at", at.0.into()));
    fields
}
