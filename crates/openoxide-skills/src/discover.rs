//! Finds candidate skill files below a root: one bounded pass, for all hosts that look there.
//!
//! A [`Survey`] says what lies below a root; [`select()`] says what of it one host takes, and why not the rest.
//! Reading a file's head happens here, because the bytes are at hand; what they mean is `parse`'s work.

mod file;
mod folder;
mod listing;
mod open;
mod plan;
mod planned_link;
mod select;
mod survey;
mod survey_cache;

pub use file::PREFIX_MAX;
pub(crate) use file::{
    FileFact, Prefix, read_manifest, read_opened_prefix, read_plain_prefix, read_prefix, read_sidecars_in, reason,
};
pub(crate) use folder::{Manifest, Survey};
pub(crate) use listing::Listing;
pub(crate) use plan::Plan;
pub use planned_link::PlannedLink;
pub use select::Reason;
pub(crate) use select::{Candidate, select};
pub(crate) use survey::{FirstSearch, leads_there, refresh, survey};
pub(crate) use survey_cache::SurveyCache;
pub use survey_cache::Watched;

/// A limit that a search ran into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitReached {
    /// The root that was searched.
    pub root: std::path::PathBuf,
    /// What there was too much of.
    pub code: crate::code::Code,
    /// The limit.
    pub limit: usize,
}
