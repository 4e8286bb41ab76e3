//! Keys of `host.toml` that were renamed or folded into others, for hosts that users wrote before.

/// Old keys, and what says the same now.
const RENAMED: &[(&str, &str)] = &[
    ("filter", "`does` of the setting, such as `does = \"switch-off\"`"),
    ("adds_up", "`combine = \"add-up\"`"),
    ("strictest", "`combine = \"strictest\"`"),
    ("min", "`range`"),
    ("folder", "`files`, with the folder in each path"),
    ("reattach", "`[texts]`"),
    ("user_texts", "`[user_texts]` at the top"),
    ("texts", "`[texts]` at the top"),
    ("no_output", "`command-silent` in `[texts]`"),
    ("failed", "`command-failed` in `[texts]`"),
    ("denied", "`command-denied` in `[texts]`"),
    ("notice", "`skill-cut` or `file-cut` in `[texts]`"),
    ("trim", "`clean`, or `steps` of a name"),
    ("tidy", "`clean = \"tidy\"`"),
    ("callers", "`activation.expand_for`"),
    ("in_code", "`activation.expand_in_code`"),
    ("near_names", "`mention.suggests`"),
    ("per_caller", "`names = \"first-per-caller\"`"),
    ("catalog_needs_reading", "`catalog = \"readers\"`"),
    ("replaces_catalog", "`catalog = \"readers-without-skills\"`"),
];

/// Adds to the message about an unknown key what says the same now.
pub(super) fn explained(message: String) -> String {
    let named = |(old, _): &&(&str, &str)| message.contains(&format!("unknown field `{old}`"));
    match RENAMED.iter().find(named) {
        Some((_, new)) => format!("{}\nThe key was folded into others; write {new} now.\n", message.trim_end()),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Host;

    #[test]
    fn an_old_key_is_answered_with_the_new_one() {
        let start = "title = 'T'\nprogram = 't 1'\nroots = []\n";
        for (toml, new) in [("[filter]\noff = 'x'\n", "does = "), ("[activation]\ntidy = true\n", "clean = ")] {
            let error = toml::from_str::<Host>(&format!("{start}{toml}")).unwrap_err().to_string();
            assert!(explained(error).contains(new), "{toml}");
        }
        assert_eq!(explained("unknown field `rots`".to_owned()), "unknown field `rots`");
    }
}
