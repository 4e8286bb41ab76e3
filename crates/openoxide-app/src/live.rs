//! Live catalogs, for faces that stay: snapshots that follow the disk, and notices of changes.

pub use openoxide_live::{Change, Live, LiveOptions, Pin, SkillChange, Subscription, WatchMode};
