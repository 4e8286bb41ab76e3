//! Fills `{name}` placeholders of a short text.

/// Puts values into a text, in one pass, so that a value is never read for another placeholder.
pub fn fill(text: &str, fills: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        let hit = fills.iter().find(|(name, _)| rest[1..].strip_prefix(name).is_some_and(|end| end.starts_with('}')));
        let taken = hit.map_or(1, |(name, _)| name.len() + 2);
        filled.push_str(hit.map_or("{", |(_, value)| value));
        rest = &rest[taken..];
    }
    filled.push_str(rest);
    filled
}
