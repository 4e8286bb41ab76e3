//! What holds while a value is not usable, and what to do about it.

use toml::Value;

use super::{key::ConfigKey, layer::Layer};

/// What happens to a value that is not usable where it stands.
pub(super) const IGNORED: &str = "the value is ignored";

/// Returns the next step for a value: what holds until it is fixed. One that is in no file is not used at all, so that its
/// next step is the value that is meant, or what the key is for.
pub(super) fn help_for(layer: &Layer, name: &str, value: &Value, holds: &str) -> String {
    let key = ConfigKey::find(name).filter(|_| layer.path.is_none());
    let Some(key) = key else { return format!("{holds} until it is fixed") };
    let near = if key.name == name { key.near_value(value) } else { None };
    near.map_or_else(|| key.about.to_owned(), |near| format!("did you mean `{near}`?"))
}
