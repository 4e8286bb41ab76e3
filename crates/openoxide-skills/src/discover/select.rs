//! Selects what one host takes of a survey, and gives the reason for everything else.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::file::FileFact;
use super::folder::{Folder, Survey};
use super::plan::{depth_of, is_called};
use crate::code::Code;
use crate::host::{FolderNames, Layout, Links, ScanRules};

/// A file that is a skill to this host, or why it is not.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) folder: usize,
    pub(crate) file: usize,
    pub(crate) refused: Option<Reason>,
}

/// Why a skill is ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The stable code.
    pub code: Code,
    /// One sentence.
    pub text: String,
}

#[derive(Debug, Default)]
pub(crate) struct Selection {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) limits: Vec<(Code, usize)>,
}

/// Judges every file of a survey by a host's search rules.
pub(crate) fn select(survey: &Survey, scan: &ScanRules) -> Selection {
    let mut selector = Selector { scan, outcomes: Vec::with_capacity(survey.folders.len()), folders: 0, entries: 0 };
    let mut selection = Selection { candidates: Vec::new(), limits: survey.limits.clone() };
    for (index, folder) in survey.folders.iter().enumerate() {
        let refused = selector.enter(index, folder);
        let holds_skill = selector.files(index, folder, refused.as_ref(), &mut selection.candidates);
        if let Some(limit) = refused.as_ref().and_then(|refusal| selector.limit(refusal.code))
            && !selection.limits.contains(&limit)
        {
            selection.limits.push(limit);
        }
        selector.outcomes.push(Outcome { refused, holds_skill });
    }
    selection
}

struct Selector<'s> {
    scan: &'s ScanRules,
    outcomes: Vec<Outcome>,
    folders: usize,
    entries: usize,
}

/// What became of a folder.
struct Outcome {
    refused: Option<Reason>,
    holds_skill: bool,
}

impl Selector<'_> {
    fn enter(&mut self, index: usize, folder: &Folder) -> Option<Reason> {
        let refused = if index == 0 { None } else { self.refusal(folder) };
        if refused.is_some() {
            return refused;
        }
        self.folders += 1;
        if self.folders > self.scan.folders {
            return refuse(Code::FolderLimit, format!("more than {} folders lie below the root", self.scan.folders));
        }
        self.entries += folder.entries;
        if self.entries > self.scan.entries && folder.entries > 0 {
            return refuse(Code::EntryLimit, format!("more than {} entries lie below the root", self.scan.entries));
        }
        None
    }

    fn refusal(&self, folder: &Folder) -> Option<Reason> {
        let outer = &self.outcomes[folder.parent];
        if outer.refused.is_some() {
            return outer.refused.clone();
        }
        if folder.hidden && self.scan.hidden == FolderNames::Skip {
            return refuse(Code::HiddenFolder, "it is inside a hidden folder, which is not searched");
        }
        if let Some(name) = self.ignored(folder) {
            return refuse(Code::IgnoredFolder, format!("folders called `{name}` are not searched"));
        }
        if folder.linked && self.scan.folder_links == Links::Skip {
            return refuse(Code::LinkSkipped, "linked folders are not followed here");
        }
        if outer.holds_skill && !self.scan.inside_skill && !self.scan.layout.is_flat() {
            return refuse(Code::InsideSkill, "it is inside another skill, which is not searched");
        }
        let depth = depth_of(self.scan);
        match self.scan.layout {
            _ if folder.depth <= depth => None,
            Layout::Tree | Layout::Flat => {
                refuse(Code::TooDeep, format!("it is deeper than {depth} folders below the root"))
            }
            Layout::Child => refuse(Code::NotInLayout, "only folders directly below the root are skills here"),
            Layout::Single => refuse(Code::NotInLayout, "only the root itself is a skill here"),
            Layout::Files => refuse(Code::NotInLayout, "only files directly in the root are skills here"),
        }
    }

    /// Returns the folder's name if the host does not search folders of that name.
    fn ignored<'f>(&self, folder: &'f Folder) -> Option<Cow<'f, str>> {
        if self.scan.ignored.is_empty() {
            return None;
        }
        let name = folder.path.file_name().unwrap_or_default().to_string_lossy();
        self.scan.ignored.iter().any(|ignored| is_called(&name, ignored)).then_some(name)
    }

    /// Judges the files of a folder; returns whether it is a skill's.
    fn files(&self, index: usize, folder: &Folder, refused: Option<&Reason>, candidates: &mut Vec<Candidate>) -> bool {
        let counts = |file: &FileFact| !(file.is_link && self.scan.file_links == Links::Skip);
        let is_there = |name: &&String| folder.files.iter().any(|file| *file.name == ***name && counts(file));
        let best = self.scan.files.iter().find(is_there);
        let mut holds_skill = false;
        for (file_index, file) in folder.files.iter().enumerate() {
            // What lies deeper is a skill elsewhere, or only one of its files.
            if self.scan.layout == Layout::Files && index != 0 && !self.scan.files.contains(&file.name.to_string()) {
                continue;
            }
            let refusal = refused.cloned().or_else(|| self.file_refusal(index, folder, file, best));
            holds_skill |= refusal.is_none();
            candidates.push(Candidate { folder: index, file: file_index, refused: refusal });
        }
        holds_skill
    }

    fn file_refusal(&self, index: usize, folder: &Folder, file: &FileFact, best: Option<&String>) -> Option<Reason> {
        let name = &*file.name;
        if let Some(max) = self.scan.file_max.filter(|&max| file.size > max) {
            return refuse(Code::FileTooLarge, format!("the file is larger than {max} bytes"));
        }
        if folder.cycle && self.scan.layout == Layout::Tree {
            return refuse(Code::LinkCycle, "a link leads back to a folder that holds it");
        }
        if file.is_link && self.scan.file_links == Links::Skip {
            return refuse(Code::LinkSkipped, "a linked skill file is not followed here");
        }
        if self.scan.layout == Layout::Flat {
            let is_skill = |file: &FileFact| file.name.eq_ignore_ascii_case("SKILL.md");
            let beside = !is_skill(file) && folder.files.iter().any(is_skill);
            let text = "the skill file in the same folder stands for the folder";
            return if beside { refuse(Code::NotInLayout, text) } else { None };
        }
        if self.scan.layout == Layout::Files {
            return None;
        }
        match best {
            Some(best) if best == name => {}
            Some(best) if self.scan.files.iter().any(|file| file == name) => {
                return refuse(Code::FileName, format!("`{best}` in the same folder is taken instead"));
            }
            _ => {
                let names = self.scan.files.join("` or `");
                return refuse(Code::FileName, format!("the file is called `{name}`, not `{names}`"));
            }
        }
        let root_counts = self.scan.root_itself || self.scan.layout == Layout::Single;
        if index == 0 && !root_counts {
            return refuse(Code::NotInLayout, "it lies directly in the root; a skill has a folder of its own");
        }
        None
    }

    fn limit(&self, code: Code) -> Option<(Code, usize)> {
        match code {
            Code::FolderLimit => Some((code, self.scan.folders)),
            Code::EntryLimit => Some((code, self.scan.entries)),
            _ => None,
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "every caller answers with a refusal or none")]
fn refuse(code: Code, text: impl Into<String>) -> Option<Reason> {
    Some(Reason { code, text: text.into() })
}

impl Candidate {
    pub(crate) fn canonical(&self, survey: &Survey) -> PathBuf {
        let folder = &survey.folders[self.folder];
        let file = &folder.files[self.file];
        file.link.as_deref().map_or_else(|| folder.canonical().join(&*file.name), Path::to_owned)
    }
}
