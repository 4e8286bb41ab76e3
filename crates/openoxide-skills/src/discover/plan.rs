//! Plans one search for all hosts that share a root, so that each of them finds what it needs.

use std::{collections::BTreeSet, sync::Arc};

use super::{listing::Listing, planned_link::PlannedLink};
use crate::boundary::Boundary;
use crate::host::{FolderNames, Host, Layout, Links, ScanRules};
use crate::parse::Readings;
use crate::root::EmbeddedSkills;

/// Deepest folder that is searched for what is ignored.
const THOROUGH_DEPTH: usize = 32;
/// Most bytes of frontmatters that are kept below one root, besides a little of each file.
const TEXT_MAX: usize = 32 * 1024 * 1024;

/// What a search has to look at.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Plan {
    /// Single Markdown files instead of folders.
    pub(crate) flat: bool,
    pub(crate) depth: usize,
    pub(crate) folders: usize,
    pub(crate) entries: usize,
    /// Limit on the text of frontmatters.
    pub(crate) text: usize,
    pub(crate) root_itself: bool,
    pub(crate) enter_skills: bool,
    pub(crate) enter_hidden: bool,
    pub(crate) follow_folders: bool,
    pub(crate) follow_files: bool,
    /// Limit on folders, for hosts that search inside skills.
    pub(crate) inner_folders: usize,
    pub(crate) ignored: BTreeSet<String>,
    /// Folder names that some host does not search.
    pub(crate) sometimes_ignored: BTreeSet<String>,
    /// File names that make a skill to every host.
    pub(crate) sure_files: BTreeSet<String>,
    /// Largest file that every host takes.
    pub(crate) sure_size: u64,
    pub(crate) files: BTreeSet<Arc<str>>,
    pub(crate) manifests: BTreeSet<String>,
    pub(crate) sidecars: BTreeSet<String>,
    pub(crate) readers: Readings,
    /// Whether files need a content fingerprint.
    pub(crate) prints: bool,
    /// Whether what is ignored is looked for too.
    pub(crate) thorough: bool,
    /// How far the hosts themselves look.
    pub(crate) reach: Reach,
    /// Where links may lead.
    pub(crate) boundary: Boundary,
    /// Folders to find that are not there yet.
    pub(crate) planned: Vec<PlannedLink>,
    /// Skills to find if the root is not there yet.
    pub(crate) embedded: Option<Arc<EmbeddedSkills>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reach {
    pub(crate) depth: usize,
    pub(crate) hidden: bool,
    pub(crate) skills: bool,
}

impl Plan {
    pub(crate) fn new<'h>(
        needs: impl IntoIterator<Item = (&'h Host, &'h ScanRules)>,
        thorough: bool,
        boundary: Boundary,
    ) -> Plan {
        let mut plan = Plan { thorough, boundary, text: TEXT_MAX, ..Plan::default() };
        for (index, (host, scan)) in needs.into_iter().enumerate() {
            plan.add(host, scan, index == 0);
        }
        plan.reach = Reach { depth: plan.depth, hidden: plan.enter_hidden, skills: plan.enter_skills };
        if thorough {
            plan.depth = plan.depth.max(THOROUGH_DEPTH);
            plan.enter_skills = true;
            plan.enter_hidden = true;
            plan.root_itself = true;
            plan.follow_files = true;
        }
        plan
    }

    fn add(&mut self, host: &Host, scan: &ScanRules, first: bool) {
        self.flat |= scan.layout.is_flat();
        self.depth = self.depth.max(depth_of(scan));
        self.folders = self.folders.max(scan.folders);
        self.entries = self.entries.max(scan.entries);
        self.root_itself |= scan.root_itself || scan.layout == Layout::Single;
        self.enter_skills |= scan.inside_skill;
        if scan.inside_skill {
            self.inner_folders = self.inner_folders.max(scan.folders);
        }
        let files: BTreeSet<String> = scan.files.iter().cloned().collect();
        self.sure_files = if first { files } else { &self.sure_files & &files };
        let size = scan.file_max.unwrap_or(u64::MAX);
        self.sure_size = if first { size } else { self.sure_size.min(size) };
        self.sometimes_ignored.extend(scan.ignored.iter().cloned());
        self.enter_hidden |= scan.hidden == FolderNames::Enter;
        self.follow_folders |= scan.folder_links == Links::Follow;
        self.follow_files |= scan.file_links == Links::Follow;
        let ignored: BTreeSet<String> = scan.ignored.iter().cloned().collect();
        self.ignored = if first { ignored } else { &self.ignored & &ignored };
        self.files.extend(scan.files.iter().map(|file| Arc::from(file.as_str())));
        self.manifests.extend(host.namespace.manifests.iter().cloned());
        self.sidecars.extend(host.sidecar.iter().flat_map(|sidecar| sidecar.files.iter().cloned()));
        self.readers.add(&host.parse);
    }

    /// Tells whether a folder's files are looked for before it is listed: worth it where a skill's folder never is.
    pub(crate) fn probes(&self) -> bool {
        !self.flat && !self.enter_skills
    }

    /// Tells whether a listing has the folder of a metadata file.
    pub(super) fn has_sidecar_folder(&self, listing: &Listing) -> bool {
        self.sidecars.iter().any(|file| listing.contains(first_name(file)))
    }

    /// Returns the names of the folders in which metadata files and manifests lie beside a skill.
    pub(super) fn inner_names(&self) -> BTreeSet<&str> {
        let folders = self.sidecars.iter().chain(&self.manifests).filter_map(|file| Some(file.split_once('/')?.0));
        folders.filter(|folder| !folder.is_empty()).collect()
    }
}

/// Returns the deepest folder that may hold a skill.
pub(super) fn depth_of(scan: &ScanRules) -> usize {
    match scan.layout {
        Layout::Single | Layout::Files => 0,
        Layout::Child => 1,
        Layout::Tree | Layout::Flat => scan.depth,
    }
}

/// Compares folder names as some file systems do: ignores case, trailing dots and spaces.
pub(super) fn is_called(name: &str, wanted: &str) -> bool {
    let bare = name.trim_end_matches(['.', ' ']);
    match bare.is_ascii() {
        true => bare.eq_ignore_ascii_case(wanted),
        false => bare.to_lowercase() == wanted,
    }
}

pub(super) fn first_name(file: &str) -> &str {
    file.split('/').next().unwrap_or(file)
}
