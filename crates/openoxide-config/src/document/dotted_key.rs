//! Dotted keys such as `hosts."my.host".paths`: split, joined, and looked up in tables.

/// Splits a dotted key into its parts. A quoted part may contain dots.
pub(crate) fn split_key(key: &str) -> Vec<String> {
    let parsed = toml_edit::Key::parse(key);
    parsed.map_or_else(
        |_| key.split('.').map(str::to_owned).collect(),
        |keys| keys.iter().map(|key| key.get().to_owned()).collect(),
    )
}

/// Joins the parts of a dotted key, quoting those that need it.
pub(crate) fn join_key<S: AsRef<str>>(parts: &[S]) -> String {
    parts.iter().map(|part| quote_part(part.as_ref())).collect::<Vec<_>>().join(".")
}

/// Returns one part of a dotted key, quoted unless it is a bare word.
pub(crate) fn quote_part(part: &str) -> String {
    toml_edit::Key::new(part).to_string().trim().to_owned()
}

pub(crate) fn get<'t>(table: &'t toml::Table, key: &str) -> Option<&'t toml::Value> {
    let mut parts = split_key(key).into_iter();
    let mut value = table.get(&parts.next()?)?;
    for part in parts {
        value = value.get(&part)?;
    }
    Some(value)
}

/// Sets the value at a path of names, creating tables on the way.
pub(crate) fn insert(table: &mut toml::Table, path: &[String], value: toml::Value) {
    match path {
        [] => {}
        [last] => drop(table.insert(last.clone(), value)),
        [first, rest @ ..] => {
            let inner = table.entry(first.clone()).or_insert_with(|| toml::Value::Table(toml::Table::new()));
            if let toml::Value::Table(inner) = inner {
                insert(inner, rest, value);
            }
        }
    }
}
