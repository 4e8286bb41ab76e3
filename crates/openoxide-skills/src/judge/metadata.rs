//! Tells whether the metadata beside a skill keeps it from the model, also where the host does not read such files.

use std::os::fd::BorrowedFd;

use crate::discover::read_sidecars_in;
use crate::host::Hosts;
use crate::sidecar;

/// Metadata files that some host reads.
#[derive(Clone, Debug, Default)]
pub struct MetadataFiles(Vec<String>);

impl MetadataFiles {
    /// Returns the metadata files of all these hosts.
    pub fn of(hosts: &Hosts) -> MetadataFiles {
        let hosts = hosts.all().filter_map(|spec| spec.host().ok());
        let mut files: Vec<String> = hosts.filter_map(|host| host.sidecar).flat_map(|rules| rules.files).collect();
        files.sort();
        files.dedup();
        MetadataFiles(files)
    }

    /// Tells whether one of the files in a skill's folder keeps it from the model. One that is there and cannot be read does.
    pub(super) fn keep_off(&self, folder: BorrowedFd<'_>) -> bool {
        let found = read_sidecars_in(folder, &self.0);
        found.iter().any(|file| file.bytes.as_ref().map_or(true, |bytes| sidecar::keeps_off(bytes)))
    }
}
