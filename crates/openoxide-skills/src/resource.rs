//! What lies in a skill's folder: its files, read without ever leaving it, and the digest of all of them.
//!
//! A [`SkillDir`] holds the folder open. Every path is resolved below that descriptor, by the kernel where it can, so no
//! link, no `..` and no exchange of folders in the middle of a read leads out. What a file is, is asked of the opened
//! file and never of its name.

mod answer;
mod beneath;
mod children;
mod copy;
mod digest;
mod dir;
mod error;
mod foreign;
mod judged_file;
mod manifest;
mod media_type;
mod open_file;
mod path;
mod read;
mod snapshot;
mod stamps;
mod url;
mod walk;

pub(crate) use beneath::{open_plain, open_straight};
pub(crate) use path::is_left_out;

pub use answer::{ResourceAnswer, ResourceContent, ResourcePart, ResourceRefusal, ResourceRequest, read_resource};
pub use digest::{FileDigest, Hex, LinkDigest, TreeDigest};
pub use dir::SkillDir;
pub use error::SnapshotError;
pub use foreign::ForeignPart;
pub use judged_file::{FileRefusal, open_judged};
pub use manifest::{FileManifest, ManifestFile};
pub use media_type::{ContentKind, media_type, media_type_of};
pub use open_file::OpenFile;
pub use path::{ResourcePath, shown_name};
pub use read::{HELD_MAX, ItemKind, READ_MAX, ReadLimit, Resource, ResourceBytes, ResourceFolder, ResourceItem};
pub use snapshot::FolderSnapshot;
pub use stamps::FolderStamps;
pub use url::SkillUrl;
pub use walk::FolderLimits;

#[cfg(test)]
mod tests;
