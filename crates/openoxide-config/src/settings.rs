//! The settings of `config.toml`: keys, layers, lookup and edits.

pub(crate) mod config;
pub(crate) mod edit;
pub(crate) mod key;
pub(crate) mod key_table;
pub(crate) mod layer;
pub(crate) mod load;
mod next_step;
pub(crate) mod permission_rules;
pub(crate) mod policy;
pub(crate) mod schema;
mod switch_rule;
pub(crate) mod validate;
